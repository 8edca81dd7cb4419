#include "codegen/driver/compile.h"

#include <chrono>

#include <fmt/format.h>

#include "codegen/cuda/cuda.h"
#include "codegen/llvm/cpu_kernel.h"
#include "core/analysis/check.h"
#include "core/analysis/private_fragments.h"
#include "core/support/check.h"
#include "core/syntax/parser.h"
#include "core/target/names.h"

namespace tw::driver {
namespace {

double millisecondsSince(std::chrono::steady_clock::time_point start)
{
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
}

// One compile: the stages as member functions, each of which leaves its result in `out`.
class Compilation {
public:
    Compilation(const CompileRequest& request, std::stop_token stop) : request_(request), stop_(std::move(stop)) {}

    std::shared_ptr<const CompileSnapshot> run()
    {
        out_->source = request_.source;
        out_->target = target::defaultTarget();
        if (stage("target", [&] { return chooseTarget(); }) && stage("syntax", [&] { return parse(); }) &&
            stage("survey", [&] { return survey(); }) && stage("tracing", [&] { return trace(); }) &&
            stage("checks", [&] { return check(); }) && stage("passes", [&] { return lower(); }))
            stage("code generation", [&] { return emit(); });
        for (Diagnostic& d : sink_.take())
            out_->diagnostics.push_back(std::move(d));
        out_->cancelled = stop_.stop_requested();
        return out_;
    }

private:
    bool wanted(StageWanted s) const { return wants(request_.stages, s); }
    bool wantsMachineCode() const { return wanted(StageWanted::kPtx) || wanted(StageWanted::kCubin) || wanted(StageWanted::kSass); }
    bool wantsCuda() const
    {
        return wanted(StageWanted::kCuda) || wantsMachineCode() || (wanted(StageWanted::kTargetText) && out_->target.isCuda());
    }
    bool wantsLlvm() const
    {
        return wanted(StageWanted::kLlvmIr) || wanted(StageWanted::kLlvmOptimized) || wanted(StageWanted::kAssembly) ||
               wanted(StageWanted::kObject) || wanted(StageWanted::kCpuLowered);
    }

    // Runs one stage. False when the way ends here: the stage says so, cancelled, or an internal failure, which becomes
    // one diagnostic that names the stage (and the user's program is not blamed for it).
    template <class F>
    bool stage(const char* name, F&& body)
    {
        if (stop_.stop_requested())
            return false;
        try {
            return body();
        } catch (const std::exception& e) {
            sink_.error(Code::kInternal, out_->function ? out_->function->range : SourceRange{},
                        fmt::format("internal failure in {}: {}", name, e.what()));
            return false;
        }
    }

    bool chooseTarget()
    {
        if (!request_.target)
            return true;
        if (auto parsed = target::parse(*request_.target)) {
            out_->target = *parsed;
            return true;
        }
        sink_.error(Code::kUsage, {}, fmt::format("unknown target \"{}\"; known are {}", *request_.target, target::names()));
        return false;
    }

    bool reusesPrevious() const
    {
        const auto& p = request_.previous;
        return p && p->module && p->program && p->source && p->source->text() == request_.source->text() &&
               p->source->name() == request_.source->name() && p->surveyTarget == out_->target.name;
    }

    bool parse()
    {
        out_->surveyTarget = out_->target.name;
        if (reusesPrevious()) {
            out_->source = request_.previous->source;
            out_->module = request_.previous->module;
            out_->program = request_.previous->program;
            return true;
        }
        const auto start = std::chrono::steady_clock::now();
        out_->module = syntax::parse(request_.source, 0, sink_);
        out_->surveyMs = millisecondsSince(start);
        return out_->module != nullptr;
    }

    bool survey()
    {
        if (out_->program) {
            out_->surveyDiagnostics = request_.previous->surveyDiagnostics;
        } else {
            const auto start = std::chrono::steady_clock::now();
            out_->program = staging::survey(out_->module, stagingOptions(), sink_, stop_);
            out_->surveyMs += millisecondsSince(start);
            out_->surveyDiagnostics = sink_.take();
            // What a half-typed line leads to is not said again: the syntax error is the cause.
            if (hasSyntaxErrors())
                std::erase_if(out_->surveyDiagnostics, [](const Diagnostic& d) { return d.code > Code::kTooLarge; });
        }
        out_->diagnostics = out_->surveyDiagnostics;
        return out_->program != nullptr;
    }

    staging::Options stagingOptions() const
    {
        staging::Options options;
        options.target = out_->target;
        options.readSibling = request_.readSibling;
        return options;
    }

    bool hasSyntaxErrors() const
    {
        return std::any_of(out_->surveyDiagnostics.begin(), out_->surveyDiagnostics.end(), [](const Diagnostic& d) {
            return d.severity == Severity::kError && d.code >= Code::kSyntax && d.code <= Code::kTooLarge;
        });
    }

