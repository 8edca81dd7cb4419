// Where a name of a file is bound: go to definition and the outline. By the syntax tree alone, no evaluation.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/syntax/ast.h"

namespace tw::gui {

struct Definition {
    enum class Kind { kFunction, kClass, kParameter, kVariable, kImport };
    Kind kind{};
    std::string name;
    SourceRange range;  // the name
    SourceRange scope;  // where it is visible: a function, a class, or the whole file
    int depth = 0;      // of the scope: 0 for the file
};

// All bindings, in order of the text.
[[nodiscard]] std::vector<Definition> collectDefinitions(const syntax::Module& module);

// The binding that `name` at byte `offset` means: of the innermost scope that has it, the last in front of the offset.
[[nodiscard]] std::optional<Definition> findDefinition(const std::vector<Definition>& definitions, const std::string& name,
                                                       std::uint32_t offset);

}  // namespace tw::gui
