// The expressions of a statement itself, not those of statements inside of it.
#pragma once

#include <map>
#include <vector>

#include "core/ir/stmt.h"

namespace tw::passes {

using BufferNames = std::map<const ir::BufferNode*, ir::Buffer>;

// Fragments that they load, in order, as often as they do.
[[nodiscard]] std::vector<ir::Buffer> fragmentsLoadedBy(const ir::Stmt& s);
// With other buffers of the same shape in them.
[[nodiscard]] ir::Stmt renamedOwn(const ir::Stmt& s, const BufferNames& to);
// With other buffers in all of the statement.
[[nodiscard]] ir::Stmt renamed(const ir::Stmt& s, const BufferNames& to);

}  // namespace tw::passes
