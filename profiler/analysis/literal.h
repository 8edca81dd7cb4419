// Where the source says a number that a schedule depends on.
#pragma once

#include <optional>
#include <string_view>

#include "codegen/driver/compile.h"

namespace tw::profile_analysis {

struct Literal {
    SourceRange range;
    std::int64_t value = 0;
};

// The literal behind option `keyword` of a call inside `loop` (`T.Pipelined(n, num_stages=3)`): the number itself, or, where it is a
// parameter of the kernel that the instance leaves at its default, that default. Empty for anything else, or if the value is not
// `expected`.
[[nodiscard]] std::optional<Literal> literalOf(const driver::CompileSnapshot& snapshot, const SourceRange& loop, std::string_view keyword,
                                               std::int64_t expected);

}  // namespace tw::profile_analysis
