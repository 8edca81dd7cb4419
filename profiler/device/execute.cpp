#include "profiler/device/execute.h"

#include <fmt/ranges.h>

#include "core/ir/print.h"
#include "profiler/device/session.h"
#include "profiler/device/statistics.h"
#include "profiler/device/verify.h"

namespace tw::device {
namespace {

using protocol::Outcome;

constexpr std::int64_t kVerifyExtents[] = {1024, 1, 127, 1000};

void runAll(const protocol::RunRequest& request, Session& session, protocol::RunResult& result)
{
    if (!session.openDevice() || !session.parseInputs() || !session.compile(kRunExtent) || !session.prepareInputs({request.seed, Fill::kNormal}))
        return;
    result.compileMs = session.compileMs();
    interp::Arguments arguments = session.prepared().arguments;
    RunReport report;
    const bool ok = session.runOnDevice(arguments, std::max(1, request.repeat), report);
    result.log = std::move(report.log);
    result.samplesUs = std::move(report.samplesUs);
    result.clock = std::move(report.clock);
    result.simulation = std::move(report.simulation);
    if (!ok)
        return;
    for (const std::size_t i : session.outputs()) {
        interp::Tensor& tensor = arguments.tensors.at(session.function().params[i].name());
        result.outputs.push_back(summarize(session.function().params[i].name(), tensor));
        if (request.wantOutputs)
            result.outputs.back().data = std::move(tensor);
    }
}

// One set of inputs: the device and three runs of the interpreter.
bool verifyOnce(const protocol::VerifyRequest& request, Session& session, const ArgumentOptions& options, protocol::VerifyResult& result)
{
    if (!session.prepareInputs(options))
        return false;
    const interp::Arguments& inputs = session.prepared().arguments;
    interp::Arguments reference = inputs, perturbed = inputs, reversed = inputs, answer = inputs;
    interp::RunOptions perturb, reverse;
    perturb.perturb = true;
    perturb.tf32Products = session.target().isCuda() && session.target().compute >= 80;
    reverse.reverseBlocks = true;
    RunReport report;
    if (!session.runReference(reference, {}, "reference") || !session.runReference(perturbed, perturb, "bounds") ||
        !session.runReference(reversed, reverse, "order of blocks") || !session.runOnDevice(answer, 1, report))
        return false;
    for (const std::size_t i : session.outputs()) {
        const std::string& name = session.function().params[i].name();
        const protocol::Comparison c = compareAnswers(
            name, {reference.tensors.at(name), perturbed.tensors.at(name), reversed.tensors.at(name), answer.tensors.at(name)},
            {request.rtol, request.atol});
        const auto known = std::find_if(result.outputs.begin(), result.outputs.end(), [&](const auto& o) { return o.name == name; });
        if (known == result.outputs.end())
            result.outputs.push_back(c);
        else
            merge(*known, c);
    }
    return true;
}

void verifyAll(const protocol::VerifyRequest& request, Session& session, protocol::VerifyResult& result)
{
    if (request.device == "interp") {
        session.fail(Outcome::kUsage, errorOf(Code::kUsage, "verify compares a device with the interpreter; --device interp leaves nothing to compare"));
        return;
    }
    if (!session.openDevice() || !session.parseInputs())
        return;
    for (const std::int64_t chosen : kVerifyExtents) {
        if (!session.compile(chosen))
            return;
        for (int set = 0; set < std::max(1, request.inputSets); ++set) {
            const ArgumentOptions options{request.seed + static_cast<std::uint64_t>(set), set % 2 == 0 ? Fill::kNormal : Fill::kSmallIntegers};
            if (!verifyOnce(request, session, options, result))
                return;
        }
        if (!session.workload().choseExtents)
            break;
    }
    for (const protocol::Comparison& c : result.outputs)
        if (c.wrong > 0)
            result.head.outcome = Outcome::kAnswerWrong;
}

protocol::LaunchInfo launchInfo(const gpu::KernelLaunch& launch, const std::vector<nvrtc::KernelResources>& resources)
{
    protocol::LaunchInfo info;
    info.entry = launch.entry;
    for (const ir::Expr& extent : launch.grid)
        info.grid.push_back(ir::asInt(extent) ? fmt::format("{}", *ir::asInt(extent)) : ir::print(extent));
    info.block.assign(launch.block.begin(), launch.block.end());
    info.cluster = launch.cluster;
    info.sharedBytes = launch.staticSharedBytes;
    info.dynamicSharedBytes = launch.dynamicSharedBytes;
    for (const nvrtc::KernelResources& r : resources) {
        if (r.entry != launch.entry)
            continue;
        info.sharedBytes = r.staticSharedBytes;
        info.registers = r.registers;
        info.spillStores = r.spillStores;
        info.spillLoads = r.spillLoads;
        info.stackBytes = r.stackBytes;
        info.blocksPerMultiprocessor = r.occupancy.blocks;
        info.occupancy = r.occupancy.fraction;
        info.limiter = r.occupancy.limiter;
    }
    return info;
}

}  // namespace

protocol::RunResult execute(const protocol::RunRequest& request, const ReportProgress& progress, std::stop_token stop,
                             const protocol::CudaCompiler& compiler)
{
    return guarded<protocol::RunResult>([&](protocol::RunResult& result) {
        Session session(request.job, request.device, request.inputs, result.head, progress, std::move(stop), compiler);
        runAll(request, session, result);
    });
}

protocol::VerifyResult execute(const protocol::VerifyRequest& request, const ReportProgress& progress, std::stop_token stop,
                                const protocol::CudaCompiler& compiler)
{
    return guarded<protocol::VerifyResult>([&](protocol::VerifyResult& result) {
        Session session(request.job, request.device, request.inputs, result.head, progress, std::move(stop), compiler);
        verifyAll(request, session, result);
    });
}

protocol::CompileResult execute(const protocol::CompileRequest& request, const ReportProgress&, std::stop_token stop)
{
    return guarded<protocol::CompileResult>([&](protocol::CompileResult& result) {
        ExtentChoice choice{};
        const auto compiled = compileWithExtents(compileRequest(request.job, request.stages), kRunExtent, choice, stop);
        const driver::CompileSnapshot& snapshot = *compiled;
        result.head = {.outcome = outcomeOf(snapshot), .cancelled = snapshot.cancelled, .runnerEnds = false, .kernel = snapshot.kernel,
                       .instance = snapshot.instance.name, .target = snapshot.target.name, .device = "", .diagnostics = snapshot.diagnostics};
        if (const auto missing = missingParameters(snapshot); !missing.empty()) {
            result.head.outcome = Outcome::kUsage;
            result.head.diagnostics.push_back(
                errorOf(Code::kUsage, fmt::format("{} needs --param {}", snapshot.kernel, fmt::join(missing, ", "))));
        }
        const auto copy = [](const std::shared_ptr<const driver::TargetCode>& code) {
            return code ? std::optional(*code) : std::nullopt;
        };
        result.llvmIr = copy(snapshot.llvmIr);
        result.llvmOptimized = copy(snapshot.llvmOptimized);
        result.assembly = copy(snapshot.assembly);
        if (snapshot.object)
            result.object = *snapshot.object;
        result.cuda = copy(snapshot.cuda);
        result.ptx = copy(snapshot.ptx);
        result.sass = copy(snapshot.sass);
        if (snapshot.cubin)
            result.cubin = *snapshot.cubin;
        if (snapshot.gpuProgram)
            for (const gpu::KernelLaunch& launch : snapshot.gpuProgram->launches)
                result.launches.push_back(launchInfo(launch, snapshot.resources));
    });
}

}  // namespace tw::device
