#include "app/cli/literal.h"

#include <limits>
#include <optional>

#include <nlohmann/json.hpp>

#include "core/support/ref.h"
#include "core/syntax/parser.h"

namespace tw::cli {
namespace {

using Json = nlohmann::ordered_json;

std::optional<Json> convert(const syntax::Expr& e);

std::optional<Json> convertAll(const std::vector<syntax::ExprPtr>& items)
{
    Json list = Json::array();
    for (const syntax::ExprPtr& item : items) {
        auto value = convert(*item);
        if (!value)
            return std::nullopt;
        list.push_back(std::move(*value));
    }
    return list;
}

std::optional<Json> convertInteger(const syntax::IntLiteral& literal, bool isNegative)
{
    const Integer value = isNegative ? -literal.value : literal.value;
    if (literal.tooLarge || value > std::numeric_limits<std::int64_t>::max() || value < std::numeric_limits<std::int64_t>::min())
        return std::nullopt;
    return Json(static_cast<std::int64_t>(value));
}

std::optional<Json> convertUnary(const syntax::Unary& unary)
{
    const bool isNegative = unary.op == syntax::UnaryOp::kNegate;
    if (!isNegative && unary.op != syntax::UnaryOp::kPlus)
        return std::nullopt;
    if (const auto* integer = std::get_if<syntax::IntLiteral>(&unary.operand->node))
        return convertInteger(*integer, isNegative);
    if (const auto* real = std::get_if<syntax::FloatLiteral>(&unary.operand->node))
        return Json(isNegative ? -real->value : real->value);
    return std::nullopt;
}

std::optional<Json> convertDict(const syntax::DictExpr& dict)
{
    Json object = Json::object();
    for (const syntax::DictItem& item : dict.items) {
        const auto key = item.key ? convert(*item.key) : std::nullopt;
        auto value = convert(*item.value);
        if (!key || !value)
            return std::nullopt;
        object[key->is_string() ? key->get<std::string>() : key->dump()] = std::move(*value);
    }
    return object;
}

// Empty for what is no literal.
std::optional<Json> convert(const syntax::Expr& e)
{
    return std::visit(Overloaded{
                          [](const syntax::NoneLiteral&) -> std::optional<Json> { return Json(nullptr); },
                          [](const syntax::BoolLiteral& x) -> std::optional<Json> { return Json(x.value); },
                          [](const syntax::IntLiteral& x) { return convertInteger(x, false); },
                          [](const syntax::FloatLiteral& x) -> std::optional<Json> { return Json(x.value); },
                          [](const syntax::StringLiteral& x) -> std::optional<Json> { return Json(x.value); },
                          [](const syntax::TupleExpr& x) { return convertAll(x.items); },
                          [](const syntax::ListExpr& x) { return convertAll(x.items); },
                          [](const syntax::SetExpr& x) { return convertAll(x.items); },
                          [](const syntax::DictExpr& x) { return convertDict(x); },
                          [](const syntax::Unary& x) { return convertUnary(x); },
                          [](const auto&) -> std::optional<Json> { return std::nullopt; },
                      },
                      e.node);
}

std::optional<Json> parse(const std::string& text)
{
    DiagnosticSink sink;
    const syntax::ExprPtr expr = syntax::parseExpression(text, {}, sink);
    return expr && !sink.hasErrors() ? convert(*expr) : std::nullopt;
}

}  // namespace

std::string toLiteral(const std::string& word)
{
    if (parse(word))
        return word;
    std::string quoted = "'";
    for (const char c : word) {
        if (c == '\'' || c == '\\')
            quoted += '\\';
        quoted += c;
    }
    return quoted + "'";
}

Json literalToJson(const std::string& text)
{
    auto value = parse(text);
    return value ? std::move(*value) : Json(text);
}

}  // namespace tw::cli
