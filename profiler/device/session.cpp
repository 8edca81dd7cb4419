#include "profiler/device/session.h"

#include <algorithm>
#include <chrono>

#include <fmt/ranges.h>

#include "profiler/device/machine.h"
#include "profiler/device/strided.h"

namespace tw::device {
namespace {

using Clock = std::chrono::steady_clock;

double microsecondsSince(Clock::time_point start) { return std::chrono::duration<double, std::micro>(Clock::now() - start).count(); }

}  // namespace

using protocol::Outcome;

Diagnostic errorOf(Code code, std::string message) { return {code, Severity::kError, {}, std::move(message), {}, {}, {}}; }

Session::Session(const protocol::Job& job, std::string deviceName, const std::map<std::string, protocol::Input>& inputs,
                 protocol::ResultHead& head, const ReportProgress& progress, std::stop_token stop, const protocol::CudaCompiler& compiler)
    : job_(job), inputs_(inputs), head_(head), progress_(progress), stop_(std::move(stop)), compiler_(compiler)
{
    head_.device = std::move(deviceName);
}

bool Session::openDevice()
{
    auto opened = device::openDevice(head_.device, compiler_);
    if (opened) {
        device_ = std::move(*opened);
        return true;
    }
    const bool isRefused = opened.error().starts_with("not supported: ");
    return fail(isRefused ? Outcome::kCannot : Outcome::kUsage, errorOf(isRefused ? Code::kNotSupported : Code::kUsage, opened.error()));
}

bool Session::parseInputs()
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

bool Session::compile(std::int64_t chosen)
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

bool Session::prepareInputs(const ArgumentOptions& options)
{
    report("inputs", 0);
    // --param may name a scalar parameter of the kernel.
    for (const ir::Param& p : function().params)
        if (const auto value = job_.kernel.params.find(p.name());
            std::holds_alternative<ir::Var>(p.value) && value != job_.kernel.params.end() && !given_.arrays.contains(p.name()))
            given_.literals.try_emplace(p.name(), value->second);
    // Asked before, because a system that promises more than it has would kill the runner while it fills them.
    constexpr double kGigabyte = 1e9;
    if (const double bytes = tensorBytes(function(), workload_.extents.values), has = memoryOfMachine(); bytes > has)
        return fail(Outcome::kCannot, errorOf(Code::kNotSupported, fmt::format("not supported: tensors of {:.4g} GB on a machine with {:.4g} GB of "
                                                                               "memory; give smaller extents",
                                                                               bytes / kGigabyte, has / kGigabyte)));
    auto prepared = prepareArguments(*workload_.snapshot->function, workload_.extents.values, given_, options);
    if (!prepared)
        return fail(Outcome::kUsage, errorOf(Code::kArgument, prepared.error()));
    prepared_ = std::move(*prepared);
    return true;
}

bool Session::runOnDevice(interp::Arguments& arguments, int repeat, RunReport& report)
{
    DiagnosticSink found;
    const bool ok = executable_->run(arguments, repeat, report, found, reporter("run"), stop_);
    head_.runnerEnds = report.deviceIsLost;
    return ok || failedRun(found);
}

bool Session::runReference(interp::Arguments& arguments, const interp::RunOptions& base, const char* phase)
{
    DiagnosticSink found;
    interp::RunOptions options = base;
    options.progress = reporter(phase);
    const PointerOrder order(function(), arguments);
    const bool ok = interp::run(function(), arguments, options, found, stop_).ok;
    order.restore(arguments);
    return ok || failedRun(found);
}

std::vector<std::size_t> Session::outputs() const
{
    const staging::Kernel* kernel = workload_.snapshot->program->find(workload_.snapshot->kernel);
    const bool returnedLast = kernel && (kernel->form == staging::KernelForm::kEager || kernel->form == staging::KernelForm::kArray);
    return outputOrder(function(), prepared_.roles, returnedLast);
}

bool Session::fail(Outcome outcome, Diagnostic diagnostic)
{
    head_.outcome = outcome;
    if (diagnostic.kernel.empty())
        diagnostic.kernel = head_.kernel;
    head_.diagnostics.push_back(std::move(diagnostic));
    return false;
}

void Session::take(DiagnosticSink& found)
{
    for (Diagnostic& d : found.take()) {
        if (d.kernel.empty())
            d.kernel = head_.kernel;
        head_.diagnostics.push_back(std::move(d));
    }
}

bool Session::isRefusal() const
{
    return std::any_of(head_.diagnostics.begin(), head_.diagnostics.end(), [](const Diagnostic& d) {
        return d.severity == Severity::kError && d.message.starts_with("not supported: ");
    });
}

bool Session::failedRun(DiagnosticSink& found)
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

void Session::report(const char* phase, double fraction) const
{
    if (progress_)
        progress_({phase, fraction});
}

std::function<void(double)> Session::reporter(const char* phase) const
{
    return [this, phase](double fraction) { report(phase, fraction); };
}

}  // namespace tw::device
