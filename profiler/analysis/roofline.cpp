#include "profiler/analysis/roofline.h"

#include <algorithm>

#include <fmt/core.h>

#include "profiler/analysis/model.h"

namespace tw::profile_analysis {
namespace {

namespace metric = capture::metric;

// The type with the most product work; void where there is none.
ir::DType productType(const std::vector<OperationWork>& operations)
{
    ir::DType type = ir::kVoid;
    double most = 0;
    for (const OperationWork& op : operations)
        if (op.tensorFlops > most) {
            most = op.tensorFlops;
            type = op.tensorType;
        }
    return type;
}

double valueOr(const capture::Capture& c, const char* name, int launch, double otherwise)
{
    const capture::Metric* m = findMetric(c, name, launch);
    if (!m && c.launches.size() <= 1)
        m = findMetric(c, name, -1);
    return m ? m->value : otherwise;
}

}  // namespace

std::vector<ir::DType> productTypesOf(const Work& work)
{
    std::vector<ir::DType> out;
    for (const LaunchWork& l : work.launches)
        if (const ir::DType type = productType(l.operations); !type.isVoid() && std::find(out.begin(), out.end(), type) == out.end())
            out.push_back(type);
    return out;
}

std::string tensorCeiling(ir::DType type) { return fmt::format("tensor {}", type.name()); }

std::vector<capture::Ceiling> ceilingsOf(const target::Target& target, const Work& work, std::vector<capture::Ceiling> measured)
{
    std::vector<capture::Ceiling> out = std::move(measured);
    const target::Rates* r = target::ratesOf(target);
    if (!r)
        return out;
    const double clocks = r->clockMHz * 1e6 * target.multiprocessors;
    const auto add = [&](const std::string& name, double perSecond, bool isBandwidth) {
        const bool isKnown = std::any_of(out.begin(), out.end(), [&](const capture::Ceiling& c) { return c.name == name; });
        if (perSecond > 0 && !isKnown)
            out.push_back({name, perSecond, isBandwidth, capture::Origin::kModelled});
    };
    add("DRAM", r->dramBytesPerSecond * r->dramShare, true);
    add("L2", r->l2BytesPerClock * clocks, true);
    add("FP32", 2 * r->fmaPerClock * clocks, false);
    for (const ir::DType type : productTypesOf(work))
        add(tensorCeiling(type), tensorPerSecond(target, *r, type), false);
    return out;
}

capture::Roofline rooflineOf(const target::Target& target, const Work& work, const capture::Capture& capture,
                             std::vector<capture::Ceiling> measured)
{
    capture::Roofline roofline{ceilingsOf(target, work, std::move(measured)), {}};
    if (roofline.ceilings.empty())
        return roofline;
    for (std::size_t i = 0; i < work.launches.size(); ++i) {
        const auto launch = static_cast<int>(i);
        const capture::Metric* time = findMetric(capture, metric::kDuration, launch);
        if (work.launches.size() == 1 || !time)
            if (const capture::Metric* whole = work.launches.size() == 1 ? findMetric(capture, metric::kDuration, -1) : nullptr)
                time = whole;
        if (!time || time->value <= 0)
            continue;
        double flops = 0;
        for (const OperationWork& op : work.launches[i].operations)
            flops += op.tensorFlops + op.flops;
        const ir::DType type = productType(work.launches[i].operations);
        const bool onTensor = std::any_of(roofline.ceilings.begin(), roofline.ceilings.end(), [&](const auto& c) { return c.name == tensorCeiling(type); });
        const std::string entry = i < capture.launches.size() ? capture.launches[i].entry : capture.kernel;
        for (const auto& [level, read, written] : {std::tuple{"DRAM", metric::kDramRead, metric::kDramWrite}, {"L2", metric::kL2Read, metric::kL2Write}}) {
            const double bytes = valueOr(capture, read, launch, 0) + valueOr(capture, written, launch, 0);
            if (bytes > 0)
                roofline.points.push_back({fmt::format("{}, {}", entry, level), flops, bytes, time->value * 1e-6, level,
                                           onTensor ? tensorCeiling(type) : "FP32", time->origin});
        }
    }
    return roofline;
}

}  // namespace tw::profile_analysis
