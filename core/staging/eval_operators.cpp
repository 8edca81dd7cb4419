// Operators on staging values.
#include <fmt/format.h>

#include <cmath>

#include "core/staging/builtins.h"
#include "core/staging/containers.h"
#include "core/staging/integer_math.h"
#include "core/staging/interpreter.h"
#include "core/staging/meta_tensor.h"

namespace tw::staging {

using syntax::BinaryOp;
using syntax::CompareOp;
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

const char* methodOf(CompareOp op)
{
    switch (op) {
    case CompareOp::kEq: return "__eq__";
    case CompareOp::kNe: return "__ne__";
    case CompareOp::kLt: return "__lt__";
    case CompareOp::kLe: return "__le__";
    case CompareOp::kGt: return "__gt__";
    case CompareOp::kGe: return "__ge__";
    default: return "";
    }
}

const char* symbolOf(CompareOp op)
{
    switch (op) {
    case CompareOp::kLt: return "<";
    case CompareOp::kLe: return "<=";
    case CompareOp::kGt: return ">";
    case CompareOp::kGe: return ">=";
    default: return "==";
    }
}

bool holds(CompareOp op, int order)
{
    switch (op) {
    case CompareOp::kLt: return order < 0;
    case CompareOp::kLe: return order <= 0;
    case CompareOp::kGt: return order > 0;
    default: return order >= 0;
    }
}

bool isSame(const Value& a, const Value& b)
{
    if (a.data.index() != b.data.index())
        return false;
    return std::visit(
        [&](const auto& x) {
            using T = std::decay_t<decltype(x)>;
            const auto& y = std::get<T>(b.data);
            if constexpr (requires { x.get() == y.get(); })
                return std::is_same_v<T, Str> ? equalValues(a, b) : x.get() == y.get();
            else
                return equalValues(a, b);
        },
        a.data);
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

std::optional<Value> setAlgebra(BinaryOp op, const SetValue& a, const SetValue& b)
{
    std::vector<Value> out;
    for (const Value& item : a.items) {
        const bool both = setContains(b, item);
        if (op == BinaryOp::kBitOr || (op == BinaryOp::kBitAnd) == both)
            out.push_back(item);
    }
    if (op == BinaryOp::kBitOr || op == BinaryOp::kBitXor)
        for (const Value& item : b.items)
            if (!setContains(a, item))
                out.push_back(item);
    return makeSet(out, a.frozen);
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
        (op == BinaryOp::kBitOr || op == BinaryOp::kBitAnd || op == BinaryOp::kBitXor || op == BinaryOp::kSub))
        return setAlgebra(op, *a.object<SetValue>(), *b.object<SetValue>());
    if (op == BinaryOp::kBitOr && a.object<DictValue>() && b.object<DictValue>()) {
        const Value out = makeDict(a.object<DictValue>()->items);
        for (const auto& [key, value] : b.object<DictValue>()->items)
            dictSet(*out.object<DictValue>(), key, value);
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

// ---- comparison -------------------------------------------------------------------------------------------------------

std::optional<int> Interpreter::order(const Value& a, const Value& b, const SourceRange& range)
{
    if (const auto x = asInteger(a), y = asInteger(b); x && y)
        return *x < *y ? -1 : *x > *y ? 1 : 0;
    if (const auto x = asNumber(a), y = asNumber(b); x && y)
        return *x < *y ? -1 : *x > *y ? 1 : *x == *y ? 0 : 2;  // 2: a NaN
    const auto isText = [](const Value& v) { return v.str() || v.get<ir::DType>(); };
    if (isText(a) && isText(b))
        return plainText(a).compare(plainText(b)) < 0 ? -1 : plainText(a) == plainText(b) ? 0 : 1;
    const auto items = [](const Value& v) -> const std::vector<Value>* {
        if (const auto* list = v.object<ListValue>())
            return &list->items;
        const auto* tuple = v.object<const TupleValue>();
        return tuple ? &tuple->items : nullptr;
    };
    const auto* x = items(a);
    const auto* y = items(b);
    if (!x || !y || a.data.index() != b.data.index())
        return std::nullopt;
    charge(1, range);
    checkStack(range);
    for (std::size_t i = 0; i < x->size() && i < y->size(); ++i)
        if (!equalValues((*x)[i], (*y)[i]))
            return order((*x)[i], (*y)[i], range);
    return x->size() < y->size() ? -1 : x->size() > y->size() ? 1 : 0;
}

Value Interpreter::contains(const Value& container, const Value& item, const SourceRange& range)
{
    if (container.object<InstanceValue>())
        if (auto result = dunder(container, "__contains__", {item}, range))
            return *result;
    const Value& in = underlying(container);
    if (isOpaque(in) || in.object<const MetaTensor>())
        return makeOpaque("in");
    const bool isText = in.str() || in.get<ir::DType>();
    if (isText && (item.str() || item.get<ir::DType>()))
        return Value(plainText(in).find(plainText(item)) != std::string::npos);
    if (const auto* dict = in.object<DictValue>())
        return Value(isHashable(item) && dictFind(*dict, item) != nullptr);
    if (const auto* set = in.object<SetValue>())
        return Value(isHashable(item) && setContains(*set, item));
    if (const auto* r = in.get<RangeValue>())
        if (const auto i = asInteger(item))
            return Value(r->step > 0 ? *i >= r->start && *i < r->stop && (*i - r->start) % r->step == 0
                                     : *i <= r->start && *i > r->stop && (r->start - *i) % -r->step == 0);
    const auto items = iterator(in, range);
    while (auto one = items->next(*this)) {
        charge(1, range);
        if (isSame(*one, item) || (!isDevice(*one) && !isDevice(item) && equalValues(*one, item)))
            return Value(true);
    }
    return isOpaque(item) ? item : Value(false);
}

Value Interpreter::compare(CompareOp op, const Value& a, const Value& b, const SourceRange& range)
{
    if (op == CompareOp::kIs || op == CompareOp::kIsNot) {
        const Value& foreignSide = isOpaque(a) ? a : b;
        if ((isOpaque(a) && !b.isNone()) || (isOpaque(b) && !a.isNone()))
            return foreignSide;
        return Value(isSame(a, b) == (op == CompareOp::kIs));
    }
    if (op == CompareOp::kIn || op == CompareOp::kNotIn) {
        const Value found = contains(b, a, range);
        return op == CompareOp::kIn ? found : unary(UnaryOp::kNot, found, range);
    }
    const bool equality = op == CompareOp::kEq || op == CompareOp::kNe;
    const auto plain = [](const Value& v) { return v.isNone() || v.str() || v.get<ir::DType>() || v.object<ClassValue>(); };
    if (isDevice(a) || isDevice(b)) {
        if (equality && (plain(a) || plain(b)))
            return Value(op == CompareOp::kNe);
        const Value& other = isDevice(a) ? b : a;
        if (isOpaque(other) || other.object<const MetaTensor>())
            foreign(other, range);
        return device().compare(op, a, b, range);
    }
    if (a.object<InstanceValue>() || b.object<InstanceValue>()) {
        static const std::map<CompareOp, const char*> kMirrored = {
            {CompareOp::kLt, "__gt__"}, {CompareOp::kLe, "__ge__"}, {CompareOp::kGt, "__lt__"},
            {CompareOp::kGe, "__le__"}, {CompareOp::kEq, "__eq__"}, {CompareOp::kNe, "__ne__"}};
        if (auto result = a.object<InstanceValue>() ? dunder(a, methodOf(op), {b}, range) : std::nullopt)
            return *result;
        if (auto result = b.object<InstanceValue>() ? dunder(b, kMirrored.at(op), {a}, range) : std::nullopt)
            return *result;
        if (op == CompareOp::kNe)
            if (auto result = a.object<InstanceValue>() ? dunder(a, "__eq__", {b}, range) : std::nullopt)
                return unary(UnaryOp::kNot, *result, range);
    }
    if (isOpaque(a) || isOpaque(b))
        return isOpaque(a) ? a : b;
    if (a.object<const MetaTensor>() || b.object<const MetaTensor>())
        return makeOpaque("tensor comparison");
    if (equality)
        return Value(equalValues(underlying(a), underlying(b)) == (op == CompareOp::kEq));
    if (const auto* x = a.object<SetValue>())
        if (const auto* y = b.object<SetValue>()) {
            const auto within = [](const SetValue& s, const SetValue& t) {
                return std::all_of(s.items.begin(), s.items.end(), [&](const Value& v) { return setContains(t, v); });
            };
            const bool less = op == CompareOp::kLt || op == CompareOp::kLe;
            const bool proper = op == CompareOp::kLt || op == CompareOp::kGt;
            return Value((less ? within(*x, *y) : within(*y, *x)) && (!proper || x->items.size() != y->items.size()));
        }
    const auto ordered = order(underlying(a), underlying(b), range);
    if (!ordered)
        badOperands(symbolOf(op), a, b, range);
    return Value(*ordered != 2 && holds(op, *ordered));
}

}  // namespace tw::staging
