// One compile, and what its log says.
#include <algorithm>
#include <cstring>
#include <map>
#include <regex>
#include <sstream>

#include <fmt/format.h>

#include "codegen/gpu_c/text.h"
#include "codegen/nvrtc/library.h"
#include "codegen/nvrtc/nvrtc.h"
#include "codegen/nvrtc/toolkit.h"

namespace tw::nvrtc {

namespace {

// Ends the program with the scope.
class ProgramOwner {
public:
    ProgramOwner(const Library& l, Library::Program program) : l_(l), program_(program) {}
    ~ProgramOwner() { l_.destroyProgram(&program_); }
    ProgramOwner(const ProgramOwner&) = delete;
    ProgramOwner& operator=(const ProgramOwner&) = delete;
    [[nodiscard]] Library::Program get() const { return program_; }

private:
    const Library& l_;
    Library::Program program_;
};

int stopRequested(void* payload, void*)
{
    return static_cast<const std::stop_token*>(payload)->stop_requested() ? 1 : 0;
}

bool supports(const Library& l, int compute)
{
    int count = 0;
    if (l.numSupportedArchs(&count) != 0 || count <= 0)
        return true;  // unknown: the compile will say
    std::vector<int> archs(static_cast<std::size_t>(count));
    return l.supportedArchs(archs.data()) != 0 || std::find(archs.begin(), archs.end(), compute) != archs.end();
}

std::string read(Library::Program program, int (*size)(Library::Program, std::size_t*), int (*get)(Library::Program, char*))
{
    std::size_t n = 0;
    if (size(program, &n) != 0 || n == 0)
        return {};
    std::string bytes(n, '\0');
    return get(program, bytes.data()) == 0 ? bytes : std::string();
}

// Texts end with a zero that is none of theirs.
std::string readText(Library::Program program, int (*size)(Library::Program, std::size_t*), int (*get)(Library::Program, char*))
{
    std::string text = read(program, size, get);
    text.resize(std::strlen(text.c_str()));
    return text;
}

std::int64_t numberBefore(const std::string& line, const std::string& words)
{
    const std::size_t at = line.find(words);
    if (at == std::string::npos || at == 0)
        return 0;
    std::size_t begin = at;
    while (begin > 0 && (line[begin - 1] == ' ' || (line[begin - 1] >= '0' && line[begin - 1] <= '9')))
        --begin;
    return std::atoll(line.c_str() + begin);
}

// ptxas speaks of each entry in turn: "Compiling entry function 'k'", properties, "Used 32 registers, … 4096 bytes smem".
std::map<std::string, KernelResources> parseResources(const std::string& log)
{
    std::map<std::string, KernelResources> found;
    KernelResources* current = nullptr;
    std::istringstream in(log);
    for (std::string line; std::getline(in, line);) {
        if (const std::size_t at = line.find("entry function '"); at != std::string::npos) {
            const std::size_t begin = at + std::strlen("entry function '");
            const std::string entry = line.substr(begin, line.find('\'', begin) - begin);
            current = &found[entry];
            current->entry = entry;
        } else if (!current) {
            continue;
        } else if (line.find("bytes stack frame") != std::string::npos) {
            current->stackBytes = numberBefore(line, " bytes stack frame");
            current->spillStores = numberBefore(line, " bytes spill stores");
            current->spillLoads = numberBefore(line, " bytes spill loads");
        } else if (line.find("Used ") != std::string::npos && line.find(" registers") != std::string::npos) {
            current->registers = static_cast<int>(numberBefore(line, " registers"));
            current->staticSharedBytes = numberBefore(line, " bytes smem");
        }
    }
    return found;
}

SourceRange lineRange(const SourceText& file, std::uint32_t index, int line)
{
    const std::uint32_t begin = file.lineStart(line);
    return {index, begin, begin + static_cast<std::uint32_t>(file.lineText(line).size())};
}

// "FILE(12): warning #177-D: …" and ptxas's own warnings.
void reportWarnings(const std::string& log, const SourceSet* sources, DiagnosticSink& diagnostics)
{
    static const std::regex pattern(R"(^(.*)\((\d+)\): (warning|error)( #[0-9A-Za-z-]+)?: (.*)$)");
    std::istringstream in(log);
    for (std::string line; std::getline(in, line);) {
        std::smatch m;
        if (std::regex_match(line, m, pattern) && m[3] == "warning") {
            SourceRange range;
            if (sources)
                for (std::uint32_t i = 0; i < sources->size(); ++i)
                    if (sources->file(i).name() == m[1].str())
                        range = lineRange(sources->file(i), i, std::stoi(m[2].str()));
            diagnostics.warning(Code::kInternal, range, fmt::format("the CUDA compiler warns of generated code: {}", m[5].str()));
        } else if (line.rfind("ptxas warning", 0) == 0) {
            diagnostics.warning(Code::kInternal, {}, fmt::format("the assembler warns of generated code: {}", line.substr(line.find(':') + 2)));
        }
    }
}

std::string firstError(const std::string& log)
{
    std::istringstream in(log);
    for (std::string line; std::getline(in, line);)
        if (line.find("error") != std::string::npos)
            return line;
    return log.substr(0, log.find('\n'));
}

}  // namespace

std::string withLineDirectives(const gpu::GpuProgram& program, const SourceSet* sources)
{
    std::string out;
    std::istringstream in(program.text);
    auto next = program.lines.begin();
    int number = 0;
    std::pair<std::uint32_t, int> expected{0, 0};  // what the compiler takes the next line for
    if (sources)
        out += "#line 1 \"tilewright.cuh\"\n";
    for (std::string line; std::getline(in, line); ++expected.second) {
        ++number;
        while (next != program.lines.end() && next->line < number)
            ++next;
        if (sources && line.rfind("#line ", 0) == 0)
            continue;  // each line gets its own
        if (sources && next != program.lines.end() && next->line == number && next->source.file < sources->size()) {
            const SourceText& file = sources->file(next->source.file);
            const std::pair<std::uint32_t, int> place{next->source.file, file.lineColumn(next->source.begin).line};
            if (place != expected)
                out += fmt::format("#line {} {}\n", place.second, gpu::quoted(file.name()));
            expected = place;
        }
        (out += line) += '\n';
    }
    return out;
}

tl::expected<Compiled, Failure> compile(const gpu::GpuProgram& program, const target::Target& target, const SourceSet* sources,
                                        DiagnosticSink& diagnostics, std::stop_token stop)
{
    const auto& opened = library();
    if (!opened)
        return tl::unexpected(Failure{FailureKind::kMissing, opened.error(), {}});
    const Library& l = *opened;
    if (!supports(l, target.compute)) {
        int major = 0, minor = 0;
        l.version(&major, &minor);
        return tl::unexpected(Failure{FailureKind::kUnsupported, fmt::format("machine code for {}: NVRTC {}.{} on this machine does not know it", target.name, major, minor), {}});
    }
    if (stop.stop_requested())
        return tl::unexpected(Failure{FailureKind::kCancelled, "cancelled", {}});

    const std::string text = withLineDirectives(program, sources);
    Library::Program created = nullptr;
    if (const int result = l.createProgram(&created, text.c_str(), "kernel.cu", 0, nullptr, nullptr); result != 0)
        return tl::unexpected(Failure{FailureKind::kRejected, l.errorString(result), {}});
    const ProgramOwner owner(l, created);
    if (l.setFlowCallback)
        l.setFlowCallback(owner.get(), &stopRequested, &stop);

    const std::string arch = "-arch=" + target.name;
    std::vector<const char*> flags = {arch.c_str(), "-std=c++17", "-minimal", "-default-device", "-lineinfo", "--ptxas-options=-v"};
    if (program.fastMath)
        flags.push_back("-use_fast_math");
    // Our text includes nothing; an author's may.
    std::vector<std::string> includes;
    if (program.text.find("#include") != std::string::npos)
        for (const std::string& folder : toolkitFolders("include"))
            includes.push_back("-I" + folder);
    for (const std::string& include : includes)
        flags.push_back(include.c_str());
    const int result = l.compileProgram(owner.get(), static_cast<int>(flags.size()), flags.data());
    Compiled compiled;
    compiled.log = readText(owner.get(), l.logSize, l.log);
    if (stop.stop_requested())
        return tl::unexpected(Failure{FailureKind::kCancelled, "cancelled", {}});
    if (result != 0)
        return tl::unexpected(Failure{FailureKind::kRejected, firstError(compiled.log), compiled.log});
    reportWarnings(compiled.log, sources, diagnostics);
    compiled.ptx = readText(owner.get(), l.ptxSize, l.ptx);
    compiled.cubin = read(owner.get(), l.cubinSize, l.cubin);

    auto parsed = parseResources(compiled.log);
    for (const gpu::KernelLaunch& launch : program.launches) {
        const auto found = parsed.find(launch.entry);
        if (found == parsed.end())
            continue;
        KernelResources r = found->second;
        r.occupancy = target::occupancyOf(target, {launch.block[0] * launch.block[1] * launch.block[2], r.registers, r.staticSharedBytes + launch.dynamicSharedBytes});
        compiled.resources.push_back(std::move(r));
    }
    return compiled;
}

tl::expected<std::string, std::string> nvrtcVersion()
{
    const auto& opened = library();
    if (!opened)
        return tl::unexpected(opened.error());
    int major = 0, minor = 0;
    opened->version(&major, &minor);
    return fmt::format("{}.{}", major, minor);
}

}  // namespace tw::nvrtc
