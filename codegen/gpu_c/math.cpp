// The mathematical operations: native ones by the names that CUDA's compiler knows, narrower types through float.
#include <fmt/format.h>

#include "codegen/gpu_c/printer.h"
#include "core/ir/build.h"
#include "core/ir/call.h"

namespace tw::gpu {

using ir::DType;
using ir::OpId;
using ir::Scalar;

namespace {

// Functions of one or two floats that have one name, with an f for float.
const char* libraryName(OpId op)
{
    switch (op) {
    case OpId::kExp: return "exp";
    case OpId::kExp2: return "exp2";
    case OpId::kExp10: return "exp10";
    case OpId::kLog: return "log";
    case OpId::kLog2: return "log2";
    case OpId::kLog10: return "log10";
    case OpId::kLog1p: return "log1p";
    case OpId::kSqrt: return "sqrt";
    case OpId::kRsqrt: return "rsqrt";
    case OpId::kSin: return "sin";
    case OpId::kCos: return "cos";
    case OpId::kTan: return "tan";
    case OpId::kAsin: return "asin";
    case OpId::kAcos: return "acos";
    case OpId::kAtan: return "atan";
    case OpId::kSinh: return "sinh";
    case OpId::kCosh: return "cosh";
    case OpId::kTanh: return "tanh";
    case OpId::kAsinh: return "asinh";
    case OpId::kAcosh: return "acosh";
    case OpId::kAtanh: return "atanh";
    case OpId::kErf: return "erf";
    case OpId::kFloor: return "floor";
    case OpId::kCeil: return "ceil";
    case OpId::kTrunc: return "trunc";
    case OpId::kNearbyint: case OpId::kRound: return "nearbyint";
    case OpId::kAbs: case OpId::kAbs2: return "fabs";
    case OpId::kPow: return "pow";
    case OpId::kFmod: return "fmod";
    case OpId::kAtan2: return "atan2";
    case OpId::kHypot: return "hypot";
    case OpId::kCopysign: return "copysign";
    case OpId::kFma: case OpId::kFma2: return "fma";
    default: return nullptr;
    }
}

// Fast ones exist for float; a double gets the plain function.
struct FastName {
    const char *fast, *plain;
};
std::optional<FastName> fastName(OpId op)
{
    switch (op) {
    case OpId::kFastExp: return FastName{"__expf", "exp"};
    case OpId::kFastExp10: return FastName{"__exp10f", "exp10"};
    case OpId::kFastLog: return FastName{"__logf", "log"};
    case OpId::kFastLog2: return FastName{"__log2f", "log2"};
    case OpId::kFastLog10: return FastName{"__log10f", "log10"};
    case OpId::kFastSin: return FastName{"__sinf", "sin"};
    case OpId::kFastCos: return FastName{"__cosf", "cos"};
    case OpId::kFastTan: return FastName{"__tanf", "tan"};
    default: return std::nullopt;
    }
}

// "add", "fmaf", … of __fadd_rn, __fmaf_rn and their double forms.
struct IeeeName {
    const char *single, *full;
};
std::optional<IeeeName> ieeeName(OpId op)
{
    switch (op) {
    case OpId::kIeeeAdd: return IeeeName{"__fadd_", "__dadd_"};
    case OpId::kIeeeSub: return IeeeName{"__fsub_", "__dsub_"};
    case OpId::kIeeeMul: return IeeeName{"__fmul_", "__dmul_"};
    case OpId::kIeeeDiv: return IeeeName{"__fdiv_", "__ddiv_"};
    case OpId::kIeeeFma: return IeeeName{"__fmaf_", "__fma_"};
    case OpId::kIeeeRcp: return IeeeName{"__frcp_", "__drcp_"};
    case OpId::kIeeeSqrt: return IeeeName{"__fsqrt_", "__dsqrt_"};
    default: return std::nullopt;
    }
}

ir::BinaryOp pairOperator(OpId op)
{
    switch (op) {
    case OpId::kAdd2: return ir::BinaryOp::kAdd;
    case OpId::kSub2: return ir::BinaryOp::kSub;
    case OpId::kMul2: return ir::BinaryOp::kMul;
    case OpId::kMax2: return ir::BinaryOp::kMax;
    default: return ir::BinaryOp::kMin;
    }
}

}  // namespace

Text KernelPrinter::math(const ir::OpCall& call, DType type, const ir::Provenance& where)
{
    const auto operand = [&](std::size_t i) { return std::get<ir::Expr>(call.operands.at(i)); };
    switch (call.op) {
    case OpId::kLikely: return value(operand(0));
    case OpId::kUndef: return {typeName(type) + "{}"};
    case OpId::kReinterpret: return {fmt::format("tw_bits<{}>({})", typeName(type), value(operand(0)).s)};
    case OpId::kShuffleVector: {
        std::vector<std::string> lanes;
        for (std::size_t i = 0; i < call.operands.size(); ++i)
            lanes.push_back(cast(type.element(), operand(i)).s);
        return {fmt::format("{}{{{{{}}}}}", typeName(type), fmt::join(lanes, ", "))};
    }
    case OpId::kCastRounded:
        if (textAttr(call, "round", "") == "rs")
            notSupported(where, "stochastic rounding");
        return value(ir::cast(type, operand(0)));
    case OpId::kFns: return {fmt::format("tw_fns({}, {}, {})", value(operand(0)).s, value(operand(1)).s, value(operand(2)).s)};
    default: break;
    }
    if (operand(0)->dtype.lanes > 1)
        return laneByLane(call, type, where);
    if (call.op == OpId::kAdd2 || call.op == OpId::kSub2 || call.op == OpId::kMul2 || call.op == OpId::kMax2 || call.op == OpId::kMin2)
        return value(ir::binary(pairOperator(call.op), operand(0), operand(1)));
    return operand(0)->dtype.isFloating() ? floatMath(call, type, where) : integerMath(call, type, where);
}

Text KernelPrinter::laneByLane(const ir::OpCall& call, DType type, const ir::Provenance& where)
{
    std::vector<ir::Operand> lanes;
    for (const ir::Operand& given : call.operands) {
        const ir::Expr& all = std::get<ir::Expr>(given);
        auto var = std::make_shared<ir::VarNode>(all->dtype.element(), "lane");
        vars_[var.get()] = {parenthesized(value(all), 16) + (all->dtype.lanes > 1 ? "[i]" : ""), false};
        lanes.emplace_back(ir::Expr(var));
    }
    const int count = std::get<ir::Expr>(call.operands.at(0))->dtype.lanes;
    return {fmt::format("tw_vec_map<{}>([&](int i) {{ return {}; }})", count, math({call.op, lanes, call.attrs}, type.element(), where).s)};
}

Text KernelPrinter::integerMath(const ir::OpCall& call, DType type, const ir::Provenance& where)
{
    const auto operand = [&](std::size_t i) { return std::get<ir::Expr>(call.operands.at(i)); };
    const DType of = operand(0)->dtype;
    const Text x = value(operand(0));
    const bool wide = of.bits() == 64;
    // The bits of a narrow type, without its sign.
    const std::string bits = of.bits() < 32 ? fmt::format("(unsigned){} & 0x{:x}u", parenthesized(x, 15), (1U << of.bits()) - 1) : x.s;
    const auto converted = [&](const std::string& s) { return type == ir::kInt32 ? Text{s, 12} : Text{fmt::format("({})({})", typeName(type), s), 15}; };
    switch (call.op) {
    case OpId::kAbs:
        if (of.isUnsigned() || of.isBool())
            return x;
        return of.bits() < 32 ? wrapped(of, {fmt::format("abs({})", x.s)}) : Text{fmt::format("{}({})", wide ? "llabs" : "abs", x.s)};
    case OpId::kPopcount: return converted(fmt::format("__popc{}({})", wide ? "ll" : "", bits));
    case OpId::kClz: return converted(fmt::format("__clz{}({}){}", wide ? "ll" : "", of.bits() < 32 ? "(int)(" + bits + ")" : bits, of.bits() < 32 ? fmt::format(" - {}", 32 - of.bits()) : ""));
    case OpId::kFfs: return converted(fmt::format("__ffs{}({})", wide ? "ll" : "", of.bits() < 32 ? "(int)(" + bits + ")" : bits));
    case OpId::kPow: return {fmt::format("tw_ipow<{}>({}, {})", typeName(of), x.s, value(operand(1)).s)};
    default: notSupported(where, fmt::format("T.{} on {}", ir::info(call.op).name, of.name())); return {"0"};
    }
}

// Narrow types are computed in float and rounded.
Text KernelPrinter::floatMath(const ir::OpCall& call, DType type, const ir::Provenance& where)
{
    const auto operand = [&](std::size_t i) { return std::get<ir::Expr>(call.operands.at(i)); };
    const DType of = operand(0)->dtype;
    const bool isDouble = of.scalar == Scalar::kFloat64;
    const bool isNative = isDouble || of.scalar == Scalar::kFloat32;
    std::vector<std::string> raw, arguments;
    for (std::size_t i = 0; i < call.operands.size(); ++i) {
        const Text x = value(operand(i));
        raw.push_back(x.s);
        arguments.push_back(isNative || !operand(i)->dtype.isFloating() ? x.s : fmt::format("float({})", x.s));
    }
    const auto rounded = [&](const std::string& s) { return isNative || !type.isFloating() ? Text{s} : Text{fmt::format("{}({})", typeName(type), s)}; };
    const auto joined = [](const std::vector<std::string>& list) { return fmt::format("{}", fmt::join(list, ", ")); };
    switch (call.op) {
    case OpId::kIsNan: case OpId::kIsInf: case OpId::kIsFinite:
        return {fmt::format("tw_is_{}({})", call.op == OpId::kIsNan ? "nan" : call.op == OpId::kIsInf ? "inf" : "finite", arguments[0])};
    case OpId::kSigmoid: return rounded(fmt::format("tw_sigmoid({})", arguments[0]));
    case OpId::kFastRcp: return isDouble ? Text{"1.0 / " + arguments[0], 13} : rounded(fmt::format("tw_fast_rcp({})", arguments[0]));
    case OpId::kIeeeRsqrt: return rounded(isDouble ? fmt::format("(1.0 / sqrt({}))", arguments[0]) : fmt::format("__frsqrt_rn({})", arguments[0]));
    case OpId::kFma: case OpId::kFma2:
        if (!isNative)
            return {fmt::format("tw_fma({})", joined(raw))};
        break;
    case OpId::kNextafter:
        return isNative ? Text{fmt::format("nextafter{}({})", isDouble ? "" : "f", joined(raw))} : Text{fmt::format("tw_next_after({})", joined(raw))};
    case OpId::kLdexp: {
        const std::string n = operand(1)->dtype.isFloating() ? fmt::format("int({})", arguments[1]) : arguments[1];
        return rounded(fmt::format("ldexp{}({}, {})", isDouble ? "" : "f", arguments[0], n));
    }
    case OpId::kRound:
        if (textAttr(call, "rounding_mode", "") == "ties-away-from-zero")
            return rounded(fmt::format("round{}({})", isDouble ? "" : "f", arguments[0]));
        break;
    default: break;
    }
    if (const auto fast = fastName(call.op))
        return rounded(fmt::format("{}({})", isDouble ? fast->plain : fast->fast, joined(arguments)));
    if (const auto ieee = ieeeName(call.op))
        return rounded(fmt::format("{}{}({})", isDouble ? ieee->full : ieee->single, textAttr(call, "rounding_mode", "rn"), joined(arguments)));
    if (const char* name = libraryName(call.op))
        return rounded(fmt::format("{}{}({})", name, isDouble ? "" : "f", joined(arguments)));
    notSupported(where, fmt::format("T.{} on {}", ir::info(call.op).name, of.name()));
    return {"0"};
}

}  // namespace tw::gpu
