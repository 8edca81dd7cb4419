#include "profiler/device/execute.h"

#include <chrono>

#include <fmt/ranges.h>

#include "core/ir/print.h"
#include "core/interp/interpreter.h"
#include "profiler/device/device.h"
#include "profiler/device/statistics.h"
#include "profiler/device/strided.h"
#include "profiler/device/verify.h"
#include "profiler/device/workload.h"

namespace tw::device {
namespace {

using protocol::Outcome;
using Clock = std::chrono::steady_clock;

constexpr std::int64_t kRunExtent = 1024;
constexpr std::int64_t kVerifyExtents[] = {1024, 1, 127, 1000};

double microsecondsSince(Clock::time_point start) { return std::chrono::duration<double, std::micro>(Clock::now() - start).count(); }

Diagnostic errorOf(Code code, std::string message) { return {code, Severity::kError, {}, std::move(message), {}, {}, {}}; }

// What run and verify share: the device, the given inputs, the compile, and how failures become results.
class Session {
public:
    Session(const protocol::Job& job, std::string deviceName, const std::map<std::string, protocol::Input>& inputs,
            protocol::ResultHead& head, const ReportProgress& progress, std::stop_token stop, const protocol::CudaCompiler& compiler)
        : job_(job), inputs_(inputs), head_(head), progress_(progress), stop_(std::move(stop)), compiler_(compiler)
    {
        head_.device = std::move(deviceName);
    }

    bool openDevice()
    {
        auto opened = device::openDevice(head_.device, compiler_);
        if (opened) {
            device_ = std::move(*opened);
            return true;
        }
        const bool isRefused = opened.error().starts_with("not supported: ");
        return fail(isRefused ? Outcome::kCannot : Outcome::kUsage, errorOf(isRefused ? Code::kNotSupported : Code::kUsage, opened.error()));
    }

    bool parseInputs()
    {
        for (const auto& [name, input] : inputs_) {
            if (input.npy.empty()) {
                given_.literals[name] = input.literal;
                continue;
            }
            auto array = parseNpy(input.npy);
            if (!array)
                return fail(Outcome::kUsage, errorOf(Code::kFile, fmt::format("--input {}: {}", name, array.error())));
            given_.arrays[name] = std::move(*array);
        }
        return true;
    }

    bool compile(std::int64_t chosen)
    {
        report("compile", 0);
        const auto start = Clock::now();
        workload_ = {};
        driver::CompileRequest request = compileRequest(job_, device_->stages());
        if (!request.target)
            request.target = device_->target();
        auto prepared = prepareWorkload(request, given_, chosen, workload_, stop_);
        const driver::CompileSnapshot& snapshot = *workload_.snapshot;
        head_.kernel = snapshot.kernel;
        head_.instance = snapshot.instance.name;
        head_.target = snapshot.target.name;
        head_.diagnostics = snapshot.diagnostics;
        head_.cancelled = stop_.stop_requested();
        if (!prepared) {
            if (prepared.error().diagnostic.message.empty()) {
                head_.outcome = prepared.error().outcome == Outcome::kFine ? Outcome::kProgramWrong : prepared.error().outcome;
                return false;
            }
            return fail(prepared.error().outcome, std::move(prepared.error().diagnostic));
        }
        DiagnosticSink found;
        executable_ = device_->load(snapshot, found);
        take(found);
        if (!executable_)
            head_.outcome = isRefusal() ? Outcome::kCannot : Outcome::kProgramWrong;
        compileMs_ = microsecondsSince(start) / 1000;
        return executable_ != nullptr;
    }

    bool prepareInputs(const ArgumentOptions& options)
    {
        report("inputs", 0);
        // --param may name a scalar parameter of the kernel.
        for (const ir::Param& p : function().params)
            if (const auto value = job_.kernel.params.find(p.name());
                std::holds_alternative<ir::Var>(p.value) && value != job_.kernel.params.end() && !given_.arrays.contains(p.name()))
                given_.literals.try_emplace(p.name(), value->second);
        auto prepared = prepareArguments(*workload_.snapshot->function, workload_.extents.values, given_, options);
        if (!prepared)
            return fail(Outcome::kUsage, errorOf(Code::kArgument, prepared.error()));
        prepared_ = std::move(*prepared);
        return true;
    }

