#include "core/ir/call.h"

#include <algorithm>

#include "core/ir/build.h"
#include "core/ir/visit.h"
#include "core/support/check.h"

namespace tw::ir {

bool isAbsent(const Operand& operand)
{
    const auto* e = std::get_if<Expr>(&operand);
    return e && !*e;
}

const Operand* findOperand(const OpCall& call, std::string_view name)
{
    const auto& operands = info(call.op).operands;
    const auto found = std::ranges::find(operands, name, &OperandInfo::name);
    TW_CHECK(found != operands.end(), "ops.def names the operand");
    const auto index = static_cast<std::size_t>(found - operands.begin());
    if (index >= call.operands.size() || isAbsent(call.operands[index]))
        return nullptr;
    return &call.operands[index];
}

const Region* regionOperand(const OpCall& call, std::string_view name)
{
    const Operand* operand = findOperand(call, name);
    return operand ? std::get_if<Region>(operand) : nullptr;
}

Expr exprOperand(const OpCall& call, std::string_view name)
{
    const Operand* operand = findOperand(call, name);
    const auto* e = operand ? std::get_if<Expr>(operand) : nullptr;
    return e ? *e : Expr{};
}

bool boolAttr(const Attrs& attrs, const std::string& name, bool otherwise)
{
    const auto found = attrs.find(name);
    if (found == attrs.end())
        return otherwise;
    if (const auto* value = std::get_if<bool>(&found->second))
        return *value;
    const auto* number = std::get_if<std::int64_t>(&found->second);
    return number ? *number != 0 : otherwise;
}

std::int64_t intAttr(const Attrs& attrs, const std::string& name, std::int64_t otherwise)
{
    const auto found = attrs.find(name);
    if (found == attrs.end())
        return otherwise;
    if (const auto* value = std::get_if<std::int64_t>(&found->second))
        return *value;
    const auto* truth = std::get_if<bool>(&found->second);
    return truth ? (*truth ? 1 : 0) : otherwise;
}

bool isPoint(const Region& r)
{
    return std::ranges::all_of(r.extents, [](const Expr& e) { return asInt(e) && *asInt(e) == 1; });
}

bool isWhole(const Region& r)
{
    if (r.extents.size() != r.buffer->shape.size())
        return false;
    for (std::size_t i = 0; i < r.extents.size(); ++i)
        if (!isZero(r.mins[i]) || !equal(r.extents[i], r.buffer->shape[i]))
            return false;
    return true;
}

}  // namespace tw::ir
