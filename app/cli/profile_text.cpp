#include "app/cli/profile_text.h"

#include <algorithm>

#include <fmt/core.h>

#include "profiler/report/quantity.h"

namespace tw::cli {
namespace {

using capture::Capture;
using capture::Metric;

constexpr std::size_t kMostOperations = 12;

std::string origin(const Metric& m)
{
    std::string out = originText(m.origin);
    if (m.samples > 1)
        out += fmt::format(", {} samples ± {:.1f} %", m.samples, 100 * m.spread);
    return out;
}

std::string table(const Capture& c)
{
    std::size_t width = 0;
    for (const Metric& m : c.metrics)
        width = std::max(width, m.name.size() + (m.launch >= 0 && c.launches.size() > 1 ? 2 + c.launches[static_cast<std::size_t>(m.launch)].entry.size() : 0));
    std::string out;
    for (const Metric& m : c.metrics) {
        // Where there is one launch its numbers are the call's.
        const bool isRepeated = m.launch >= 0 && c.launches.size() == 1 && std::any_of(c.metrics.begin(), c.metrics.end(), [&](const Metric& other) {
            return other.launch < 0 && other.name == m.name && other.origin == m.origin;
        });
        if (isRepeated)
            continue;
        const std::string name = m.launch >= 0 && c.launches.size() > 1 ? fmt::format("{}: {}", c.launches[static_cast<std::size_t>(m.launch)].entry, m.name) : m.name;
        out += fmt::format("  {:{}}  {:>12}  {}\n", name, width, report::quantity(m.value, m.unit), origin(m));
    }
    return out;
}

std::string operations(const Capture& c)
{
    if (c.operations.empty())
        return {};
    std::string out = fmt::format("\noperations by time ({}):\n", originText(c.operations.front().origin));
    std::size_t shown = 0;
    for (const capture::Operation& op : c.operations) {
        if (shown == kMostOperations || (op.timeShare < 0.0005 && shown > 0)) {
            out += fmt::format("  … and {} more\n", c.operations.size() - shown);
            break;
        }
        ++shown;
        out += fmt::format("  {:5.1f} %  line {:<4} {}", 100 * op.timeShare, op.line, op.name);
        for (const auto& [level, bytes] : op.bytes)
            if (bytes > 0)
                out += fmt::format("  {} {}", level, report::quantity(bytes, "bytes"));
        if (op.flops > 0)
            out += fmt::format("  {}", report::quantity(op.flops, "count") + " FLOP");
        const auto worst = std::max_element(op.stalls.begin(), op.stalls.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
        if (worst != op.stalls.end())
            out += fmt::format("  stalls: {:.0f} % {}", 100 * worst->second, worst->first);
        out += '\n';
    }
    return out;
}

// How many times more than the fewest; empty where there is nothing to say.
std::string excess(const std::map<std::string, double>& counts, const char* name, const char* ideal, const char* what)
{
    const auto got = counts.find(name), least = counts.find(ideal);
    if (got == counts.end() || got->second <= 0)
        return {};
    std::string out = fmt::format("  {} {}", report::quantity(got->second, "count"), what);
    if (least != counts.end() && least->second > 0)
        out += fmt::format(" ({:.2f}× the fewest)", got->second / least->second);
    return out;
}

// Source lines by warp instructions executed.
std::string instructions(const Capture& c)
{
    std::vector<const capture::LineCost*> lines;
    double all = 0;
    for (const capture::LineCost& line : c.lines)
        if (const auto executed = line.counts.find(capture::count::kExecuted); line.text == "source" && executed != line.counts.end()) {
            lines.push_back(&line);
            all += executed->second;
        }
    if (lines.empty() || all <= 0)
        return {};
    const auto executed = [](const capture::LineCost* line) { return line->counts.at(capture::count::kExecuted); };
    std::stable_sort(lines.begin(), lines.end(), [&](const auto* a, const auto* b) { return executed(a) > executed(b); });
    std::string out = fmt::format("\nwarp instructions by line (measured, {} with a line):\n", report::quantity(all, "count"));
    for (std::size_t i = 0; i < std::min(lines.size(), kMostOperations); ++i) {
        const auto& counts = lines[i]->counts;
        out += fmt::format("  {:5.1f} %  line {:<4} {}", 100 * executed(lines[i]) / all, lines[i]->line, report::quantity(executed(lines[i]), "count"));
        if (const auto threads = counts.find(capture::count::kThreads); threads != counts.end() && executed(lines[i]) > 0)
            out += fmt::format("  {:.1f} of 32 lanes", threads->second / executed(lines[i]));
        out += excess(counts, capture::count::kSectors, capture::count::kIdealSectors, "sectors");
        out += excess(counts, capture::count::kWavefronts, capture::count::kIdealWavefronts, "shared wavefronts");
        out += '\n';
    }
    return out;
}

// What this device reaches, where it was measured.
std::string ceilings(const Capture& c)
{
    std::string out;
    for (const capture::Ceiling& ceiling : c.roofline.ceilings)
        if (ceiling.origin == capture::Origin::kMeasured)
            out += fmt::format("  {:20}  {:>12}  measured, {} samples ± {:.1f} %\n", ceiling.name,
                               ceiling.isBandwidth ? report::quantity(ceiling.perSecond, "bytes/s") : report::quantity(ceiling.perSecond, "count") + " FLOP/s",
                               ceiling.samples, 100 * ceiling.spread);
    return out.empty() ? out : "\nceilings of this device:\n" + out;
}

std::string findings(const Capture& c)
{
    if (c.findings.empty())
        return {};
    std::string out = "\nfindings:\n";
    for (const capture::Finding& f : c.findings) {
        out += fmt::format("  {}line {}: {} [{}, {}]\n", f.gain > 1.005 ? fmt::format("{:.2f}× ", f.gain) : "", f.line, f.reason, f.code, originText(f.origin));
        if (f.edit.isPossible())
            out += fmt::format("        change: {} (modelled {:.2f}×)\n", f.edit.label, f.edit.modelledGain);
    }
    return out;
}

// The same quantity from the device and from the model, side by side.
std::string comparison(const Capture& c)
{
    std::string out;
    for (const Metric& measured : c.metrics) {
        if (measured.origin != capture::Origin::kMeasured)
            continue;
        for (const Metric& other : c.metrics)
            if (other.origin == capture::Origin::kModelled && other.name == measured.name && other.launch == measured.launch && measured.value != 0)
                out += fmt::format("  {:24}  {:>12} measured  {:>12} modelled  {:5.2f} of it\n", measured.name, report::quantity(measured.value, measured.unit),
                                   report::quantity(other.value, other.unit), other.value / measured.value);
    }
    return out.empty() ? out : "\nmodel against measurement:\n" + out;
}

}  // namespace

std::string profileText(const Capture& c)
{
    std::string out = fmt::format("{}@{} for {} on {}{}\n", c.kernel, c.instance, c.target, c.environment.device,
                                  c.environment.gpu.empty() ? "" : fmt::format(" ({})", c.environment.gpu));
    for (const capture::Launch& l : c.launches) {
        std::string grid, block;
        for (const std::int64_t n : l.grid)
            grid += fmt::format("{}{}", grid.empty() ? "" : "×", n);
        for (std::size_t i = 0; i < l.block.size(); ++i)
            if (i == 0 || l.block[i] > 1)
                block += fmt::format("{}{}", i == 0 ? "" : "×", l.block[i]);
        out += fmt::format("  {}: {} blocks of {} threads, {} B shared", l.entry, grid, block, l.staticSharedBytes + l.dynamicSharedBytes);
        if (l.registers > 0)
            out += fmt::format(", {} registers", l.registers);
        if (l.blocksPerSm > 0)
            out += fmt::format(", {} a multiprocessor ({:.0f} % of its warps, limited by {})", l.blocksPerSm, 100 * l.occupancy, l.limiter);
        out += '\n';
    }
    out += '\n' + table(c) + comparison(c) + operations(c) + instructions(c) + ceilings(c) + findings(c);
    if (!c.absences.empty())
        out += "\nnot here:\n";
    for (const auto& [part, why] : c.absences)
        out += fmt::format("  {}: {}\n", part, why);
    return out;
}

}  // namespace tw::cli
