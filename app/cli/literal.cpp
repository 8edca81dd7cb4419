#include "app/cli/literal.h"

#include <limits>
#include <optional>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "core/staging/literals.h"

namespace tw::cli {
namespace {

using Json = nlohmann::ordered_json;
using staging::Value;

std::optional<Json> convert(const Value& value);

std::optional<Json> convertAll(const std::vector<Value>& items)
{
    Json list = Json::array();
    for (const Value& item : items) {
        auto converted = convert(item);
        if (!converted)
            return std::nullopt;
        list.push_back(std::move(*converted));
    }
    return list;
}

std::optional<Json> convertInteger(Integer value)
{
    if (value < std::numeric_limits<std::int64_t>::min() || value > std::numeric_limits<std::uint64_t>::max())
        return std::nullopt;
    return value < 0 ? Json(static_cast<std::int64_t>(value)) : Json(static_cast<std::uint64_t>(value));
}

std::optional<Json> convertDict(const staging::DictValue& dict)
{
    Json object = Json::object();
    for (const auto& [key, item] : dict.items) {
        auto converted = convert(item);
        if (!converted)
            return std::nullopt;
        object[key.str() ? *key.str() : staging::literalText(key).value_or("")] = std::move(*converted);
    }
    return object;
}

// Empty where an integer is too large for JSON's readers.
std::optional<Json> convert(const Value& value)
{
    if (value.isNone())
        return Json(nullptr);
    if (const auto* flag = value.get<bool>())
        return Json(*flag);
    if (const auto* integer = value.get<Integer>())
        return convertInteger(*integer);
    if (const auto* real = value.get<double>())
        return Json(*real);
    if (const auto* tuple = value.object<const staging::TupleValue>())
        return convertAll(tuple->items);
    if (const auto* list = value.object<staging::ListValue>())
        return convertAll(list->items);
    if (const auto* dict = value.object<staging::DictValue>())
        return convertDict(*dict);
    return value.str() ? std::optional(Json(*value.str())) : std::nullopt;
}

}  // namespace

tl::expected<std::string, std::string> toLiteral(const std::string& word)
{
    const auto value = staging::readLiteral(word);
    if (!value && value.error() == staging::LiteralError::kNoLiteral)
        return staging::literalText(Value(word)).value_or("''");
    if (!value || !convert(*value))
        return tl::unexpected(fmt::format("integers have at most 64 bits, {} has more", word));
    return word;
}

Json literalToJson(const std::string& text)
{
    const auto value = staging::readLiteral(text);
    auto json = value ? convert(*value) : std::nullopt;
    return json ? std::move(*json) : Json(text);
}

Json paramsToJson(const std::map<std::string, std::string>& params)
{
    Json out = Json::object();
    for (const auto& [name, value] : params)
        out[name] = literalToJson(value);
    return out;
}

std::string paramsText(const std::map<std::string, std::string>& params)
{
    std::string out;
    for (const auto& [name, value] : params)
        out += fmt::format("{}{}={}", out.empty() ? "" : " ", name, value);
    return out;
}

}  // namespace tw::cli
