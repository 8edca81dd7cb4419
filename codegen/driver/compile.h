// The one door to the compiler: everybody (command line, window, tests) comes in here.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "codegen/gpu_c/gpu_program.h"
#include "codegen/nvrtc/nvrtc.h"
#include "core/passes/pass.h"
#include "core/staging/program.h"
#include "core/support/diagnostic.h"
#include "core/syntax/ast.h"
#include "core/target/target.h"

namespace tw::driver {

// Near stages are pure C++ with bounded work and are cancelled within 10 ms. Far stages use LLVM and are made in the runner
// process (`tilec serve`); asking for them here runs them in this process.
enum class StageWanted : unsigned {
    kSurvey = 1,      // kernels and instances
    kTrace = 2,       // tile-stage IR
    kCheck = 4,       // core/analysis
    kPasses = 8,      // IR after every pass
    kLlvmIr = 16,     // unoptimised LLVM IR text (CPU target)
    kLlvmOptimized = 32,
    kAssembly = 64,
    kObject = 128,
    kCpuLowered = 256,  // thread stage for this machine's processor, without text
    kCuda = 512,        // CUDA text and launches, on a CUDA target
    kPtx = 1024,        // these three, and `resources`, by NVRTC
    kCubin = 2048,
    kSass = 4096,
    kTargetText = 8192, // as kCuda on a CUDA target, nothing on others
    kNear = 1 | 2 | 4 | 8 | 16,
    kFar = 32 | 64
};
[[nodiscard]] constexpr unsigned operator|(StageWanted a, StageWanted b) { return static_cast<unsigned>(a) | static_cast<unsigned>(b); }
[[nodiscard]] constexpr bool wants(unsigned stages, StageWanted stage) { return (stages & static_cast<unsigned>(stage)) != 0; }

struct CompileRequest {
    std::shared_ptr<const SourceText> source;
    std::function<std::optional<std::string>(const std::string&)> readSibling;  // see staging::Options
    staging::TraceRequest kernel;       // empty kernel name: the first kernel of the file
    std::optional<std::string> target;  // spelling; else the file's own, else sm_90a
    unsigned stages = static_cast<unsigned>(StageWanted::kNear);
    // Reuse of an earlier parse and survey of the same text (another instance of the same file). May be empty.
    std::shared_ptr<const struct CompileSnapshot> previous;
};

struct TargetCode {
    std::string format;  // "llvm", "asm", "cuda", "ptx", "sass"
    std::string text;
    std::vector<gpu::LineSource> lines;  // where each line of `text` came from
};

struct CompileSnapshot {
    std::shared_ptr<const SourceText> source;
    std::shared_ptr<const syntax::Module> module;
    std::shared_ptr<const staging::Program> program;
    std::string kernel;          // the kernel that was traced, empty if there is none
    staging::Instance instance;  // as traced
    std::vector<std::string> missing;
    target::Target target;
    std::string surveyTarget;  // name of the target whose numbers answered the survey
    std::shared_ptr<const ir::Function> function;  // tile stage
    std::vector<passes::PassRecord> passes;        // of `target`; the first record is `function` itself
    // Thread stage for this machine's processor, made when an LLVM stage is wanted; also `passes.back()` on target "cpu".
    std::shared_ptr<const ir::Function> cpuFunction;
    std::shared_ptr<const TargetCode> llvmIr, llvmOptimized, assembly;
    std::shared_ptr<const std::string> object;
    std::shared_ptr<const gpu::GpuProgram> gpuProgram;  // text, launches and line map for a CUDA target
    std::shared_ptr<const TargetCode> cuda, ptx, sass;
    std::shared_ptr<const std::string> cubin;
    std::vector<nvrtc::KernelResources> resources;  // of the launches, by entry
    // What the passes of `target` decided, and why. See passes::PassContext.
    std::vector<passes::LayoutReason> layoutReasons;
    std::vector<passes::SharedPlacement> placements;
    std::vector<passes::LaunchStep> steps;
    std::vector<passes::SyncReason> syncReasons;
    std::vector<Diagnostic> surveyDiagnostics;  // of the file: syntax and survey
    std::vector<Diagnostic> diagnostics;        // all, those of the survey first
    bool cancelled = false;
    double surveyMs = 0, traceMs = 0, passesMs = 0, codegenMs = 0;

    [[nodiscard]] bool ok() const;  // no error among the diagnostics
};

// Never throws: an internal failure is a diagnostic that names the stage.
[[nodiscard]] std::shared_ptr<const CompileSnapshot> compile(const CompileRequest& request, std::stop_token stop = {});

}  // namespace tw::driver
