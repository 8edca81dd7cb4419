// Comparisons, membership and order of staging values.
#include "core/staging/builtins.h"
#include "core/staging/containers.h"
#include "core/staging/interpreter.h"
#include "core/staging/text.h"
#include "core/staging/work.h"

namespace tw::staging {

using syntax::CompareOp;
using syntax::UnaryOp;

namespace {

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

std::optional<int> Interpreter::order(const Value& a, const Value& b, const SourceRange& range)
{
    if (const auto x = asInteger(a), y = asInteger(b); x && y)
        return *x < *y ? -1 : *x > *y ? 1 : 0;
    if (const auto x = asNumber(a), y = asNumber(b); x && y)
        return *x < *y ? -1 : *x > *y ? 1 : *x == *y ? 0 : 2;  // 2: a NaN
    const auto isText = [](const Value& v) { return v.str() || v.get<ir::DType>(); };
    if (isText(a) && isText(b)) {
        const std::string x = plainText(a), y = plainText(b);
        chargeText(*this, x.size() + y.size(), range);
        const int sign = x.compare(y);
        return sign < 0 ? -1 : sign > 0 ? 1 : 0;
    }
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
        if (!equalValues(*this, (*x)[i], (*y)[i], range))
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
    if (isText && (item.str() || item.get<ir::DType>())) {
        const std::string text = plainText(in), part = plainText(item);
        chargeSearch(*this, text, part, range);
        return Value(text.find(part) != std::string::npos);
    }
    if (const auto* dict = in.object<DictValue>()) {
        chargeKey(*this, *dict, item, range);
        return Value(isHashable(item) && dictFind(*dict, item) != nullptr);
    }
    if (const auto* set = in.object<SetValue>()) {
        chargeKey(*this, *set, item, range);
        return Value(isHashable(item) && setContains(*set, item));
    }
    chargeKey(*this, item, range);
    if (const auto* r = in.get<RangeValue>())
        if (const auto i = asInteger(item))
            return Value(r->step > 0 ? *i >= r->start && *i < r->stop && (*i - r->start) % r->step == 0
                                     : *i <= r->start && *i > r->stop && (r->start - *i) % -r->step == 0);
    if (item.object<InstanceValue>())  // Flag.A in flags: combined flags are their integer
        if (const auto all = asInteger(in), part = asInteger(item); all && part)
            return Value((*all & *part) == *part);
    const auto items = iterator(in, range);
    while (auto one = items->next(*this)) {
        charge(1, range);
        if (isSame(*one, item) || (!isDevice(*one) && !isDevice(item) && equalValues(*this, *one, item, range)))
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
        return Value(equalValues(*this, underlying(a), underlying(b), range) == (op == CompareOp::kEq));
    if (const auto* x = a.object<SetValue>())
        if (const auto* y = b.object<SetValue>()) {
            chargeItems(*this, 4 * (x->items.size() + y->items.size()), range);
            const auto within = [&](const SetValue& s, const SetValue& t) {
                return std::all_of(s.items.begin(), s.items.end(), [&](const Value& v) {
                    chargeKey(*this, t, v, range);
                    return setContains(t, v);
                });
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
