#include "core/interp/interpreter.h"

#include "core/interp/compiler.h"
#include "core/interp/machine.h"

namespace tw::interp {

RunResult run(const ir::Function& function, Arguments& arguments, const RunOptions& options, DiagnosticSink& diagnostics,
              std::stop_token stop)
{
    Program program;
    Compiler compiler(function, diagnostics);
    if (!compiler.compile(program))
        return {};
    Machine machine(program, function, arguments, options, diagnostics, std::move(stop));
    return machine.run();
}

}  // namespace tw::interp
