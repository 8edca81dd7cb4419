#include "app/gui/models/access_rows.h"

#include <QCoreApplication>

#include "core/analysis/warp_access.h"
#include "core/ir/ops.h"
#include "core/ir/visit.h"

namespace tw::gui {
namespace {

QString accessText(const char* text) { return QCoreApplication::translate("tw::gui::AccessRows", text); }

QString lineText(const driver::CompileSnapshot& snapshot, const ir::Provenance& where)
{
    return where.range.isKnown() && where.range.file == 0 ? QString::number(snapshot.source->lineColumn(where.range.begin).line)
                                                           : QStringLiteral("–");
}

QString verdict(const analysis::WarpAccess& a)
{
    if (!a.unknown.empty())
        return accessText("not known: %1").arg(QString::fromStdString(a.unknown));
    if (a.shared && a.isGood())
        return accessText("no bank conflict");
    if (a.shared)
        return accessText("%1-way bank conflict").arg(a.banks.ways(), 0, 'g', 3);
    if (a.isGood())
        return accessText("coalesced");
    return accessText("%1 % of the moved bytes used").arg(100.0 * static_cast<double>(a.idealSectors) / static_cast<double>(a.sectors), 0, 'f', 0);
}

QString cause(const analysis::WarpAccess& a)
{
    if (!a.unknown.empty())
        return accessText("Run the kernel on the simulator to count it.");
    if (a.shared)
        return a.isGood() ? accessText("A warp is served in %1 passes over the banks, the least for its bytes.").arg(a.banks.passes)
                          : accessText("A warp needs %1 passes over the banks where %2 would do: lanes want different words of one bank.")
                                .arg(a.banks.passes)
                                .arg(a.banks.best);
    return a.isGood() ? accessText("A warp touches %1 sectors of 32 bytes, the least for its bytes.").arg(a.sectors)
                      : accessText("A warp touches %1 sectors of 32 bytes where %2 would do: neighbouring lanes are not neighbours in memory, or "
                           "the first is not aligned.")
                            .arg(a.sectors)
                            .arg(a.idealSectors);
}

// What a counted access costs beyond the least: passes over the banks, or sectors.
std::int64_t excessOf(const sim::SiteCost& s) { return s.shared ? s.wavefronts - s.idealWavefronts : s.sectors - s.idealSectors; }

QString simulatedVerdict(const sim::SiteCost& s)
{
    if (s.shared)
        return s.hasConflicts() ? accessText("up to %1-way bank conflict").arg(s.ways) : accessText("no bank conflict");
    return excessOf(s) == 0 ? accessText("coalesced") : accessText("%1 % of the moved bytes used").arg(100.0 * s.efficiency(), 0, 'f', 0);
}

QString simulatedCause(const sim::SiteCost& s)
{
    if (s.shared)
        return accessText("In the whole run %1 requests of warps took %2 passes over the banks; %3 is the least.")
            .arg(s.requests)
            .arg(s.wavefronts)
            .arg(s.idealWavefronts);
    return accessText("In the whole run %1 requests of warps touched %2 sectors of 32 bytes; %3 is the least.")
        .arg(s.requests)
        .arg(s.sectors)
        .arg(s.idealSectors);
}

QString syncName(ir::OpId op)
{
    switch (op) {
    case ir::OpId::kSyncThreads: return accessText("barrier of the block");
    case ir::OpId::kSyncWarp: return accessText("barrier of the warp");
    case ir::OpId::kFenceProxyAsync: return accessText("proxy fence");
    default: return QString::fromUtf8(ir::info(op).name.data(), static_cast<qsizetype>(ir::info(op).name.size()));
    }
}

bool isSync(ir::OpId op)
{
    return op == ir::OpId::kSyncThreads || op == ir::OpId::kSyncWarp || op == ir::OpId::kFenceProxyAsync;
}

// Synchronisation of the final code, in program order.
class Syncs final : public ir::Visitor {
public:
    std::vector<const ir::OpStmt*> found;
    using ir::Visitor::visit;
    void visit(const ir::Stmt& s) override
    {
        if (const auto* op = ir::as<ir::OpStmt>(s); op && isSync(op->call.op))
            found.push_back(op);
        ir::Visitor::visit(s);
    }
};

// What a barrier that no hazard asked for is there for: the author wrote it, or it belongs to a pipelined loop.
QString otherPurpose(const driver::CompileSnapshot& snapshot, const ir::OpStmt& s)
{
    const auto& range = s.where.range;
    const std::string_view text = snapshot.source->text();
    const bool known = range.isKnown() && range.file == 0 && range.end <= text.size();
    if (known && text.substr(range.begin, range.end - range.begin).find("sync") != std::string_view::npos)
        return accessText("written by the author");
    return accessText("pipeline: the copies of this step are complete for all threads, and all have read the slot that is filled next");
}

QString hazardName(const passes::SyncReason& r)
{
    if (r.earlierWrites)
        return r.laterWrites ? accessText("write after write") : accessText("read after write");
    return accessText("write after read");
}

TableRow reasonRow(const driver::CompileSnapshot& snapshot, const passes::SyncReason& r, const Theme& theme)
{
    const QString first = lineText(snapshot, r.earlier), second = lineText(snapshot, r.later);
    const QString buffer = QString::fromStdString(r.buffer);
    const bool isFence = r.inserted == ir::OpId::kFenceProxyAsync;
    TableRow row;
    row.cells = {syncName(r.inserted), lineText(snapshot, r.at),
                 isFence ? accessText("%1: what line %2 writes is handed to an engine in line %3").arg(buffer, first, second)
                         : accessText("%1: %2, line %3 then line %4%5")
                               .arg(buffer, hazardName(r), first, second, r.certain ? QString() : accessText(" (cannot be excluded)"))};
    row.range = r.at.range;
    row.op = r.at.op;
    row.toolTip = row.cells.back();
    row.iconName = isFence ? QStringLiteral("write") : QStringLiteral("verify");
    row.iconColor = theme.color(r.certain ? "info" : "muted");
    return row;
}

TableRow otherRow(const driver::CompileSnapshot& snapshot, const ir::OpStmt& s, const Theme& theme)
{
    TableRow row;
    row.cells = {syncName(s.call.op), lineText(snapshot, s.where), otherPurpose(snapshot, s)};
    row.range = s.where.range;
    row.op = s.where.op;
    row.toolTip = row.cells.back();
    row.iconName = QStringLiteral("verify");
    row.iconColor = theme.color("muted");
    return row;
}

}  // namespace

QStringList accessHeaders() { return {accessText("Access"), accessText("Line"), accessText("Bytes"), accessText("Verdict"), accessText("Basis")}; }

std::vector<TableRow> accessRows(const driver::CompileSnapshot& snapshot, const Theme& theme)
{
    if (snapshot.passes.empty() || !snapshot.passes.back().after)
        return {};
    auto accesses = analysis::warpAccesses(*snapshot.passes.back().after);
    const auto rank = [](const analysis::WarpAccess& a) { return a.isGood() ? 2 : a.unknown.empty() ? 0 : 1; };
    std::stable_sort(accesses.begin(), accesses.end(), [&](const auto& a, const auto& b) { return rank(a) < rank(b); });
    std::vector<TableRow> rows;
    for (const auto& a : accesses) {
        TableRow row;
        row.cells = {QStringLiteral("%1 %2").arg(QString::fromStdString(a.instruction), QString::fromStdString(a.buffer)),
                     lineText(snapshot, a.where), QString::number(a.bytes), verdict(a), accessText("modelled")};
        row.range = a.where.range;
        row.op = a.where.op;
        row.toolTip = cause(a);
        row.iconName = rank(a) == 2 ? QStringLiteral("good") : rank(a) == 0 ? QStringLiteral("warning") : QStringLiteral("note");
        row.iconColor = theme.color(rank(a) == 2 ? "good" : rank(a) == 0 ? "warning" : "muted");
        rows.push_back(std::move(row));
    }
    return rows;
}

std::vector<TableRow> simulatedAccessRows(const driver::CompileSnapshot& snapshot, const sim::Report& simulation, const Theme& theme)
{
    std::vector<const sim::SiteCost*> sites;
    for (const sim::SiteCost& s : simulation.sites)
        if (s.wavefronts + s.sectors > 0)  // what engines move has no lanes
            sites.push_back(&s);
    std::stable_sort(sites.begin(), sites.end(), [](const auto* a, const auto* b) { return excessOf(*a) > excessOf(*b); });
    std::vector<TableRow> rows;
    for (const sim::SiteCost* s : sites) {
        const bool isGood = excessOf(*s) == 0;
        TableRow row;
        row.cells = {(s->writes ? accessText("writes %1") : accessText("reads %1")).arg(QString::fromStdString(s->buffer)),
                     lineText(snapshot, {s->where, s->op}), QString::number(s->bytes), simulatedVerdict(*s), accessText("simulated")};
        row.range = s->where;
        row.op = s->op;
        row.toolTip = simulatedCause(*s);
        row.iconName = isGood ? QStringLiteral("good") : QStringLiteral("warning");
        row.iconColor = theme.color(isGood ? "good" : "warning");
        rows.push_back(std::move(row));
    }
    return rows;
}

QStringList syncHeaders() { return {accessText("Barrier or fence"), accessText("Line"), accessText("Hazard that it closes")}; }

std::vector<TableRow> syncRows(const driver::CompileSnapshot& snapshot, const Theme& theme)
{
    std::vector<TableRow> rows;
    if (snapshot.passes.empty() || !snapshot.passes.back().after)
        return rows;
    Syncs syncs;
    static_cast<ir::Visitor&>(syncs).visit(snapshot.passes.back().after->body);
    auto reasons = snapshot.syncReasons;
    for (const ir::OpStmt* s : syncs.found) {
        const auto reason = std::find_if(reasons.begin(), reasons.end(), [&](const passes::SyncReason& r) {
            return r.inserted == s->call.op && r.at.range == s->where.range;
        });
        rows.push_back(reason == reasons.end() ? otherRow(snapshot, *s, theme) : reasonRow(snapshot, *reason, theme));
        if (reason != reasons.end())
            reasons.erase(reason);
    }
    return rows;
}

}  // namespace tw::gui
