#include "core/staging/trace/layout_math.h"

#include <algorithm>
#include <map>

#include "core/ir/build.h"
#include "core/ir/visit.h"

namespace tw::staging {

using ir::Expr;

std::vector<ir::Var> layoutVars(std::size_t rank)
{
    static constexpr const char* kNames[] = {"i", "j", "k", "l", "m", "n", "o", "p"};
    std::vector<ir::Var> vars;
    for (std::size_t axis = 0; axis < rank; ++axis)
        vars.push_back(std::make_shared<ir::VarNode>(ir::kInt32, kNames[axis % 8]));
    return vars;
}

MappedLayout mapLayout(const ir::LayoutMap& map, const std::vector<Expr>& at, const Expr& copy)
{
    std::map<const ir::ExprNode*, Expr> values;
    for (std::size_t axis = 0; axis < map.vars.size(); ++axis)
        values[map.vars[axis].get()] = at[axis];
    if (map.replicateVar)
        values[map.replicateVar.get()] = copy;
    MappedLayout result;
    for (const auto& e : map.index)
        result.index.push_back(ir::substitute(e, values));
    if (map.thread)
        result.thread = ir::substitute(map.thread, values);
    return result;
}

namespace {

constexpr std::int64_t kMostPoints = 1 << 20;

// Integer arithmetic over numbered variables, compiled once and run for every point.
class IntegerFunction {
public:
    IntegerFunction(const Expr& e, const std::map<const ir::ExprNode*, std::size_t>& slots) { root_ = compile(e, slots); }
    [[nodiscard]] bool isValid() const { return valid_; }
    [[nodiscard]] std::int64_t operator()(const std::vector<std::int64_t>& values) const { return run(root_, values); }

private:
    struct Node {
        enum class Kind { kConstant, kSlot, kBinary, kSelect } kind{};
        ir::BinaryOp op{};
        std::int64_t value = 0;  // the constant or the slot
        std::size_t a = 0, b = 0, c = 0;
    };

    std::size_t compile(const Expr& e, const std::map<const ir::ExprNode*, std::size_t>& slots)
    {
        Node node;
        if (const auto* i = ir::asInt(e)) {
            node.value = *i;
        } else if (const auto slot = slots.find(e.get()); slot != slots.end()) {
            node.kind = Node::Kind::kSlot;
            node.value = static_cast<std::int64_t>(slot->second);
        } else if (const auto* binary = ir::as<ir::Binary>(e)) {
            node.kind = Node::Kind::kBinary;
            node.op = binary->op;
            node.a = compile(binary->a, slots);
            node.b = compile(binary->b, slots);
        } else if (const auto* select = ir::as<ir::Select>(e)) {
            node.kind = Node::Kind::kSelect;
            node.a = compile(select->condition, slots);
            node.b = compile(select->then, slots);
            node.c = compile(select->otherwise, slots);
        } else if (const auto* cast = ir::as<ir::Cast>(e)) {
            return compile(cast->value, slots);
        } else {
            valid_ = false;
        }
        nodes_.push_back(node);
        return nodes_.size() - 1;
    }

    static std::int64_t floorDiv(std::int64_t a, std::int64_t b)
    {
        if (b == 0)
            return 0;
        const std::int64_t q = a / b;
        return a % b != 0 && (a < 0) != (b < 0) ? q - 1 : q;
    }

    static std::int64_t apply(ir::BinaryOp op, std::int64_t a, std::int64_t b)
    {
        using Op = ir::BinaryOp;
        switch (op) {
        case Op::kAdd: return a + b;
        case Op::kSub: return a - b;
        case Op::kMul: return a * b;
        case Op::kFloorDiv: return floorDiv(a, b);
        case Op::kFloorMod: return a - floorDiv(a, b) * b;
        case Op::kTruncDiv: return b ? a / b : 0;
        case Op::kTruncMod: return b ? a % b : 0;
        case Op::kMin: return std::min(a, b);
        case Op::kMax: return std::max(a, b);
        case Op::kShl: return a << (b & 63);
        case Op::kShr: return a >> (b & 63);
        case Op::kBitAnd:
        case Op::kAnd: return a & b;
        case Op::kBitOr:
        case Op::kOr: return a | b;
        case Op::kBitXor: return a ^ b;
        case Op::kEq: return a == b;
        case Op::kNe: return a != b;
        case Op::kLt: return a < b;
        case Op::kLe: return a <= b;
        case Op::kGt: return a > b;
        case Op::kGe: return a >= b;
        default: return 0;
        }
    }

    [[nodiscard]] std::int64_t run(std::size_t at, const std::vector<std::int64_t>& values) const
    {
        const Node& node = nodes_[at];
        switch (node.kind) {
        case Node::Kind::kConstant: return node.value;
        case Node::Kind::kSlot: return values[static_cast<std::size_t>(node.value)];
        case Node::Kind::kBinary: return apply(node.op, run(node.a, values), run(node.b, values));
        case Node::Kind::kSelect: return run(node.a, values) ? run(node.b, values) : run(node.c, values);
        }
        return 0;
    }

