// Operations as calls. Most print by the rule: required operands by position, optional ones and options by name. The
// exceptions stand in `call`; what TileLang cannot spell prints as tw.call or tw.op (core/ir/README.md).
#include <fmt/format.h>

#include "core/ir/build.h"
#include "core/ir/call.h"
#include "core/ir/print_expr.h"
#include "core/ir/visit.h"

namespace tw::ir {

// Collects "a, b, name=c".
struct ExprPrinter::Arguments {
    std::string text;
    void add(const std::string& value) { text += (text.empty() ? "" : ", ") + value; }
    void add(std::string_view name, const std::string& value) { add(fmt::format("{}={}", name, value)); }
    void append(const std::string& options)
    {
        if (!options.empty())
            text += text.empty() ? options.substr(2) : options;
    }
};

namespace {

// Operations whose single options TileLang takes by position, in this order.
std::vector<std::string> positionalAttrs(OpId op)
{
    switch (op) {
    case OpId::kUseSwizzle: return {"panel_size"};
    case OpId::kMinBlocksPerSm:
    case OpId::kProducerRegDealloc:
    case OpId::kConsumerRegAlloc: return {"n"};
    case OpId::kSetMaxNreg: return {"n", "is_inc"};
    case OpId::kImportSource: return {"source"};
    default: return {};
    }
}

std::string_view keyword(OpId op, std::string_view operand)
{
    return op == OpId::kRngInit && operand == "offset" ? "off" : operand;
}

bool isCopyLike(const OpCall& call)
{
    const OpClass cls = info(call.op).cls;
    return cls == OpClass::kCopy || (cls == OpClass::kAtomic && findOperand(call, "dst") && call.operands.size() > 2 &&
                                     std::holds_alternative<Region>(call.operands[2]));
}

// Whether the front end could not know from the operands what the text means.
bool needsReserved(const OpCall& call, DType result)
{
    switch (call.op) {
    case OpId::kCpAsync:
    case OpId::kTileEnter:
    case OpId::kTileLeave:
    case OpId::kThreadAllreduce:
    case OpId::kAnnotateWsSchedule: return true;
    case OpId::kAsyncCopy: return call.attrs.contains("no_commit");
    case OpId::kAssume: return isConstant(exprOperand(call, "condition"));  // T.assume of a constant says nothing and is dropped
    case OpId::kShuffleVector: {
        const auto& names = exportedDTypeNames();
        return std::find(names.begin(), names.end(), result.name()) == names.end();
    }
    case OpId::kUndef: return true;
    default: break;
    }
    if (info(call.op).stage == StageMask::kThread)
        return true;
    // T.gemm wants constant extents; array programs multiply whole matrices of any size.
    if (info(call.op).cls == OpClass::kProduct)
        for (const Operand& value : call.operands)
            if (const auto* r = std::get_if<Region>(&value))
                for (const Expr& extent : r->extents)
                    if (!asInt(extent))
                        return true;
    if (info(call.op).cls == OpClass::kReduce && !call.operands.empty()) {
        const auto* src = std::get_if<Region>(&call.operands[0]);
        return src && call.op != OpId::kAnyOf && call.op != OpId::kAllOf && !isWhole(*src);
    }
    return false;
}

}  // namespace

std::string ExprPrinter::anyOperand(const Operand& value, Points points)
{
    return match(
        value, [&](const Expr& e) { return expr(e); }, [&](const Region& r) { return region(r, points); },
        [&](const Ref<const LayoutMap>& map) { return layout(*map); });
}

std::string ExprPrinter::plainCall(const OpCall& call, const std::string& name, DType)
{
    const OpInfo& op = info(call.op);
    const bool copies = isCopyLike(call);
    Arguments arguments;
    for (std::size_t i = 0; i < call.operands.size(); ++i) {
        const Operand& value = call.operands[i];
        if (isAbsent(value))
            continue;
        const OperandInfo& operand = op.operands[std::min(i, op.operands.size() - 1)];
        const Points points = copies && operand.role != Role::kBarrier ? Points::kSlice : Points::kElement;
        // The value of an atomic and the object of a print are "optional" because they have two forms.
        const bool byName = operand.optional && op.cls != OpClass::kAtomic && op.cls != OpClass::kDebug &&
                            call.op != OpId::kFinalizeReducer;
        if (byName)
            arguments.add(keyword(call.op, operand.name), anyOperand(value, points));
        else
            arguments.add(anyOperand(value, points));
    }
    Attrs attrs = call.attrs;
    for (const std::string& positional : positionalAttrs(call.op))
        if (const auto found = attrs.find(positional); found != attrs.end()) {
            arguments.add(attr(found->second));
            attrs.erase(found);
        }
    arguments.append(options(attrs, op.attrs));
    return fmt::format("T.{}({})", name, arguments.text);
}

// tw.call("float32", "op", operands…, option=value) and tw.op("op", operands…, option=value); None is an absent operand.
std::string ExprPrinter::reservedCall(const OpCall& call, DType result)
{
    Arguments arguments;
    if (!result.isVoid())
        arguments.add(quoted(result.name()));
    arguments.add(quoted(info(call.op).name));
    for (const Operand& value : call.operands)
        arguments.add(anyOperand(value, Points::kSlice));
    arguments.append(options(call.attrs, info(call.op).attrs));
    return fmt::format("{}({})", reserved(result.isVoid() ? "op" : "call"), arguments.text);
}

// Two whole buffers must have equal shapes for T.copy, so unequal ones print as slices.
std::string ExprPrinter::copyCall(const OpCall& call)
{
    const auto* src = std::get_if<Region>(&call.operands[0]);
    const auto* dst = std::get_if<Region>(&call.operands[1]);
    const auto sameShape = [&] {
        if (src->extents.size() != dst->extents.size())
            return false;
        for (std::size_t i = 0; i < src->extents.size(); ++i)
            if (!equal(src->extents[i], dst->extents[i]))
                return false;
        return true;
    };
    const std::string name(info(call.op).name);
    if (!src || !dst || !isWhole(*src) || !isWhole(*dst) || sameShape())
        return plainCall(call, name, kVoid);
    const auto sliced = [&](const Region& r) {
        std::string text;
        for (std::size_t i = 0; i < r.mins.size(); ++i)
            text += (i ? ", " : "") + slice(r.mins[i], r.extents[i]);
        return fmt::format("{}[{}]", names_.of(r.buffer.get()), text);
    };
    return fmt::format("T.{}({}, {}{})", name, sliced(*src), sliced(*dst), options(call.attrs, info(call.op).attrs));
}

// T.annotate_layout({buffer: layout}) and its relatives.
std::string ExprPrinter::annotation(const OpCall& call)
{
    const std::string name(info(call.op).name);
    const std::string buffer = anyOperand(call.operands[0], Points::kSlice);
    if (call.op != OpId::kAnnotateL2)
        return fmt::format("T.{}({{{}: {}}})", name, buffer, anyOperand(call.operands[1], Points::kSlice));
    const auto ratio = call.attrs.find("ratio");
    return fmt::format("T.{}({{{}: {}}})", name, buffer, ratio == call.attrs.end() ? "1.0" : attr(ratio->second));
}

std::string ExprPrinter::call(const OpCall& call, DType result)
{
    if (mode_ == Mode::kSource && needsReserved(call, result))
        return reservedCall(call, result);
    const auto firstExpr = [&] { return expr(std::get<Expr>(call.operands[0])); };
    switch (call.op) {
    case OpId::kCopy:
    case OpId::kAsyncCopy: return copyCall(call);
    case OpId::kReinterpret: return fmt::format("T.reinterpret({}, {})", firstExpr(), quoted(result.name()));
    case OpId::kCastRounded: {
        const Expr random = exprOperand(call, "rbits");
        return fmt::format("T.cast({}, {}{}{})", firstExpr(), quoted(result.name()),
                           random ? ", rbits=" + expr(random) : "", options(call.attrs, {"round", "sat"}));
    }
    case OpId::kShuffleVector: return plainCall(call, result.name(), result);
    case OpId::kLdg:
    case OpId::kStg:
    case OpId::kLds:
    case OpId::kSts: {
        OpCall plain = call;
        plain.attrs.erase("bits");
        return plainCall(plain, fmt::format("{}{}", info(call.op).name, intAttr(call.attrs, "bits", 128)), result);
    }
    case OpId::kAccessPtr: {
        OpCall plain = call;
        Arguments arguments;
        arguments.add(anyOperand(call.operands[0], Points::kElement));
        if (const auto access = plain.attrs.find("access"); access != plain.attrs.end()) {
            arguments.add(attr(access->second));
            plain.attrs.erase(access);
        }
        arguments.append(options(plain.attrs, {"offset", "extent"}));
        return fmt::format("T.access_ptr({})", arguments.text);
    }
    case OpId::kCallExtern: {
        OpCall plain = call;
        Arguments arguments;
        arguments.add(quoted(result.name()));
        if (const auto name = plain.attrs.find("name"); name != plain.attrs.end())
            arguments.add(attr(name->second));
        for (const Operand& value : call.operands)
            arguments.add(anyOperand(value, Points::kElement));
        const bool isPure = boolAttr(call.attrs, "pure", false);
        return fmt::format("T.{}({})", isPure ? "call_pure_extern" : "call_extern", arguments.text);
    }
    case OpId::kAnnotateLayout:
    case OpId::kAnnotateSafeValue:
    case OpId::kAnnotateL2: return annotation(call);
    default: return plainCall(call, std::string(info(call.op).name), result);
    }
}

}  // namespace tw::ir
