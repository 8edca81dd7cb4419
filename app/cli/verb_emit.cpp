#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include <fmt/ranges.h>

#include "app/cli/opened_file.h"
#include "app/cli/runner.h"
#include "app/cli/select.h"
#include "app/cli/verbs.h"
#include "core/ir/print.h"
#include "core/ir/visit.h"

namespace tw::cli {
namespace {

constexpr const char* kCpuFormats[] = {"llvm", "asm", "obj"};
constexpr const char* kGpuFormats[] = {"cuda", "hip", "metal", "ptx", "sass", "cubin"};

bool isCpuFormat(const std::string& format) { return std::find(std::begin(kCpuFormats), std::end(kCpuFormats), format) != std::end(kCpuFormats); }
bool isGpuFormat(const std::string& format) { return std::find(std::begin(kGpuFormats), std::end(kGpuFormats), format) != std::end(kGpuFormats); }

// The format for the given options, or an exit code with an error in the report.
struct Choice {
    std::string format;
    std::optional<std::string> target;
    int exitCode = kFine;
};
Choice choose(const Options& options, Report& report)
{
    Choice choice{options.format, options.target, kFine};
    if (!options.format.empty() && !isCpuFormat(options.format) && !isGpuFormat(options.format)) {
        report.fail(Code::kUsage, fmt::format("--format takes {}, {}; not {}", fmt::join(kGpuFormats, ", "), fmt::join(kCpuFormats, ", "), options.format));
        choice.exitCode = kUsage;
        return choice;
    }
    if (!choice.target && isCpuFormat(options.format))
        choice.target = "cpu";
    const auto target = choice.target ? target::parse(*choice.target) : std::optional(target::defaultTarget());
    if (!target) {
        report.fail(Code::kUsage, fmt::format("unknown target \"{}\"", *choice.target));
        choice.exitCode = kUsage;
        return choice;
    }
    if (target->kind != target::Kind::kCpu || isGpuFormat(choice.format)) {
        report.fail(Code::kNotSupported,
                    fmt::format("not supported: this build emits code for --target cpu only (formats {}), not {}{}", fmt::join(kCpuFormats, ", "),
                                choice.format.empty() ? "" : choice.format + " for ", target->name));
        choice.exitCode = kCannot;
        return choice;
    }
    if (choice.format.empty())
        choice.format = "llvm";
    return choice;
}

unsigned stageOf(const std::string& format)
{
    using driver::StageWanted;
    return static_cast<unsigned>(format == "llvm" ? StageWanted::kLlvmIr : format == "asm" ? StageWanted::kAssembly : StageWanted::kObject);
}

struct Launches final : ir::Visitor {
    const ir::Function* function = nullptr;
    Json out = Json::array();
    std::int64_t staticBytes = 0, dynamicBytes = 0;
    using ir::Visitor::visit;

    void visit(const ir::Stmt& s) override
    {
        if (const auto* allocate = ir::as<ir::Allocate>(s); allocate && allocate->buffer->scope == ir::MemoryScope::kShared && !allocate->buffer->viewOf) {
            std::int64_t count = 1;
            for (const ir::Expr& e : allocate->buffer->shape)
                count *= ir::asInt(e) ? *ir::asInt(e) : 1;
            (allocate->buffer->staticShared ? staticBytes : dynamicBytes) += allocate->buffer->dtype.storageBytes(count);
        }
        const auto* launch = ir::as<ir::Launch>(s);
        staticBytes = launch ? 0 : staticBytes;
        dynamicBytes = launch ? 0 : dynamicBytes;
        ir::Visitor::visit(s);
        if (launch)
            add(*launch);
    }

    void add(const ir::Launch& launch)
    {
        Json grid = Json::array();
        for (const ir::Expr& e : launch.grid)
            grid.push_back(ir::asInt(e) ? Json(*ir::asInt(e)) : Json(ir::print(e)));
        const std::string suffix = out.empty() ? "" : fmt::format("_{}", out.size());
        const auto& t = launch.threads;
        out.push_back({{"entry", function->name + "_kernel" + suffix}, {"threads", t[0] * t[1] * t[2]}, {"sharedBytes", staticBytes},
                       {"dynamicSharedBytes", dynamicBytes}, {"registers", nullptr}, {"spills", nullptr}, {"grid", grid},
                       {"block", {t[0], t[1], t[2]}}});
    }
};

Json lineMap(const driver::TargetCode& code, const SourceSet& sources)
{
    Json out = Json::array();
    for (const driver::LineMapEntry& entry : code.lines)
        if (entry.source.isKnown() && entry.source.file < sources.size())
            out.push_back({{"line", entry.line}, {"source", sources.file(entry.source.file).lineColumn(entry.source.begin).line}, {"op", entry.op}});
    return out;
}

std::string linesText(const Json& lines)
{
    std::string out;
    for (const Json& l : lines)
        out += fmt::format("{}\t{}\t{}\n", l["line"].get<int>(), l["source"].get<int>(), l["op"].get<std::uint32_t>());
    return out;
}

// To -o, or to the report.
int deliver(const Options& options, const std::string& bytes, bool isBinary, Report& report)
{
    report.json()["text"] = isBinary ? Json(nullptr) : Json(bytes);
    report.json()["bytes"] = bytes.size();
    if (options.output.empty()) {
        report.text() = bytes;
        return kFine;
    }
    const int descriptor = ::open(options.output.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    const bool ok = descriptor >= 0 && writeAll(descriptor, bytes);
    const int error = errno;
    if (descriptor >= 0)
        ::close(descriptor);
    if (!ok) {
        report.fail(Code::kFile, fmt::format("cannot write {}: {}", options.output, std::strerror(error)));
        return kUsage;
    }
    report.json()["path"] = options.output;
    return kFine;
}

}  // namespace

int runEmit(const Options& given, Report& report, std::stop_token stop)
{
    const Choice choice = choose(given, report);
    if (choice.exitCode != kFine)
        return choice.exitCode;
    Options options = given;
    options.target = "cpu";
    const auto file = OpenedFile::open(options, report, stop);
    if (!file)
        return kUsage;
    const Selection selection = select(*file, options, Scope::kOne, report);
    if (selection.exitCode != kFine || selection.items.empty())
        return selection.exitCode == kFine ? static_cast<int>(kProgramWrong) : selection.exitCode;

    protocol::Client client(protocol::localRunnerCommand());
    const protocol::CompileResult result = client.compile({file->job(selection.items[0].request), stageOf(choice.format)}, {}, stop);
    putHead(result.head, report);
    report.json()["format"] = choice.format;
    if (result.head.outcome != protocol::Outcome::kFine)
        return static_cast<int>(result.head.outcome);
    const auto& code = choice.format == "llvm" ? result.llvmIr : result.assembly;
    report.json()["lines"] = code ? lineMap(*code, file->program()->sources()) : Json::array();
    const auto traced = driver::compile(file->request(selection.items[0].request, static_cast<unsigned>(driver::StageWanted::kTrace)), stop);
    Launches launches;
    launches.function = traced->function.get();
    if (traced->function && traced->function->body)
        launches.visit(traced->function->body);
    report.json()["launches"] = launches.out;
    if (options.lines && options.output.empty() && !options.json) {
        report.text() = linesText(report.json()["lines"]);
        return kFine;
    }
    const bool isBinary = choice.format == "obj";
    return deliver(options, isBinary ? result.object.value_or("") : code ? code->text : "", isBinary, report);
}

}  // namespace tw::cli
