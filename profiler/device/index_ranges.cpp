#include "profiler/device/index_ranges.h"

#include <set>

#include "core/ir/visit.h"
#include "profiler/device/index_value.h"

namespace tw::device {
namespace {

constexpr int kMaxDepth = 64;

// The parameters that an expression depends on, through bound names and loop variables.
class Analysis final : public ir::Visitor {
public:
    Analysis(const ir::Function& function, const Extents& extents) : extents_(extents)
    {
        for (const ir::Param& p : function.params) {
            if (const auto* buffer = std::get_if<ir::Buffer>(&p.value)) {
                if ((*buffer)->dtype.isInteger())
                    tensors_[buffer->get()] = (*buffer)->name;
            } else if (const auto& var = std::get<ir::Var>(p.value); var->dtype.isInteger() && !extents.contains(var->name)) {
                scalars_[var.get()] = var->name;
            }
        }
        if (function.body)
            visit(function.body);
    }

    std::map<std::string, IndexUse> take() { return std::move(uses_); }

    using ir::Visitor::visit;

    void visit(const ir::Stmt& s) override
    {
        if (const auto* launch = ir::as<ir::Launch>(s)) {
            for (std::size_t i = 0; i < launch->blockVars.size() && i < launch->grid.size(); ++i)
                lasts_[launch->blockVars[i].get()] = launch->grid[i];
            for (std::size_t i = 0; i < 3; ++i)
                if (launch->threadVars[i])
                    threads_[launch->threadVars[i].get()] = launch->threads[i];
        } else if (const auto* bind = ir::as<ir::Bind>(s)) {
            values_[bind->var.get()] = bind->value;
        } else if (const auto* loop = ir::as<ir::For>(s)) {
            for (const ir::Axis& axis : loop->axes) {
                lasts_[axis.var.get()] = axis.end;
                order(axis.begin);
                order(axis.end);
            }
        } else if (const auto* store = ir::as<ir::Store>(s)) {
            for (std::size_t axis = 0; axis < store->indices.size(); ++axis)
                use(store->buffer, axis, store->indices[axis], 1);
            remember(*store);
        } else if (const auto* op = ir::as<ir::OpStmt>(s); op && ir::info(op->call.op).cls == ir::OpClass::kCopy) {
            const auto* from = op->call.operands.size() > 1 ? std::get_if<ir::Region>(&op->call.operands[0]) : nullptr;
            const auto* to = from ? std::get_if<ir::Region>(&op->call.operands[1]) : nullptr;
            if (to)
                copied(from->buffer, to->buffer);
        }
        ir::Visitor::visit(s);
    }

    void visit(const ir::Expr& e) override
    {
        if (const auto* load = ir::as<ir::Load>(e))
            for (std::size_t axis = 0; axis < load->indices.size(); ++axis)
                use(load->buffer, axis, load->indices[axis], 1);
        ir::Visitor::visit(e);
    }

    void visit(const ir::Region& r) override
    {
        for (std::size_t axis = 0; axis < r.mins.size(); ++axis) {
            const auto extent = indexValue(r.extents[axis], leaf({}, 0, 0));
            use(r.buffer, axis, r.mins[axis], extent.value_or(1));
            if (!extent || *extent > 1)
                order(r.mins[axis]);
        }
        ir::Visitor::visit(r);
    }

private:
    // A variable of one store holds what was stored; larger local arrays are not followed.
    void remember(const ir::Store& store)
    {
        if (store.buffer->scope == ir::MemoryScope::kVar)
            stored_[store.buffer.get()] = store.value;
        ir::Expr value = store.value;
        if (const auto* cast = ir::as<ir::Cast>(value))
            value = cast->value;
        if (const auto* load = ir::as<ir::Load>(value); load && store.buffer->scope != ir::MemoryScope::kVar)
            copied(load->buffer, store.buffer);
    }
    // An on-chip copy of an index tensor holds indices too.
    void copied(const ir::Buffer& from, const ir::Buffer& to)
    {
        const auto source = tensors_.find(from.get());
        if (source != tensors_.end() && to->scope != ir::MemoryScope::kGlobal)
            tensors_[to.get()] = std::string(source->second);
    }

