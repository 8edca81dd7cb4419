#include "core/sim/findings.h"

#include <fmt/format.h>

namespace tw::sim {

namespace {

Code codeOf(FindingKind kind)
{
    switch (kind) {
    case FindingKind::kRace: case FindingKind::kInFlight: case FindingKind::kMissingFence: return Code::kRace;
    case FindingKind::kDivergentBarrier: return Code::kDivergentBarrier;
    case FindingKind::kMisaligned: return Code::kOutOfBounds;
    }
    return Code::kInternal;
}

std::string bytesOf(const Finding& f)
{
    return f.bytes == 1 ? fmt::format("byte {}", f.firstByte) : fmt::format("bytes {} to {}", f.firstByte, f.firstByte + f.bytes - 1);
}

std::string messageOf(const Finding& f)
{
    const Witness& a = f.earlier;
    const Witness& b = f.later;
    switch (f.kind) {
    case FindingKind::kRace:
        return fmt::format("race on {}: {} {} {} here, and nothing orders that with {}, which {} them", f.buffer, b.who, b.does, bytesOf(f),
                           a.who, a.does);
    case FindingKind::kInFlight:
        return fmt::format("{} {} {} of {} here while {} still {} them: a wait has to stand before", b.who, b.does, bytesOf(f), f.buffer,
                           a.who, a.does);
    case FindingKind::kMissingFence:
        return fmt::format("{} {} {} of {} here, which {} wrote in the ordinary way: a fence_proxy_async has to stand between", b.who, b.does,
                           bytesOf(f), f.buffer, a.who);
    case FindingKind::kDivergentBarrier:
        return fmt::format("{} comes to this barrier, but {} does not: all threads of a warp have to come together", b.who, a.who);
    case FindingKind::kMisaligned:
        return fmt::format("{} {} {} of {} in one access, which does not begin at a multiple of {}", b.who, b.does, bytesOf(f), f.buffer,
                           f.bytes);
    }
    return {};
}

}  // namespace

bool Findings::isKnown(FindingKind kind, int earlierSite, int laterSite)
{
    const auto found = index_.find({kind, earlierSite, laterSite});
    if (found == index_.end())
        return false;
    ++findings_[found->second].count;
    return true;
}

void Findings::add(FindingKind kind, int earlierSite, int laterSite, Finding finding)
{
    index_[{kind, earlierSite, laterSite}] = findings_.size();
    finding.kind = kind;
    findings_.push_back(std::move(finding));
}

void Findings::report(DiagnosticSink& sink, Report& out) const
{
    for (const Finding& f : findings_) {
        Diagnostic d;
        d.code = codeOf(f.kind);
        d.range = f.later.where;
        d.message = messageOf(f);
        if (f.earlier.where.isKnown())
            d.notes.push_back({f.earlier.where, fmt::format("{} {} here", f.earlier.who, f.earlier.does)});
        sink.report(std::move(d));
    }
    out.findings = findings_;
}

}  // namespace tw::sim
