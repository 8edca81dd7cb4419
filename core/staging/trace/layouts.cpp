#include "core/staging/trace/layouts.h"

#include <fmt/format.h>

#include "core/ir/print.h"
#include "core/staging/trace/layout_math.h"

namespace tw::staging {

using ir::Expr;
using ir::LayoutMap;

Value layoutValue(LayoutMap map) { return Value(Value::Storage(LayoutValue{std::make_shared<const LayoutMap>(std::move(map))})); }

namespace {

std::vector<Value> asValues(const std::vector<ir::Var>& vars)
{
    std::vector<Value> values;
    for (const auto& v : vars)
        values.emplace_back(Expr(v));
    return values;
}

std::vector<Expr> asExprs(const std::vector<ir::Var>& vars) { return {vars.begin(), vars.end()}; }

std::vector<std::int64_t> constantInts(Evaluator& ev, const Value& value, const SourceRange& range, const char* what)
{
    std::vector<std::int64_t> result;
    for (const auto& item : itemsOf(value))
        result.push_back(requireInt(ev, item, range, what));
    return result;
}

std::size_t parameterCount(const Value& function)
{
    const auto* f = function.object<FunctionValue>();
    return !f ? 0 : f->lambda ? f->lambda->parameters.size() : f->def ? f->def->parameters.size() : 0;
}

Value makeLayout(const Native& n)
{
    LayoutMap map;
    map.shape = constantInts(n.ev, n["shape"], n.range("shape"), "an extent of a layout");
    map.vars = layoutVars(map.shape.size());
    for (const auto& item : itemsOf(n.ev.call(n["forward_fn"], asValues(map.vars), n.range("forward_fn"))))
        map.index.push_back(toIndex(n.ev, item, n.range("forward_fn"), "a coordinate of a layout"));
    return layoutValue(std::move(map));
}

Value makeFragment(const Native& n)
{
    LayoutMap map;
    map.shape = constantInts(n.ev, n["shape"], n.range("shape"), "an extent of a layout");
    map.vars = layoutVars(map.shape.size());
    map.replicate = n.integer("replicate", 1);
    if (map.replicate < 1)
        n.ev.fail(Code::kLayout, n.range("replicate"), fmt::format("replicate must be positive, not {}", map.replicate));
    if (map.replicate > 1)
        map.replicateVar = std::make_shared<ir::VarNode>(ir::kInt32, "rep");
    const auto callWith = [&](const char* argument) {
        auto values = asValues(map.vars);
        if (map.replicateVar && parameterCount(n[argument]) != values.size())
            values.emplace_back(Expr(map.replicateVar));
        return itemsOf(n.ev.call(n[argument], std::move(values), n.range(argument)));
    };
    std::vector<Value> thread, index;
    if (n.has("forward_fn")) {
        const auto both = callWith("forward_fn");
        if (both.size() != 2)
            n.ev.fail(Code::kLayout, n.range("forward_fn"), fmt::format("the function of a T.Fragment gives (thread, register), not {} values", both.size()));
        thread = {both[0]};
        index = {both[1]};
    } else {
        if (!n.has("forward_thread_fn"))
            n.fail(Code::kCallArguments, "T.Fragment needs forward_fn, or forward_thread_fn and forward_index_fn");
        thread = callWith("forward_thread_fn");
        if (n.has("forward_index_fn"))
            index = callWith("forward_index_fn");
    }
    map.thread = toIndex(n.ev, thread.front(), n.range(), "the thread of a fragment");
    for (const auto& item : index)
        map.index.push_back(toIndex(n.ev, item, n.range(), "the register of a fragment"));
    if (map.index.empty())
        map.index.push_back(inferredRegister(map));
    if (!map.index.front())
        n.fail(Code::kNotSupported, "not supported: a T.Fragment without forward_index_fn whose extents are no powers of two, or whose thread is not linear in "
                                    "the bits of the indices; say the register with forward_index_fn");
    return layoutValue(std::move(map));
}

// ---- operations on layouts ----

// The map of `shape` whose points are those of `base` at the coordinates `at` (functions of `vars`).
LayoutMap composed(const LayoutMap& base, std::vector<std::int64_t> shape, std::vector<ir::Var> vars, const std::vector<Expr>& at)
{
    LayoutMap map;
    map.shape = std::move(shape);
    map.vars = std::move(vars);
    map.replicate = base.replicate;
    if (base.replicateVar)
        map.replicateVar = std::make_shared<ir::VarNode>(ir::kInt32, "rep");
    auto mapped = mapLayout(base, at, map.replicateVar);
    map.index = std::move(mapped.index);
    map.thread = std::move(mapped.thread);
    return map;
}

LayoutExtents requireExtents(Evaluator& ev, const LayoutMap& map, const SourceRange& range)
{
    if (auto extents = layoutExtents(map))
        return *extents;
    ev.fail(Code::kNotSupported, range, "not supported: this operation on a layout that is too large or uses more than integer arithmetic");
}

LayoutMap reshaped(Evaluator& ev, const LayoutMap& base, const std::vector<std::int64_t>& shape, const SourceRange& range)
{
    std::int64_t a = 1, b = 1;
    for (const auto e : base.shape)
        a *= e;
    for (const auto e : shape)
        b *= e;
    if (a != b)
        ev.fail(Code::kLayout, range, fmt::format("a layout of {} elements cannot be reshaped to {}", a, b));
    auto vars = layoutVars(shape.size());
    Expr linear = ir::intImm(0);
    for (std::size_t axis = 0; axis < shape.size(); ++axis)
        linear = ir::add(ir::mul(linear, ir::intImm(shape[axis])), vars[axis]);
    std::vector<Expr> at(base.shape.size());
    for (std::size_t axis = at.size(); axis-- > 0;) {
        at[axis] = axis == 0 ? linear : ir::floorMod(linear, ir::intImm(base.shape[axis]));
        linear = ir::floorDiv(linear, ir::intImm(base.shape[axis]));
    }
    return composed(base, shape, std::move(vars), at);
}

LayoutMap expanded(const LayoutMap& base, const std::vector<std::int64_t>& lead)
{
    std::vector<std::int64_t> shape = lead;
    shape.insert(shape.end(), base.shape.begin(), base.shape.end());
    auto vars = layoutVars(shape.size());
    const std::vector<Expr> at(vars.begin() + static_cast<std::ptrdiff_t>(lead.size()), vars.end());
    LayoutMap map = composed(base, shape, vars, at);
    map.index.insert(map.index.begin(), vars.begin(), vars.begin() + static_cast<std::ptrdiff_t>(lead.size()));
    return map;
}

// Layouts repeat along one axis: a further leading coordinate counts the repeats.
LayoutMap repeatedAxis(const LayoutMap& base, std::size_t dim, std::int64_t factor)
{
    auto shape = base.shape;
    shape[dim] *= factor;
    auto vars = layoutVars(shape.size());
    std::vector<Expr> at = asExprs(vars);
    const Expr extent = ir::intImm(base.shape[dim]);
    const Expr count = ir::floorDiv(vars[dim], extent);
    at[dim] = ir::floorMod(vars[dim], extent);
    LayoutMap map = composed(base, shape, std::move(vars), at);
    map.index.insert(map.index.begin(), count);
    return map;
}

// Fragments repeat along all axes, in more registers or in more threads.
LayoutMap repeatedFragment(Evaluator& ev, const LayoutMap& base, const std::vector<std::int64_t>& repeats, bool onThread, bool lowerFirst, const SourceRange& range)
{
    if (repeats.size() != base.shape.size())
        ev.fail(Code::kLayout, range, fmt::format("repeat needs {} factors, not {}", base.shape.size(), repeats.size()));
    auto shape = base.shape;
    auto vars = layoutVars(shape.size());
    std::vector<Expr> at(shape.size());
    Expr count = ir::intImm(0);
    std::int64_t stride = 1;
    for (std::size_t k = 0; k < shape.size(); ++k) {
        const std::size_t axis = lowerFirst ? shape.size() - 1 - k : k;
        const Expr extent = ir::intImm(base.shape[axis]);
        at[axis] = ir::floorMod(vars[axis], extent);
        count = ir::add(count, ir::mul(ir::floorDiv(vars[axis], extent), ir::intImm(stride)));
        stride *= repeats[axis];
        shape[axis] *= repeats[axis];
    }
    const auto extents = requireExtents(ev, base, range);
    LayoutMap map = composed(base, shape, std::move(vars), at);
    if (onThread)
        map.thread = ir::add(map.thread, ir::mul(count, ir::intImm(extents.thread)));
    else
        map.index.front() = ir::add(map.index.front(), ir::mul(count, ir::intImm(extents.index.front())));
    return map;
}

LayoutMap replicated(Evaluator& ev, const LayoutMap& base, std::int64_t copies, const SourceRange& range)
{
    const auto extents = requireExtents(ev, base, range);
    LayoutMap map = base;
    map.replicate = base.replicate * copies;
    map.replicateVar = std::make_shared<ir::VarNode>(ir::kInt32, "rep");
    const Expr inner = ir::floorMod(map.replicateVar, ir::intImm(base.replicate));
    const Expr outer = ir::floorDiv(map.replicateVar, ir::intImm(base.replicate));
    auto mapped = mapLayout(base, asExprs(base.vars), inner);
    map.index = std::move(mapped.index);
    map.thread = ir::add(mapped.thread, ir::mul(outer, ir::intImm(extents.thread)));
    return map;
}

Value intTuple(const std::vector<std::int64_t>& values)
{
    std::vector<Value> items;
    for (const auto v : values)
        items.emplace_back(v);
    return makeList(std::move(items));
}

// The inverse of a bijection: logical coordinates of every physical point, by search over its linear index.
LayoutMap inverted(Evaluator& ev, const LayoutMap& base, const SourceRange& range)
{
    const auto extents = requireExtents(ev, base, range);
    const auto table = inverseTable(base, extents);
    if (table.empty())
        ev.fail(Code::kLayout, range, "this layout is no bijection and has no inverse");
    // Only maps whose inverse is linear in blocks have a closed form; a chain of selections says the rest.
    if (table.size() > 256)
        ev.fail(Code::kNotSupported, range, "not supported: the inverse of a layout of more than 256 elements");
    auto vars = layoutVars(extents.index.size());
    Expr linear = ir::intImm(0);
    for (std::size_t k = 0; k < vars.size(); ++k)
        linear = ir::add(ir::mul(linear, ir::intImm(extents.index[k])), vars[k]);
    Expr logical = ir::intImm(table.back());
    for (std::size_t p = table.size() - 1; p-- > 0;)
        logical = ir::select(ir::binary(ir::BinaryOp::kEq, linear, ir::intImm(static_cast<std::int64_t>(p))), ir::intImm(table[p]), logical, false);
    LayoutMap map;
    map.shape = extents.index;
    map.vars = std::move(vars);
    map.index.resize(base.shape.size());
    for (std::size_t axis = base.shape.size(); axis-- > 0;) {
        map.index[axis] = axis == 0 ? logical : ir::floorMod(logical, ir::intImm(base.shape[axis]));
        logical = ir::floorDiv(logical, ir::intImm(base.shape[axis]));
    }
    return map;
}

using LayoutMethod = std::function<Value(Evaluator&, const BoundArguments&, const SourceRange&)>;

Value layoutMethod(const std::string& name, const char* signature, LayoutMethod run)
{
    return makeNative(name, [name, signature, run = std::move(run)](Evaluator& ev, const CallArguments& call) {
        return run(ev, ev.bind(signature, call, name), call.call);
    });
}

bool sameMaps(const LayoutMap& a, const LayoutMap& b)
{
    if (a.shape != b.shape || a.replicate != b.replicate || a.index.size() != b.index.size() || !a.thread != !b.thread)
        return false;
    const auto other = mapLayout(b, asExprs(a.vars), a.replicateVar);
    for (std::size_t k = 0; k < a.index.size(); ++k)
        if (!provablyEqual(a.index[k], other.index[k]))
            return false;
    return !a.thread || provablyEqual(a.thread, other.thread);
}

constexpr NativeRow kLayoutRows[] = {
    {"Layout", "shape, forward_fn", makeLayout},
    {"Fragment", "shape, forward_fn=None, forward_thread_fn=None, replicate=1, forward_index_fn=None", makeFragment},
    {"PartialFragment", "shape, forward_fn=None, forward_thread_fn=None, replicate=1, forward_index_fn=None", makeFragment},
};

}  // namespace

Rows layoutRows() { return kLayoutRows; }

std::optional<Value> layoutAttribute(Evaluator&, const LayoutValue& layout, const std::string& name)
{
    const auto map = layout.map;
    if (name == "index") {
        std::vector<Value> items(map->index.begin(), map->index.end());
        return makeList(std::move(items));
    }
    if (name == "thread" && map->thread)
        return Value(map->thread);
    if (name == "replicate_size" || name == "shape")
        return name == "shape" ? intTuple(map->shape) : Value(map->replicate);
    if (name == "get_input_shape")
        return layoutMethod(name, "", [map](Evaluator&, const BoundArguments&, const SourceRange&) { return intTuple(map->shape); });
    if (name == "get_output_shape")
        return layoutMethod(name, "", [map](Evaluator& ev, const BoundArguments&, const SourceRange& r) { return intTuple(requireExtents(ev, *map, r).index); });
    if (name == "get_thread_size" && map->thread)
        return layoutMethod(name, "", [map](Evaluator& ev, const BoundArguments&, const SourceRange& r) { return Value(requireExtents(ev, *map, r).thread); });
    if (name == "map_forward_index")
        return layoutMethod(name, "indices", [map](Evaluator& ev, const BoundArguments& a, const SourceRange& r) {
            std::vector<Expr> at;
            for (const auto& item : itemsOf(a["indices"]))
                at.push_back(toIndex(ev, item, r, "an index of a layout"));
            if (at.size() != map->vars.size())
                ev.fail(Code::kIndexCount, r, fmt::format("the layout has {} axes, but {} indices are given", map->vars.size(), at.size()));
            const auto mapped = mapLayout(*map, at, ir::intImm(0));
            std::vector<Value> items(mapped.index.begin(), mapped.index.end());
            return makeList(std::move(items));
        });
    if (name == "inverse")
        return layoutMethod(name, "", [map](Evaluator& ev, const BoundArguments&, const SourceRange& r) { return layoutValue(inverted(ev, *map, r)); });
    if (name == "reshape")
        return layoutMethod(name, "shape, rescale_num=1, rescale_den=1", [map](Evaluator& ev, const BoundArguments& a, const SourceRange& r) {
            return layoutValue(reshaped(ev, *map, constantInts(ev, a["shape"], r, "an extent"), r));
        });
    if (name == "expand")
        return layoutMethod(name, "leading_shape", [map](Evaluator& ev, const BoundArguments& a, const SourceRange& r) {
            return layoutValue(expanded(*map, constantInts(ev, a["leading_shape"], r, "an extent")));
        });
    if (name == "is_equal")
        return layoutMethod(name, "other", [map](Evaluator&, const BoundArguments& a, const SourceRange&) {
            const auto* other = a["other"].get<LayoutValue>();
            return Value(other && sameMaps(*map, *other->map));
        });
    if (name == "repeat" && map->thread)
        return layoutMethod(name, "repeats, repeat_on_thread=False, lower_dim_first=True", [map](Evaluator& ev, const BoundArguments& a, const SourceRange& r) {
            const bool onThread = a.has("repeat_on_thread") && requireBool(ev, a["repeat_on_thread"], r, "repeat_on_thread");
            const bool lower = !a.has("lower_dim_first") || requireBool(ev, a["lower_dim_first"], r, "lower_dim_first");
            return layoutValue(repeatedFragment(ev, *map, constantInts(ev, a["repeats"], r, "a repeat"), onThread, lower, r));
        });
    if (name == "repeat")
        return layoutMethod(name, "dim, factor", [map](Evaluator& ev, const BoundArguments& a, const SourceRange& r) {
            const auto dim = requireInt(ev, a["dim"], r, "dim");
            if (dim < 0 || dim >= static_cast<std::int64_t>(map->shape.size()))
                ev.fail(Code::kIndexRange, r, fmt::format("dim={} is out of range: the layout has {} axes", dim, map->shape.size()));
            return layoutValue(repeatedAxis(*map, static_cast<std::size_t>(dim), requireInt(ev, a["factor"], r, "factor")));
        });
    if (name == "replicate" && map->thread)
        return layoutMethod(name, "replicate", [map](Evaluator& ev, const BoundArguments& a, const SourceRange& r) {
            return layoutValue(replicated(ev, *map, requireInt(ev, a["replicate"], r, "replicate"), r));
        });
    if (name == "condense_rep_var")
        return layoutMethod(name, "", [layout](Evaluator&, const BoundArguments&, const SourceRange&) { return Value(Value::Storage(layout)); });
    return std::nullopt;
}

std::shared_ptr<const LayoutMap> layoutFor(const Native& n, const ir::Buffer& buffer, const Value& value)
{
    const bool isFunction = value.object<FunctionValue>() || value.object<const BoundMethod>() || value.object<const NativeFunction>();
    std::vector<std::int64_t> shape;
    for (const auto& e : buffer->shape) {
        const auto* extent = ir::asInt(e);
        if (!extent && (isFunction || buffer->scope != ir::MemoryScope::kGlobal))
            n.fail(Code::kLayout, fmt::format("a layout needs constant extents, but {} has shape {}", buffer->name, shapeText(buffer->shape)));
        shape.push_back(extent ? *extent : -1);
    }
    LayoutMap map;
    if (const auto* layout = value.get<LayoutValue>()) {
        map = *layout->map;
    } else if (isFunction) {
        map.shape = shape;
        map.vars = layoutVars(shape.size());
        for (const auto& item : itemsOf(n.ev.call(value, asValues(map.vars), n.range())))
            map.index.push_back(toIndex(n.ev, item, n.range(), "a coordinate of a layout"));
    } else {
        n.fail(Code::kLayout, fmt::format("the layout of {} must be a T.Layout, a T.Fragment or a function of the indices, not {}", buffer->name, typeName(value)));
    }
    const bool isFragment = buffer->scope == ir::MemoryScope::kFragment;
    if (isFragment != static_cast<bool>(map.thread))
        n.fail(Code::kLayout, fmt::format("{} is a {} buffer and takes a {}, not a {}", buffer->name, ir::scopeName(buffer->scope), isFragment ? "T.Fragment" : "T.Layout",
                                          map.thread ? "T.Fragment" : "T.Layout"));
    const std::size_t lead = shape.size() - std::min(shape.size(), map.shape.size());
    const bool fits = map.shape.size() <= shape.size() && std::equal(map.shape.begin(), map.shape.end(), shape.begin() + static_cast<std::ptrdiff_t>(lead),
                                                                     [](std::int64_t a, std::int64_t b) { return a == b || b < 0; });
    if (!fits)
        n.fail(Code::kLayout, fmt::format("the layout is for shape {}, but {} has shape {}", repr(intTuple(map.shape)), buffer->name, shapeText(buffer->shape)));
    if (lead > 0)
        map = expanded(map, {shape.begin(), shape.begin() + static_cast<std::ptrdiff_t>(lead)});
    return std::make_shared<const LayoutMap>(std::move(map));
}

}  // namespace tw::staging
