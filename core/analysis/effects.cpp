#include "core/analysis/effects.h"

namespace tw::analysis {

using ir::OpId;

namespace {

Effect addressEffect(const ir::OpCall& call)
{
    const auto cls = ir::info(call.op).cls;
    if (cls == ir::OpClass::kAnnotation || call.op == OpId::kWarpgroupFence)
        return {};
    const auto found = call.attrs.find("access");
    if (found == call.attrs.end())
        return {true, call.op != OpId::kAccessPtr};
    if (const auto* mode = std::get_if<std::string>(&found->second))
        return {mode->find('r') != std::string::npos, mode->find('w') != std::string::npos};
    const std::int64_t mask = ir::intAttr(call.attrs, "access", 1);
    return {(mask & 1) != 0, (mask & 2) != 0};
}

bool startsAfresh(const ir::OpCall& call)
{
    if (call.op == OpId::kGemm || call.op == OpId::kWgmmaGemm || call.op == OpId::kGemmSp) {
        const auto* clear = ir::asInt(ir::exprOperand(call, "clear_accum"));
        return clear && *clear != 0;
    }
    return ir::info(call.op).cls == ir::OpClass::kReduce && ir::boolAttr(call.attrs, "clear", true);
}

}  // namespace

Effect effectOf(const ir::OpCall& call, std::size_t index)
{
    const auto& operands = ir::info(call.op).operands;
    if (operands.empty())
        return {};
    switch (operands[std::min(index, operands.size() - 1)].role) {
    case ir::Role::kRead: return {true, false};
    case ir::Role::kWrite: return {false, true};
    case ir::Role::kReadWrite: return {!startsAfresh(call), true};
    case ir::Role::kAddress: return addressEffect(call);
    default: return {};
    }
}

}  // namespace tw::analysis
