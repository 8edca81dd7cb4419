#include "core/passes/plan_product.h"

#include <fmt/format.h>

#include "core/ir/call.h"
#include "core/layout/shared.h"
#include "core/passes/hardware.h"
#include "core/passes/product_steps.h"
#include "core/support/check.h"

namespace tw::passes {

namespace {

using I = std::int64_t;
using layout::Fragment;

I extentFromEnd(const ir::Region& r, std::size_t back)
{
    const auto* extent = ir::asInt(r.extents[r.extents.size() - back]);
    TW_CHECK(extent, "the extents of a product are constants");
    return *extent;
}

bool isFragment(const ir::Region& r) { return r.buffer->scope == ir::MemoryScope::kFragment; }

// Why the tensor cores are not used.
std::string whyFma(const target::Target& target, ir::DType a, ir::DType c, I k)
{
    for (const I least : {I{4}, I{8}, I{16}, I{32}, I{64}})
        if (const auto mma = layout::mmaFor(target, a, a, c, least))
            return fmt::format("K = {} is no multiple of the {} of {}", k, mma->k, mma->shape());
    return fmt::format("{} has no tensor instruction for {} with {} sums", target.name, a.name(), c.name());
}

class ProductPlanner {
public:
    ProductPlanner(const ir::OpCall& gemm, I threads, const target::Target& target, bool warpGroups)
        : gemm_(gemm), target_(target), warpGroups_(warpGroups && target.isCuda() && target.compute == 90), a_(*ir::regionOperand(gemm, "A")), b_(*ir::regionOperand(gemm, "B")), c_(*ir::regionOperand(gemm, "C"))
    {
        plan_.threads = threads;
        plan_.a.kInner = !ir::boolAttr(gemm.attrs, "transpose_A", false);
        plan_.b.kInner = ir::boolAttr(gemm.attrs, "transpose_B", false);
        plan_.m = extentFromEnd(c_, 2);
        plan_.n = extentFromEnd(c_, 1);
        plan_.k = extentFromEnd(a_, plan_.a.kInner ? 1 : 2);
    }

    ProductPlan plan()
    {
        if (gemm_.op == ir::OpId::kWgmmaGemm || (warpGroups_ && suitsWarpGroups()))
            planWarpGroups(gemm_, plan_);
        else if (!tensorCores())
            threads();
        return std::move(plan_);
    }

private:
    // What wgmma computes as mma does: sums of fp8 are too coarse there (compiler.md 6.2), float32 would be cut off instead of rounded.
    bool suitsWarpGroups() const
    {
        const ir::DType type = b_.buffer->dtype;
        const bool half = type.isFloating() && type.bits() == 16, byte = type.isInteger() && type.bits() == 8;
        const bool kInner = plan_.a.kInner && plan_.b.kInner;
        if (gemm_.op != ir::OpId::kGemm || a_.buffer->dtype != type || !(half || (byte && kInner)) || plan_.threads % 128 != 0 || plan_.m % 64 != 0)
            return false;
        if (plan_.m * plan_.n * c_.buffer->dtype.bits() / 8 / plan_.threads > kMostUnrolledBytes)
            return false;  // sums that are in local memory cannot be added to while the thread goes on
        if (isFragment(b_) || (isFragment(a_) && !plan_.a.kInner) || !startsPanels(a_) || !startsPanels(b_))
            return false;
        ProductPlan trial = plan_;
        planWarpGroups(gemm_, trial);
        return trial.problem.empty();
    }

    // Whether a part of a tile begins where the hardware's pattern does: at 8 rows and 128 bytes.
    static bool startsPanels(const ir::Region& r)
    {
        const auto* row = ir::asInt(r.mins[r.mins.size() - 2]);
        const auto* column = ir::asInt(r.mins.back());
        return isFragment(r) || (row && column && *row % 8 == 0 && *column * r.buffer->dtype.bits() % 1024 == 0);
    }

