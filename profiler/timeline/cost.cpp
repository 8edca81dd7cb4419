#include "profiler/timeline/cost.h"

#include <algorithm>
#include <array>
#include <utility>

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

// Types without tensor cores of their own take half the next narrower rate, and the lanes where there are none.
double flopsPerClock(const ir::OpCall& call, const target::Rates& rates)
{
    const ir::Region* a = ir::regionOperand(call, "A");
    const ir::DType type = a ? a->buffer->dtype : ir::kFloat16;
    const bool isTf32 = type.family() == ir::Family::kTFloat || (type.isFloating() && type.bits() == 32);
    const double rate = target::tensorPerClock(rates, isTf32 ? 32 : type.bits(), type.isInteger());
    return rate == 0 ? 2 * rates.fmaPerClock : rate * (call.op == OpId::kMma ? rates.mmaShare : 1);
}

Cost product(const ir::OpCall& call, double threads, const target::Rates& rates)
{
    Cost cost;
    const auto [m, n, k] = shapeOf(call);
    const bool isGroup = call.op == OpId::kWgmma;
    const double times = threads / (isGroup ? kGroup : kWarp);
    const double clocks = 2 * m * n * k * times / flopsPerClock(call, rates);
    (isGroup ? cost.wgmma : cost.mma) = clocks;
    (isGroup ? cost.wgmmas : cost.mmas) = 1;
    if (isGroup)
        for (const char* name : {"A", "B"})
            if (const ir::Region* r = ir::regionOperand(call, name); r && scopeOf(r->buffer) == ir::MemoryScope::kShared)
                cost.wgmmaBytes += (*name == 'A' ? m : n) * k * elementBytes(r->buffer) * times;
    return cost;
}

Cost mathCost(OpId op)
{
    Cost cost;
    switch (interp::effortOf(op)) {
    case interp::Effort::kSpecial: cost.special = 1; break;
    case interp::Effort::kLong: cost.longs = 1; break;
    case interp::Effort::kNarrow: cost.narrow = cost.chain = 1; break;
    default: cost.simple = cost.chain = 1; break;
    }
    return cost;
}

// Of the node alone.
Cost nodeCost(const ir::Expr& x, std::int64_t threads, const Machine& machine)
{
    Cost cost;
    const double lanes = std::max<double>(1, x->dtype.lanes) * (x->dtype.bits() == 16 ? 0.5 : 1);
    if (const auto* load = ir::as<ir::Load>(x)) {
        cost = accessCost(load->buffer, false, threads);
    } else if (const auto* call = ir::as<ir::Call>(x)) {
        cost = costOf(call->call, threads, machine);
    } else if (const auto* b = ir::as<ir::Binary>(x); b && b->a->dtype.isFloating()) {
        switch (interp::effortOf(b->op, b->a->dtype)) {
        case interp::Effort::kLong: cost.longs = lanes; break;
        case interp::Effort::kNarrow: cost.narrow = lanes, cost.chain = 1; break;
        default: cost.simple = lanes, cost.chain = 1; break;
        }
    } else if (x->dtype.isFloating() && (x->kind == ir::ExprKind::kCast || x->kind == ir::ExprKind::kSelect)) {
        cost.narrow = lanes;
        cost.chain = 1;
    }
    return cost;
}

// An addition takes a product along.
bool isFused(const ir::Expr& x)
{
    const auto* b = ir::as<ir::Binary>(x);
    const auto isProduct = [](const ir::Expr& e) {
        const auto* p = ir::as<ir::Binary>(e);
        return p && p->op == ir::BinaryOp::kMul && p->dtype.isFloating();
    };
    return b && b->dtype.isFloating() && (b->op == ir::BinaryOp::kAdd || b->op == ir::BinaryOp::kSub) && (isProduct(b->a) || isProduct(b->b));
}

}  // namespace

Cost& Cost::operator+=(const Cost& o)
{
    for (const auto field : {&Cost::simple, &Cost::narrow, &Cost::special, &Cost::longs, &Cost::chain, &Cost::shuffles, &Cost::shuffleChain, &Cost::sharedAccesses,
                             &Cost::shared, &Cost::reads, &Cost::read, &Cost::writes, &Cost::written, &Cost::copies, &Cost::copied, &Cost::bulkWritten, &Cost::mmas,
                             &Cost::mma, &Cost::wgmmas, &Cost::wgmma, &Cost::wgmmaBytes})
        this->*field += o.*field;
    return *this;
}

Cost Cost::times(double n, bool wide, bool carried) const
{
    Cost out = *this;
    for (const auto field : {&Cost::simple, &Cost::narrow, &Cost::special, &Cost::longs, &Cost::shuffles, &Cost::shared, &Cost::read, &Cost::written, &Cost::copied,
                             &Cost::bulkWritten, &Cost::mmas, &Cost::mma, &Cost::wgmmas, &Cost::wgmma, &Cost::wgmmaBytes})
        out.*field *= n;
    for (const auto field : {&Cost::sharedAccesses, &Cost::reads, &Cost::writes, &Cost::copies})
        out.*field *= wide ? 1 : n;
    for (const auto field : {&Cost::chain, &Cost::shuffleChain})
        out.*field *= carried ? n : 1;
    return out;
}

