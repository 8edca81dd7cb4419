#include "profiler/capture/json.h"

#include <fmt/core.h>
#include <nlohmann/json.hpp>

using Json = nlohmann::json;

// The fields of each struct stand here once; the names are those of the structs.
namespace tw {
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(SourceRange, file, begin, end)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(FixIt, range, replacement)
namespace gpu {
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(LineSource, line, source, op)
}  // namespace gpu
namespace driver {
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(TargetCode, format, text, lines)
}  // namespace driver
namespace capture {
NLOHMANN_JSON_SERIALIZE_ENUM(Origin, {{Origin::kModelled, "modelled"}, {Origin::kSimulated, "simulated"}, {Origin::kMeasured, "measured"}})
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(Metric, name, value, unit, launch, origin, samples, spread)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(Operation, id, name, where, line, origin, timeShare, samples, bytes, stalls, flops, counts)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(LineCost, text, line, op, share, stalls, origin, counts)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(Series, name, unit, launch, origin, timeNs, values)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(Track, role, launch, block, sm, warp)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(Span, track, event, op, iteration, stage, startNs, endNs)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(Timeline, origin, tracks, spans, clockMHz, recordCostNs, plainUs, recordedUs, dropped)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(Ceiling, name, perSecond, isBandwidth, origin, samples, spread)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(RooflinePoint, name, flops, bytes, seconds, bandwidth, compute, origin)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(Roofline, ceilings, points)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(Edit, label, changes, modelledGain)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(Finding, code, value, unit, reason, where, line, op, gain, origin, edit)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(Environment, device, gpu, driver, cuda, cupti, host, system, smClockMHz, memoryClockMHz,
                                                temperatureC, powerW, throttling, coldL2)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(Launch, entry, grid, block, cluster, staticSharedBytes, dynamicSharedBytes, registers,
                                                blocksPerSm, occupancy, limiter, spillBytes, bound)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(SourceFile, name, text)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(Capture, tilewright, created, files, kernel, instance, target, params, dims, seed, repeat,
                                                environment, launches, cuda, sass, tileIr, threadIr, schedule, samplesUs, metrics, operations,
                                                lines, series, timelines, roofline, findings, absences, notes, tags)
}  // namespace capture
}  // namespace tw

namespace tw::capture {
namespace {

// The library writes a number that is not finite as null, which then must not make the whole document unreadable.
void dropNulls(Json& json)
{
    if (json.is_object()) {
        for (auto it = json.begin(); it != json.end();)
            if (it->is_null())
                it = json.erase(it);
            else
                dropNulls(*it++);
    } else if (json.is_array()) {
        for (Json& element : json)
            if (element.is_null())
                element = 0;
            else
                dropNulls(element);
    }
}

// Everything that a view indexes with.
std::string inconsistency(const Capture& capture)
{
    for (const Timeline& timeline : capture.timelines)
        for (const Span& span : timeline.spans)
            if (span.track < 0 || static_cast<std::size_t>(span.track) >= timeline.tracks.size())
                return "a span of a timeline names a track that is not there";
    for (const Series& series : capture.series)
        if (series.timeNs.size() != series.values.size())
            return fmt::format("the series {} has {} times for {} values", series.name, series.timeNs.size(), series.values.size());
    if (capture.files.empty())
        return "it holds no source file";
    return {};
}

// The parser recurses: a hostile file must not decide how deep.
bool isDeep(std::string_view text)
{
    constexpr int kDeepest = 64;
    int depth = 0;
    bool inString = false;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if (inString) {
            if (c == '\\')
                ++i;
            else if (c == '"')
                inString = false;
        } else if (c == '"') {
            inString = true;
        } else if (c == '[' || c == '{') {
            if (++depth > kDeepest)
                return true;
        } else if (c == ']' || c == '}') {
            --depth;
        }
    }
    return false;
}

}  // namespace

std::string toJson(const Capture& capture)
{
    Json json = capture;
    json["format"] = kFormat;
    return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

tl::expected<Capture, std::string> fromJson(std::string_view text)
{
    const auto refuse = [](const std::string& why) { return tl::unexpected("this is not a capture of Tilewright: " + why); };
    if (isDeep(text))
        return refuse("it nests too deep");
    try {
        Json json = Json::parse(text);
        if (!json.is_object() || !json.contains("format"))
            return refuse("it has no format number");
        if (const int format = json.at("format").get<int>(); format > kFormat)
            return tl::unexpected(fmt::format("this capture has format {}, and this program reads formats up to {}: a newer Tilewright wrote it", format, kFormat));
        dropNulls(json);
        auto capture = json.get<Capture>();
        if (const std::string why = inconsistency(capture); !why.empty())
            return refuse(why);
        return capture;
    } catch (const Json::exception& problem) {
        return refuse(problem.what());
    }
}

}  // namespace tw::capture
