#include "app/gui/models/metric_text.h"

#include <QLocale>
#include <QObject>

#include <cmath>

namespace tw::gui {
namespace {

struct Known {
    const char* name;
    const char* title;
    Better better;
    const char* help;
};
constexpr Known kKnown[] = {
    {capture::metric::kDuration, "Duration", Better::kLower, "Time of the kernel, the median of the samples"},
    {capture::metric::kTensorPipe, "Tensor pipe", Better::kHigher, "Cycles in which the tensor cores worked"},
    {capture::metric::kDramRead, "DRAM read", Better::kLower, "Bytes that global memory sent"},
    {capture::metric::kDramWrite, "DRAM written", Better::kLower, "Bytes that global memory took"},
    {capture::metric::kDramBandwidth, "DRAM bandwidth", Better::kHigher, "Traffic of global memory against its peak"},
    {capture::metric::kL2Bandwidth, "L2 bandwidth", Better::kHigher, "Traffic of the L2 cache against its peak"},
    {capture::metric::kIssueSlots, "Issue slots", Better::kHigher, "Cycles in which a scheduler issued an instruction"},
    {capture::metric::kOccupancy, "Occupancy", Better::kNeither, "Resident warps against the most that fit"},
    {capture::metric::kRegisters, "Registers a thread", Better::kNeither, "As the compiler of the target assigned them"},
    {capture::metric::kSharedConflicts, "Bank conflicts", Better::kLower, "Passes over shared memory that conflicts added"},
    {capture::metric::kL2Read, "L2 read", Better::kLower, "Bytes that the L2 cache sent to the multiprocessors"},
    {capture::metric::kL2Write, "L2 written", Better::kLower, "Bytes that the multiprocessors sent to the L2 cache"},
    {capture::metric::kSharedRead, "Shared read", Better::kLower, "Bytes read from shared memory"},
    {capture::metric::kSharedWrite, "Shared written", Better::kLower, "Bytes written to shared memory"},
    {capture::metric::kFlops, "Operations", Better::kNeither, "Floating-point operations; a fused multiply-add counts two"},
    {capture::metric::kMinBytes, "Least DRAM bytes", Better::kNeither, "Each input read once, each output written once"},
    {"l2_hit_pct", "L2 hits", Better::kHigher, "Requests that the L2 cache answered by itself"},
    {"dram_read_pct", "DRAM read", Better::kNeither, "Reads of global memory against its peak"},
    {"dram_write_pct", "DRAM written", Better::kNeither, "Writes to global memory against its peak"},
    {"shared_pct", "Shared memory", Better::kNeither, "Work of the shared-memory pipe against its peak"},
    {"shared_bandwidth_pct", "Shared bandwidth", Better::kNeither, "Passes over shared memory, of one a cycle"},
    {"shared_wavefronts", "Shared wavefronts", Better::kLower, "Passes over the banks of shared memory"},
    {"global_sectors", "Global sectors", Better::kLower, "Sectors of 32 bytes that accesses to global memory touch"},
    {"sector_efficiency_pct", "Sector efficiency", Better::kHigher, "Bytes asked for against the bytes of the sectors touched"},
    {"divergent_branches_pct", "Divergent branches", Better::kLower, "Branches on which the threads of a warp part"},
    {"waves", "Waves", Better::kNeither, "Blocks against what the GPU holds at once"},
    {"threads", "Threads a block", Better::kNeither, "Of the launch"},
    {"shared_bytes", "Shared memory a block", Better::kNeither, "Static and dynamic together"},
    {"spill_bytes", "Spilled bytes a thread", Better::kLower, "Registers that went to memory"},
    {"blocks_per_sm", "Blocks a multiprocessor", Better::kNeither, "That fit beside each other"},
    {"resident_warps_pct", "Resident warps", Better::kNeither, "Against the most that fit"},
    {"grid", "Grid", Better::kNeither, "Blocks of the launch"},
    {"cluster", "Cluster", Better::kNeither, "Blocks of a cluster"},
    {"limiter", "Limited by", Better::kNeither, "What keeps more blocks from fitting"},
};

const Known* find(const std::string& name)
{
    for (const auto& known : kKnown)
        if (name == known.name)
            return &known;
    return nullptr;
}

struct Step {
    double from;
    const char* unit;
};

// Three to four figures in the largest unit that leaves at least one before the point.
template <std::size_t N>
QString scaled(double value, const Step (&steps)[N])
{
    const double size = std::abs(value);
    const Step* best = &steps[N - 1];
    for (const auto& step : steps)
        if (size >= step.from * 0.9995) {
            best = &step;
            break;
        }
    const double shown = value / best->from;
    const int decimals = std::abs(shown) >= 99.95 ? 0 : std::abs(shown) >= 9.995 ? 1 : 2;
    return QStringLiteral("%1 %2").arg(shown, 0, 'f', best->from == 1 && shown == std::round(shown) ? 0 : decimals)
        .arg(QString::fromUtf8(best->unit));
}

constexpr Step kBytes[] = {{1e12, "TB"}, {1e9, "GB"}, {1e6, "MB"}, {1e3, "kB"}, {1, "B"}};
constexpr Step kBytesPerSecond[] = {{1e12, "TB/s"}, {1e9, "GB/s"}, {1e6, "MB/s"}, {1e3, "kB/s"}, {1, "B/s"}};
constexpr Step kFlops[] = {{1e12, "TFLOP"}, {1e9, "GFLOP"}, {1e6, "MFLOP"}, {1e3, "kFLOP"}, {1, "FLOP"}};
constexpr Step kFlopsPerSecond[] = {{1e12, "TFLOP/s"}, {1e9, "GFLOP/s"}, {1e6, "MFLOP/s"}, {1, "FLOP/s"}};
constexpr Step kNanoseconds[] = {{1e9, "s"}, {1e6, "ms"}, {1e3, "\u00b5s"}, {1, "ns"}};

}  // namespace

QString metricTitle(const std::string& name)
{
    const auto suffix = std::min(name.find(" #"), name.size());  // of a second launch
    const auto* known = find(name.substr(0, suffix));
    return known ? QObject::tr(known->title) + QString::fromStdString(name.substr(suffix)) : QString::fromStdString(name);
}

QString reasonText(const std::string& stall) { return QString::fromStdString(stall).replace(QLatin1Char('_'), QLatin1Char(' ')); }

Better betterOf(const std::string& name)
{
    const auto* known = find(name);
    return known ? known->better : Better::kNeither;
}

QString metricHelp(const std::string& name)
{
    const auto* known = find(name);
    return known ? QObject::tr(known->help) : QString();
}

QString timeText(double nanoseconds) { return scaled(nanoseconds, kNanoseconds); }

QString percentText(double share)
{
    return QStringLiteral("%1 %").arg(share * 100, 0, 'f', std::abs(share) >= 0.0995 || share == 0 ? 0 : 1);
}

QString valueText(double value, const std::string& unit)
{
    if (unit == "us")
        return timeText(value * 1e3);
    if (unit == "ns")
        return timeText(value);
    if (unit == "bytes")
        return scaled(value, kBytes);
    if (unit == "bytes/s")
        return scaled(value, kBytesPerSecond);
    if (unit == "flop" || unit == "flops" || unit == "FLOP")
        return scaled(value, kFlops);
    if (unit == "flop/s" || unit == "flops/s" || unit == "FLOP/s")
        return scaled(value, kFlopsPerSecond);
    if (unit == "%")
        return QStringLiteral("%1 %").arg(value, 0, 'f', 1);
    const bool whole = value == std::round(value) && std::abs(value) < 1e15;
    const QString number = whole ? QLocale(QLocale::English).toString(static_cast<qlonglong>(value)) : QString::number(value, 'g', 4);
    return unit.empty() || unit == "count" ? number : number + QLatin1Char(' ') + QString::fromStdString(unit);
}

QString originName(capture::Origin origin)
{
    switch (origin) {
    case capture::Origin::kMeasured: return QObject::tr("measured");
    case capture::Origin::kSimulated: return QObject::tr("simulated");
    default: return QObject::tr("modelled");
    }
}

QString spreadText(const capture::Metric& metric)
{
    if (metric.samples <= 1)
        return {};
    return QObject::tr("\u00b1 %1 %, %2 samples").arg(metric.spread * 100, 0, 'f', 1).arg(metric.samples);
}

QString deltaText(double value, double baseline, const std::string& unit)
{
    if (unit == "%" && std::abs(value - baseline) < 0.05)
        return QObject::tr("same");
    if (unit == "%")
        return QObject::tr("%1%2 points").arg(value >= baseline ? QStringLiteral("+") : QStringLiteral("\u2212")).arg(std::abs(value - baseline), 0, 'f', 1);
    if (baseline == 0)
        return value == 0 ? QObject::tr("same") : QString();
    const double change = (value / baseline - 1) * 100;
    if (std::abs(change) < 0.05)
        return QObject::tr("same");
    return QStringLiteral("%1%2 %").arg(change > 0 ? QStringLiteral("+") : QStringLiteral("\u2212")).arg(std::abs(change), 0, 'f', std::abs(change) < 9.95 ? 1 : 0);
}

int deltaSign(double value, double baseline, Better better)
{
    const double scale = std::max(std::abs(value), std::abs(baseline));
    if (better == Better::kNeither || scale == 0 || std::abs(value - baseline) < 0.005 * scale)
        return 0;
    return (value > baseline) == (better == Better::kHigher) ? 1 : -1;
}

}  // namespace tw::gui