    // Values with parameter `name` at `value`, every other parameter at 0 and every loop at its last iteration.
    LeafValue leaf(std::string name, std::int64_t value, int depth) const
    {
        return [this, name = std::move(name), value, depth](const ir::Expr& e) -> std::optional<std::int64_t> {
            if (depth > kMaxDepth)
                return std::nullopt;
            if (const auto* load = ir::as<ir::Load>(e)) {
                if (const auto tensor = tensors_.find(load->buffer.get()); tensor != tensors_.end())
                    return tensor->second == name ? value : 0;
                const auto stored = stored_.find(load->buffer.get());
                return stored == stored_.end() ? std::nullopt : indexValue(stored->second, leaf(name, value, depth + 1));
            }
            if (const auto scalar = scalars_.find(e.get()); scalar != scalars_.end())
                return scalar->second == name ? value : 0;
            if (const auto bound = values_.find(e.get()); bound != values_.end())
                return indexValue(bound->second, leaf(name, value, depth + 1));
            if (const auto thread = threads_.find(e.get()); thread != threads_.end())
                return thread->second - 1;
            if (const auto last = lasts_.find(e.get()); last != lasts_.end()) {
                const auto end = indexValue(last->second, leaf(name, value, depth + 1));
                return end ? std::optional(*end - 1) : std::nullopt;
            }
            const auto* var = ir::as<ir::VarNode>(e);
            const auto extent = var ? extents_.find(var->name) : extents_.end();
            return extent == extents_.end() ? std::nullopt : std::optional(extent->second);
        };
    }

    // The parameters that `e` depends on.
    std::set<std::string> parametersIn(const ir::Expr& e) const
    {
        std::set<std::string> found;
        const LeafValue collect = [&](const ir::Expr& x) -> std::optional<std::int64_t> { return collectLeaf(x, found, 0); };
        (void)indexValue(e, collect);
        return found;
    }
    std::optional<std::int64_t> collectLeaf(const ir::Expr& e, std::set<std::string>& found, int depth) const
    {
        const LeafValue deeper = [&, depth](const ir::Expr& x) { return collectLeaf(x, found, depth + 1); };
        if (depth > kMaxDepth)
            return 1;
        if (const auto* load = ir::as<ir::Load>(e)) {
            if (const auto tensor = tensors_.find(load->buffer.get()); tensor != tensors_.end())
                found.insert(tensor->second);
            else if (const auto stored = stored_.find(load->buffer.get()); stored != stored_.end())
                (void)indexValue(stored->second, deeper);
        } else if (const auto scalar = scalars_.find(e.get()); scalar != scalars_.end()) {
            found.insert(scalar->second);
        } else if (const auto bound = values_.find(e.get()); bound != values_.end()) {
            (void)indexValue(bound->second, deeper);
        } else if (const auto last = lasts_.find(e.get()); last != lasts_.end()) {
            (void)indexValue(last->second, deeper);
        }
        return 1;  // any value: only the leaves matter
    }

    void order(const ir::Expr& e)
    {
        for (const std::string& name : parametersIn(e))
            markOrdered(name);
    }
    void markOrdered(const std::string& name)
    {
        ordered_.insert(name);
        if (const auto use = uses_.find(name); use != uses_.end())
            use->second.isOrdered = true;
    }

    // `index` + span - 1 must stay below the axis' extent: bounds each parameter in it, the others taken as 0.
    void use(const ir::Buffer& buffer, std::size_t axis, const ir::Expr& index, std::int64_t span)
    {
        if (axis >= buffer->shape.size())
            return;
        for (const std::string& name : parametersIn(index)) {
            const auto extent = indexValue(buffer->shape[axis], leaf({}, 0, 0));
            if (!extent)
                continue;
            const std::int64_t largest = largestFor(name, index, *extent, span);
            if (largest < 0)
                continue;
            const auto [found, isNew] = uses_.try_emplace(name, IndexUse{largest, ordered_.contains(name)});
            if (!isNew)
                found->second.largest = std::min(found->second.largest, largest);
        }
    }

    // The largest value of `name` for which the index stays inside; −1 if even 0 does not or the index does not grow with it.
    std::int64_t largestFor(const std::string& name, const ir::Expr& index, std::int64_t extent, std::int64_t span) const
    {
        const auto isInside = [&](std::int64_t value) {
            const auto at = indexValue(index, leaf(name, value, 0));
            return at && *at + span <= extent;
        };
        // A tile that is larger than the tensor is cut at its edge, so its start alone counts.
        if (!isInside(0))
            return span > 1 ? largestFor(name, index, extent, 1) : -1;
        std::int64_t low = 0, high = std::int64_t{1} << 40;
        if (isInside(high))
            return -1;
        while (high - low > 1) {
            const std::int64_t middle = low + (high - low) / 2;
            (isInside(middle) ? low : high) = middle;
        }
        return low;
    }

    const Extents& extents_;
    std::map<const ir::BufferNode*, std::string> tensors_;
    std::map<const ir::ExprNode*, std::string> scalars_;
    std::map<const ir::ExprNode*, ir::Expr> values_, lasts_;
    std::map<const ir::ExprNode*, std::int64_t> threads_;
    std::map<const ir::BufferNode*, ir::Expr> stored_;
    std::set<std::string> ordered_;
    std::map<std::string, IndexUse> uses_;
};

}  // namespace

std::map<std::string, IndexUse> indexRanges(const ir::Function& function, const Extents& extents)
{
    return Analysis(function, extents).take();
}

}  // namespace tw::device
