#include "core/ir/ops.h"

#include <unordered_map>

#include "core/support/check.h"

namespace tw::ir {

namespace {

Role parseRole(std::string_view text)
{
    if (text == "e")
        return Role::kValue;
    if (text == "r")
        return Role::kRead;
    if (text == "w")
        return Role::kWrite;
    if (text == "rw")
        return Role::kReadWrite;
    if (text == "a")
        return Role::kAddress;
    if (text == "b")
        return Role::kBarrier;
    TW_CHECK(text == "l", "an operand role of ops.def");
    return Role::kLayout;
}

std::vector<std::string_view> words(std::string_view text)
{
    std::vector<std::string_view> result;
    while (!text.empty()) {
        const auto end = text.find(' ');
        if (end != 0)
            result.push_back(text.substr(0, end));
        if (end == std::string_view::npos)
            break;
        text.remove_prefix(end + 1);
    }
    return result;
}

// "name:role", "name?:role", "name*:role".
OperandInfo parseOperand(std::string_view text)
{
    const auto colon = text.find(':');
    TW_CHECK(colon != std::string_view::npos, "an operand of ops.def has a role");
    OperandInfo operand;
    operand.role = parseRole(text.substr(colon + 1));
    operand.name = text.substr(0, colon);
    operand.optional = operand.name.ends_with('?');
    operand.variadic = operand.name.ends_with('*');
    if (operand.optional || operand.variadic)
        operand.name.remove_suffix(1);
    return operand;
}

std::vector<OpInfo> makeTable()
{
    std::vector<OpInfo> table;
    const auto add = [&](OpId id, std::string_view name, OpClass cls, Effect effect, Proxy proxy, StageMask stage,
                         std::string_view operands, std::string_view attrs, std::string_view doc) {
        OpInfo op{id, name, cls, effect, proxy, stage, {}, words(attrs), doc};
        for (std::string_view operand : words(operands))
            op.operands.push_back(parseOperand(operand));
        table.push_back(std::move(op));
    };
#define TW_OP(id, name, cls, effect, proxy, stage, operands, attrs, doc) \
    add(OpId::id, name, OpClass::cls, Effect::effect, Proxy::proxy, StageMask::stage, operands, attrs, doc);
#include "core/ir/ops.def"
#undef TW_OP
    return table;
}

std::unordered_map<std::string_view, OpId> makeNames()
{
    std::unordered_map<std::string_view, OpId> names;
    for (const OpInfo& op : allOps())
        names.emplace(op.name, op.id);
    return names;
}

}  // namespace

const std::vector<OpInfo>& allOps()
{
    static const std::vector<OpInfo> table = makeTable();
    return table;
}

const OpInfo& info(OpId op)
{
    return allOps()[static_cast<std::size_t>(op)];
}

std::optional<OpId> findOp(std::string_view name)
{
    static const std::unordered_map<std::string_view, OpId> names = makeNames();
    const auto found = names.find(name);
    if (found == names.end())
        return {};
    return found->second;
}

std::optional<Combiner> combiner(OpId op)
{
    switch (op) {
    case OpId::kReduceSum:
    case OpId::kCumSum:
    case OpId::kAtomicAdd:
    case OpId::kAtomicAddX2:
    case OpId::kAtomicAddX4:
    case OpId::kWarpReduceSum: return Combiner::kSum;
    case OpId::kReduceMax:
    case OpId::kCumMax:
    case OpId::kAtomicMax:
    case OpId::kWarpReduceMax: return Combiner::kMax;
    case OpId::kReduceMin:
    case OpId::kAtomicMin:
    case OpId::kWarpReduceMin: return Combiner::kMin;
    case OpId::kReduceAbsSum: return Combiner::kAbsSum;
    case OpId::kReduceAbsMax: return Combiner::kAbsMax;
    case OpId::kReduceBitAnd:
    case OpId::kWarpReduceBitAnd:
    case OpId::kAllOf: return Combiner::kBitAnd;
    case OpId::kReduceBitOr:
    case OpId::kAtomicOr:
    case OpId::kWarpReduceBitOr:
    case OpId::kAnyOf: return Combiner::kBitOr;
    case OpId::kReduceBitXor: return Combiner::kBitXor;
    default: return {};
    }
}

std::optional<Combiner> parseCombiner(std::string_view name)
{
    static constexpr std::pair<std::string_view, Combiner> kNames[] = {
        {"sum", Combiner::kSum},       {"max", Combiner::kMax},       {"min", Combiner::kMin},
        {"abssum", Combiner::kAbsSum}, {"absmax", Combiner::kAbsMax}, {"bitand", Combiner::kBitAnd},
        {"bitor", Combiner::kBitOr},   {"bitxor", Combiner::kBitXor}, {"prod", Combiner::kProduct},
    };
    for (const auto& [text, value] : kNames)
        if (text == name)
            return value;
    return {};
}

}  // namespace tw::ir
