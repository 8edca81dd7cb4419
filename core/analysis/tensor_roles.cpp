// Walks the function in program order and remembers, for each tensor, which places have certainly been written.
//
// A place is the text of its indices in which a loop variable counts by its bounds alone, so that a nest that reads Y[i, j]
// finds what another nest over the same bounds wrote. What is not certainly covered counts as read first.
#include "core/analysis/tensor_roles.h"

#include <algorithm>
#include <set>
#include <string>

#include <fmt/format.h>

#include "core/analysis/effects.h"
#include "core/analysis/walk.h"
#include "core/ir/build.h"
#include "core/ir/print.h"
#include "core/ir/search.h"

namespace tw::analysis {

namespace {

using ir::Expr;

struct TensorState {
    bool written = false;
    bool readFirst = false;
    bool writtenByEarlierLaunch = false;
    std::vector<std::set<std::string>> places = {{}};  // one set for each open branch; "*" is all of it
};

class RoleWalk final : public Walk {
public:
    explicit RoleWalk(const ir::Function& f)
    {
        for (const ir::Param& param : f.params)
            if (const auto* buffer = std::get_if<ir::Buffer>(&param.value))
                states_[buffer->get()];
    }

    [[nodiscard]] const TensorState& state(const ir::BufferNode* buffer) const { return states_.at(buffer); }

    using Walk::visit;
    void visit(const ir::Stmt& s) override
    {
        const bool isBranch = s && (s->kind == ir::StmtKind::kIf || s->kind == ir::StmtKind::kWhile);
        if (isBranch)
            openBranch();
        Walk::visit(s);
        if (isBranch)
            closeBranch();
        if (s && s->kind == ir::StmtKind::kLaunch)
            for (auto& [buffer, state] : states_)
                state.writtenByEarlierLaunch = state.written;
    }

    void visit(const ir::OpCall& call) override
    {
        for (std::size_t i = 0; i < call.operands.size(); ++i) {
            const auto* region = std::get_if<ir::Region>(&call.operands[i]);
            if (region && effectOf(call, i).reads)
                read(region->buffer.get(), region->mins, region->extents);
        }
        Walk::visit(call);
        for (std::size_t i = 0; i < call.operands.size(); ++i) {
            const auto* region = std::get_if<ir::Region>(&call.operands[i]);
            if (region && effectOf(call, i).writes)
                write(region->buffer.get(), region->mins, region->extents);
        }
    }

protected:
    void enterExpr(const Expr& e) override
    {
        if (const auto* load = ir::as<ir::Load>(e))
            read(load->buffer.get(), load->indices, {});
    }

    void leave(const ir::Stmt& s) override
    {
        if (const auto* store = ir::as<ir::Store>(s))
            write(store->buffer.get(), store->indices, {});
    }

private:
    TensorState* find(const ir::BufferNode* buffer)
    {
        const auto found = states_.find(storageOf(buffer));
        return found == states_.end() ? nullptr : &found->second;
    }

    void openBranch()
    {
        for (auto& [buffer, state] : states_)
            state.places.emplace_back();
    }
    void closeBranch()
    {
        for (auto& [buffer, state] : states_)
            state.places.pop_back();
    }

    // "128" for a loop variable that counts from 0 to 128, in place of its name.
    std::string placeOf(const std::vector<Expr>& mins, const std::vector<Expr>& extents) const
    {
        std::map<const ir::ExprNode*, Expr> names;
        for (const ir::For* loop : loops())
            for (const ir::Axis& axis : loop->axes)
                names[axis.var.get()] = std::make_shared<ir::VarNode>(
                    axis.var->dtype, fmt::format("<{}:{}:{}>", ir::print(axis.begin), ir::print(axis.end), ir::print(axis.step)));
        std::string text;
        for (std::size_t i = 0; i < mins.size(); ++i) {
            Expr index = ir::substitute(expand(mins[i]), names);
            if (!extents.empty() && !ir::isOne(extents[i]))
                index = ir::add(index, std::make_shared<ir::VarNode>(index->dtype, fmt::format("<0:{}:1>", ir::print(extents[i]))));
            text += ir::print(index) + ",";
        }
        return text;
    }

    // Whether the access is every element, whatever the values: distinct loop variables or whole axes that span the shape.
    bool isEverything(const ir::BufferNode* buffer, const std::vector<Expr>& mins, const std::vector<Expr>& extents) const
    {
        std::set<const ir::ExprNode*> used;
        for (std::size_t i = 0; i < mins.size(); ++i) {
            const Expr& shape = buffer->shape[i];
            if (!extents.empty() && ir::isZero(mins[i]) && ir::equal(extents[i], shape))
                continue;
            if (ir::isZero(mins[i]) && ir::isOne(shape))
                continue;
            const ir::Axis* axis = axisOf(mins[i].get());
            const bool spans = axis && used.insert(mins[i].get()).second && ir::isZero(axis->begin) && ir::isOne(axis->step) &&
                               ir::equal(axis->end, shape) && (extents.empty() || ir::isOne(extents[i]));
            if (!spans)
                return false;
        }
        return true;
    }

    const ir::Axis* axisOf(const ir::ExprNode* var) const
    {
        for (const ir::For* loop : loops())
            for (const ir::Axis& axis : loop->axes)
                if (axis.var.get() == var)
                    return &axis;
        return nullptr;
    }

    void read(const ir::BufferNode* buffer, const std::vector<Expr>& mins, const std::vector<Expr>& extents)
    {
        TensorState* state = find(buffer);
        if (!state || state->readFirst || state->writtenByEarlierLaunch)
            return;
        const std::string place = state->written ? placeOf(mins, extents) : std::string();
        for (const auto& places : state->places)
            if (places.contains("*") || (state->written && places.contains(place)))
                return;
        state->readFirst = true;
    }

    void write(const ir::BufferNode* buffer, const std::vector<Expr>& mins, const std::vector<Expr>& extents)
    {
        TensorState* state = find(buffer);
        if (!state)
            return;
        state->written = true;
        if (state->readFirst)
            return;
        state->places.back().insert(placeOf(mins, extents));
        if (buffer == storageOf(buffer) && isEverything(buffer, mins, extents))
            state->places.back().insert("*");
    }

    std::map<const ir::BufferNode*, TensorState> states_;
};

bool isForeign(const ir::Function& f)
{
    return ir::anyStmt(f.body, [](const ir::Stmt& s) {
        const auto* launch = ir::as<ir::Launch>(s);
        return launch && launch->attrs.contains("source");
    });
}

}  // namespace

std::vector<TensorRole> tensorRoles(const ir::Function& f)
{
    RoleWalk walk(f);
    walk.visit(f.body);
    // Hand-written device code does what it likes with every tensor it is given.
    const bool foreign = isForeign(f);
    std::vector<TensorRole> roles;
    for (std::size_t i = 0; i < f.params.size(); ++i) {
        const auto* buffer = std::get_if<ir::Buffer>(&f.params[i].value);
        if (!buffer) {
            roles.push_back(TensorRole::kIn);
            continue;
        }
        const TensorState& state = walk.state(buffer->get());
        const bool returned = std::find(f.returned.begin(), f.returned.end(), static_cast<int>(i)) != f.returned.end();
        if (returned && (state.written || foreign))
            roles.push_back(TensorRole::kOut);
        else if (foreign)
            roles.push_back(TensorRole::kInOut);
        else if (state.written)
            roles.push_back(state.readFirst ? TensorRole::kInOut : TensorRole::kOut);
        else
            roles.push_back(state.readFirst ? TensorRole::kIn : TensorRole::kUnused);
    }
    return roles;
}

}  // namespace tw::analysis
