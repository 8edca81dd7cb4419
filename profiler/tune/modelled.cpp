#include "profiler/tune/modelled.h"

#include "profiler/analysis/modelled_capture.h"
#include "profiler/device/workload.h"

namespace tw::tune {

using driver::StageWanted;

Modelled modelled(const protocol::Job& job, std::shared_ptr<const driver::CompileSnapshot> survey, std::stop_token stop)
{
    constexpr std::int64_t kChosenExtent = 1024;
    driver::CompileRequest request = device::compileRequest(job, (StageWanted::kTrace | StageWanted::kCheck) | static_cast<unsigned>(StageWanted::kPasses) |
                                                                     static_cast<unsigned>(StageWanted::kTargetText));
    request.previous = std::move(survey);
    device::Workload workload;
    const auto ready = device::prepareWorkload(request, {}, kChosenExtent, workload, std::move(stop));
    Modelled out{workload.snapshot, std::nullopt, workload.snapshot ? workload.snapshot->diagnostics : std::vector<Diagnostic>()};
    if (!ready) {
        if (!ready.error().diagnostic.message.empty())
            out.diagnostics.push_back(ready.error().diagnostic);
        return out;
    }
    out.capture = profile_analysis::modelledCapture(*workload.snapshot, workload.extents.values);
    return out;
}

std::optional<double> modelledUs(const capture::Capture& capture)
{
    for (const capture::Metric& m : capture.metrics)
        if (m.name == capture::metric::kDuration && m.launch < 0 && m.origin == capture::Origin::kModelled)
            return m.value;
    const capture::Metric* only = capture::findMetric(capture, capture::metric::kDuration);
    return only ? std::optional(only->value) : std::nullopt;
}

}  // namespace tw::tune
