#include "core/passes/nest.h"

#include "core/arith/evaluate.h"
#include "core/ir/build.h"
#include "core/ir/visit.h"
#include "core/passes/plan_threads.h"

namespace tw::passes {

namespace {

using I = std::int64_t;
using ir::Expr;
using layout::Fragment;

constexpr I kMaxTried = 1 << 23;  // owner questions of one access

class Collector final : public ir::Visitor {
public:
    Collector(Nest& nest, std::span<const ir::Var> threadVars) : nest_(nest), threadVars_(threadVars) {}

    using ir::Visitor::visit;
    void visit(const Expr& e) override
    {
        if (!e)
            return;
        if (const auto* load = ir::as<ir::Load>(e))
            access(load->buffer, load->indices, false);
        for (const ir::Var& v : threadVars_)
            nest_.byThread = nest_.byThread || e.get() == v.get();
        if (const auto* call = ir::as<ir::Call>(e)) {
            const auto& info = ir::info(call->call.op);
            nest_.byThread = nest_.byThread || info.cls == ir::OpClass::kThread || info.cls == ir::OpClass::kWarp;
            nest_.writesMemory = nest_.writesMemory || info.effect == ir::Effect::kOther;
        }
        ir::Visitor::visit(e);
    }
    void visit(const ir::Stmt& s) override
    {
        if (!s)
            return;
        if (const auto* store = ir::as<ir::Store>(s))
            access(store->buffer, store->indices, true);
        if (const auto* loop = ir::as<ir::For>(s))
            inner(*loop);
        if (const auto* op = ir::as<ir::OpStmt>(s))
            nest_.writesMemory = nest_.writesMemory || ir::info(op->call.op).effect == ir::Effect::kOther;
        if (const auto* allocate = ir::as<ir::Allocate>(s))
            own_.push_back(allocate->buffer.get());
        ir::Visitor::visit(s);
        if (const auto* bind = ir::as<ir::Bind>(s))
            lets_[bind->var.get()] = ir::substitute(bind->value, lets_);
    }
    void visit(const ir::OpCall& call) override
    {
        const auto& roles = ir::info(call.op).operands;
        for (std::size_t k = 0; k < call.operands.size(); ++k) {
            const auto* region = std::get_if<ir::Region>(&call.operands[k]);
            if (!region || !region->buffer)
                continue;
            const ir::Role role = roles[std::min(k, roles.size() - 1)].role;
            if (role != ir::Role::kWrite)
                access(region->buffer, region->mins, false);
            if (role == ir::Role::kWrite || role == ir::Role::kReadWrite)
                access(region->buffer, region->mins, true);
        }
        ir::Visitor::visit(call);
    }

private:
    void access(const ir::Buffer& buffer, const std::vector<Expr>& indices, bool write)
    {
        if (std::find(own_.begin(), own_.end(), buffer.get()) != own_.end())
            return;
        NestAccess a{buffer, {}, write};
        for (const Expr& index : indices)
            a.indices.push_back(ir::substitute(index, lets_));
        const bool isPrivateArray = isPrivate(buffer);
        nest_.byThread = nest_.byThread || (isPrivateArray && buffer->scope == ir::MemoryScope::kLocal);
        nest_.writesPrivate = nest_.writesPrivate || (write && isPrivateArray);
        nest_.writesMemory = nest_.writesMemory || (write && !isPrivateArray && !isSpread(buffer));
        nest_.accesses.push_back(std::move(a));
    }
    void inner(const ir::For& loop)
    {
        for (const ir::Axis& axis : loop.axes) {
            const auto* begin = ir::asInt(axis.begin);
            const auto* end = ir::asInt(axis.end);
            if (begin && end && *begin == 0 && !axis.step) {
                nest_.innerVars.push_back(axis.var);
                nest_.innerExtents.push_back(*end);
            }
        }
    }

