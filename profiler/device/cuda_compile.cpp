#include "profiler/device/cuda_compile.h"

#include "codegen/nvrtc/nvrtc.h"
#include "profiler/cuda/cubin_cache.h"

namespace tw::device {
namespace {

using protocol::CudaCompileRequest;
using protocol::CudaCompileResult;
using protocol::Outcome;

// Of the options that every compile gets: another number where codegen/nvrtc changes them.
constexpr const char* kOptions = "options 1";

CudaCompileResult failed(const nvrtc::Failure& failure)
{
    using Kind = nvrtc::FailureKind;
    const bool isRejected = failure.kind == Kind::kRejected;
    CudaCompileResult out;
    out.head.outcome = isRejected ? Outcome::kProgramWrong : Outcome::kCannot;
    out.head.cancelled = failure.kind == Kind::kCancelled;
    out.log = failure.log;
    // Text of ours that the compiler rejects is our mistake.
    out.head.diagnostics.push_back({isRejected ? Code::kInternal : Code::kNotSupported, Severity::kError, {},
                                    (isRejected ? "the emitted CUDA does not compile: " : "not supported: ") + failure.message, {}, {}, {}});
    return out;
}

}  // namespace

CudaCompileResult compileHere(const CudaCompileRequest& request, std::stop_token stop)
{
    const auto version = nvrtc::nvrtcVersion();
    if (!version)
        return failed({nvrtc::FailureKind::kMissing, version.error(), {}});
    const auto target = target::parse(request.target);
    if (!target)
        return failed({nvrtc::FailureKind::kUnsupported, request.target + " is no target", {}});
    const cuda::CubinCache cache(cuda::CubinCache::defaultFolder());
    const cuda::CubinKey key{request.text, {kOptions, request.fastMath ? "fast math" : ""}, "nvrtc " + *version, target->name};
    CudaCompileResult out;
    if (auto cubin = cache.find(key)) {
        out.cubin = std::move(*cubin);
        return out;
    }
    gpu::GpuProgram program;
    program.language = "cuda";
    program.text = request.text;
    program.fastMath = request.fastMath;
    DiagnosticSink found;
    auto compiled = nvrtc::compile(program, *target, nullptr, found, std::move(stop));
    if (!compiled)
        return failed(compiled.error());
    out.head.diagnostics = found.take();
    out.log = std::move(compiled->log);
    out.cubin = std::move(compiled->cubin);
    cache.store(key, out.cubin);
    return out;
}

CudaCompileResult compileAnywhere(const CudaCompileRequest& request, const protocol::CudaCompiler& client)
{
    if (nvrtc::nvrtcVersion() || !client)
        return compileHere(request);
    CudaCompileResult out = client(request);
    if (out.head.outcome == Outcome::kCannot && !out.head.cancelled)
        return compileHere(request);  // whose refusal names what to install here
    return out;
}

}  // namespace tw::device
