#include "profiler/analysis/attribute.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <tuple>

namespace tw::profile_analysis {
namespace {

using Place = std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>;  // operation, file, first byte

Place placeOf(const gpu::LineSource& e) { return {e.op, e.source.file, e.source.begin}; }

// Lines of CUDA text that came from each place.
std::map<Place, int> cudaLinesOf(const capture::Capture& capture)
{
    std::map<Place, int> lines;
    for (const gpu::LineSource& e : capture.cuda.lines)
        ++lines[placeOf(e)];
    return lines;
}

capture::LineCost& lineCost(capture::Capture& capture, const char* text, int line, std::uint32_t op)
{
    const auto found = std::find_if(capture.lines.begin(), capture.lines.end(), [&](const auto& l) { return l.line == line && l.text == text; });
    if (found != capture.lines.end())
        return *found;
    capture.lines.push_back({text, line, op, 0, {}, capture::Origin::kMeasured, {}});
    return capture.lines.back();
}

struct Heat {
    double share = 0;
    std::map<std::string, double> stalls;  // times share
    capture::Origin origin{};
};

}  // namespace

void completeOperations(const std::vector<capture::Operation>& counted, std::vector<capture::Operation>& sampled)
{
    for (const capture::Operation& c : counted) {
        const auto found = std::find_if(sampled.begin(), sampled.end(), [&](const capture::Operation& op) { return c.id != 0 && op.id == c.id; });
        if (found == sampled.end()) {
            sampled.push_back(c);
            sampled.back().timeShare = 0;
            continue;
        }
        found->name = c.name;
        found->bytes = c.bytes;
        found->flops = c.flops;
        if (!found->where.isKnown()) {
            found->where = c.where;
            found->line = c.line;
        }
    }
}

void takeCounts(const std::vector<capture::Operation>& counted, const std::vector<capture::LineCost>& lines, capture::Capture& capture)
{
    for (const capture::Operation& c : counted) {
        const auto found = std::find_if(capture.operations.begin(), capture.operations.end(), [&](const auto& op) { return op.id == c.id; });
        if (found == capture.operations.end())
            capture.operations.push_back(c);
        else
            found->counts = c.counts;
    }
    for (const capture::LineCost& line : lines)
        if (line.text == "source")
            lineCost(capture, "source", line.line, line.op).counts = line.counts;
        else
            capture.lines.push_back(line);
}

void spreadCounts(capture::Capture& capture)
{
    std::map<int, Place> places;
    for (const gpu::LineSource& e : capture.sass.lines)
        places[e.line] = placeOf(e);
    std::map<Place, std::map<std::string, double>> sums;
    for (const capture::LineCost& cost : capture.lines)
        if (const auto place = cost.text == "sass" ? places.find(cost.line) : places.end(); place != places.end())
            for (const auto& [name, value] : cost.counts)
                sums[place->second][name] += value;
    const std::map<Place, int> lines = cudaLinesOf(capture);
    for (const gpu::LineSource& e : capture.cuda.lines)
        if (const auto sum = sums.find(placeOf(e)); sum != sums.end() && !sum->second.empty()) {
            capture::LineCost& cost = lineCost(capture, "cuda", e.line, e.op);
            for (const auto& [name, value] : sum->second)
                cost.counts[name] += value / lines.at(placeOf(e));
        }
}

namespace {

// By place, from the instructions; where none was sampled, by operation.
std::map<Place, Heat> heatsByPlace(const capture::Capture& capture)
{
    std::map<int, Place> places;
    for (const gpu::LineSource& e : capture.sass.lines)
        places[e.line] = placeOf(e);
    std::map<Place, Heat> heats;
    for (const capture::LineCost& cost : capture.lines) {
        const auto place = cost.text == "sass" ? places.find(cost.line) : places.end();
        if (place == places.end() || cost.share <= 0)
            continue;
        Heat& heat = heats[place->second];
        heat.share += cost.share;
        heat.origin = cost.origin;
        for (const auto& [reason, share] : cost.stalls)
            heat.stalls[reason] += share * cost.share;
    }
    return heats;
}

}  // namespace

std::vector<capture::LineCost> spreadCosts(const capture::Capture& capture, const std::string& text, const std::vector<gpu::LineSource>& lines)
{
    std::map<Place, Heat> heats = heatsByPlace(capture);
    const bool isSampled = !heats.empty();
    const auto keyOf = [&](const gpu::LineSource& e) { return isSampled ? placeOf(e) : Place{e.op, 0, 0}; };
    if (!isSampled)
        for (const capture::Operation& op : capture.operations)
            if (op.id != 0)
                heats[{op.id, 0, 0}] = {op.timeShare, {}, op.origin};
    std::map<Place, int> counts;
    for (const gpu::LineSource& e : lines)
        ++counts[keyOf(e)];
    std::vector<capture::LineCost> costs;
    for (const gpu::LineSource& e : lines) {
        const auto heat = heats.find(keyOf(e));
        if (heat == heats.end() || heat->second.share <= 0)
            continue;
        capture::LineCost cost{text, e.line, e.op, heat->second.share / counts[keyOf(e)], {}, heat->second.origin, {}};
        for (const auto& [reason, share] : heat->second.stalls)
            cost.stalls[reason] = share / heat->second.share;
        costs.push_back(std::move(cost));
    }
    return costs;
}

void spreadToCuda(capture::Capture& capture)
{
    const bool isThere = std::any_of(capture.lines.begin(), capture.lines.end(), [](const auto& l) { return l.text == "cuda"; });
    if (isThere || capture.cuda.lines.empty() || capture.sass.lines.empty())
        return;
    auto costs = spreadCosts(capture, "cuda", capture.cuda.lines);
    capture.lines.insert(capture.lines.end(), std::make_move_iterator(costs.begin()), std::make_move_iterator(costs.end()));
}

}  // namespace tw::profile_analysis
