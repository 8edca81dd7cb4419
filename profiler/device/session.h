// What run, verify and profile share: the device, the given inputs, the compile, and how failures become results.
//
// One request of the runner protocol, on one thread. A step that fails fills the result's head (outcome, diagnostics) and gives false.
#pragma once

#include <memory>
#include <new>
#include <stop_token>

#include "core/interp/interpreter.h"
#include "profiler/device/device.h"
#include "profiler/device/execute.h"
#include "profiler/device/workload.h"

namespace tw::device {

[[nodiscard]] Diagnostic errorOf(Code code, std::string message);

// Extents that nobody gave, where a kernel is run or profiled.
inline constexpr std::int64_t kRunExtent = 1024;

class Session {
public:
    // What the references name outlives the session.
    Session(const protocol::Job& job, std::string deviceName, const std::map<std::string, protocol::Input>& inputs,
            protocol::ResultHead& head, const ReportProgress& progress, std::stop_token stop, const protocol::CudaCompiler& compiler);

    bool openDevice();
    bool parseInputs();
    bool compile(std::int64_t chosen);  // `chosen`: for extents that nobody gave
    bool prepareInputs(const ArgumentOptions& options);
    bool runOnDevice(interp::Arguments& arguments, int repeat, RunReport& report);
    // One run of the reference.
    bool runReference(interp::Arguments& arguments, const interp::RunOptions& base, const char* phase);

    bool fail(protocol::Outcome outcome, Diagnostic diagnostic);
    // A failed run: the program's fault, unless integers that we made up led it astray. Takes what was found.
    bool failedRun(DiagnosticSink& found);

    // Indices of the parameters that hold the answer.
    [[nodiscard]] std::vector<std::size_t> outputs() const;
    [[nodiscard]] const ir::Function& function() const { return *workload_.snapshot->function; }
    [[nodiscard]] const target::Target& target() const { return workload_.snapshot->target; }
    [[nodiscard]] const Workload& workload() const { return workload_; }
    [[nodiscard]] const PreparedArguments& prepared() const { return prepared_; }
    [[nodiscard]] double compileMs() const { return compileMs_; }
    [[nodiscard]] const protocol::Job& job() const { return job_; }
    [[nodiscard]] const std::stop_token& stop() const { return stop_; }
    [[nodiscard]] const protocol::CudaCompiler& compiler() const { return compiler_; }
    [[nodiscard]] std::function<void(double)> reporter(const char* phase) const;

private:
    void take(DiagnosticSink& found);
    [[nodiscard]] bool isRefusal() const;
    void report(const char* phase, double fraction) const;

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

// `body(result)`; an exception becomes a diagnostic of the result.
template <class Result, class Body>
Result guarded(Body&& body)
{
    Result result;
    try {
        body(result);
    } catch (const std::bad_alloc&) {
        result.head.outcome = protocol::Outcome::kCannot;
        result.head.diagnostics.push_back(errorOf(Code::kNotSupported, "not supported: a run that needs more memory than this machine grants; "
                                                                       "give smaller extents"));
    } catch (const std::exception& e) {
        result.head.outcome = protocol::Outcome::kProgramWrong;
        result.head.diagnostics.push_back(errorOf(Code::kInternal, std::string("internal failure while running: ") + e.what()));
    }
    return result;
}

}  // namespace tw::device
