#include "profiler/capture/capture.h"

#include "core/support/check.h"

namespace tw::capture {

const char* originText(Origin origin)
{
    switch (origin) {
    case Origin::kMeasured: return "measured";
    case Origin::kSimulated: return "simulated";
    case Origin::kModelled: return "modelled";
    }
    TW_UNREACHABLE("numbers are of three origins");
}

const Metric* findMetric(const Capture& capture, const std::string& name, int launch)
{
    const Metric* ofOnlyLaunch = nullptr;
    for (const Metric& metric : capture.metrics) {
        if (metric.name != name)
            continue;
        if (metric.launch == launch)
            return &metric;
        if (launch == -1 && capture.launches.size() == 1 && !ofOnlyLaunch)
            ofOnlyLaunch = &metric;
    }
    return ofOnlyLaunch;
}

}  // namespace tw::capture
