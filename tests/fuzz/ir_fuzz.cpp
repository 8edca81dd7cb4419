// Any text is read as IR without a crash, and what is a function prints and reads back as itself.
#include <cstdint>
#include <cstdlib>
#include <string>

#include "core/ir/print.h"
#include "core/staging/program.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    using namespace tw;
    DiagnosticSink sink;
    const auto function = staging::readFunction(std::string(reinterpret_cast<const char*>(data), size), sink);
    if (!function)
        return 0;
    const std::string text = ir::print(*function).text;
    DiagnosticSink again;
    const auto read = staging::readFunction(text, again);
    if (!read || ir::print(*read).text != text)
        std::abort();
    return 0;
}
