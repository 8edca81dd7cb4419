#include "core/staging/literals.h"

#include <cmath>

#include "core/staging/containers.h"
#include "core/staging/interpreter.h"
#include "core/syntax/parser.h"

namespace tw::staging {
namespace {

constexpr int kMaxDepth = 20;

bool isLiteral(const Value& value, int depth)
{
    const auto each = [&](const std::vector<Value>& items) {
        return std::all_of(items.begin(), items.end(), [&](const Value& v) { return isLiteral(v, depth + 1); });
    };
    if (depth > kMaxDepth)
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
            return isLiteral(item.first, depth + 1) && isLiteral(item.second, depth + 1);
        });
    return false;
}

std::optional<Value> fromTree(const syntax::Expr& e);

std::optional<std::vector<Value>> fromTrees(const std::vector<syntax::ExprPtr>& items)
{
    std::vector<Value> out;
    for (const auto& item : items) {
        auto value = fromTree(*item);
        if (!value)
            return std::nullopt;
        out.push_back(std::move(*value));
    }
    return out;
}

std::optional<Value> fromTree(const syntax::Expr& e)
{
    using namespace syntax;
    return match(
        e.node, [](const NoneLiteral&) { return std::optional(Value()); }, [](const BoolLiteral& n) { return std::optional(Value(n.value)); },
        [](const IntLiteral& n) { return n.tooLarge ? std::nullopt : std::optional(Value(n.value)); },
        [](const FloatLiteral& n) { return std::optional(Value(n.value)); },
        [](const StringLiteral& n) { return std::optional(Value(n.value)); },
        [](const Unary& n) -> std::optional<Value> {
            const auto value = fromTree(*n.operand);
            if (!value || (n.op != UnaryOp::kNegate && n.op != UnaryOp::kPlus))
                return std::nullopt;
            const int sign = n.op == UnaryOp::kNegate ? -1 : 1;
            if (const auto* i = value->get<Integer>())
                return Value(*i * sign);
            if (const auto* d = value->get<double>())
                return Value(*d * sign);
            return std::nullopt;
        },
        [](const TupleExpr& n) -> std::optional<Value> {
            auto items = fromTrees(n.items);
            return items ? std::optional(makeTuple(std::move(*items))) : std::nullopt;
        },
        [](const ListExpr& n) -> std::optional<Value> {
            auto items = fromTrees(n.items);
            return items ? std::optional(makeList(std::move(*items))) : std::nullopt;
        },
        [](const DictExpr& n) -> std::optional<Value> {
            const Value dict = makeDict();
            for (const DictItem& item : n.items) {
                const auto key = item.key ? fromTree(*item.key) : std::nullopt;
                auto value = fromTree(*item.value);
                if (!key || !value || !isHashable(*key))
                    return std::nullopt;
                dictSet(*dict.object<DictValue>(), *key, std::move(*value));
            }
            return dict;
        },
        [](const auto&) { return std::optional<Value>(); });
}

}  // namespace

std::optional<std::string> literalText(const Value& value)
{
    const Value& plain = underlying(value);
    return isLiteral(plain, 0) ? std::optional(repr(plain)) : std::nullopt;
}

Value parseLiteral(const std::string& text)
{
    DiagnosticSink ignored;
    const auto tree = syntax::parseExpression(text, {}, ignored);
    if (tree && !ignored.hasErrors())
        if (auto value = fromTree(*tree))
            return *value;
    return Value(text);
}

}  // namespace tw::staging