    std::vector<Node> nodes_;
    std::size_t root_ = 0;
    bool valid_ = true;
};

// Calls `visit` with (coordinates, index values, thread) of every point. False if that is not possible.
template <class Visit>
bool enumerate(const ir::LayoutMap& map, Visit visit)
{
    std::map<const ir::ExprNode*, std::size_t> slots;
    std::int64_t points = map.replicate;
    for (std::size_t axis = 0; axis < map.vars.size(); ++axis) {
        slots[map.vars[axis].get()] = axis;
        points *= map.shape[axis];
    }
    if (map.replicateVar)
        slots[map.replicateVar.get()] = map.vars.size();
    if (points > kMostPoints)
        return false;
    std::vector<IntegerFunction> functions;
    for (const auto& e : map.index)
        functions.emplace_back(e, slots);
    if (map.thread)
        functions.emplace_back(map.thread, slots);
    for (const auto& f : functions)
        if (!f.isValid())
            return false;
    std::vector<std::int64_t> at(map.vars.size() + 1), values(functions.size());
    for (std::int64_t point = 0; point < points; ++point) {
        std::int64_t rest = point;
        for (std::size_t axis = map.vars.size(); axis-- > 0;) {
            at[axis] = rest % map.shape[axis];
            rest /= map.shape[axis];
        }
        at.back() = rest;
        for (std::size_t k = 0; k < functions.size(); ++k)
            values[k] = functions[k](at);
        visit(point, values);
    }
    return true;
}

}  // namespace

std::optional<LayoutExtents> layoutExtents(const ir::LayoutMap& map)
{
    LayoutExtents extents;
    extents.index.assign(map.index.size(), 1);
    const bool ok = enumerate(map, [&](std::int64_t, const std::vector<std::int64_t>& values) {
        for (std::size_t k = 0; k < extents.index.size(); ++k)
            extents.index[k] = std::max(extents.index[k], values[k] + 1);
        if (map.thread)
            extents.thread = std::max(extents.thread, values.back() + 1);
    });
    return ok ? std::optional(extents) : std::nullopt;
}

namespace {

// Thread values of all points, by the linear index with axis 0 outermost; empty if they are not linear in its bits.
std::vector<std::int64_t> linearThreads(const ir::LayoutMap& map)
{
    std::vector<std::int64_t> threads;
    for (const auto extent : map.shape)
        if ((extent & (extent - 1)) != 0)
            return {};
    if (!enumerate(map, [&](std::int64_t, const std::vector<std::int64_t>& values) { threads.push_back(values.back()); }))
        return {};
    for (std::size_t point = 1; point < threads.size(); ++point) {
        const std::size_t low = point & (~point + 1);
        if (threads[point] != (threads[point ^ low] ^ threads[low]))
            return {};
    }
    return threads;
}

}  // namespace

Expr inferredRegister(const ir::LayoutMap& map)
{
    if (map.replicateVar)
        return nullptr;
    const auto threads = linearThreads(map);
    if (threads.empty() || threads.front() != 0)
        return nullptr;
    // Bits of the coordinates from the lowest of the last axis on; those that the thread does not need tell its registers
    // apart.
    std::vector<std::int64_t> basis;
    Expr index = ir::intImm(0);
    std::int64_t weight = 1;
    std::size_t position = 1;
    for (std::size_t axis = map.shape.size(); axis-- > 0;)
        for (std::int64_t bit = 1; bit < map.shape[axis]; bit *= 2, position *= 2) {
            std::int64_t rest = threads[position];
            for (const auto b : basis)
                rest = std::min(rest, rest ^ b);
            if (rest != 0) {
                basis.push_back(rest);
                continue;
            }
            const Expr value = ir::floorMod(ir::floorDiv(map.vars[axis], ir::intImm(bit)), ir::intImm(2));
            index = ir::add(index, ir::mul(value, ir::intImm(weight)));
            weight *= 2;
        }
    return index;
}

std::vector<std::int64_t> inverseTable(const ir::LayoutMap& map, const LayoutExtents& extents)
{
    std::int64_t size = 1;
    for (const auto e : extents.index)
        size *= e;
    std::vector<std::int64_t> table;
    if (map.thread || size > kMostPoints)
        return table;
    table.assign(static_cast<std::size_t>(size), -1);
    bool isBijection = true;
    (void)enumerate(map, [&](std::int64_t point, const std::vector<std::int64_t>& values) {
        std::int64_t linear = 0;
        for (std::size_t k = 0; k < values.size(); ++k) {
            isBijection = isBijection && values[k] >= 0;
            linear = linear * extents.index[k] + values[k];
        }
        if (!isBijection || table[static_cast<std::size_t>(linear)] >= 0)
            isBijection = false;
        else
            table[static_cast<std::size_t>(linear)] = point;
    });
    if (!isBijection || std::find(table.begin(), table.end(), -1) != table.end())
        table.clear();
    return table;
}

}  // namespace tw::staging