    bool trace()
    {
        if ((request_.stages & ~static_cast<unsigned>(StageWanted::kSurvey)) == 0 || out_->program->kernels().empty())
            return false;
        staging::TraceRequest request = request_.kernel;
        if (request.kernel.empty())
            request.kernel = out_->program->kernels().front().name;
        const staging::Kernel* kernel = out_->program->find(request.kernel);
        if (!kernel) {
            sink_.error(Code::kUsage, {}, fmt::format("the file has no kernel \"{}\"", request.kernel));
            return false;
        }
        out_->kernel = kernel->name;

        const auto start = std::chrono::steady_clock::now();
        DiagnosticSink found;
        traceOnce(request, found);
        // The file's own target is known only now; where it differs, device queries must be answered again.
        if (!request_.target && out_->function && !out_->function->target.empty()) {
            const std::string ownName = out_->function->target;
            const auto own = target::parse(ownName);
            if (own && own->name != out_->target.name) {
                out_->target = *own;
                found = {};
                traceOnce(request, found);
            }
            if (!own && wantsCuda())  // a kind that the language knows; an architecture that nobody has was an error of the trace
                found.error(Code::kNotSupported, out_->function ? out_->function->range : SourceRange{},
                            fmt::format("not supported: the file's own target {}; --target chooses another", ownName));
        }
        out_->traceMs = millisecondsSince(start);
        // What a half-typed line leaves undefined is not said again: the syntax error is the cause.
        const bool failed = found.hasErrors();
        if (!hasSyntaxErrors() || !failed)
            reportAll(found);
        return out_->function != nullptr && !failed;
    }

    void traceOnce(const staging::TraceRequest& request, DiagnosticSink& found)
    {
        staging::TraceResult result = staging::trace(*out_->program, request, stagingOptions(), found, stop_);
        // What a tile is in SIMT code is the language's meaning, for every device: decided before anybody runs the function.
        const bool isTiles = result.function && result.function->stage == ir::Stage::kTile && result.function->dialect == ir::Dialect::kTile;
        out_->function = isTiles ? std::make_shared<const ir::Function>(analysis::privateFragments(*result.function)) : std::move(result.function);
        out_->instance = std::move(result.instance);
        out_->missing = std::move(result.missing);
    }

    void reportAll(DiagnosticSink& found)
    {
        for (Diagnostic& d : found.take()) {
            if (d.kernel.empty())
                d.kernel = out_->kernel;
            const auto& earlier = out_->surveyDiagnostics;
            const bool known = std::any_of(earlier.begin(), earlier.end(), [&](const Diagnostic& e) {
                return e.code == d.code && e.range == d.range && e.message == d.message;
            });
            if (!known)
                sink_.report(std::move(d));
        }
    }

    bool check()
    {
        if (!wanted(StageWanted::kCheck))
            return true;
        DiagnosticSink found;
        analysis::check(*out_->function, out_->target, found);
        const bool failed = found.hasErrors();
        reportAll(found);
        return !failed;
    }

    bool lower()
    {
        const auto start = std::chrono::steady_clock::now();
        const bool isCpu = out_->target.kind == target::Kind::kCpu;
        bool complete = true;
        if (wanted(StageWanted::kPasses) || (isCpu ? wantsLlvm() : wantsCuda())) {
            passes::PipelineResult result = runPipeline(out_->target);
            out_->passes = std::move(result.records);
            complete = result.complete;
            if (complete)
                (isCpu ? out_->cpuFunction : gpuFunction_) = std::move(result.function);
        }
        if (!isCpu && wantsLlvm()) {
            passes::PipelineResult result = runPipeline(*target::parse("cpu"));
            complete = result.complete;
            if (complete)
                out_->cpuFunction = std::move(result.function);
        }
        out_->passesMs = millisecondsSince(start);
        return complete;
    }

    passes::PipelineResult runPipeline(const target::Target& target)
    {
        // A function that was written in the thread stage of a GPU is there already.
        if (out_->function->stage == ir::Stage::kThread && target.kind != target::Kind::kCpu)
            return {out_->function, {{"trace", out_->function, false, 0}}, true};
        DiagnosticSink found;
        passes::PassContext context{target, found, stop_};
        passes::PipelineResult result = passes::runPipeline(out_->function, context);
        if (target == out_->target) {
            out_->layoutReasons = std::move(context.layoutReasons);
            out_->placements = std::move(context.placements);
            out_->steps = std::move(context.steps);
            out_->syncReasons = std::move(context.syncReasons);
        }
        reportAll(found);
        return result;
    }

