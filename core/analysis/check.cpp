#include "core/analysis/check.h"

#include "core/analysis/checks.h"

namespace tw::analysis {

void CheckContext::reportTarget(Code code, const SourceRange& range, const std::string& message) const
{
    if (function.target.empty())
        diagnostics.error(Code::kNotSupported, range, "not supported: " + message);
    else
        diagnostics.error(code, range, message);
}

void check(const ir::Function& function, const target::Target& target, DiagnosticSink& diagnostics)
{
    const CheckContext context{function, target, diagnostics};
    if (function.dialect == ir::Dialect::kArray) {  // one block of one thread: nothing of warps, tiles and races exists yet
        checkIndices(context);
        checkInitialization(context);
        return;
    }
    checkStructure(context);
    checkFragments(context);
    checkThreads(context);
    checkClusters(context);
    checkCapacity(context);
    checkIndices(context);
    checkAlignment(context);
    checkInitialization(context);
    checkRaces(context);
    checkProducts(context);
    checkReducers(context);
    checkPipelines(context);
    checkLayouts(context);
    checkAsync(context);
    checkFeatures(context);
    checkHints(context);
}

}  // namespace tw::analysis
