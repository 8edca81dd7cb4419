// Products must have a partition among the warps that reach them (compiler.md 4.6), and wgmma its shapes.
#include <fmt/format.h>

#include "core/analysis/checks.h"
#include "core/analysis/thread_set.h"
#include "core/ir/call.h"
#include "core/ir/print.h"

namespace tw::analysis {

namespace {

using ir::as;
using ir::OpId;

constexpr std::int64_t kWarpRows = 16;
constexpr std::int64_t kWarpColumns = 8;
constexpr std::int64_t kGroupRows = 64;  // of one warp group's wgmma

struct Shape {
    std::int64_t m = 0, n = 0, k = 0;
};

class ProductWalk final : public Walk {
public:
    explicit ProductWalk(const CheckContext& context) : context_(context) {}

    using Walk::visit;
    void visit(const ir::OpCall& call) override
    {
        if (call.op == OpId::kGemm || call.op == OpId::kWgmmaGemm || call.op == OpId::kGemmSp)
            checkProduct(call);
        Walk::visit(call);
    }

private:
    static std::optional<std::int64_t> extentFromEnd(const ir::Region& r, std::size_t back)
    {
        if (r.extents.size() < back)
            return {};
        const auto* extent = ir::asInt(r.extents[r.extents.size() - back]);
        return extent ? std::optional<std::int64_t>(*extent) : std::nullopt;
    }

    void checkProduct(const ir::OpCall& call)
    {
        const ir::Region *a = ir::regionOperand(call, "A"), *c = ir::regionOperand(call, "C");
        if (!a || !c || !launch() || context_.target.kind == target::Kind::kCpu)
            return;
        const bool transposed = ir::boolAttr(call.attrs, "transpose_A", false);
        const auto m = extentFromEnd(*c, 2), n = extentFromEnd(*c, 1), k = extentFromEnd(*a, transposed ? 2 : 1);
        if (!m || !n || !k)
            return;
        ThreadSet threads(*launch());
        for (const Guard& guard : guards())
            threads.restrictTo(expand(guard.condition), guard.holds);
        const std::int64_t count = threads.count();
        const int warp = context_.target.warpSize;
        if (count == 0)
            return;
        if (count % warp != 0)
            return error(Code::kThreadCount,
                         fmt::format("T.{} needs whole warps, but {} threads are no multiple of {}", name(call), count, warp));
        const Shape shape{*m, *n, *k};
        if (call.op == OpId::kWgmmaGemm)
            checkWgmma(call, shape, count / 32);
        else
            checkPartition(call, shape, count / warp);
    }

    static bool hasPartition(const Shape& shape, std::int64_t warps, std::int64_t rowStep)
    {
        for (std::int64_t rows = rowStep; rows <= warps; rows += rowStep)
            if (warps % rows == 0 && shape.m % (kWarpRows * rows) == 0 && shape.n % (kWarpColumns * (warps / rows)) == 0)
                return true;
        return false;
    }

    void checkPartition(const ir::OpCall& call, const Shape& shape, std::int64_t warps)
    {
        if (!hasPartition(shape, warps, 1))
            error(Code::kInstructionShape,
                  fmt::format("no partition of the {}x{} result of T.{} among {} warps ({} threads) exists: each warp needs a multiple "
                              "of {} rows and of {} columns; use another thread count or tile",
                              shape.m, shape.n, name(call), warps, warps * context_.target.warpSize, kWarpRows, kWarpColumns));
    }

    void checkWgmma(const ir::OpCall& call, const Shape& shape, std::int64_t warps)
    {
        const std::string given = fmt::format("{}x{}x{}", shape.m, shape.n, shape.k);
        if (warps % 4 != 0)
            return error(Code::kThreadCount, fmt::format("T.{} needs whole warp groups, multiples of 128 threads, but {} threads reach it",
                                                         name(call), warps * 32));
        if (shape.m < kGroupRows || shape.m % kGroupRows != 0)
            return error(Code::kInstructionShape,
                         fmt::format("T.{} computes at least {} rows for each warp group, but this tile has M = {}; make M a "
                                     "multiple of {}, or use T.gemm",
                                     name(call), kGroupRows, shape.m, kGroupRows));
        const ir::Region *a = ir::regionOperand(call, "A"), *b = ir::regionOperand(call, "B");
        const ir::DType type = a->buffer->dtype;
        if (b->buffer->scope != ir::MemoryScope::kShared)
            return error(Code::kScopeIllegal, fmt::format("T.{} reads B from shared memory, but {} is {}", name(call), b->buffer->name,
                                                          ir::scopeName(b->buffer->scope)));
        const std::int64_t step = 256 / type.bits();  // an instruction consumes 32 bytes of K
        if (shape.k % step != 0)
            return error(Code::kInstructionShape, fmt::format("T.{} on {} needs a K that is a multiple of {}, but K = {}", name(call),
                                                              type.name(), step, shape.k));
        const bool kMajor = !ir::boolAttr(call.attrs, "transpose_A", false) && ir::boolAttr(call.attrs, "transpose_B", false);
        if (type.bits() != 16 && !kMajor)
            return error(Code::kInstructionShape,
                         fmt::format("T.{} on {} needs both operands with K as the last axis: A (M, K) and B (N, K) with transpose_B=True",
                                     name(call), type.name()));
        if (!hasPartition(shape, warps, 4))
            error(Code::kInstructionShape,
                  fmt::format("no partition of the {} product of T.{} among {} warps exists: warp groups of 4 warps share out M in "
                              "steps of {}",
                              given, name(call), warps, kGroupRows));
    }

    static std::string_view name(const ir::OpCall& call) { return ir::info(call.op).name; }

    void error(Code code, std::string message)
    {
        context_.diagnostics.error(code, statement() ? statement()->where.range : SourceRange{}, std::move(message));
    }

    const CheckContext& context_;
};

}  // namespace

void checkProducts(const CheckContext& context)
{
    ProductWalk walk(context);
    ir::Visitor& visitor = walk;
    visitor.visit(context.function.body);
}

}  // namespace tw::analysis
