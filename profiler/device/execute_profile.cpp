#include "profiler/device/execute_profile.h"

#include <chrono>
#include <ctime>
#include <optional>

#include <fmt/chrono.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "core/sim/sim.h"
#include "profiler/analysis/explain.h"
#include "profiler/analysis/roofline.h"
#include "profiler/cuda/timing.h"
#include "profiler/device/gpu_measurement.h"
#include "profiler/device/session.h"
#include "profiler/device/strided.h"
#include "profiler/device/timelines.h"

namespace tw::device {
namespace {

namespace pa = profile_analysis;
using capture::Capture;
using capture::Origin;
using driver::StageWanted;
using protocol::Outcome;

// Beyond these the simulator would take minutes: element steps of all blocks, and multiply-adds of products.
constexpr double kMostSimulatedSteps = 4e7, kMostSimulatedFlops = 2e9;
constexpr double kMostInputBytes = 5e8;  // of tensors that a simulated timeline may ask for: a second or two

std::string now() { return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr))); }

void describeHost(capture::Environment& environment)
{
    utsname system{};
    if (::uname(&system) == 0)
        environment.system = fmt::format("{} {}", system.sysname, system.release);
    char host[256] = {};
    if (::gethostname(host, sizeof(host) - 1) == 0)
        environment.host = host;
}

void recordTimes(const std::vector<double>& samplesUs, Capture& capture)
{
    capture.samplesUs = samplesUs;
    const cuda::TimingSummary summary = cuda::summarizeTimes(samplesUs);
    capture.metrics.insert(capture.metrics.begin(), {capture::metric::kDuration, summary.median, "us", -1, Origin::kMeasured,
                                                     static_cast<int>(samplesUs.size()), summary.spread()});
}

pa::Values valuesOf(const Session& session)
{
    pa::Values values = session.workload().extents.values;
    for (const auto& [name, extent] : session.prepared().arguments.dims)
        values[name] = extent;
    for (const auto& [name, value] : session.prepared().arguments.scalars)
        if (const auto* number = std::get_if<std::int64_t>(&value))
            values[name] = *number;
    return values;
}

// A compile of the job for the target and with the extents of `as`.
driver::CompileRequest sameInstance(const protocol::Job& job, const driver::CompileSnapshot& as, unsigned stages)
{
    driver::CompileRequest request = compileRequest(job, (StageWanted::kTrace | StageWanted::kCheck) | stages);
    request.target = as.target.name;
    for (const auto& [name, extent] : as.instance.dims)
        request.kernel.dims.try_emplace(name, extent);
    return request;
}

// CUDA text and launches; registers and spills, where NVIDIA's compiler is on this machine.
std::shared_ptr<const driver::CompileSnapshot> withCode(const Session& session, Capture& capture)
{
    const auto near = session.workload().snapshot;
    if (!near->target.isCuda())
        return near;
    driver::CompileRequest request = sameInstance(session.job(), *near, static_cast<unsigned>(StageWanted::kPtx));
    request.previous = near;
    auto far = driver::compile(request, session.stop());
    if (!far->resources.empty())
        return far;
    std::string why = "the CUDA text does not compile";
    for (const Diagnostic& d : far->diagnostics)
        if (d.severity == Severity::kError)
            why = d.message;
    capture.absences["registers"] = fmt::format("registers and spills are unknown, occupancy counts threads and shared memory only: {}", why);
    return far->gpuProgram ? far : near;
}

class Profile {
public:
    Profile(const protocol::ProfileRequest& request, Session& session, protocol::ProfileResult& result)
        : request_(request), session_(session), result_(result)
    {
    }