    bool emit()
    {
        emitGpu();
        if (!wantsLlvm() || !out_->cpuFunction)
            return false;
        const auto start = std::chrono::steady_clock::now();
        DiagnosticSink found;
        const ir::Function& f = *out_->cpuFunction;
        if (wanted(StageWanted::kLlvmIr))
            out_->llvmIr = targetCode("llvm", llvm_backend::emitLlvmIr(f, false, found));
        if (wanted(StageWanted::kLlvmOptimized) && !found.hasErrors() && !stop_.stop_requested())
            out_->llvmOptimized = targetCode("llvm", llvm_backend::emitLlvmIr(f, true, found));
        if (wanted(StageWanted::kAssembly) && !found.hasErrors() && !stop_.stop_requested())
            out_->assembly = targetCode("asm", llvm_backend::emitAssembly(f, found));
        if (wanted(StageWanted::kObject) && !found.hasErrors() && !stop_.stop_requested())
            out_->object = std::make_shared<const std::string>(llvm_backend::emitObject(f, found));
        out_->codegenMs += millisecondsSince(start);
        reportAll(found);
        return true;
    }

    void emitGpu()
    {
        if (!wantsCuda())
            return;
        DiagnosticSink found;
        if (!out_->target.isCuda()) {
            found.error(Code::kNotSupported, out_->function->range, fmt::format("not supported: CUDA text for {}", out_->target.name));
        } else if (!gpuFunction_ || gpuFunction_->stage != ir::Stage::kThread) {
            found.error(Code::kNotSupported, out_->function->range,
                        fmt::format("not supported: the passes for {} do not reach the thread stage of this kernel", out_->target.name));
        } else {
            const auto start = std::chrono::steady_clock::now();
            if (auto program = cuda_backend::emitCuda(*gpuFunction_, out_->target, &out_->program->sources(), found))
                out_->gpuProgram = std::make_shared<const gpu::GpuProgram>(std::move(*program));
            if (out_->gpuProgram)
                out_->cuda = targetCode("cuda", out_->gpuProgram->text, out_->gpuProgram->lines);
            if (out_->gpuProgram && wantsMachineCode() && !stop_.stop_requested())
                assembleGpu(found);
            out_->codegenMs += millisecondsSince(start);
        }
        reportAll(found);
    }

    void assembleGpu(DiagnosticSink& found)
    {
        const gpu::GpuProgram& program = *out_->gpuProgram;
        const SourceSet* sources = &out_->program->sources();
        auto compiled = nvrtc::compile(program, out_->target, sources, found, stop_);
        if (!compiled)
            return reportFailure(compiled.error(), found);
        out_->resources = std::move(compiled->resources);
        if (wanted(StageWanted::kPtx))
            out_->ptx = targetCode("ptx", compiled->ptx, nvrtc::ptxLines(compiled->ptx, program, sources));
        if (wanted(StageWanted::kSass) && !stop_.stop_requested()) {
            auto sass = nvrtc::disassemble(compiled->cubin, program, sources);
            if (sass)
                out_->sass = targetCode("sass", std::move(sass->text), sass->lines);
            else
                reportFailure(sass.error(), found);
        }
        if (wanted(StageWanted::kCubin))
            out_->cubin = std::make_shared<const std::string>(std::move(compiled->cubin));
    }

    void reportFailure(const nvrtc::Failure& failure, DiagnosticSink& found)
    {
        switch (failure.kind) {
        case nvrtc::FailureKind::kCancelled: return;
        case nvrtc::FailureKind::kMissing: case nvrtc::FailureKind::kUnsupported:
            found.error(Code::kNotSupported, out_->function->range, "not supported: " + failure.message);
            return;
        case nvrtc::FailureKind::kRejected:
            found.error(Code::kInternal, out_->function->range, "the CUDA compiler rejects the generated text: " + failure.message);
            return;
        }
    }

    static std::shared_ptr<const TargetCode> targetCode(const char* format, std::string text, const std::vector<gpu::LineSource>& lines)
    {
        return std::make_shared<const TargetCode>(TargetCode{format, std::move(text), lines});
    }

    static std::shared_ptr<const TargetCode> targetCode(const char* format, llvm_backend::EmittedText text)
    {
        TargetCode code{format, std::move(text.text), {}};
        for (const auto& [line, where] : text.lines)
            code.lines.push_back({line, where.range, where.op});
        return std::make_shared<const TargetCode>(std::move(code));
    }

    const CompileRequest& request_;
    std::stop_token stop_;
    std::shared_ptr<CompileSnapshot> out_ = std::make_shared<CompileSnapshot>();
    std::shared_ptr<const ir::Function> gpuFunction_;  // after the passes of a target that is no CPU
    DiagnosticSink sink_;
};

}  // namespace

bool CompileSnapshot::ok() const
{
    return !cancelled && std::none_of(diagnostics.begin(), diagnostics.end(),
                                      [](const Diagnostic& d) { return d.severity == Severity::kError; });
}

std::shared_ptr<const CompileSnapshot> compile(const CompileRequest& request, std::stop_token stop)
{
    TW_CHECK(request.source != nullptr, "a compile request has a source");
    return Compilation(request, std::move(stop)).run();
}

}  // namespace tw::driver
