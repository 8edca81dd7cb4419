#include "profiler/device/cuda_stalls.h"

#include <algorithm>
#include <cstdlib>
#include <sstream>

#include "codegen/nvrtc/places.h"

namespace tw::device {
namespace {

// Samples of one line or operation.
struct Pile {
    double total = 0;
    std::map<std::string, double> reasons;
    std::uint32_t op = 0;
    SourceRange where;

    void add(const cupti::PcSample& sample)
    {
        for (const auto& [reason, count] : sample.reasons) {
            reasons[reason] += static_cast<double>(count);
            total += static_cast<double>(count);
        }
    }
    // Shares of what the warps waited for; issuing is no wait.
    [[nodiscard]] std::map<std::string, double> stalls() const
    {
        std::map<std::string, double> out;
        for (const auto& [reason, count] : reasons)
            if (reason != "selected" && count > 0)
                out[reason] = count / total;
        return out;
    }
};

// The offset of a line like "        /*0a30*/                   HGMMA … ;".
std::optional<std::uint64_t> offsetOf(const std::string& line)
{
    const std::size_t open = line.find("/*");
    if (open == std::string::npos || line.find_first_not_of(" \t") != open)
        return std::nullopt;
    char* end = nullptr;
    const std::uint64_t offset = std::strtoull(line.c_str() + open + 2, &end, 16);
    if (end == line.c_str() + open + 2 || end[0] != '*' || end[1] != '/')
        return std::nullopt;
    return offset;
}

std::vector<capture::LineCost> linesOf(const char* text, const std::map<int, Pile>& piles, double total)
{
    std::vector<capture::LineCost> out;
    for (const auto& [line, pile] : piles)
        out.push_back({text, line, pile.op, pile.total / total, pile.stalls(), capture::Origin::kMeasured});
    return out;
}

int lineIn(const SourceSet& sources, const SourceRange& range)
{
    return range.file < sources.size() ? sources.file(range.file).lineColumn(range.begin).line : 0;
}

}  // namespace

InstructionPlaces placesInSass(const std::string& text, const std::vector<gpu::LineSource>& lines)
{
    InstructionPlaces places;
    std::string entry;
    std::istringstream in(text);
    auto next = lines.begin();
    int number = 0;
    for (std::string line; std::getline(in, line);) {
        ++number;
        while (next != lines.end() && next->line < number)
            ++next;
        // A kernel's code begins at the label of its section.
        if (line.starts_with(".text.") && line.ends_with(":")) {
            entry = line.substr(6, line.size() - 7);
            continue;
        }
        const auto offset = offsetOf(line);
        if (entry.empty() || !offset)
            continue;
        InstructionPlace place;
        place.sassLine = number;
        if (next != lines.end() && next->line == number) {
            place.source = next->source;
            place.op = next->op;
        }
        places[{entry, *offset}] = place;
    }
    return places;
}

void addPlacesInCubin(const cupti::Library& library, const std::string& cubin, const std::vector<std::pair<std::string, std::uint64_t>>& instructions,
                      const gpu::GpuProgram& program, const SourceSet& sources, InstructionPlaces& places)
{
    const nvrtc::PlaceFinder finder(program, &sources);
    for (const auto& [entry, offset] : instructions) {
        if (places.contains({entry, offset}))
            continue;
        const cupti::SourceLine line = cupti::lineOf(library, cubin, entry, offset);
        if (line.line < 1)
            continue;
        const gpu::LineSource found = finder.find(line.file, line.line);
        places[{entry, offset}] = {found.source, found.op, 0};
    }
}

StallAttribution attribute(const std::vector<cupti::PcSample>& samples, const InstructionPlaces& places, const SourceSet& sources)
{
    StallAttribution out;
    std::map<std::uint32_t, Pile> operations;
    std::map<int, Pile> sourceLines, sassLines;
    double total = 0;
    for (const cupti::PcSample& sample : samples) {
        const double count = static_cast<double>(sample.total());
        total += count;
        const auto found = places.find({sample.entry, sample.offset});
        if (found == places.end())
            continue;
        const InstructionPlace& place = found->second;
        const auto add = [&](Pile& pile) {
            pile.add(sample);
            pile.op = place.op;
            pile.where = place.source;
        };
        if (place.sassLine > 0)
            add(sassLines[place.sassLine]);
        if (!place.source.isKnown())
            continue;
        out.placed += count;
        if (place.op != 0)
            add(operations[place.op]);
        if (place.source.file == 0)
            add(sourceLines[lineIn(sources, place.source)]);
    }
    if (total <= 0)
        return out;
    out.placed /= total;
    for (const auto& [id, pile] : operations) {
        capture::Operation op;
        op.id = id;
        op.where = pile.where;
        op.line = lineIn(sources, pile.where);
        op.timeShare = pile.total / total;
        op.samples = pile.total;
        op.stalls = pile.stalls();
        out.operations.push_back(std::move(op));
    }
    std::stable_sort(out.operations.begin(), out.operations.end(), [](const auto& a, const auto& b) { return a.timeShare > b.timeShare; });
    out.lines = linesOf("source", sourceLines, total);
    const auto sass = linesOf("sass", sassLines, total);
    out.lines.insert(out.lines.end(), sass.begin(), sass.end());
    return out;
}

double chargeCounts(const std::vector<cupti::CountedInstruction>& instructions, const InstructionPlaces& places, const SourceSet& sources,
                    std::vector<capture::Operation>& operations, std::vector<capture::LineCost>& lines)
{
    std::map<std::uint32_t, std::size_t> operationAt;
    std::map<std::pair<std::string, int>, std::size_t> lineAt;
    for (std::size_t i = 0; i < operations.size(); ++i)
        operationAt[operations[i].id] = i;
    for (std::size_t i = 0; i < lines.size(); ++i)
        lineAt[{lines[i].text, lines[i].line}] = i;
    const auto add = [](const std::map<std::string, double>& counts, std::map<std::string, double>& sum) {
        for (const auto& [name, count] : counts)
            sum[name] += count;
    };
    const auto addToLine = [&](const char* text, int line, std::uint32_t op, const std::map<std::string, double>& counts) {
        const auto [at, isNew] = lineAt.try_emplace({text, line}, lines.size());
        if (isNew)
            lines.push_back({text, line, op, 0, {}, capture::Origin::kMeasured, {}});
        add(counts, lines[at->second].counts);
    };
    double executed = 0, placed = 0;
    for (const cupti::CountedInstruction& instruction : instructions) {
        const auto found = instruction.counts.find(capture::count::kExecuted);
        const double times = found == instruction.counts.end() ? 0 : found->second;
        executed += times;
        const auto at = places.find({instruction.entry, instruction.offset});
        if (at == places.end())
            continue;
        const InstructionPlace& place = at->second;
        if (place.sassLine > 0)
            addToLine("sass", place.sassLine, place.op, instruction.counts);
        if (!place.source.isKnown())
            continue;
        placed += times;
        if (place.source.file == 0)
            addToLine("source", lineIn(sources, place.source), place.op, instruction.counts);
        if (place.op == 0)
            continue;
        const auto [known, isNew] = operationAt.try_emplace(place.op, operations.size());
        if (isNew) {
            capture::Operation& op = operations.emplace_back();
            op.id = place.op;
            op.where = place.source;
            op.line = lineIn(sources, place.source);
        }
        add(instruction.counts, operations[known->second].counts);
    }
    return executed > 0 ? placed / executed : 0;
}

}  // namespace tw::device
