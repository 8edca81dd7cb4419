#include "core/passes/layout_reasons.h"

#include <algorithm>

#include <fmt/format.h>

namespace tw::passes {

namespace {

std::string lineOf(const ir::Provenance& where, const SourceSet& sources)
{
    if (!where.range.isKnown() || where.range.file >= sources.size())
        return {};
    return fmt::format("line {}", sources.file(where.range.file).lineColumn(where.range.begin).line);
}

}  // namespace

std::string reasonText(const LayoutReason& reason, const SourceSet& sources)
{
    const auto chosen = std::ranges::find_if(reason.candidates, [](const LayoutCandidate& c) { return c.chosen; });
    std::string text = reason.buffer;
    if (chosen != reason.candidates.end())
        text += ": " + chosen->layout;
    if (reason.registers > 0)
        text += fmt::format(" ({} registers a thread)", reason.registers);
    const std::string line = lineOf(reason.demandedBy, sources);
    text += fmt::format("\n  why: {}{}\n", reason.why, line.empty() ? "" : ", " + line);
    if (reason.candidates.size() < 2)
        return text;
    text += fmt::format("  candidates, with their cost in {} (modelled):\n", reason.unit);
    for (const LayoutCandidate& c : reason.candidates) {
        const std::string at = lineOf(c.where, sources);
        text += fmt::format("  {} {:>8}  {}", c.chosen ? '*' : ' ', c.cost, c.layout);
        if (!c.wantedBy.empty())
            text += fmt::format("  ({}{})", c.wantedBy, at.empty() ? "" : ", " + at);
        text += '\n';
    }
    return text;
}

}  // namespace tw::passes
