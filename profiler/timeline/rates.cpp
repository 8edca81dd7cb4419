#include "profiler/timeline/rates.h"

namespace tw::timeline {

double Rates::flopsOf(ir::DType type, bool isWarps) const
{
    const double rate = target::tensorPerClock(hardware, type.family() == ir::Family::kTFloat ? 32 : type.bits(), type.isInteger());
    return rate == 0 ? 2 * lanes : rate * (isWarps ? hardware.mmaShare : 1);
}

Rates cycleRates(const target::Target& target)
{
    Rates out;
    const target::Rates* known = target::ratesOf(target);
    if (!known)
        return out;
    out.hardware = *known;
    out.clockMHz = known->clockMHz;
    out.globalBytes = known->l2BytesPerClock;
    out.globalLatency = known->l2Ns * known->clockMHz / 1000;
    out.sharedBytes = known->sharedBytesPerClock;
    out.lanes = known->fmaPerClock;
    out.special = known->specialPerClock;
    return out;
}

}  // namespace tw::timeline
