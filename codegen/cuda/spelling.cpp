// CUDA's spelling.
#include <map>

#include <fmt/format.h>

#include "codegen/cuda/cuda.h"
#include "codegen/cuda/instructions.h"
#include "core/ir/call.h"

namespace tw::cuda_backend {

namespace {

constexpr char kAxis[] = {'x', 'y', 'z'};

// The compute capability from which on an operation exists, for those that nothing else can stand in for.
int neededCompute(ir::OpId op)
{
    using ir::OpId;
    switch (op) {
    case OpId::kLdMatrix: return 75;
    case OpId::kStMatrix: case OpId::kTmaLoad: case OpId::kTmaStore: case OpId::kTmaStoreArrive: case OpId::kTmaStoreWait: case OpId::kBarrierExpectTx:
    case OpId::kBarrierArriveExpectTx: case OpId::kBlockRank: case OpId::kClusterSync: case OpId::kClusterArrive: case OpId::kClusterArriveRelaxed:
    case OpId::kClusterWait: case OpId::kRemoteAddress: case OpId::kWaitWgmma: case OpId::kWarpgroupArrive: case OpId::kWarpgroupCommit: case OpId::kWarpgroupWait:
    case OpId::kWarpgroupFence:
        return 90;
    default: return 0;
    }
}

class CudaSpelling final : public gpu::Spelling {
public:
    explicit CudaSpelling(const target::Target& target) : target_(target) {}

    std::string language() const override { return "cuda"; }

    std::string kernelHead(const gpu::KernelLaunch& launch) const override
    {
        std::string head = "extern \"C\" __global__ void";
        if (!launch.cluster.empty()) {
            std::vector<std::int64_t> extents = launch.cluster;
            extents.resize(3, 1);
            head += fmt::format(" __cluster_dims__({}, {}, {})", extents[0], extents[1], extents[2]);
        }
        const std::int64_t threads = launch.block[0] * launch.block[1] * launch.block[2];
        head += launch.minBlocks > 0 ? fmt::format(" __launch_bounds__({}, {})", threads, launch.minBlocks) : fmt::format(" __launch_bounds__({})", threads);
        return head + " " + launch.entry;
    }

    std::string threadIndex(int axis) const override { return fmt::format("(int)threadIdx.{}", kAxis[axis]); }
    std::string blockIndex(int axis) const override { return fmt::format("(int)blockIdx.{}", kAxis[axis]); }
    // Tiles of the tensor engines repeat their swizzle every 1024 bytes.
    std::int64_t sharedAlignment(std::int64_t bytes) const override { return target_.hasTma() && bytes >= 1024 ? 1024 : 16; }
    std::string sharedArray(const std::string& type, const std::string& name, std::int64_t count, std::int64_t align) const override
    {
        return fmt::format("alignas({}) __shared__ {} {}[{}];", align, type, name, count);
    }
    std::string sharedArena(const std::string& name) const override { return fmt::format("alignas(1024) extern __shared__ unsigned char {}[];", name); }
    std::string tensorMapParameter(const std::string& name) const override { return fmt::format("const __grid_constant__ tw_tensor_map {}", name); }

    std::optional<std::string> missing(const ir::OpCall& call) const override
    {
        if (call.op == ir::OpId::kMma || call.op == ir::OpId::kWgmma)
            return missingProduct(call, target_);
        int needed = neededCompute(call.op);
        if (call.op == ir::OpId::kBarrierArrive && ir::exprOperand(call, "cta_id"))
            needed = 90;
        if (needed <= target_.compute)
            return std::nullopt;
        return fmt::format("T.{} on {}: it needs sm_{}", ir::info(call.op).name, target_.name, needed);
    }

    std::string instruction(const ir::OpCall& call) override
    {
        InstructionFunction f = call.op == ir::OpId::kMma ? mmaFunction(call) : call.op == ir::OpId::kWgmma ? wgmmaFunction(call) : tmaFunction(call);
        functions_[f.name] = std::move(f.text);
        return f.name;
    }

    // Functions of it that no kernel calls are the author's business.
    std::string foreign(const std::string& source) const override
    {
        return "#pragma nv_diagnostic push\n#pragma nv_diag_suppress 177\n" + source + "#pragma nv_diagnostic pop\n";
    }

    std::string prelude(const std::string& kernels) const override
    {
        std::string own;
        for (const auto& [name, text] : functions_)
            own += "\n" + text;
        return preludeFor(kernels + own) + own;
    }

private:
    const target::Target& target_;
    std::map<std::string, std::string> functions_;
};

}  // namespace

std::optional<gpu::GpuProgram> emitCuda(const ir::Function& function, const target::Target& target, const SourceSet* sources, DiagnosticSink& diagnostics)
{
    CudaSpelling spelling(target);
    return gpu::emitProgram(function, spelling, sources, diagnostics);
}

}  // namespace tw::cuda_backend
