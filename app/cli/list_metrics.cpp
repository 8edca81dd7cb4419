// What --metrics may name on a device.
#include <fmt/core.h>

#include "app/cli/runner.h"
#include "app/cli/verbs.h"

namespace tw::cli {
namespace {

std::string metricsText(const protocol::MetricsResult& result)
{
    std::size_t ours = 0, width = 0;
    for (const protocol::MetricInfo& m : result.metrics) {
        ours += m.sets.empty() ? 0 : 1;
        width = std::max(width, std::min<std::size_t>(m.name.size(), 60));
    }
    std::string out = fmt::format("{}, {}: {} of our metrics, {} counters of the chip{}\n", result.chip, result.library, ours, result.found,
                                  result.metrics.size() - ours < static_cast<std::size_t>(result.found) ? fmt::format(", the first {} of them", result.metrics.size() - ours) : "");
    for (const protocol::MetricInfo& m : result.metrics) {
        out += fmt::format("  {:{}}  {:10}  {}", m.name, width, m.unit, m.passes > 0 ? fmt::format("{} pass{}", m.passes, m.passes == 1 ? "" : "es") : "");
        if (!m.sets.empty())
            out += fmt::format("  [{}]", m.sets);
        out += fmt::format("  {}{}\n", m.meaning, m.counter.empty() ? "" : fmt::format(" ({})", m.counter));
    }
    return out;
}

}  // namespace

int runListMetrics(const Options& options, Report& report, std::stop_token stop)
{
    const RunnerChoice runner = chooseRunner(options.device);
    protocol::MetricsRequest request;
    request.device = runner.device;
    request.words = options.metricWords;
    request.target = options.target.value_or("");
    const protocol::MetricsResult result = runner.client->metrics(request, stop);
    report.addAll(result.head.diagnostics);
    report.json()["device"] = options.device;
    if (result.chip.empty())
        return result.head.outcome == protocol::Outcome::kFine ? static_cast<int>(kCannot) : static_cast<int>(result.head.outcome);
    report.json()["chip"] = result.chip;
    report.json()["library"] = result.library;
    report.json()["found"] = result.found;
    report.json()["metrics"] = Json::array();
    for (const protocol::MetricInfo& m : result.metrics) {
        Json metric = {{"name", m.name}, {"unit", m.unit}, {"meaning", m.meaning}};
        metric["passes"] = m.passes > 0 ? Json(m.passes) : Json(nullptr);
        if (!m.sets.empty()) {
            metric["sets"] = m.sets;
            metric["counter"] = m.counter;
        }
        report.json()["metrics"].push_back(std::move(metric));
    }
    report.text() = metricsText(result);
    return kFine;
}

}  // namespace tw::cli