    Nest& nest_;
    std::span<const ir::Var> threadVars_;
    std::map<const ir::ExprNode*, Expr> lets_;
    std::vector<const ir::BufferNode*> own_;
};

// Calls `body(coordinates)` for every point; false if it ever says false.
template <class Body>
bool everywhere(const std::vector<I>& extents, Body body)
{
    std::vector<I> at(extents.size(), 0);
    for (const I extent : extents)
        if (extent <= 0)
            return true;
    for (;;) {
        if (!body(at))
            return false;
        std::size_t axis = at.size();
        while (axis-- > 0) {
            if (++at[axis] < extents[axis])
                break;
            at[axis] = 0;
        }
        if (axis == static_cast<std::size_t>(-1))
            return true;
    }
}

// Whether every thread that holds an element in `small` holds it in `large`.
bool contains(const Fragment& large, const Fragment& small)
{
    if (large.copies() == large.threads && large.firstThread <= small.firstThread &&
        large.firstThread + large.threads >= small.firstThread + small.threads)
        return true;
    const I registers = small.registers(), shift = small.firstThread - large.firstThread;
    for (I t = 0; t < small.threads; ++t) {
        if (!small.holds(t))
            continue;
        if (t + shift < 0 || t + shift >= large.threads || !large.holds(t + shift))
            return false;
        for (I r = 0; r < registers; ++r) {
            const auto at = small.at(t, r);
            bool inside = true;
            for (std::size_t k = 0; k < at.size(); ++k)
                inside = inside && at[k] < small.shape[k];
            if (inside && !large.owns(t + shift, at))
                return false;
        }
    }
    return true;
}

// Any indices, by trying them.
Fit fitByTrying(const Nest& nest, const Fragment& loop, const NestAccess& access, const Fragment& buffer)
{
    std::vector<const ir::ExprNode*> vars;
    std::vector<I> extents = nest.extents;
    for (const auto& v : nest.vars)
        vars.push_back(v.get());
    for (std::size_t k = 0; k < nest.innerVars.size(); ++k) {
        vars.push_back(nest.innerVars[k].get());
        extents.push_back(nest.innerExtents[k]);
    }
    std::vector<arith::Evaluation> programs;
    I tried = loop.threads;
    for (const I extent : extents)
        tried *= extent;
    for (const Expr& index : access.indices) {
        auto program = arith::Evaluation::compile(index, vars);
        if (!program)
            return Fit::kNone;
        programs.push_back(std::move(*program));
    }
    if (tried > kMaxTried || loop.threads != buffer.threads || loop.firstThread != buffer.firstThread)
        return Fit::kNone;
    bool holds = true, runs = true;
    std::vector<I> element(programs.size());
    everywhere(extents, [&](const std::vector<I>& at) {
        for (std::size_t k = 0; k < programs.size(); ++k) {
            const auto value = programs[k].run(at);
            if (!value || *value < 0 || *value >= buffer.shape[k])
                return true;  // an iteration that a condition keeps away
            element[k] = *value;
        }
        const std::span<const I> point(at.data(), nest.extents.size());
        for (I t = 0; t < loop.threads && (holds || runs); ++t) {
            const bool runsIt = loop.owns(t, point), holdsIt = buffer.owns(t, element);
            holds = holds && (!runsIt || holdsIt);
            runs = runs && (!holdsIt || runsIt);
        }
        return holds || runs;
    });
    return holds ? (runs ? Fit::kExact : Fit::kHolds) : runs ? Fit::kMasked : Fit::kNone;
}

}  // namespace

bool isSpread(const ir::Buffer& buffer)
{
    return buffer->scope == ir::MemoryScope::kFragment || buffer->scope == ir::MemoryScope::kReducer;
}

Nest describe(const ir::For& loop, std::span<const ir::Var> threadVars)
{
    Nest nest;
    nest.loop = &loop;
    for (const ir::Axis& axis : loop.axes) {
        nest.vars.push_back(axis.var);
        const auto* begin = ir::asInt(axis.begin);
        const auto* end = ir::asInt(axis.end);
        nest.constantExtents = nest.constantExtents && begin && end && *begin == 0;
        nest.extents.push_back(begin && end ? std::max<I>(*end - *begin, 0) : 1);
    }
    Collector collector(nest, threadVars);
    collector.visit(loop.body);
    return nest;
}

std::optional<std::vector<int>> projection(const Nest& nest, const NestAccess& access)
{
    std::vector<int> from;
    std::vector<bool> used(nest.vars.size(), false);
    for (std::size_t k = 0; k < access.indices.size(); ++k) {
        const auto* extent = ir::asInt(access.buffer->shape[k]);
        Expr index = access.indices[k];
        if (const auto* cast = ir::as<ir::Cast>(index))
            index = cast->value;
        int axis = -1;
        for (std::size_t v = 0; v < nest.vars.size(); ++v)
            if (index.get() == nest.vars[v].get())
                axis = static_cast<int>(v);
        if (axis < 0 && !(extent && *extent == 1))
            return std::nullopt;
        if (axis >= 0) {
            if (used[static_cast<std::size_t>(axis)] || !extent || *extent != nest.extents[static_cast<std::size_t>(axis)])
                return std::nullopt;
            used[static_cast<std::size_t>(axis)] = true;
        }
        from.push_back(axis);
    }
    return from;
}

bool isComplete(const Nest& nest, const std::vector<int>& from)
{
    for (int axis = 0; axis < static_cast<int>(nest.extents.size()); ++axis)
        if (nest.extents[static_cast<std::size_t>(axis)] > 1 && std::find(from.begin(), from.end(), axis) == from.end())
            return false;
    return true;
}

Fragment nestLayout(const Nest& nest, const Fragment& buffer, const std::vector<int>& from)
{
    std::vector<int> back(nest.extents.size(), -1);
    for (std::size_t k = 0; k < from.size(); ++k)
        if (from[k] >= 0)
            back[static_cast<std::size_t>(from[k])] = static_cast<int>(k);
    return layout::select(buffer, back);
}

bool sameHolders(const Fragment& a, const Fragment& b)
{
    if (a.threads != b.threads || a.firstThread != b.firstThread || a.replicas != b.replicas || a.shape != b.shape)
        return false;
    const auto onThread = [](const Fragment& f) {
        std::vector<layout::Digit> digits;
        for (const auto& d : f.digits)
            if (d.onThread)
                digits.push_back(d);
        return digits;
    };
    return onThread(a) == onThread(b);
}

Fit fit(const Nest& nest, const Fragment& loop, const NestAccess& access, const Fragment& buffer)
{
    const auto from = projection(nest, access);
    if (!from)
        return fitByTrying(nest, loop, access, buffer);
    const Fragment seen = layout::select(loop, *from);
    if (sameHolders(seen, buffer))
        return Fit::kExact;
    const bool holds = contains(buffer, seen), runs = contains(seen, buffer);
    return holds ? (runs ? Fit::kExact : Fit::kHolds) : runs ? Fit::kMasked : Fit::kNone;
}

}  // namespace tw::passes
