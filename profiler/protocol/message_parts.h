#pragma once

// What several messages have in common, as JSON. A `to…` function reads what its sibling wrote and throws, as the library does, where
// something is missing or of another kind; `decode` catches it.

#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "profiler/protocol/frame.h"
#include "profiler/protocol/messages.h"

namespace tw::protocol::parts {

using Json = nlohmann::json;

// A header under construction with its payloads. Text of the user travels as payload: it may hold any bytes.
struct Writer {
    Json json;
    std::vector<std::string> payloads;

    std::size_t payload(std::string bytes)
    {
        payloads.push_back(std::move(bytes));
        return payloads.size() - 1;
    }
};
struct Reader {
    const Frame& frame;
    const std::string& payload(const Json& index) const
    {
        const auto i = index.get<std::size_t>();
        if (i >= frame.payloads.size())
            throw std::out_of_range("a payload is missing");
        return frame.payloads[i];
    }
};

// JSON has no NaN and no infinities: they travel as strings.
Json number(double value);
double toNumber(const Json& json);
Json optionalNumber(const std::optional<double>& value);  // none is null
std::optional<double> toOptionalNumber(const Json& json);

Json range(const SourceRange& r);
SourceRange toRange(const Json& j);

Json diagnostic(const Diagnostic& d);
Diagnostic toDiagnostic(const Json& j);  // a code that this version does not know becomes an internal one

Json head(const ResultHead& h);
ResultHead toHead(const Json& j);

Json job(Writer& w, const Job& j);
Job toJob(const Reader& r, const Json& j);

Json inputs(Writer& w, const std::map<std::string, Input>& given);
std::map<std::string, Input> toInputs(const Reader& r, const Json& j);

Json code(Writer& w, const std::optional<driver::TargetCode>& c);  // none is null
std::optional<driver::TargetCode> toCode(const Reader& r, const Json& j);

Json launch(const LaunchInfo& l);
LaunchInfo toLaunch(const Json& j);

}  // namespace tw::protocol::parts
