#include "profiler/device/gpu_measurement.h"

#include <cstdlib>

#include "profiler/device/cuda_ceilings.h"
#include "profiler/device/cuda_kernels.h"
#include "profiler/device/cuda_profile.h"

namespace tw::device {
namespace {

int gpuOrdinal(const std::string& device) { return std::atoi(device.c_str() + device.find(':') + 1); }

// What ran, in place of what was known before it ran.
void mergeLaunches(const std::vector<capture::Launch>& measured, std::vector<capture::Launch>& launches)
{
    launches.resize(std::max(launches.size(), measured.size()));
    for (std::size_t i = 0; i < measured.size(); ++i)
        if (!measured[i].grid.empty())
            launches[i] = measured[i];
}

void mergeEnvironment(const capture::Environment& measured, capture::Environment& environment)
{
    const std::string device = environment.device, host = environment.host;
    environment = measured;
    environment.device = device;
    environment.host = host;
}

}  // namespace

bool measureOnGpu(const protocol::ProfileRequest& request, Session& session, protocol::ResultHead& head, capture::Capture& capture,
                  GpuExtras& extras)
{
    const CudaProfileOptions options{request.metrics, request.stalls, request.overTime, request.coldL2, capture.repeat, request.instructions};
    interp::Arguments arguments = session.prepared().arguments;
    DiagnosticSink found;
    auto profile = profileOnCuda(gpuOrdinal(request.device), *session.workload().snapshot, arguments, options, session.compiler(), found,
                                 session.reporter("profile"), session.stop());
    extras.deviceIsLost = profile && profile->deviceIsLost;
    head.runnerEnds = profile && (profile->deviceIsLost || profile->isSpent);
    if (!profile || found.hasErrors())
        return session.failedRun(found);
    capture.samplesUs = std::move(profile->samplesUs);
    capture.metrics.insert(capture.metrics.begin(), profile->metrics.begin(), profile->metrics.end());
    capture.operations = std::move(profile->operations);
    capture.lines = std::move(profile->lines);
    capture.series = std::move(profile->series);
    if (!profile->sass.text.empty())
        capture.sass = std::move(profile->sass);
    capture.absences.erase("registers");  // the driver says them
    capture.absences.merge(profile->absences);
    mergeLaunches(profile->launches, capture.launches);
    mergeEnvironment(profile->environment, capture.environment);
    if (const auto context = openCudaContext(gpuOrdinal(request.device)); context && !extras.deviceIsLost)
        extras.ceilings = ceilingsOfGpu(*context, extras.products, session.compiler(), capture.absences);
    return true;
}

}  // namespace tw::device
