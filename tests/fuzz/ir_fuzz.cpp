// Any text is read as IR without a crash, and what is a function prints and reads back as itself.
#include <cstdint>
#include <cstdlib>
#include <string>

#include "core/ir/print.h"
#include "core/staging/program.h"
#include "core/syntax/parser.h"

namespace {

using namespace tw;

// As staging::readFunction, within budgets that let a mutated loop end soon.
std::shared_ptr<const ir::Function> read(const std::string& text)
{
    DiagnosticSink sink;
    staging::Options options;
    options.target = target::defaultTarget();
    options.stepBudget = 20'000;
    options.memoryBudget = 8 << 20;
    const auto module = syntax::parse(std::make_shared<const SourceText>("function.py", text), 0, sink);
    if (!module || sink.hasErrors())
        return nullptr;
    const auto program = staging::survey(module, options, sink);
    if (sink.hasErrors() || program->kernels().empty())
        return nullptr;
    staging::TraceRequest request;
    request.kernel = program->kernels().front().name;
    return staging::trace(*program, request, options, sink).function;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    const auto function = read(std::string(reinterpret_cast<const char*>(data), size));
    if (!function)
        return 0;
    const std::string text = ir::print(*function).text;
    // What is printed has every loop unrolled: it may need more than what it was made from.
    DiagnosticSink sink;
    const auto again = staging::readFunction(text, sink);
    if (!again || ir::print(*again).text != text)
        std::abort();
    return 0;
}