    bool tensorCores()
    {
        const ir::DType a = a_.buffer->dtype, b = b_.buffer->dtype, c = c_.buffer->dtype;
        const auto policy = static_cast<layout::WarpPolicy>(ir::intAttr(gemm_.attrs, "policy", 0));
        const auto mma = layout::mmaFor(target_, a, b, c, plan_.k);
        if (!mma || a.family() != b.family()) {
            plan_.reason = whyFma(target_, a, c, plan_.k);
            return false;
        }
        const auto warps = plan_.threads % 32 == 0 ? layout::warpPartition(plan_.m, plan_.n, plan_.threads / 32, policy) : std::nullopt;
        if (!warps) {
            plan_.reason = fmt::format("a {}x{} result has no partition among {} threads in warp tiles of whole instructions", plan_.m, plan_.n,
                                       plan_.threads);
            return false;
        }
        plan_.engine = ProductEngine::kMma;
        plan_.mma = *mma;
        plan_.warps = *warps;
        plan_.c = withRank(layout::blockC(*mma, plan_.m, plan_.n, *warps), c_.extents.size());
        if (isFragment(a_))
            plan_.a.fragment = withRank(layout::blockA(*mma, plan_.m, plan_.k, *warps, !plan_.a.kInner), a_.extents.size());
        if (isFragment(b_))
            plan_.b.fragment = withRank(layout::blockB(*mma, plan_.n, plan_.k, *warps, !plan_.b.kInner), b_.extents.size());
        plan_.a.shared = plan_.b.shared = SharedLayout::kSwizzled;
        plan_.reason = fmt::format("{} on tensor cores by {}: {}x{} warps ({}), each {}x{} of the result", typeName(a), mma->shape(), warps->rows,
                                   warps->columns, policyName(policy), plan_.m / warps->rows, plan_.n / warps->columns);
        return true;
    }

    static std::string typeName(ir::DType type) { return type == ir::kFloat32 ? "float32 rounded to TF32" : type.name(); }

    // plan_.reason says why not by tensor cores.
    void threads()
    {
        plan_.engine = ProductEngine::kFma;
        const Fragment c = layout::threadTiles(plan_.m, plan_.n, plan_.threads);
        plan_.c = withRank(c, c_.extents.size());
        plan_.reason = fmt::format("by multiplications of single threads in {}, {} results each, because {}",
                                   productType(c_.buffer->dtype).name(), c.registers(), plan_.reason);
    }

    const ir::OpCall& gemm_;
    const target::Target& target_;
    bool warpGroups_;
    const ir::Region &a_, &b_, &c_;
    ProductPlan plan_;
};

}  // namespace

Fragment withRank(Fragment f, std::size_t rank)
{
    const int lead = static_cast<int>(rank) - 2;
    for (layout::Digit& d : f.digits)
        d.axis += lead;
    f.shape.insert(f.shape.begin(), static_cast<std::size_t>(lead), 1);
    return f;
}

const char* policyName(layout::WarpPolicy policy)
{
    switch (policy) {
    case layout::WarpPolicy::kFullRow: return "FullRow";
    case layout::WarpPolicy::kFullCol: return "FullCol";
    default: return "Square";
    }
}

Ref<const ir::LayoutMap> bestLayout(const ProductOperandPlan& plan, const std::vector<I>& shape, int bits)
{
    switch (plan.shared) {
    case SharedLayout::kPanels: return layout::panels(shape, bits, plan.panelBytes);
    case SharedLayout::kSwizzled: return layout::swizzled(shape, bits);
    default: return layout::rowMajor(shape);
    }
}

bool allowsWarpGroups(const ir::Function& function)
{
    const auto off = function.passConfigs.find("tl.disable_wgmma");
    return off == function.passConfigs.end() || off->second != ir::Attr(true);
}

ProductPlan planProduct(const ir::OpCall& gemm, I threads, const target::Target& target, bool warpGroups)
{
    return ProductPlanner(gemm, threads, target, warpGroups).plan();
}

ir::DType productType(ir::DType accumulator)
{
    return accumulator.isFloating() && accumulator.bits() < 32 ? ir::kFloat32 : accumulator;
}

}  // namespace tw::passes
