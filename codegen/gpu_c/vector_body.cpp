#include "codegen/gpu_c/vector_body.h"

#include <algorithm>

#include "codegen/gpu_c/widening.h"
#include "core/ir/build.h"
#include "core/ir/search.h"

namespace tw::gpu {

namespace {

bool mentions(const std::vector<ir::Expr>& list, const ir::ExprNode* var)
{
    return std::any_of(list.begin(), list.end(), [&](const ir::Expr& e) { return ir::mentions(e, var); });
}

class VectorScan final : public ir::Visitor {
public:
    VectorScan(const ir::ExprNode* var, VectorBody& body) : var_(var), body_(body) {}
    using ir::Visitor::visit;

    void visit(const ir::Stmt& s) override
    {
        if (s->kind == ir::StmtKind::kSeq)
            return ir::Visitor::visit(s);
        const auto* store = ir::as<ir::Store>(s);
        if (!store) {
            body_.simple = false;
            return;
        }
        body_.stores.push_back(store);
        for (const ir::Expr& i : store->indices)
            visit(i);
        visit(store->value);
        if (!isRegister(store->buffer) && mentions(store->indices, var_))
            body_.wides.push_back({store->buffer, store->indices});
        else if (!isRegister(store->buffer))
            body_.simple = false;
    }

    void visit(const ir::Expr& e) override
    {
        if (!e)
            return;
        if (const auto* select = ir::as<ir::Select>(e); select && select->lazy) {
            visit(select->condition);
            guarded(select->then, select->condition);
            guarded(select->otherwise, ir::unary(ir::UnaryOp::kNot, select->condition));
            return;
        }
        if (const auto* load = ir::as<ir::Load>(e); load && !isRegister(load->buffer) && mentions(load->indices, var_))
            add({load->buffer, load->indices});
        if (const auto* call = ir::as<ir::Call>(e); call && ir::info(call->call.op).effect != ir::Effect::kNone)
            body_.simple = false;
        ir::Visitor::visit(e);
    }

private:
    void guarded(const ir::Expr& e, const ir::Expr& condition)
    {
        const ir::Expr before = guard_;
        guard_ = ir::logicalAnd(guard_, condition);
        visit(e);
        guard_ = before;
    }
    void add(const AccessedElement& element)
    {
        if (guard_ && ir::mentions(guard_, var_))
            body_.simple = false;
        for (const VectorBody::WideLoad& known : body_.loads)
            if (sameElement(known.element, element)) {
                body_.simple = body_.simple && !known.guard == !guard_ && (!guard_ || ir::equal(known.guard, guard_));
                return;
            }
        // A load behind a store to the same memory must see it.
        for (const AccessedElement& wide : body_.wides)
            body_.simple = body_.simple && rootOf(wide.buffer) != rootOf(element.buffer);
        body_.loads.push_back({element, guard_});
    }

    const ir::ExprNode* var_;
    VectorBody& body_;
    ir::Expr guard_;
};

}  // namespace

bool isPacked(ir::DType type) { return type.lanes == 1 && type.bits() < 8 && type.scalar != ir::Scalar::kFloat4E2M1Unpacked; }

bool isRegister(const ir::Buffer& buffer)
{
    return buffer->scope == ir::MemoryScope::kLocal || buffer->scope == ir::MemoryScope::kFragment || buffer->scope == ir::MemoryScope::kVar;
}

const ir::BufferNode* rootOf(const ir::Buffer& buffer)
{
    const ir::BufferNode* at = buffer.get();
    while (at->viewOf)
        at = at->viewOf.get();
    return at;
}

bool sameElement(const AccessedElement& a, const AccessedElement& b)
{
    return a.buffer == b.buffer && std::equal(a.indices.begin(), a.indices.end(), b.indices.begin(), b.indices.end(),
                                              [](const ir::Expr& x, const ir::Expr& y) { return ir::equal(x, y); });
}

VectorBody::VectorBody(const ir::Stmt& body, const ir::ExprNode* var)
{
    VectorScan(var, *this).visit(body);
}

bool VectorBody::fitsWords(std::int64_t extent) const
{
    const auto fits = [&](const AccessedElement& element) {
        const std::int64_t bits = extent * element.buffer->dtype.bits() * element.buffer->dtype.lanes;
        return bits % 8 == 0 && bits <= 256 && ((bits / 8) & (bits / 8 - 1)) == 0;
    };
    return std::all_of(loads.begin(), loads.end(), [&](const WideLoad& load) { return fits(load.element); }) && std::all_of(wides.begin(), wides.end(), fits);
}

bool VectorBody::isCopy() const
{
    return stores.size() == 1 && wides.size() == 1 && loads.size() == 1 && !loads[0].guard && stores[0]->value->kind == ir::ExprKind::kLoad &&
           loads[0].element.buffer->dtype == wides[0].buffer->dtype;
}

ir::Expr WideCasts::rewrite(const ir::Expr& e)
{
    const auto* cast = ir::as<ir::Cast>(e);
    const auto* load = cast ? ir::as<ir::Load>(cast->value) : nullptr;
    if (!load)
        return rewriteChildren(e);
    for (std::size_t k = 0; k < body_.loads.size(); ++k)
        if (sameElement(body_.loads[k].element, {load->buffer, load->indices}))
            if (const ir::Buffer to = converted(k, e->dtype))
                return std::make_shared<ir::Load>(e->dtype, to, load->indices, e->where);
    return rewriteChildren(e);
}

ir::Buffer WideCasts::converted(std::size_t load, ir::DType to)
{
    for (const Converted& c : made)
        if (c.load == load && c.buffer->dtype == to)
            return c.buffer;
    const ir::Buffer& from = body_.loads[load].element.buffer;
    const std::string function = widenFunction(from->dtype, to, extent_);
    if (function.empty())
        return {};
    auto buffer = std::make_shared<ir::BufferNode>(*from);
    buffer->name = from->name + "_" + to.name();
    buffer->dtype = to;
    buffer->scope = ir::MemoryScope::kLocal;
    buffer->viewOf = {};
    made.push_back({load, buffer, function});
    return buffer;
}

}  // namespace tw::gpu
