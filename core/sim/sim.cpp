#include "core/sim/sim.h"

#include "core/interp/interpreter.h"
#include "core/sim/watcher.h"

namespace tw::sim {

SimResult simulate(const ir::Function& threadStage, interp::Arguments& arguments, const SimOptions& options, DiagnosticSink& diagnostics,
                   std::stop_token stop)
{
    Watcher watcher(options);
    interp::RunOptions run;
    run.observer = &watcher;
    run.maxLogBytes = options.maxLogBytes;
    run.progress = options.progress;
    interp::RunResult ran = interp::run(threadStage, arguments, run, diagnostics, std::move(stop));
    SimResult result;
    result.cancelled = ran.cancelled;
    result.log = std::move(ran.log);
    watcher.report(diagnostics, result.report);
    result.ok = ran.ok && watcher.foundNothing();
    return result;
}

}  // namespace tw::sim
