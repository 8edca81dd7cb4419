// Any text as a file: survey and trace of its first kernels with small budgets must come back.
#include <cstdint>
#include <string>

#include "core/staging/program.h"
#include "core/syntax/parser.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    using namespace tw;
    DiagnosticSink sink;
    auto text = std::make_shared<const SourceText>("fuzz.py", std::string(reinterpret_cast<const char*>(data), size));
    staging::Options options;
    options.target = target::defaultTarget();
    options.stepBudget = 20'000;
    options.memoryBudget = 8 << 20;
    const auto program = staging::survey(syntax::parse(std::move(text), 0, sink), options, sink);
    constexpr std::size_t kMostTraced = 2;  // a trace runs the whole file again
    for (std::size_t i = 0; i < program->kernels().size() && i < kMostTraced; ++i) {
        const staging::Kernel& kernel = program->kernels()[i];
        DiagnosticSink found;
        (void)staging::trace(*program, {kernel.name, "", {{"n", "3"}}, {}, {}}, options, found);
    }
    return 0;
}
