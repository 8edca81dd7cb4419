#include "profiler/device/pointers.h"

#include <map>
#include <set>

#include "core/ir/visit.h"

namespace tw::device {
namespace {

// Views of pointer variables, and which of them are read and written.
class Views final : public ir::Visitor {
public:
    explicit Views(const ir::Function& function)
    {
        if (function.body)
            visit(function.body);
    }

    std::map<const ir::ExprNode*, ir::Buffer> first;
    std::set<const ir::ExprNode*> read, written;

    using ir::Visitor::visit;
    void visitBuffer(const ir::Buffer& buffer) override
    {
        if (const ir::ExprNode* pointer = pointerOf(buffer))
            first.try_emplace(pointer, buffer);
    }
    void visit(const ir::Expr& e) override
    {
        if (const auto* load = ir::as<ir::Load>(e))
            mark(load->buffer, read);
        ir::Visitor::visit(e);
    }
    void visit(const ir::Stmt& s) override
    {
        if (const auto* store = ir::as<ir::Store>(s))
            mark(store->buffer, written);
        ir::Visitor::visit(s);
    }
    void visit(const ir::OpCall& call) override
    {
        const auto& roles = ir::info(call.op).operands;
        for (std::size_t i = 0; i < call.operands.size() && !roles.empty(); ++i) {
            const auto* region = std::get_if<ir::Region>(&call.operands[i]);
            const ir::Role role = roles[std::min(i, roles.size() - 1)].role;
            if (region && role != ir::Role::kWrite)
                mark(region->buffer, read);
            if (region && role != ir::Role::kRead)
                mark(region->buffer, written);
        }
        ir::Visitor::visit(call);
    }

private:
    // The variable whose address a buffer is a view of, through casts and views of views.
    static const ir::ExprNode* pointerOf(ir::Buffer buffer)
    {
        while (buffer && buffer->viewOf)
            buffer = buffer->viewOf;
        ir::Expr address = buffer ? buffer->address : nullptr;
        while (const auto* cast = ir::as<ir::Cast>(address))
            address = cast->value;
        return ir::as<ir::VarNode>(address) ? address.get() : nullptr;
    }
    static void mark(const ir::Buffer& buffer, std::set<const ir::ExprNode*>& set)
    {
        if (const ir::ExprNode* pointer = pointerOf(buffer))
            set.insert(pointer);
    }
};

}  // namespace

std::vector<ir::Buffer> parameterTensors(const ir::Function& function)
{
    std::vector<ir::Buffer> out;
    const Views views(function);
    for (const ir::Param& p : function.params) {
        if (const auto* buffer = std::get_if<ir::Buffer>(&p.value)) {
            out.push_back(*buffer);
            continue;
        }
        const auto view = views.first.find(std::get<ir::Var>(p.value).get());
        if (view == views.first.end() || !std::get<ir::Var>(p.value)->dtype.isHandle()) {
            out.push_back(nullptr);
            continue;
        }
        auto named = std::make_shared<ir::BufferNode>(*view->second);
        named->name = p.name();
        out.push_back(std::move(named));
    }
    return out;
}

std::vector<analysis::TensorRole> parameterRoles(const ir::Function& function)
{
    using analysis::TensorRole;
    std::vector<TensorRole> roles = analysis::tensorRoles(function);
    const Views views(function);
    for (std::size_t i = 0; i < function.params.size(); ++i) {
        const auto* var = std::get_if<ir::Var>(&function.params[i].value);
        if (!var || !(*var)->dtype.isHandle() || !views.written.contains(var->get()))
            continue;
        roles[i] = views.read.contains(var->get()) ? TensorRole::kInOut : TensorRole::kOut;
    }
    return roles;
}

}  // namespace tw::device
