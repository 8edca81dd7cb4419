#include "profiler/timeline/cost.h"

#include <array>

#include "core/ir/call.h"
#include "core/ir/visit.h"

namespace tw::timeline {

namespace {

using ir::OpId;

constexpr double kWarp = 32, kGroup = 128;

ir::MemoryScope scopeOf(const ir::Buffer& buffer)
{
    const ir::BufferNode* at = buffer.get();
    while (at->viewOf)
        at = at->viewOf.get();
    return at->scope;
}

double elementBytes(const ir::Buffer& buffer) { return buffer->dtype.bits() * std::max<double>(1, buffer->dtype.lanes) / 8; }

// "m64n128k16"; for ptx_mma "m16n8k16" or "16, 8, 16" alike: three numbers.
std::array<double, 3> shapeOf(const ir::OpCall& call)
{
    std::array<double, 3> shape{0, 0, 0};
    const auto found = call.attrs.find("shape");
    const auto* text = found == call.attrs.end() ? nullptr : std::get_if<std::string>(&found->second);
    std::size_t axis = 0;
    for (std::size_t i = 0; text && i < text->size() && axis < 3; ++i)
        if ((*text)[i] >= '0' && (*text)[i] <= '9') {
            shape[axis] = shape[axis] * 10 + ((*text)[i] - '0');
            if (i + 1 == text->size() || (*text)[i + 1] < '0' || (*text)[i + 1] > '9')
                ++axis;
        }
    return shape;
}

ir::DType typeOf(const ir::OpCall& call)
{
    const ir::Region* a = ir::regionOperand(call, "A");
    return a ? a->buffer->dtype : ir::kFloat16;
}

Cost product(const ir::OpCall& call, double threads, const Rates& rates)
{
    Cost cost;
    const auto [m, n, k] = shapeOf(call);
    const double times = threads / (call.op == OpId::kWgmma ? kGroup : kWarp);
    cost.tensor = 2 * m * n * k * times / rates.flopsOf(typeOf(call), call.op == OpId::kMma);
    if (call.op == OpId::kWgmma) {
        const ir::Region *a = ir::regionOperand(call, "A"), *b = ir::regionOperand(call, "B");
        if (a && scopeOf(a->buffer) == ir::MemoryScope::kShared)
            cost.shared += m * k * elementBytes(a->buffer) * times / rates.sharedBytes;
        if (b)
            cost.shared += n * k * elementBytes(b->buffer) * times / rates.sharedBytes;
    }
    return cost;
}

}  // namespace

Cost& Cost::operator+=(const Cost& other)
{
    tensor += other.tensor;
    lanes += other.lanes;
    shared += other.shared;
    read += other.read;
    written += other.written;
    copied += other.copied;
    return *this;
}

Cost Cost::times(double n) const
{
    return {tensor * n, lanes * n, shared * n, read * n, written * n, copied * n};
}

double bytesOf(const ir::Region& region)
{
    double bytes = elementBytes(region.buffer);
    for (const ir::Expr& extent : region.extents)
        if (const std::int64_t* n = ir::asInt(extent))
            bytes *= static_cast<double>(*n);
    return bytes;
}

Cost accessCost(const ir::Buffer& buffer, bool writes, std::int64_t threads, const Rates& rates)
{
    Cost cost;
    const double bytes = elementBytes(buffer) * static_cast<double>(threads);
    if (scopeOf(buffer) == ir::MemoryScope::kShared)
        cost.shared = bytes / rates.sharedBytes;
    else if (scopeOf(buffer) == ir::MemoryScope::kGlobal)
        (writes ? cost.written : cost.read) = bytes;
    return cost;
}

Cost costOf(const ir::OpCall& call, std::int64_t threads, const Rates& rates)
{
    Cost cost;
    const auto n = static_cast<double>(threads);
    switch (call.op) {
    case OpId::kMma: case OpId::kWgmma: return product(call, n, rates);
    case OpId::kLdMatrix: case OpId::kStMatrix:
        cost.shared = 4 * static_cast<double>(ir::intAttr(call.attrs, "num", 4)) * n / rates.sharedBytes;
        return cost;
    case OpId::kCpAsync: {
        const ir::Region* src = ir::regionOperand(call, "src");
        cost.copied = src ? elementBytes(src->buffer) * static_cast<double>(ir::intAttr(call.attrs, "count", 1)) * n : 0;
        cost.lanes = n / rates.lanes;
        return cost;
    }
    case OpId::kTmaStore: {
        const ir::Region* src = ir::regionOperand(call, "dst");
        cost.written = src ? bytesOf(*src) : 0;
        return cost;
    }
    default: break;
    }
    switch (ir::info(call.op).cls) {
    case ir::OpClass::kMath: cost.lanes = n / (ir::info(call.op).name.starts_with("ieee") || call.op == OpId::kFma ? rates.lanes : rates.special); break;
    case ir::OpClass::kWarp: cost.lanes = n / 32; break;
    case ir::OpClass::kAtomic: cost.written = 4 * n; break;
    default: break;
    }
    return cost;
}

Cost costOf(const ir::Expr& e, std::int64_t threads, const Rates& rates)
{
    struct Sum final : ir::Visitor {
        Sum(std::int64_t n, const Rates& r) : threads(n), rates(r) {}
        std::int64_t threads;
        const Rates& rates;
        Cost total;
        using ir::Visitor::visit;
        void visit(const ir::Expr& x) override
        {
            if (!x)
                return;
            if (const auto* load = ir::as<ir::Load>(x))
                total += accessCost(load->buffer, false, threads, rates);
            else if (const auto* call = ir::as<ir::Call>(x))
                total += costOf(call->call, threads, rates);
            else if (x->dtype.isFloating() && (x->kind == ir::ExprKind::kBinary || x->kind == ir::ExprKind::kCast || x->kind == ir::ExprKind::kSelect))
                total.lanes += static_cast<double>(threads) / rates.lanes;
            if (x->dtype.isFloating() || x->kind == ir::ExprKind::kCall)
                ir::Visitor::visit(x);  // index arithmetic is left out
        }
    } sum(threads, rates);
    sum.visit(e);
    return sum.total;
}

}  // namespace tw::timeline
