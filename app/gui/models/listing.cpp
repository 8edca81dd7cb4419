#include "app/gui/models/listing.h"

#include "profiler/compare/line_diff.h"

namespace tw::gui {

Listing makeListing(const ir::Printed& printed)
{
    Listing listing{printed.text, {}};
    listing.lines.reserve(printed.lines.size());
    for (const auto& line : printed.lines)
        listing.lines.push_back({line.source, line.op, ListingLine::Mark::kNone});
    return listing;
}

Listing makeListing(const driver::TargetCode& code)
{
    Listing listing{code.text, {}};
    if (!listing.text.empty() && listing.text.back() != '\n')
        listing.text += '\n';
    listing.lines.resize(compare::splitLines(listing.text).size());
    for (const auto& entry : code.lines) {
        const auto index = static_cast<std::size_t>(entry.line) - 1;
        if (entry.line > 0 && index < listing.lines.size())
            listing.lines[index] = {entry.source, entry.op, ListingLine::Mark::kNone};
    }
    return listing;
}

Listing makeDiff(const Listing& before, const Listing& after)
{
    const auto oldLines = compare::splitLines(before.text), newLines = compare::splitLines(after.text);
    Listing out;
    for (const auto& line : compare::diffLines(before.text, after.text)) {
        const bool removed = line.kind == compare::DiffLine::Kind::kRemoved;
        const auto index = static_cast<std::size_t>(removed ? line.before : line.after);
        out.text += removed ? oldLines[index] : newLines[index];
        out.text += '\n';
        const auto& from = removed ? before.lines : after.lines;
        ListingLine info = index < from.size() ? from[index] : ListingLine{};
        info.mark = removed                                  ? ListingLine::Mark::kRemoved
                    : line.kind == compare::DiffLine::Kind::kAdded ? ListingLine::Mark::kAdded
                                                           : ListingLine::Mark::kNone;
        out.lines.push_back(info);
    }
    return out;
}

std::vector<int> linkedLines(const Listing& listing, const SourceText& source, const SourceRange& range, std::uint32_t op)
{
    std::vector<int> found;
    int first = 0, last = -1;
    if (range.isKnown()) {
        first = source.lineColumn(range.begin).line;
        last = std::max(first, source.lineColumn(range.end > range.begin ? range.end - 1 : range.end).line);
    }
    for (std::size_t i = 0; i < listing.lines.size(); ++i) {
        const auto& from = listing.lines[i].source;
        const bool sameOp = op != 0 && listing.lines[i].op == op;
        if (!sameOp && (!from.isKnown() || from.file != range.file))
            continue;
        const int line = sameOp ? first : source.lineColumn(from.begin).line;
        if (sameOp || (line >= first && line <= last))
            found.push_back(static_cast<int>(i) + 1);
    }
    return found;
}

std::vector<int> sourceLines(const Listing& listing, const SourceText& source, int line)
{
    const auto index = static_cast<std::size_t>(line) - 1;
    if (line < 1 || index >= listing.lines.size() || !listing.lines[index].source.isKnown() || listing.lines[index].source.file != 0)
        return {};
    return {source.lineColumn(listing.lines[index].source.begin).line};
}

}  // namespace tw::gui
