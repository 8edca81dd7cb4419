// Emission, and what names are bound to.
//
//     count = 0                 a Python number …
//     while v != 1:             … that the loop changes: at its head `count` becomes a cell, memory of one element
//         count += 1            a store
#include <fmt/format.h>

#include "core/ir/visit.h"
#include "core/staging/array/array_impl.h"
#include "core/staging/array/array_walk.h"
#include "core/staging/trace/tree_size.h"

namespace tw::staging {

using ir::Expr;

// For expressions that are too large.
constexpr const char* kInstead = "store a part of it in an array";

// ---- emission ---------------------------------------------------------------------------------------------------------

ir::Stmt ArrayTracer::collect(const std::function<void()>& body)
{
    std::vector<ir::Stmt> stmts;
    std::vector<ir::Stmt>* const before = std::exchange(current_, &stmts);
    struct Restore {
        std::vector<ir::Stmt>*& current;
        std::vector<ir::Stmt>* before;
        ~Restore() { current = before; }
    } restore{current_, before};
    body();
    return ir::sequence(std::move(stmts));
}

std::string ArrayTracer::freshName(const std::string& wish)
{
    const int n = names_[wish]++;
    return n == 0 ? wish : fmt::format("{}_{}", wish, n);
}

ir::Var ArrayTracer::freshVar(const std::string& name, ir::DType type)
{
    return std::make_shared<const ir::VarNode>(type, freshName(name), here());
}

bool ArrayTracer::isPure(const Expr& e) const
{
    struct Finder : ir::Visitor {
        using ir::Visitor::visit;
        bool pure = true;
        void visit(const Expr& x) override
        {
            pure = pure && !ir::as<ir::Load>(x);
            if (pure)
                ir::Visitor::visit(x);
        }
    } finder;
    finder.visit(e);
    return finder.pure;
}

// Whether extents are known before the launch: constants and symbolic extents only.
bool ArrayTracer::isGlobalShape(const Exprs& shape) const
{
    struct Finder : ir::Visitor {
        using ir::Visitor::visit;
        const std::set<const ir::VarNode*>* extents = nullptr;
        bool good = true;
        void visit(const Expr& x) override
        {
            if (const auto* var = ir::as<ir::VarNode>(x))
                good = good && extents->contains(var);
            good = good && !ir::as<ir::Load>(x);
            if (good)
                ir::Visitor::visit(x);
        }
    } finder;
    finder.extents = &facts_.extents;
    for (const Expr& e : shape)
        finder.visit(e);
    return finder.good;
}

ir::Buffer ArrayTracer::allocate(const std::string& name, ir::DType type, const Exprs& shape, ir::MemoryScope scope)
{
    auto node = std::make_shared<ir::BufferNode>();
    node->name = freshName(name);
    node->dtype = type;
    node->shape = shape.empty() ? Exprs{ir::intImm(1)} : shape;
    node->scope = scope;
    node->where = here();
    // Workspaces are made before the launch: as large as the array can get where its extents vary in loops.
    bool bounded = true;
    for (Expr& extent : node->shape) {
        if (isGlobalShape({extent}))
            continue;
        Expr bound = globalBound(extent);
        bounded = bounded && bound;
        extent = bound ? bound : extent;
    }
    const ir::Buffer buffer = node;
    if (bounded)
        allocations_.push_back(buffer);
    else
        emit(std::make_shared<const ir::Allocate>(buffer, here()));
    return buffer;
}

// An expression of constants and symbolic extents that `e` never exceeds; empty if there is none in sight.
Expr ArrayTracer::globalBound(const Expr& e) const
{
    if (isGlobalShape({e}))
        return e;
    if (const auto most = facts_.largest(e))
        return ir::intImm(std::max<std::int64_t>(*most, 0));
    if (const auto* var = ir::as<ir::VarNode>(e)) {
        const auto it = facts_.loops.find(var);
        if (it != facts_.loops.end())
            return globalBound(it->second.step > 0 ? it->second.end : it->second.begin);
        const auto bound = facts_.binds.find(var);
        return bound == facts_.binds.end() ? nullptr : globalBound(bound->second);
    }
    if (const auto* cast = ir::as<ir::Cast>(e))
        return globalBound(cast->value);
    const auto* node = ir::as<ir::Binary>(e);
    if (!node)
        return nullptr;
    const Expr a = globalBound(node->a), b = globalBound(node->b);
    switch (node->op) {
    case ir::BinaryOp::kMin: return a && b ? ir::min(a, b) : a ? a : b;
    case ir::BinaryOp::kMax: return a && b ? ir::max(a, b) : nullptr;
    case ir::BinaryOp::kAdd: return a && b ? ir::add(a, b) : nullptr;
    case ir::BinaryOp::kSub: return a && facts_.isNonNegative(node->b) ? a : nullptr;
    case ir::BinaryOp::kMul: return a && b && facts_.isNonNegative(node->a) && facts_.isNonNegative(node->b) ? ir::mul(a, b) : nullptr;
    case ir::BinaryOp::kFloorDiv: return a && ir::asInt(node->b) && *ir::asInt(node->b) > 0 ? a : nullptr;
    default: return nullptr;
    }
}

void ArrayTracer::nest(const Exprs& shape, ir::ForKind kind, const std::function<void(const Exprs&)>& body, const std::string& names)
{
    static constexpr const char* kNames[] = {"i", "j", "k", "l"};
    if (shape.empty()) {
        body({});
        return;
    }
    std::vector<ir::Axis> axes;
    Exprs index;
    for (std::size_t a = 0; a < shape.size(); ++a) {
        const ir::Var var = freshVar(names.empty() ? kNames[std::min<std::size_t>(a, 3)] : names);
        axes.push_back({var, ir::intImm(0), convert(shape[a], ir::kInt32), ir::intImm(1)});
        index.push_back(var);
        facts_.loops[var.get()] = {ir::intImm(0), axes.back().end, 1};
    }
    ir::Stmt inner = collect([&] { body(index); });
    if (kind == ir::ForKind::kParallel) {
        emit(std::make_shared<const ir::For>(kind, std::move(axes), std::move(inner), ir::Attrs{}, here()));
        return;
    }
    for (std::size_t a = axes.size(); a-- > 0;)
        inner = std::make_shared<const ir::For>(kind, std::vector<ir::Axis>{axes[a]}, std::move(inner), ir::Attrs{}, here());
    emit(std::move(inner));
}

void ArrayTracer::store(const ir::Buffer& buffer, Exprs indices, const Expr& value)
{
    checkSize(evaluator_, value, range_, kInstead);
    written_.insert(buffer.get());
    emit(std::make_shared<const ir::Store>(buffer, std::move(indices), convert(value, buffer->dtype), here()));
}

ArrayRef ArrayTracer::memory(const ir::Buffer& buffer, Exprs shape) const
{
    auto out = std::make_shared<ArrayValue>();
    out->dtype = buffer->dtype;
    out->storage = buffer;
    ArrayView view{buffer, {}, {}};
    for (std::size_t i = 0; i < buffer->shape.size(); ++i) {
        view.start.push_back(ir::intImm(0));
        view.axes.push_back(shape.empty() ? -1 : static_cast<int>(i));
    }
    out->view = view;
    out->reads = {{buffer, view}};
    const bool scalar = shape.empty();
    out->shape = std::move(shape);
    const Exprs zero(buffer->shape.size(), ir::intImm(0));  // a parameter without axes, or one element on chip
    out->at = [buffer, scalar, zero, p = here()](const Exprs& index) -> Expr {
        return std::make_shared<const ir::Load>(buffer->dtype, buffer, scalar ? zero : index, p);
    };
    return out;
}

// A copy of the value in memory of its own.
ArrayRef ArrayTracer::materialise(const ArrayRef& value, const std::string& name)
{
    const ir::DType type = value->weak && value->dtype == ir::kFloat64 ? ir::kFloat32 : value->dtype;
    const ir::Buffer buffer = allocate(name, type, value->shape,
                                       value->shape.empty() ? ir::MemoryScope::kVar : ir::MemoryScope::kGlobal);
    nest(value->shape, ir::ForKind::kParallel, [&](const Exprs& index) {
        store(buffer, value->shape.empty() ? Exprs{ir::intImm(0)} : index, value->at(index));
    });
    return memory(buffer, value->shape);
}

ArrayRef ArrayTracer::inMemory(const ArrayRef& value)
{
    return value->view || value->shape.empty() ? value : materialise(value, "value");
}

// The value of a scalar as it is now, in a form that later stores do not change.
Expr ArrayTracer::frozen(const Expr& e, const std::string& name)
{
    if (isPure(e))
        return e;
    const ir::Var var = freshVar(name, e->dtype);
    facts_.binds[var.get()] = e;
    emit(std::make_shared<const ir::Bind>(var, e, here()));
    return var;
}

// ---- names ------------------------------------------------------------------------------------------------------------

// What a name is bound to: an array in memory, or a scalar that later stores do not change.
Value ArrayTracer::settled(const std::string& name, const Value& value)
{
    const auto* ref = value.get<ArrayRef>();
    if (!ref)
        return value;
    const ArrayRef& array = *ref;
    if (array->storage && !array->shape.empty()) {  // the same array under another name
        if (unnamed_.erase(array->storage.get()) > 0)   // its first name; nothing outside has seen the buffer yet
            const_cast<ir::BufferNode&>(*array->storage).name = freshName(name);
        return value;
    }
    if (!array->shape.empty())
        return Value(materialise(array, name));
    const Expr e = array->at({});
    checkSize(evaluator_, e, range_, kInstead);
    auto scalar = std::make_shared<ArrayValue>(*array);
    scalar->storage = nullptr;
    scalar->view.reset();
    const bool pure = isPure(e);
    const Expr kept = frozen(e, name);
    scalar->at = [kept](const Exprs&) { return kept; };
    if (!pure)
        scalar->reads.clear();
    return Value(ArrayRef(scalar));
}

void ArrayTracer::makeCell(const std::string& name, const Value& value, const SourceRange& range)
{
    const ArrayRef given = array(value, range);
    ir::DType type = given->dtype;
    if (given->weak)
        type = given->dtype.isBool() ? ir::kBool : given->dtype.isFloating() ? ir::kFloat32 : given->dtype;
    if (const auto it = cellTypes_.find(name); it != cellTypes_.end())
        type = it->second;
    frame().scope->names[name] = Value(materialise(cast(given, type), name));
}

void ArrayTracer::storeCell(const std::string& name, const ArrayRef& cell, const Value& value, const SourceRange& range)
{
    ArrayRef given = array(value, range);
    if (!sameShape(cell->shape, given->shape))
        evaluator_.fail(Code::kNotSupported, range,
                        fmt::format("not supported: `{}` changes its shape from {} to {} in a run-time loop or branch", name,
                                    arrayShapeText(cell->shape), arrayShapeText(given->shape)));
    const bool narrower = given->weak ? given->dtype.isFloating() && !cell->dtype.isFloating() : given->dtype != cell->dtype;
    if (narrower) {  // the cell began with a literal that did not say the type: once more, with this one
        const ir::DType wanted = given->weak ? ir::kFloat32 : given->dtype;
        const auto known = cellTypes_.find(name);
        const ir::DType better = known == cellTypes_.end() ? wanted : commonType(*generated({}, known->second, nullptr),
                                                                                   *generated({}, wanted, nullptr));
        if (known == cellTypes_.end() || better != known->second) {
            cellTypes_[name] = better;
            retype_ = true;
        }
    }
    const auto whole = std::make_shared<const SliceValue>();
    if (cell->shape.empty()) {
        store(cell->storage, {ir::intImm(0)}, given->at({}));
        return;
    }
    std::vector<Value> all(cell->shape.size(), Value(whole));
    storeRegion(cell, pieces(*cell, makeTuple(all), range), given, range);
}

void ArrayTracer::setName(const std::string& name, const Value& value, const SourceRange& range)
{
    auto& names = frame().scope->names;
    const auto it = names.find(name);
    if (frame().cells.contains(name) && isArrayLike(value)) {
        const auto* cell = it == names.end() ? nullptr : it->second.get<ArrayRef>();
        if (cell && (*cell)->storage && !parameters_.contains((*cell)->storage.get()))
            storeCell(name, *cell, value, range);
        else
            makeCell(name, value, range);
        return;
    }
    names[name] = settled(name, value);
}

// Traces a run-time loop or branch whose bodies are given: names that it assigns and that live outside become cells first.
void ArrayTracer::region(const std::vector<const syntax::Block*>& bodies, const SourceRange& range,
                         const std::function<void()>& traceBody)
{
    std::set<std::string> assigned, changed;
    for (const syntax::Block* body : bodies)
        collectAssigned(*body, assigned, changed);
    for (const std::string& name : changed) {  // arrays change in place; numbers are bound anew
        const auto it = frame().scope->names.find(name);
        const auto* bound = it == frame().scope->names.end() ? nullptr : it->second.get<ArrayRef>();
        if (!bound || (*bound)->shape.empty())
            assigned.insert(name);
    }
    const std::set<std::string> outside = namesReadOutside(*frame().body, range);
    std::vector<std::string> cells;
    for (const std::string& name : assigned)
        if (frame().scope->names.contains(name) || outside.contains(name))
            cells.push_back(name);
    for (int attempt = 0;; ++attempt) {
        const auto namesBefore = frame().scope->names;
        const auto allocationsBefore = allocations_.size();
        const auto statementsBefore = current_->size();
        const bool retypeBefore = std::exchange(retype_, false);
        for (const std::string& name : cells) {
            const auto it = frame().scope->names.find(name);
            if (it == frame().scope->names.end() || !isArrayLike(it->second) || frame().cells.contains(name))
                continue;
            makeCell(name, Value(it->second), range);
        }
        for (const std::string& name : cells)
            frame().cells.insert(name);
        ++frame().regions;
        traceBody();
        --frame().regions;
        for (const std::string& name : cells)
            frame().cells.erase(frame().cells.find(name));
        if (!retype_ || attempt >= 4) {
            retype_ = retypeBefore;
            return;
        }
        // A cell of an enclosing region has another type: only that region can begin again.
        bool own = false;
        for (const std::string& name : cells)
            own = own || (cellTypes_.contains(name) && !frame().cells.contains(name));
        if (!own)
            return;
        frame().scope->names = namesBefore;
        allocations_.resize(allocationsBefore);
        current_->resize(statementsBefore);
        retype_ = retypeBefore;
    }
}

}  // namespace tw::staging