    void run()
    {
        if (request_.device == "interp") {
            session_.fail(Outcome::kCannot, errorOf(Code::kNotSupported, "not supported: profiling the interpreter, which has no machine behind it; "
                                                                         "--device sim counts and models, cpu and cuda:N measure"));
            return;
        }
        const bool isSim = request_.device == "sim";
        if (!session_.openDevice() || !session_.parseInputs() || !session_.compile(kRunExtent))
            return;
        // Inputs of a program that the simulator cannot run would take longer to make than the model; a timeline runs single blocks.
        const pa::Work whole = isSim ? pa::workOf(session_.function(), valuesOf(session_)) : pa::Work{};
        const bool runs = !isSim || canBeSimulated(whole);
        const bool needsInputs = runs || (request_.timeline && whole.least.both() <= kMostInputBytes);
        if (needsInputs && !session_.prepareInputs({request_.seed, Fill::kNormal}))
            return;
        capture_.created = now();
        capture_.seed = request_.seed;
        capture_.environment.device = request_.device;
        capture_.environment.coldL2 = request_.coldL2;
        describeHost(capture_.environment);
        const auto snapshot = isCpu() ? session_.workload().snapshot : withCode(session_, capture_);
        const pa::Values values = valuesOf(session_);
        work_ = pa::workOf(*snapshot->function, values);
        pa::CompiledFacts facts = pa::factsOf(*snapshot);
        pa::recordProgram(*snapshot, work_, facts, values, capture_);
        extras_.products = pa::productTypesOf(work_);
        if (runs && !(isSim ? simulate() : measure()))
            return;
        if (isSim && !request_.metrics.empty())
            capture_.absences["counters"] = "counters are read from GPUs only; what the simulator counts is here without asking";
        learnRegisters(facts);
        if (!isCpu()) {
            addStages();
            pa::recordStages(work_, facts.launches, capture_);
        }
        if (isCpu()) {
            pa::recordWork(work_, capture_);
            capture_.absences["model"] = "the model knows GPUs; on the processor only the time is measured";
        } else {
            pa::explain({*snapshot, facts, work_, values, simulated_ ? &*simulated_ : nullptr, extras_.ceilings,
                         [&](std::string text) { return recompiled(*snapshot, std::move(text)); }}, capture_);
        }
        result_.capture = std::move(capture_);
    }

private:
    bool isCpu() const { return request_.device == "cpu"; }

    bool measure()
    {
        capture_.repeat = std::max(1, request_.repeat);
        if (!isCpu())
            return measureOnGpu(request_, session_, result_.head, capture_, extras_);
        interp::Arguments arguments = session_.prepared().arguments;
        RunReport report;
        if (!session_.runOnDevice(arguments, capture_.repeat, report))
            return false;
        recordTimes(report.samplesUs, capture_);
        capture_.absences["counters"] = "counters are read from GPUs only";
        return true;
    }

    void addStages()
    {
        protocol::ProfileRequest request = request_;
        request.timeline = request_.timeline && !extras_.deviceIsLost;
        if (extras_.deviceIsLost)
            capture_.absences["timeline"] = "the device was lost before stages could be recorded";
        addTimelines(request, session_, capture_, result_.head);
    }

    // Of the code that was loaded, where the compiler is on another machine.
    void learnRegisters(pa::CompiledFacts& facts)
    {
        for (std::size_t i = 0; i < std::min(facts.launches.size(), capture_.launches.size()); ++i)
            if (facts.launches[i].registers == 0 && capture_.launches[i].registers > 0) {
                facts.launches[i].registers = capture_.launches[i].registers;
                capture_.absences.erase("registers");
            }
    }

    // The absences say so where it cannot.
    bool canBeSimulated(const pa::Work& work)
    {
        double steps = 0, flops = 0;
        for (const pa::LaunchWork& l : work.launches)
            for (const pa::OperationWork& op : l.operations) {
                steps += op.elements;
                flops += op.tensorFlops;
            }
        if (steps > kMostSimulatedSteps || flops > kMostSimulatedFlops) {
            capture_.absences["simulation"] = fmt::format("the program is too large to be simulated ({:.2g} element steps, {:.2g} operations of products); "
                                                          "smaller extents can be, everything here is modelled", steps, flops);
            return false;
        }
        return true;
    }

    bool simulate()
    {
        DiagnosticSink found;
        sim::SimOptions options;
        options.findRaces = false;
        options.progress = session_.reporter("simulate");
        interp::Arguments arguments = session_.prepared().arguments;
        const PointerOrder order(session_.function(), arguments);
        sim::SimResult simulated = sim::simulate(*session_.workload().snapshot->passes.back().after, arguments, options, found, session_.stop());
        if (!simulated.ok)
            return session_.failedRun(found);
        simulated_ = std::move(simulated.report);
        return true;
    }

    // The same instance of a changed text.
    std::shared_ptr<const driver::CompileSnapshot> recompiled(const driver::CompileSnapshot& as, std::string text) const
    {
        protocol::Job job = session_.job();
        job.text = std::move(text);
        return driver::compile(sameInstance(job, as, static_cast<unsigned>(StageWanted::kCuda)), session_.stop());
    }

    const protocol::ProfileRequest& request_;
    Session& session_;
    protocol::ProfileResult& result_;
    Capture capture_;
    pa::Work work_;
    std::optional<sim::Report> simulated_;
    GpuExtras extras_;
};

}  // namespace

protocol::ProfileResult execute(const protocol::ProfileRequest& request, const ReportProgress& progress, std::stop_token stop,
                                const protocol::CudaCompiler& compiler)
{
    return guarded<protocol::ProfileResult>([&](protocol::ProfileResult& result) {
        Session session(request.job, request.device, request.inputs, result.head, progress, std::move(stop), compiler);
        Profile(request, session, result).run();
    });
}

}  // namespace tw::device
