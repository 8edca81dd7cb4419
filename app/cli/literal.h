// Python literals on the command line and in JSON.
#pragma once

#include <map>
#include <string>

#include <nlohmann/json_fwd.hpp>
#include <tl/expected.hpp>

namespace tw::cli {

// A Python literal as it is, any other word quoted: "128", "'float16'", "None", "(64, 128)". Fails with one sentence on
// integers that 64 bits do not hold.
[[nodiscard]] tl::expected<std::string, std::string> toLiteral(const std::string& word);

// The JSON of a literal's text: numbers, strings, lists for tuples and lists, objects for dicts; anything else as its text.
[[nodiscard]] nlohmann::ordered_json literalToJson(const std::string& text);

// Parameters by name, whose values are literals: as an object, and as "block_M=64 dtype='float16'".
[[nodiscard]] nlohmann::ordered_json paramsToJson(const std::map<std::string, std::string>& params);
[[nodiscard]] std::string paramsText(const std::map<std::string, std::string>& params);

}  // namespace tw::cli
