// What decorators and compile calls say about a kernel besides its text.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/staging/interpreter.h"

namespace tw::staging {

struct CompileOptions {
    std::optional<std::vector<std::int64_t>> outIdx;
    SourceRange outIdxRange;
    std::string target;
    std::map<std::string, ir::Attr> passConfigs;
    std::vector<std::string> compileFlags;
};

// Reads the options of `kernel`; wrong ones are reported at their place. Unknown pass configurations are warnings.
[[nodiscard]] CompileOptions readOptions(Interpreter& interpreter, const KernelValue& kernel);
// A target string that names nothing known is reported at `range`; a dict or nothing at all passes.
void checkTarget(Evaluator& evaluator, const std::string& text, const SourceRange& range);
// `inner`'s settings win where both speak.
[[nodiscard]] CompileOptions merged(CompileOptions outer, const CompileOptions& inner);
// The function with the options applied; out_idx is checked against its parameters.
[[nodiscard]] std::shared_ptr<const ir::Function> applyOptions(Interpreter& interpreter, const ir::Function& function,
                                                               const CompileOptions& options);

}  // namespace tw::staging