    bool runOnDevice(interp::Arguments& arguments, int repeat, RunReport& report)
    {
        DiagnosticSink found;
        const bool ok = executable_->run(arguments, repeat, report, found, reporter("run"), stop_);
        head_.runnerEnds = report.deviceIsLost;
        return ok || failedRun(found);
    }

    // One run of the reference.
    bool runReference(interp::Arguments& arguments, const interp::RunOptions& base, const char* phase)
    {
        DiagnosticSink found;
        interp::RunOptions options = base;
        options.progress = reporter(phase);
        const PointerOrder order(function(), arguments);
        const bool ok = interp::run(function(), arguments, options, found, stop_).ok;
        order.restore(arguments);
        return ok || failedRun(found);
    }

    // Indices of the parameters that hold the answer.
    std::vector<std::size_t> outputs() const
    {
        const staging::Kernel* kernel = workload_.snapshot->program->find(workload_.snapshot->kernel);
        const bool returnedLast = kernel && (kernel->form == staging::KernelForm::kEager || kernel->form == staging::KernelForm::kArray);
        return outputOrder(function(), prepared_.roles, returnedLast);
    }

    bool fail(Outcome outcome, Diagnostic diagnostic)
    {
        head_.outcome = outcome;
        if (diagnostic.kernel.empty())
            diagnostic.kernel = head_.kernel;
        head_.diagnostics.push_back(std::move(diagnostic));
        return false;
    }

    const ir::Function& function() const { return *workload_.snapshot->function; }
    const target::Target& target() const { return workload_.snapshot->target; }
    const Workload& workload() const { return workload_; }
    const PreparedArguments& prepared() const { return prepared_; }
    double compileMs() const { return compileMs_; }

private:
    void take(DiagnosticSink& found)
    {
        for (Diagnostic& d : found.take()) {
            if (d.kernel.empty())
                d.kernel = head_.kernel;
            head_.diagnostics.push_back(std::move(d));
        }
    }

    bool isRefusal() const
    {
        return std::any_of(head_.diagnostics.begin(), head_.diagnostics.end(), [](const Diagnostic& d) {
            return d.severity == Severity::kError && d.message.starts_with("not supported: ");
        });
    }

    // A failed run: the program's fault, unless integers that we made up led it astray.
    bool failedRun(DiagnosticSink& found)
    {
        head_.cancelled = stop_.stop_requested();
        const bool isAccess = std::any_of(found.all().begin(), found.all().end(), [](const Diagnostic& d) {
            return d.severity == Severity::kError && (d.code == Code::kOutOfBounds || d.code == Code::kDeadlock || d.code == Code::kDeviceAssert);
        });
        take(found);
        if (head_.cancelled)
            return false;
        if (isAccess && !prepared_.generated.empty())
            return fail(Outcome::kUsage,
                        errorOf(Code::kArgument, fmt::format("generated values do not fit this kernel; give --input {}",
                                                             fmt::join(prepared_.generated, ", --input "))));
        head_.outcome = isRefusal() ? Outcome::kCannot : Outcome::kProgramWrong;
        return false;
    }

    void report(const char* phase, double fraction) const
    {
        if (progress_)
            progress_({phase, fraction});
    }
    std::function<void(double)> reporter(const char* phase) const
    {
        return [this, phase](double fraction) { report(phase, fraction); };
    }

    const protocol::Job& job_;
    const std::map<std::string, protocol::Input>& inputs_;
    protocol::ResultHead& head_;
    const ReportProgress& progress_;
    std::stop_token stop_;
    const protocol::CudaCompiler& compiler_;
    GivenInputs given_;
    std::unique_ptr<Device> device_;
    std::unique_ptr<Executable> executable_;
    Workload workload_;
    PreparedArguments prepared_;
    double compileMs_ = 0;
};

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

template <class Result, class Body>
Result guarded(Body&& body)
{
    Result result;
    try {
        body(result);
    } catch (const std::exception& e) {
        result.head.outcome = Outcome::kProgramWrong;
        result.head.diagnostics.push_back(errorOf(Code::kInternal, fmt::format("internal failure while running: {}", e.what())));
    }
    return result;
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
        bool choseExtents = false;
        const auto compiled = compileWithExtents(compileRequest(request.job, request.stages), kRunExtent, choseExtents, stop);
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
