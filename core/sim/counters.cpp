#include "core/sim/counters.h"

#include <algorithm>
#include <array>

namespace tw::sim {

using interp::Engine;
using interp::Touch;

int passesOf(std::span<const std::int64_t> at, int width)
{
    // Few lanes, few words: sorted distinct words, then a count for each bank.
    std::array<std::int64_t, 128> words{};
    std::size_t n = 0;
    const int perAccess = std::max(1, width / 4);
    for (const std::int64_t byte : at)
        for (int k = 0; k < perAccess && n < words.size(); ++k)
            words[n++] = byte / 4 + k;
    std::sort(words.begin(), words.begin() + static_cast<std::ptrdiff_t>(n));
    std::array<int, 32> banks{};
    int most = 0;
    for (std::size_t k = 0; k < n; ++k)
        if (k == 0 || words[k] != words[k - 1])
            most = std::max(most, ++banks[static_cast<std::size_t>(words[k] % 32)]);
    return most;
}

std::int64_t sectorsOf(std::span<const std::int64_t> at, int width)
{
    std::vector<std::int64_t> sectors;
    for (const std::int64_t byte : at)
        for (std::int64_t s = byte / 32; s <= (byte + width - 1) / 32; ++s)
            sectors.push_back(s);
    std::sort(sectors.begin(), sectors.end());
    return std::unique(sectors.begin(), sectors.end()) - sectors.begin();
}

void Counters::launchBegins(const interp::LaunchShape& shape)
{
    seen_.clear();
    for (const interp::StorageShape& s : shape.global)
        seen_.emplace_back(static_cast<std::size_t>(s.bytes / 32 + 1), std::uint8_t{0});
}

Counters::Whole Counters::add(const Touch& touch)
{
    if (touch.steps <= 1) {
        count(touch, touch.width, touch.at);
        return {touch.width, touch.at};
    }
    std::vector<std::int64_t>& first = firstSteps_[touch.act.site];
    if (touch.step == 0)
        first = touch.at;
    if (touch.step + 1 < touch.steps)
        return {};
    const std::int64_t moved = first.size() == touch.at.size() && !first.empty() ? touch.at[0] - first[0] : -1;
    const int width = moved == std::int64_t{touch.width} * (touch.steps - 1) ? touch.width * touch.steps : touch.width;
    whole_ = first.size() == touch.at.size() ? first : touch.at;
    count(touch, width, whole_);
    return {width, whole_};
}

void Counters::count(const Touch& touch, int width, std::span<const std::int64_t> at)
{
    const bool reads = touch.kind == Touch::Kind::kRead;
    SiteCost& site = sites_[{touch.act.site, (touch.shared ? 2 : 0) + (reads ? 0 : 1)}];
    if (site.requests == 0) {
        site.where = touch.act.where->range;
        site.op = touch.act.where->op;
        site.buffer = touch.buffer->name;
        site.shared = touch.shared;
        site.writes = !reads;
    }
    const auto bytes = static_cast<std::int64_t>(at.size()) * width;
    site.bytes += bytes;
    (touch.shared ? (reads ? traffic_.sharedRead : traffic_.sharedWritten) : (reads ? traffic_.globalRead : traffic_.globalWritten)) += bytes;
    if (!touch.shared)
        countUnique(touch, width, at);
    if (touch.engine != Engine::kThread && touch.engine != Engine::kCpAsync) {
        ++site.requests;
        return;
    }
    const int together = width <= 4 ? 32 : width <= 8 ? 16 : 8;  // lanes, by their numbers, also where some stay away
    for (std::size_t first = 0; first < at.size();) {
        std::size_t end = first + 1;
        while (end < at.size() && touch.act.threads[end] / 32 == touch.act.threads[first] / 32)
            ++end;
        ++site.requests;
        const std::span<const std::int64_t> warp = at.subspan(first, end - first);
        if (touch.shared) {
            for (std::size_t k = 0, next = 0; k < warp.size(); k = next) {
                while (next < warp.size() && touch.act.threads[first + next] % 32 / together == touch.act.threads[first + k] % 32 / together)
                    ++next;
                const int passes = passesOf(warp.subspan(k, next - k), width);
                site.wavefronts += passes;
                ++site.idealWavefronts;
                site.ways = std::max(site.ways, passes);
            }
        } else {
            const std::int64_t sectors = sectorsOf(warp, width);
            std::vector<std::int64_t> distinct(warp.begin(), warp.end());
            std::sort(distinct.begin(), distinct.end());
            const auto n = std::unique(distinct.begin(), distinct.end()) - distinct.begin();
            site.sectors += sectors;
            site.idealSectors += std::min<std::int64_t>(sectors, (n * width + 31) / 32);
            (reads ? traffic_.sectorsRead : traffic_.sectorsWritten) += 32 * sectors;
        }
        first = end;
    }
}

// The least that memory has to move.
void Counters::countUnique(const Touch& touch, int width, std::span<const std::int64_t> at)
{
    std::vector<std::uint8_t>& seen = seen_[static_cast<std::size_t>(touch.storage)];
    const std::uint8_t bit = touch.kind == Touch::Kind::kRead ? 1 : 2;
    std::int64_t& total = bit == 1 ? traffic_.uniqueRead : traffic_.uniqueWritten;
    for (const std::int64_t byte : at)
        for (std::int64_t s = byte / 32; s <= (byte + width - 1) / 32; ++s) {
            std::uint8_t& mark = seen[static_cast<std::size_t>(s)];
            total += (mark & bit) != 0 ? 0 : 32;
            mark |= bit;
        }
}

void Counters::branches(const interp::Act& act, const std::vector<std::uint8_t>& taken)
{
    BranchCost& branch = branches_[act.site];
    branch.where = act.where->range;
    for (std::size_t first = 0; first < taken.size();) {
        std::size_t end = first + 1;
        bool differs = false;
        while (end < taken.size() && act.threads[end] / 32 == act.threads[first] / 32)
            differs |= taken[end++] != taken[first];
        ++branch.warps;
        branch.divergent += differs;
        first = end;
    }
}

void Counters::report(Report& out) const
{
    for (const auto& [key, site] : sites_)
        out.sites.push_back(site);
    for (const auto& [site, branch] : branches_)
        out.branches.push_back(branch);
    out.traffic = traffic_;
}

}  // namespace tw::sim
