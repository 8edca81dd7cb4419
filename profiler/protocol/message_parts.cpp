#include "profiler/protocol/message_parts.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

namespace tw::protocol::parts {

// JSON has no NaN and no infinities: they travel as strings.
Json number(double value)
{
    if (std::isfinite(value))
        return value;
    return std::isnan(value) ? "nan" : value > 0 ? "inf" : "-inf";
}
double toNumber(const Json& json)
{
    if (!json.is_string())
        return json.get<double>();
    const auto& text = json.get_ref<const std::string&>();
    if (text == "nan")
        return std::numeric_limits<double>::quiet_NaN();
    return text == "inf" ? std::numeric_limits<double>::infinity() : -std::numeric_limits<double>::infinity();
}
Json optionalNumber(const std::optional<double>& value)
{
    return value ? number(*value) : Json();
}
std::optional<double> toOptionalNumber(const Json& json)
{
    return json.is_null() ? std::nullopt : std::optional(toNumber(json));
}

// ---- ranges and diagnostics ----

Json range(const SourceRange& r) { return {r.file, r.begin, r.end}; }
SourceRange toRange(const Json& j) { return {j.at(0).get<std::uint32_t>(), j.at(1).get<std::uint32_t>(), j.at(2).get<std::uint32_t>()}; }

Json diagnostic(const Diagnostic& d)
{
    Json notes = Json::array(), fixits = Json::array();
    for (const Note& n : d.notes)
        notes.push_back({range(n.range), n.message});
    for (const FixIt& f : d.fixits)
        fixits.push_back({range(f.range), f.replacement});
    return {{"code", codeText(d.code)}, {"severity", static_cast<int>(d.severity)}, {"range", range(d.range)}, {"message", d.message},
            {"notes", notes}, {"fixits", fixits}, {"kernel", d.kernel}};
}

namespace {

std::optional<Code> parseCode(const std::string& text)
{
    static constexpr Code kCodes[] = {
#define TW_CODE(name, text, summary) Code::name,
#include "core/support/diagnostic_codes.def"
#undef TW_CODE
    };
    for (const Code code : kCodes)
        if (codeText(code) == text)
            return code;
    return std::nullopt;
}

}  // namespace

Diagnostic toDiagnostic(const Json& j)
{
    Diagnostic d;
    d.code = parseCode(j.at("code").get<std::string>()).value_or(Code::kInternal);
    d.severity = static_cast<Severity>(std::clamp(j.at("severity").get<int>(), 0, 2));
    d.range = toRange(j.at("range"));
    d.message = j.at("message").get<std::string>();
    d.kernel = j.at("kernel").get<std::string>();
    for (const Json& n : j.at("notes"))
        d.notes.push_back({toRange(n.at(0)), n.at(1).get<std::string>()});
    for (const Json& f : j.at("fixits"))
        d.fixits.push_back({toRange(f.at(0)), f.at(1).get<std::string>()});
    return d;
}

Json head(const ResultHead& h)
{
    Json diagnostics = Json::array();
    for (const Diagnostic& d : h.diagnostics)
        diagnostics.push_back(diagnostic(d));
    return {{"outcome", static_cast<int>(h.outcome)}, {"cancelled", h.cancelled}, {"runnerEnds", h.runnerEnds}, {"kernel", h.kernel}, {"instance", h.instance},
            {"target", h.target}, {"device", h.device}, {"diagnostics", diagnostics}};
}
ResultHead toHead(const Json& j)
{
    ResultHead h;
    h.outcome = static_cast<Outcome>(std::clamp(j.at("outcome").get<int>(), 0, 4));
    h.cancelled = j.at("cancelled").get<bool>();
    h.runnerEnds = j.at("runnerEnds").get<bool>();
    h.kernel = j.at("kernel").get<std::string>();
    h.instance = j.at("instance").get<std::string>();
    h.target = j.at("target").get<std::string>();
    h.device = j.at("device").get<std::string>();
    for (const Json& d : j.at("diagnostics"))
        h.diagnostics.push_back(toDiagnostic(d));
    return h;
}

// ---- jobs and inputs ----
Json job(Writer& w, const Job& j)
{
    Json siblings = Json::object();
    for (const auto& [path, text] : j.siblings)
        siblings[path] = w.payload(text);
    Json out = {{"fileName", j.fileName}, {"text", w.payload(j.text)}, {"siblings", siblings}, {"kernel", j.kernel.kernel},
                {"instance", j.kernel.instance}, {"params", j.kernel.params}, {"dims", j.kernel.dims}};
    if (j.target)
        out["target"] = *j.target;
    return out;
}
Job toJob(const Reader& r, const Json& j)
{
    Job out;
    out.fileName = j.at("fileName").get<std::string>();
    out.text = r.payload(j.at("text"));
    for (const auto& [path, index] : j.at("siblings").items())
        out.siblings[path] = r.payload(index);
    out.kernel.kernel = j.at("kernel").get<std::string>();
    out.kernel.instance = j.at("instance").get<std::string>();
    out.kernel.params = j.at("params").get<staging::Bindings>();
    out.kernel.dims = j.at("dims").get<staging::Bindings>();
    if (j.contains("target"))
        out.target = j.at("target").get<std::string>();
    return out;
}

Json inputs(Writer& w, const std::map<std::string, Input>& given)
{
    Json out = Json::object();
    for (const auto& [name, input] : given)
        out[name] = input.npy.empty() ? Json{{"literal", input.literal}} : Json{{"npy", w.payload(input.npy)}};
    return out;
}
std::map<std::string, Input> toInputs(const Reader& r, const Json& j)
{
    std::map<std::string, Input> out;
    for (const auto& [name, input] : j.items())
        out[name] = input.contains("npy") ? Input{r.payload(input.at("npy")), {}} : Input{{}, input.at("literal").get<std::string>()};
    return out;
}

// ---- code and launches ----
Json code(Writer& w, const std::optional<driver::TargetCode>& c)
{
    if (!c)
        return {};
    Json lines = Json::array();
    for (const gpu::LineSource& l : c->lines)
        lines.push_back({l.line, l.source.file, l.source.begin, l.source.end, l.op});
    return {{"format", c->format}, {"text", w.payload(c->text)}, {"lines", lines}};
}
std::optional<driver::TargetCode> toCode(const Reader& r, const Json& j)
{
    if (j.is_null())
        return std::nullopt;
    driver::TargetCode c{j.at("format").get<std::string>(), r.payload(j.at("text")), {}};
    for (const Json& l : j.at("lines"))
        c.lines.push_back({l.at(0).get<int>(),
                           {l.at(1).get<std::uint32_t>(), l.at(2).get<std::uint32_t>(), l.at(3).get<std::uint32_t>()},
                           l.at(4).get<std::uint32_t>()});
    return c;
}

Json launch(const LaunchInfo& l)
{
    const auto number = [](const std::optional<std::int64_t>& n) { return n ? Json(*n) : Json(); };
    return {{"entry", l.entry}, {"grid", l.grid}, {"block", l.block}, {"cluster", l.cluster}, {"sharedBytes", l.sharedBytes},
            {"dynamicSharedBytes", l.dynamicSharedBytes}, {"registers", number(l.registers)}, {"spillStores", number(l.spillStores)},
            {"spillLoads", number(l.spillLoads)}, {"stackBytes", number(l.stackBytes)},
            {"blocksPerMultiprocessor", number(l.blocksPerMultiprocessor)}, {"occupancy", l.occupancy}, {"limiter", l.limiter}};
}
LaunchInfo toLaunch(const Json& j)
{
    const auto number = [&](const char* name) { return j.at(name).is_null() ? std::nullopt : std::optional(j.at(name).get<std::int64_t>()); };
    return {j.at("entry").get<std::string>(), j.at("grid").get<std::vector<std::string>>(), j.at("block").get<std::vector<std::int64_t>>(),
            j.at("cluster").get<std::vector<std::int64_t>>(), j.at("sharedBytes").get<std::int64_t>(), j.at("dynamicSharedBytes").get<std::int64_t>(),
            number("registers"), number("spillStores"), number("spillLoads"), number("stackBytes"), number("blocksPerMultiprocessor"),
            j.at("occupancy").get<double>(), j.at("limiter").get<std::string>()};
}

}  // namespace tw::protocol::parts