bool Cost::isNothing() const
{
    return simple + narrow + special + longs + shuffles + sharedAccesses + reads + writes + copies + bulkWritten + mmas + wgmmas == 0;
}

double bytesOf(const ir::Region& region)
{
    double bytes = elementBytes(region.buffer);
    for (const ir::Expr& extent : region.extents)
        if (const std::int64_t* n = ir::asInt(extent))
            bytes *= static_cast<double>(*n);
    return bytes;
}

Cost accessCost(const ir::Buffer& buffer, bool writes, std::int64_t threads)
{
    Cost cost;
    const double bytes = elementBytes(buffer) * static_cast<double>(threads);
    if (scopeOf(buffer) == ir::MemoryScope::kShared) {
        cost.shared = bytes;
        cost.sharedAccesses = 1;
    } else if (scopeOf(buffer) == ir::MemoryScope::kGlobal) {
        (writes ? cost.written : cost.read) = bytes;
        (writes ? cost.writes : cost.reads) = 1;
    }
    return cost;
}

Cost costOf(const ir::OpCall& call, std::int64_t threads, const Machine& machine)
{
    Cost cost;
    const auto n = static_cast<double>(threads);
    switch (call.op) {
    case OpId::kMma: case OpId::kWgmma: return product(call, n, machine.rates);
    case OpId::kLdMatrix: case OpId::kStMatrix:
        cost.sharedAccesses = 1;
        cost.shared = 4 * static_cast<double>(ir::intAttr(call.attrs, "num", 4)) * n;
        return cost;
    case OpId::kCpAsync: {
        const ir::Region* src = ir::regionOperand(call, "src");
        cost.copies = 1;
        cost.copied = src ? elementBytes(src->buffer) * static_cast<double>(ir::intAttr(call.attrs, "count", 1)) * n : 0;
        return cost;
    }
    case OpId::kTmaStore: {
        const ir::Region* dst = ir::regionOperand(call, "dst");
        cost.bulkWritten = dst ? bytesOf(*dst) : 0;
        return cost;
    }
    default: break;
    }
    switch (ir::info(call.op).cls) {
    case ir::OpClass::kMath: return mathCost(call.op);
    case ir::OpClass::kWarp: cost.shuffles = cost.shuffleChain = 1; break;
    case ir::OpClass::kAtomic: cost.writes = 1, cost.written = 4 * n; break;
    default: break;
    }
    return cost;
}

// What waits for its operands waits for the longest of them. Index arithmetic is left out.
Cost costOf(const ir::Expr& e, std::int64_t threads, const Machine& machine)
{
    if (!e)
        return {};
    struct Operands final : ir::Visitor {
        std::vector<ir::Expr> found;
        const ir::ExprNode* top = nullptr;
        using ir::Visitor::visit;
        void visit(const ir::Expr& x) override
        {
            if (!x)
                return;
            if (x.get() == top)
                ir::Visitor::visit(x);
            else
                found.push_back(x);
        }
    } operands;
    operands.top = e.get();
    Cost cost = nodeCost(e, threads, machine);
    if (!e->dtype.isFloating() && e->kind != ir::ExprKind::kCall && e->kind != ir::ExprKind::kBinary && e->kind != ir::ExprKind::kCast)
        return cost;
    if (ir::as<ir::Load>(e))
        return cost;
    operands.visit(e);
    double chain = 0, shuffles = 0;
    for (const ir::Expr& x : operands.found) {
        Cost below = costOf(x, threads, machine);
        chain = std::max(chain, std::exchange(below.chain, 0));
        shuffles = std::max(shuffles, std::exchange(below.shuffleChain, 0));
        cost += below;
    }
    if (isFused(e))
        cost.simple = std::max(0.0, cost.simple - std::max<double>(1, e->dtype.lanes));
    cost.chain += chain;
    cost.shuffleChain += shuffles;
    return cost;
}

bool isCarried(const ir::Stmt& body, const ir::Var& var)
{
    struct Finder final : ir::Visitor {
        const ir::ExprNode* var = nullptr;
        const ir::BufferNode* buffer = nullptr;
        bool moves = false, loads = false, found = false;
        using ir::Visitor::visit;
        void visit(const ir::Expr& x) override
        {
            moves = moves || x.get() == var;
            const auto* load = ir::as<ir::Load>(x);
            loads = loads || (load && load->buffer.get() == buffer);
            if (x)
                ir::Visitor::visit(x);
        }
        void visit(const ir::Stmt& s) override
        {
            const auto* store = ir::as<ir::Store>(s);
            if (!store)
                return ir::Visitor::visit(s);
            moves = loads = false;
            for (const ir::Expr& index : store->indices)
                visit(index);
            const bool stays = !moves;
            buffer = store->buffer.get();
            visit(store->value);
            found = found || (stays && loads);
        }
    } finder;
    finder.var = var.get();
    finder.visit(body);
    return finder.found;
}

}  // namespace tw::timeline
