#include "app/gui/views/memory_view.h"

#include <QComboBox>

#include "app/gui/models/row_model.h"
#include "app/gui/session/selection.h"
#include "app/gui/session/workbench.h"
#include "app/gui/views/twin_panel.h"
#include "app/gui/widgets/cell_grid.h"
#include "app/gui/widgets/span_chart.h"
#include "app/gui/widgets/theme.h"

namespace tw::gui {
namespace {

constexpr QSizeF kExportSize{960, 480};

QString bytesText(std::int64_t bytes) { return QStringLiteral("%L1 B").arg(bytes); }

}  // namespace

MemoryView::MemoryView(ViewContext context, QWidget* parent)
    : View(QStringLiteral("memory"), tr("Shared memory"), QStringLiteral("memory"), context, parent),
      rows_(new RowModel({tr("Buffer"), tr("From byte"), tr("Bytes"), tr("First line"), tr("Last line")}, {1, 2, 3, 4}, this))
{
    connect(&context.workbench, &Workbench::snapshotChanged, this, [this] { invalidate(); });
}

void MemoryView::makeContent()
{
    chart_ = new SpanChart(frame());
    panel_ = new TwinPanel(chart_, rows_, [this] { return picture(); }, frame());
    launch_ = new QComboBox(panel_);
    launch_->setAccessibleName(tr("Launch"));
    panel_->addTool(launch_);
    panel_->addButton(QStringLiteral("fit"), tr("Show all (0)"), [this] { chart_->fit(); });
    panel_->setStretchedColumn(0);
    setContent(panel_);
    setFocusProxy(chart_);
    connect(launch_, &QComboBox::currentIndexChanged, this, [this] { showLaunch(); });
    connect(chart_, &SpanChart::hovered, this, &MemoryView::pointAt);
    connect(chart_, &SpanChart::currentChanged, this, [this](int entry) {
        pointAt(entry);
        if (const auto* m = map(); m && entry >= 0) {
            const auto& where = m->entries[static_cast<std::size_t>(entry)].where;
            context_.selection.select({where.range, where.op}, this);
        }
    });
    connect(chart_, &SpanChart::stepHovered, this, [this](int step) {
        const auto* m = map();
        const bool known = m && step >= 0 && static_cast<std::size_t>(step) < m->steps.size();
        context_.selection.hover(known ? Place{m->steps[static_cast<std::size_t>(step)].where.range, 0} : Place{}, this);
    });
    connect(panel_, &TwinPanel::rowActivated, this, [this](int row) {
        if (row >= 0)
            context_.selection.reveal({rows_->row(row).range, 0});
    });
    connect(&context_.selection, &Selection::changed, this, &MemoryView::mark);
    connect(&context_.selection, &Selection::hoverChanged, this, &MemoryView::mark);
}

const MemoryMap* MemoryView::map() const
{
    const auto index = static_cast<std::size_t>(std::max(0, launch_->currentIndex()));
    return index < maps_.size() ? &maps_[index] : nullptr;
}

void MemoryView::refresh()
{
    const auto shown = context_.workbench.shown();
    if (!shown)
        return showEmpty(tr("No memory map yet"), tr("Who lives where in shared memory appears here as soon as the kernel compiles."));
    if (!shown->target.isCuda())
        return showEmpty(tr("No shared memory on this target"),
                         tr("The target is %1. Choose a CUDA target, such as sm_90a, in the Kernels view.")
                             .arg(QString::fromStdString(shown->target.name)));
    snapshot_ = shown;
    maps_ = collectMemory(*shown);
    if (std::all_of(maps_.begin(), maps_.end(), [](const MemoryMap& m) { return m.entries.empty(); }))
        return showEmpty(tr("No shared memory"), tr("No launch of this kernel keeps anything in shared memory, or an error keeps it from being planned."));
    {
        const QSignalBlocker blocker(launch_);
        const int keep = std::max(0, launch_->currentIndex());
        launch_->clear();
        for (std::size_t i = 0; i < maps_.size(); ++i)
            launch_->addItem(tr("launch %1").arg(i + 1));
        launch_->setCurrentIndex(std::min(keep, launch_->count() - 1));
        launch_->setVisible(launch_->count() > 1);
    }
    showLaunch();
    showContent();
}

void MemoryView::showLaunch()
{
    const auto* m = map();
    if (!m)
        return;
    SpanChartData drawn;
    std::vector<TableRow> rows;
    const auto lineText = [&](int step) { return QString::number(m->steps[static_cast<std::size_t>(step)].line); };
    for (std::size_t i = 0; i < m->entries.size(); ++i) {
        const auto& e = m->entries[i];
        drawn.spans.push_back({e.buffer, bytesText(e.bytes), e.first, e.last, static_cast<double>(e.offset),
                              static_cast<double>(e.offset + e.bytes), categoryColor(static_cast<int>(i), theme().isDark())});
        TableRow row;
        row.cells = {e.buffer, QString::number(e.offset), QString::number(e.bytes), lineText(e.first), lineText(e.last)};
        row.range = e.where.range;
        rows.push_back(std::move(row));
    }
    for (std::size_t step = 0; step < m->steps.size(); ++step)
        drawn.steps << lineText(static_cast<int>(step));
    drawn.stepTitle = tr("line of the source, in the order of execution");
    drawn.largest = static_cast<double>(m->size);
    chart_->setData(std::move(drawn));
    rows_->setRows(std::move(rows));
    pointAt(chart_->current());
    mark();
}

void MemoryView::pointAt(int entry)
{
    const auto* m = map();
    if (!m)
        return;
    if (entry < 0)
        entry = chart_->current();
    if (entry < 0)
        return panel_->setCaption(tr("%L1 of %L2 bytes a block; buffers that never live together share bytes")
                                     .arg(m->size)
                                     .arg(snapshot_->target.sharedBytesPerBlock));
    const auto& e = m->entries[static_cast<std::size_t>(entry)];
    panel_->setCaption(tr("%1: %L2 bytes from byte %L3, lines %4 to %5")
                          .arg(e.buffer)
                          .arg(e.bytes)
                          .arg(e.offset)
                          .arg(m->steps[static_cast<std::size_t>(e.first)].line)
                          .arg(m->steps[static_cast<std::size_t>(e.last)].line));
}

// The steps of the selected line.
void MemoryView::mark()
{
    const auto* m = map();
    const Place& place = context_.selection.marked();
    if (!m || !snapshot_)
        return;
    std::vector<int> steps;
    if (place.range.isKnown() && place.range.file == 0) {
        const int line = snapshot_->source->lineColumn(place.range.begin).line;
        for (std::size_t i = 0; i < m->steps.size(); ++i)
            if (m->steps[i].line == line)
                steps.push_back(static_cast<int>(i));
    }
    chart_->setMarkedSteps(std::move(steps));
}

Picture MemoryView::picture() const
{
    return {QStringLiteral("shared-memory"), kExportSize, [this](QPainter& painter) { chart_->paintAll(painter, kExportSize); }};
}

}  // namespace tw::gui
