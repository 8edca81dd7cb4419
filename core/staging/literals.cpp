#include "core/staging/literals.h"

#include <cmath>

#include "core/staging/containers.h"
#include "core/staging/interpreter.h"
#include "core/syntax/parser.h"

namespace tw::staging {
namespace {

constexpr int kMaxLiteralDepth = 20, kMaxLiteralValues = 10'000;

// `left`: how many values it may still look at.
bool isLiteral(const Value& value, int depth, int& left)
{
    const auto each = [&](const std::vector<Value>& items) {
        return std::all_of(items.begin(), items.end(), [&](const Value& v) { return isLiteral(v, depth + 1, left); });
    };
    if (depth > kMaxLiteralDepth || left-- <= 0)
        return false;
    if (const auto* d = value.get<double>())
        return std::isfinite(*d);
    if (value.isNone() || value.get<bool>() || value.get<Integer>() || value.str() || value.get<ir::DType>())
        return true;
    if (const auto* tuple = value.object<const TupleValue>())
        return each(tuple->items);
    if (const auto* list = value.object<ListValue>())
        return each(list->items);
    if (const auto* dict = value.object<DictValue>())
        return std::all_of(dict->items.begin(), dict->items.end(), [&](const auto& item) {
            return isLiteral(item.first, depth + 1, left) && isLiteral(item.second, depth + 1, left);
        });
    return false;
}

using Read = tl::expected<Value, LiteralError>;
const tl::unexpected<LiteralError> kNone(LiteralError::kNoLiteral);

Read fromTree(const syntax::Expr& e);

tl::expected<std::vector<Value>, LiteralError> fromTrees(const std::vector<syntax::ExprPtr>& items)
{
    std::vector<Value> out;
    for (const auto& item : items) {
        auto value = fromTree(*item);
        if (!value)
            return tl::unexpected(value.error());
        out.push_back(std::move(*value));
    }
    return out;
}

Read fromUnary(const syntax::Unary& n)
{
    const auto value = fromTree(*n.operand);
    if (!value)
        return value;
    if (n.op != syntax::UnaryOp::kNegate && n.op != syntax::UnaryOp::kPlus)
        return kNone;
    const int sign = n.op == syntax::UnaryOp::kNegate ? -1 : 1;
    if (const auto* i = value->get<Integer>())
        return Value(*i * sign);
    if (const auto* d = value->get<double>())
        return Value(*d * sign);
    return kNone;
}

Read fromDict(const syntax::DictExpr& n)
{
    const Value dict = makeDict();
    for (const syntax::DictItem& item : n.items) {
        if (!item.key)  // **other
            return kNone;
        const auto key = fromTree(*item.key);
        auto value = fromTree(*item.value);
        if (!key || !value)
            return key ? value : key;
        if (!isHashable(*key))
            return kNone;
        dictSet(*dict.object<DictValue>(), *key, std::move(*value));
    }
    return dict;
}

Read fromTree(const syntax::Expr& e)
{
    using namespace syntax;
    return match(
        e.node, [](const NoneLiteral&) { return Read(Value()); }, [](const BoolLiteral& n) { return Read(Value(n.value)); },
        [](const IntLiteral& n) { return n.tooLarge ? Read(tl::unexpected(LiteralError::kTooLarge)) : Read(Value(n.value)); },
        [](const FloatLiteral& n) { return Read(Value(n.value)); }, [](const StringLiteral& n) { return Read(Value(n.value)); },
        [](const Unary& n) { return fromUnary(n); }, [](const TupleExpr& n) { return fromTrees(n.items).map(makeTuple); },
        [](const ListExpr& n) { return fromTrees(n.items).map(makeList); }, [](const DictExpr& n) { return fromDict(n); },
        [](const auto&) { return Read(kNone); });
}

}  // namespace

std::optional<std::string> literalText(const Value& value)
{
    const Value& plain = underlying(value);
    int left = kMaxLiteralValues;
    return isLiteral(plain, 0, left) ? std::optional(repr(plain)) : std::nullopt;
}

tl::expected<Value, LiteralError> readLiteral(const std::string& text)
{
    DiagnosticSink ignored;
    const auto tree = syntax::parseExpression(text, {}, ignored);
    if (!tree)
        return kNone;
    auto value = fromTree(*tree);
    if (value && ignored.hasErrors())
        return kNone;
    return value;
}

Value parseLiteral(const std::string& text) { return readLiteral(text).value_or(Value(text)); }

}  // namespace tw::staging
