// Operators on staging values.
#include <fmt/format.h>

#include <cmath>

#include "core/staging/builtins.h"
#include "core/staging/containers.h"
#include "core/staging/integer_math.h"
#include "core/staging/interpreter.h"
#include "core/staging/meta_tensor.h"
#include "core/staging/work.h"

namespace tw::staging {

using syntax::BinaryOp;
using syntax::UnaryOp;

namespace {

struct OperatorNames {
    const char* symbol;
    const char* method;
    const char* reflected;
};

OperatorNames names(BinaryOp op)
{
    switch (op) {
    case BinaryOp::kAdd: return {"+", "__add__", "__radd__"};
    case BinaryOp::kSub: return {"-", "__sub__", "__rsub__"};
    case BinaryOp::kMul: return {"*", "__mul__", "__rmul__"};
    case BinaryOp::kMatMul: return {"@", "__matmul__", "__rmatmul__"};
    case BinaryOp::kDiv: return {"/", "__truediv__", "__rtruediv__"};
    case BinaryOp::kFloorDiv: return {"//", "__floordiv__", "__rfloordiv__"};
    case BinaryOp::kMod: return {"%", "__mod__", "__rmod__"};
    case BinaryOp::kPow: return {"**", "__pow__", "__rpow__"};
    case BinaryOp::kShl: return {"<<", "__lshift__", "__rlshift__"};
    case BinaryOp::kShr: return {">>", "__rshift__", "__rrshift__"};
    case BinaryOp::kBitAnd: return {"&", "__and__", "__rand__"};
    case BinaryOp::kBitOr: return {"|", "__or__", "__ror__"};
    case BinaryOp::kBitXor: return {"^", "__xor__", "__rxor__"};
    }
    return {"?", "", ""};
}

}  // namespace

const Value& underlying(const Value& value)
{
    if (const auto* object = value.object<InstanceValue>())
        if (const auto it = object->attributes.find("$data"); it != object->attributes.end())
            return it->second;
    return value;
}

void Interpreter::foreign(const Value& value, const SourceRange& range)
{
    const auto* opaque = value.object<const OpaqueValue>();
    fail(Code::kForeignInKernel, range,
         fmt::format("{} is foreign: its value is not known while staging, so it cannot enter a kernel",
                     opaque ? "`" + opaque->path + "`" : "this " + typeName(value)));
}

void Interpreter::badOperands(const char* symbol, const Value& a, const Value& b, const SourceRange& range)
{
    fail(Code::kTypeMismatch, range, fmt::format("`{}` does not take {} and {}", symbol, typeName(a), typeName(b)));
}

Value Interpreter::unary(UnaryOp op, const Value& a, const SourceRange& range)
{
    if (isDevice(a) && !(op == UnaryOp::kNot && ir::asInt(a.expr())))
        return device().unary(op, a, range);
    if (isOpaque(a) || a.object<const MetaTensor>())
        return isOpaque(a) || op == UnaryOp::kNot ? makeOpaque(isOpaque(a) ? a.object<const OpaqueValue>()->path : "tensor") : a;
    if (op == UnaryOp::kNot) {
        const auto known = knownTruth(a, range);
        return known ? Value(!*known) : a;
    }
    static const std::map<UnaryOp, const char*> kMethods = {
        {UnaryOp::kNegate, "__neg__"}, {UnaryOp::kPlus, "__pos__"}, {UnaryOp::kInvert, "__invert__"}};
    if (a.object<InstanceValue>())
        if (auto result = dunder(a, kMethods.at(op), {}, range))
            return *result;
    const Value& operand = underlying(a);
    if (const auto* d = operand.get<double>(); d && op != UnaryOp::kInvert)
        return op == UnaryOp::kNegate ? Value(-*d) : operand;
    if (const auto i = asInteger(operand)) {
        if (op == UnaryOp::kInvert)
            return Value(~*i);
        if (op == UnaryOp::kPlus)
            return Value(*i);
        return binaryIntegers(BinaryOp::kSub, 0, *i, range);
    }
    fail(Code::kTypeMismatch, range,
         fmt::format("`{}` does not take {}", op == UnaryOp::kInvert ? "~" : op == UnaryOp::kPlus ? "+" : "-", typeName(a)));
}

Value Interpreter::binary(BinaryOp op, const Value& a, const Value& b, const SourceRange& range)
{
    if (const auto* x = a.get<Integer>())
        if (const auto* y = b.get<Integer>())
            return binaryIntegers(op, *x, *y, range);
    if (a.object<InstanceValue>() || b.object<InstanceValue>()) {
        if (auto result = binaryInstances(op, a, b, range))
            return *result;
        if (&underlying(a) != &a || &underlying(b) != &b)
            return binary(op, underlying(a), underlying(b), range);
    }
    const bool aDevice = isDevice(a), bDevice = isDevice(b);
    if (aDevice || bDevice) {
        const Value& other = aDevice ? b : a;
        if (isOpaque(other) || other.object<const MetaTensor>())
            foreign(other, range);
        return device().binary(op, a, b, range);
    }
    if (a.object<const MetaTensor>() || b.object<const MetaTensor>())
        return tensorBinary(op, a, b);
    if (isOpaque(a) || isOpaque(b))
        return isOpaque(a) ? a : b;
    if (auto result = binaryContainers(op, a, b, range))
        return *result;
    return binaryNumbers(op, a, b, range);
}

std::optional<Value> Interpreter::binaryInstances(BinaryOp op, const Value& a, const Value& b, const SourceRange& range)
{
    if (a.object<InstanceValue>())
        if (auto result = dunder(a, names(op).method, {b}, range))
            return result;
    if (b.object<InstanceValue>())
        if (auto result = dunder(b, names(op).reflected, {a}, range))
            return result;
    return std::nullopt;
}

Value Interpreter::repeated(const Value& sequence, Integer count, const SourceRange& range)
{
    if (count < 0)
        count = 0;
    if (const auto* text = sequence.str()) {
        chargeMemory(static_cast<Integer>(text->size()) * count, range);
        std::string out;
        for (Integer i = 0; i < count && !text->empty(); ++i)
            out += *text;
        return Value(std::move(out));
    }
    const auto* list = sequence.object<ListValue>();
    const auto& items = list ? list->items : sequence.object<const TupleValue>()->items;
    chargeMemory(static_cast<Integer>(items.size() * sizeof(Value)) * count, range);
    std::vector<Value> out;
    for (Integer i = 0; i < count && !items.empty(); ++i)
        out.insert(out.end(), items.begin(), items.end());
    return list ? makeList(std::move(out)) : makeTuple(std::move(out));
}

namespace {

Value setAlgebra(Interpreter& in, BinaryOp op, const SetValue& a, const SetValue& b, const SourceRange& range)
{
    const auto contains = [&](const SetValue& set, const Value& item) {
        chargeKey(in, set, item, range);
        return setContains(set, item);
    };
    std::vector<Value> out;
    for (const Value& item : a.items) {
        const bool both = contains(b, item);
        if (op == BinaryOp::kBitOr || (op == BinaryOp::kBitAnd) == both)
            out.push_back(item);
    }
    if (op == BinaryOp::kBitOr || op == BinaryOp::kBitXor)
        for (const Value& item : b.items)
            if (!contains(a, item))
                out.push_back(item);
    return makeSet(in, out, range, a.frozen);
}

bool isSequence(const Value& v) { return v.str() || v.object<ListValue>() || v.object<const TupleValue>(); }

}  // namespace

std::optional<Value> Interpreter::binaryContainers(BinaryOp op, const Value& a, const Value& b, const SourceRange& range)
{
    if (op == BinaryOp::kMul) {
        if (const auto n = asInteger(b); n && isSequence(a))
            return repeated(a, *n, range);
        if (const auto n = asInteger(a); n && isSequence(b))
            return repeated(b, *n, range);
    }
    const auto chargeTable = [&](std::size_t items) {
        chargeItems(*this, 8 * items, range);
        chargeMemory(static_cast<Integer>(items) * 96, range);
    };
    if (op == BinaryOp::kMod && a.str())
        return Value(percentFormat(*this, *a.str(), b, range));
    if (op == BinaryOp::kAdd) {
        const auto join = [&](const std::vector<Value>& x, const std::vector<Value>& y) {
            chargeMemory(static_cast<Integer>((x.size() + y.size()) * sizeof(Value)), range);
            std::vector<Value> out = x;
            out.insert(out.end(), y.begin(), y.end());
            return out;
        };
        const auto text = [](const Value& v) { return v.str() || v.get<ir::DType>(); };
        if (text(a) && text(b)) {
            chargeMemory(static_cast<Integer>(plainText(a).size() + plainText(b).size()), range);
            return Value(plainText(a) + plainText(b));
        }
        if (a.object<ListValue>() && b.object<ListValue>())
            return makeList(join(a.object<ListValue>()->items, b.object<ListValue>()->items));
        if (a.object<const TupleValue>() && b.object<const TupleValue>())
            return makeTuple(join(a.object<const TupleValue>()->items, b.object<const TupleValue>()->items));
    }
    if (a.object<SetValue>() && b.object<SetValue>() &&
        (op == BinaryOp::kBitOr || op == BinaryOp::kBitAnd || op == BinaryOp::kBitXor || op == BinaryOp::kSub)) {
        chargeTable(a.object<SetValue>()->items.size() + b.object<SetValue>()->items.size());
        return setAlgebra(*this, op, *a.object<SetValue>(), *b.object<SetValue>(), range);
    }
    if (op == BinaryOp::kBitOr && a.object<DictValue>() && b.object<DictValue>()) {
        chargeTable(a.object<DictValue>()->items.size() + b.object<DictValue>()->items.size());
        const Value out = copyOf(*a.object<DictValue>());
        for (const auto& [key, value] : b.object<DictValue>()->items) {
            chargeKey(*this, *out.object<DictValue>(), key, range);
            dictSet(*out.object<DictValue>(), key, value);
        }
        return out;
    }
    // int | None, list[int] | str: annotations
    const auto isType = [](const Value& v) { return v.object<ClassValue>() || v.isNone() || v.get<ir::DType>(); };
    if (op == BinaryOp::kBitOr && isType(a) && isType(b))
        return makeOpaque("typing.Union");
    return std::nullopt;
}

Value Interpreter::binaryNumbers(BinaryOp op, const Value& a, const Value& b, const SourceRange& range)
{
    const bool bools = a.get<bool>() && b.get<bool>();
    if (bools && (op == BinaryOp::kBitAnd || op == BinaryOp::kBitOr || op == BinaryOp::kBitXor)) {
        const bool x = *a.get<bool>(), y = *b.get<bool>();
        return Value(op == BinaryOp::kBitAnd ? (x && y) : op == BinaryOp::kBitOr ? (x || y) : x != y);
    }
    if (const auto x = asInteger(a), y = asInteger(b); x && y)
        return binaryIntegers(op, *x, *y, range);
    if (const auto x = asNumber(a), y = asNumber(b); x && y)
        return binaryFloats(op, *x, *y, range);
    badOperands(names(op).symbol, a, b, range);
}

Value Interpreter::binaryIntegers(BinaryOp op, Integer a, Integer b, const SourceRange& range)
{
    const auto checked = [&](std::optional<Integer> r) {
        if (!r)
            fail(Code::kValueRange, range, "the result does not fit the 128 bits of staging integers");
        return Value(*r);
    };
    const auto nonZero = [&] {
        if (b == 0)
            raise("ZeroDivisionError", Code::kRaised, range, "division by zero while staging");
    };
    switch (op) {
    case BinaryOp::kAdd: return checked(addIntegers(a, b));
    case BinaryOp::kSub: return checked(subIntegers(a, b));
    case BinaryOp::kMul: return checked(mulIntegers(a, b));
    case BinaryOp::kDiv: nonZero(); return Value(static_cast<double>(a) / static_cast<double>(b));
    case BinaryOp::kFloorDiv: nonZero(); return checked(floorDivIntegers(a, b));
    case BinaryOp::kMod: nonZero(); return checked(floorModIntegers(a, b));
    case BinaryOp::kPow:
        if (b < 0)
            return binaryFloats(op, static_cast<double>(a), static_cast<double>(b), range);
        return checked(powIntegers(a, b));
    case BinaryOp::kShl:
    case BinaryOp::kShr:
        if (b < 0)
            fail(Code::kValueRange, range, "negative shift count");
        return op == BinaryOp::kShl ? checked(shiftLeft(a, b)) : Value(shiftRight(a, b));
    case BinaryOp::kBitAnd: return Value(a & b);
    case BinaryOp::kBitOr: return Value(a | b);
    case BinaryOp::kBitXor: return Value(a ^ b);
    case BinaryOp::kMatMul: break;
    }
    badOperands("@", Value(a), Value(b), range);
}

Value Interpreter::binaryFloats(BinaryOp op, double a, double b, const SourceRange& range)
{
    const auto nonZero = [&] {
        if (b == 0)
            raise("ZeroDivisionError", Code::kRaised, range, "division by zero while staging");
    };
    switch (op) {
    case BinaryOp::kAdd: return Value(a + b);
    case BinaryOp::kSub: return Value(a - b);
    case BinaryOp::kMul: return Value(a * b);
    case BinaryOp::kDiv: nonZero(); return Value(a / b);
    case BinaryOp::kFloorDiv: nonZero(); return Value(std::floor(a / b));
    case BinaryOp::kMod: {
        nonZero();
        const double r = std::fmod(a, b);
        return Value(r != 0 && (r < 0) != (b < 0) ? r + b : r);
    }
    case BinaryOp::kPow:
        if (a == 0 && b < 0)
            raise("ZeroDivisionError", Code::kRaised, range, "zero to a negative power while staging");
        return Value(std::pow(a, b));
    default: badOperands(names(op).symbol, Value(a), Value(b), range);
    }
}

}  // namespace tw::staging
