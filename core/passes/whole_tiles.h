// Tiles as a whole: made, annotated with a layout, copied.
#pragma once

#include "core/ir/stmt.h"
#include "core/layout/fragment.h"

namespace tw::passes {

[[nodiscard]] ir::Buffer newTile(const std::string& name, ir::DType type, const std::vector<std::int64_t>& shape, ir::MemoryScope scope);
[[nodiscard]] ir::Region wholeOf(const ir::Buffer& buffer);
// T.annotate_layout of the buffer.
[[nodiscard]] ir::Stmt annotation(const ir::Buffer& buffer, Ref<const ir::LayoutMap> map, const ir::Provenance& where);
// dst[…] = src[…] over the whole tile, run by the threads of `by`.
[[nodiscard]] ir::Stmt copyNest(const ir::Buffer& src, const ir::Buffer& dst, const layout::Fragment& by, const ir::Provenance& where);

}  // namespace tw::passes
