#include <algorithm>

#include <fmt/ranges.h>

#include "app/cli/opened_file.h"
#include "app/cli/own_program.h"
#include "app/cli/runner.h"
#include "app/cli/select.h"
#include "app/cli/verbs.h"
#include "core/ir/print.h"
#include "core/ir/visit.h"

namespace tw::cli {
namespace {

constexpr const char* kCpuFormats[] = {"llvm", "asm", "obj"};
constexpr const char* kCudaFormats[] = {"cuda", "ptx", "sass", "cubin"};
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
    if (choice.format.empty())
        choice.format = target->kind == target::Kind::kCpu ? "llvm" : "cuda";
    const bool fits = isCpuFormat(choice.format) ? target->kind == target::Kind::kCpu
                                                 : target->isCuda() && std::find(std::begin(kCudaFormats), std::end(kCudaFormats), choice.format) != std::end(kCudaFormats);
    if (!fits) {
        report.fail(Code::kNotSupported, fmt::format("not supported: {} for {}; formats are {} for CUDA targets and {} for --target cpu", choice.format, target->name,
                                                     fmt::join(kCudaFormats, ", "), fmt::join(kCpuFormats, ", ")));
        choice.exitCode = kCannot;
    }
    return choice;
}

unsigned stageOf(const std::string& format)
{
    using driver::StageWanted;
    constexpr std::pair<const char*, StageWanted> kStages[] = {
        {"llvm", StageWanted::kLlvmIr}, {"asm", StageWanted::kAssembly}, {"obj", StageWanted::kObject}, {"cuda", StageWanted::kCuda},
        {"ptx", StageWanted::kPtx},     {"sass", StageWanted::kSass},    {"cubin", StageWanted::kCubin}};
    for (const auto& [name, stage] : kStages)
        if (format == name)
            return isCpuFormat(format) ? static_cast<unsigned>(stage) : stage | StageWanted::kCheck;
    return 0;
}

const std::optional<driver::TargetCode>& codeOf(const protocol::CompileResult& result, const std::string& format)
{
    return format == "llvm" ? result.llvmIr : format == "asm" ? result.assembly : format == "cuda" ? result.cuda : format == "ptx" ? result.ptx : result.sass;
}

Json launchesOf(const protocol::CompileResult& result)
{
    Json out = Json::array();
    const auto number = [](const std::optional<std::int64_t>& n) { return n ? Json(*n) : Json(); };
    for (const protocol::LaunchInfo& l : result.launches) {
        Json grid = Json::array();
        for (const std::string& extent : l.grid)
            grid.push_back(extent.find_first_not_of("0123456789") == std::string::npos ? Json(std::stoll(extent)) : Json(extent));
        std::int64_t threads = 1;
        for (const std::int64_t extent : l.block)
            threads *= extent;
        Json launch = {{"entry", l.entry}, {"threads", threads}, {"sharedBytes", l.sharedBytes}, {"dynamicSharedBytes", l.dynamicSharedBytes},
                       {"registers", number(l.registers)}, {"spills", l.spillStores ? Json(*l.spillStores + l.spillLoads.value_or(0)) : Json()},
                       {"stackBytes", number(l.stackBytes)}, {"grid", grid}, {"block", l.block}, {"cluster", l.cluster}};
        if (l.blocksPerMultiprocessor)
            launch["occupancy"] = {{"blocksPerMultiprocessor", *l.blocksPerMultiprocessor}, {"fraction", l.occupancy}, {"limiter", l.limiter}};
        out.push_back(std::move(launch));
    }
    return out;
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
    for (const gpu::LineSource& entry : code.lines)
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
    if (const auto written = writeFile(options.output, bytes); !written) {
        report.fail(Code::kFile, written.error());
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
    if (isCpuFormat(choice.format))
        options.target = "cpu";
    const auto opened = openKernel(options, report, stop);
    if (!opened)
        return opened.error();
    const auto& [file, selected] = *opened;

    protocol::Client client(ownRunnerCommand());
    const protocol::CompileResult result = client.compile({file->job(selected.request), stageOf(choice.format)}, {}, stop);
    putHead(result.head, report);
    report.json()["format"] = choice.format;
    if (result.head.outcome != protocol::Outcome::kFine)
        return static_cast<int>(result.head.outcome);
    const bool isBinary = choice.format == "obj" || choice.format == "cubin";
    const std::optional<driver::TargetCode> code = isBinary ? std::nullopt : codeOf(result, choice.format);
    report.json()["lines"] = code ? lineMap(*code, file->program()->sources()) : Json::array();
    if (isCpuFormat(choice.format)) {
        const auto traced = driver::compile(file->request(selected.request, static_cast<unsigned>(driver::StageWanted::kTrace)), stop);
        Launches launches;
        launches.function = traced->function.get();
        if (traced->function && traced->function->body)
            launches.visit(traced->function->body);
        report.json()["launches"] = launches.out;
    } else {
        report.json()["launches"] = launchesOf(result);
    }
    if (options.lines && options.output.empty() && !options.json) {
        report.text() = linesText(report.json()["lines"]);
        return kFine;
    }
    const auto& binary = choice.format == "obj" ? result.object : result.cubin;
    return deliver(options, isBinary ? binary.value_or("") : code ? code->text : "", isBinary, report);
}

}  // namespace tw::cli
