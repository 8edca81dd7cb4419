#include "app/gui/views/timeline_view.h"

#include <QComboBox>

#include "app/gui/models/metric_text.h"
#include "app/gui/session/selection.h"
#include "app/gui/views/twin_panel.h"

namespace tw::gui {
namespace {
constexpr double kTimelineWidth = 1200;
}

TimelineView::TimelineView(ProfileSession& session, ViewContext context, QWidget* parent)
    : CaptureView(QStringLiteral("timeline"), tr("Timeline"), QStringLiteral("timeline"), tr("What each role of a block does when"), session, context, parent),
      rows_(new RowModel(spanHeaders(), {2, 3, 4, 5, 6, 7}, this))
{
    const auto mark = [this] {
        if (chart_)
            chart_->setMarkedKey(session_.isOfActiveText() ? context_.selection.marked().op : 0);
    };
    connect(&context.selection, &Selection::changed, this, mark);
    connect(&context.selection, &Selection::hoverChanged, this, mark);
}

TwinPanel* TimelineView::makePanel()
{
    chart_ = new StageChart(this);
    auto* panel = new TwinPanel(chart_, rows_, [this] {
        const QSizeF size(kTimelineWidth, chart_->heightOfAll());
        return Picture{QStringLiteral("timeline"), size, [this, size](QPainter& painter) { chart_->paintAll(painter, size); }};
    }, this);
    role_ = new QComboBox(panel);
    role_->setAccessibleName(tr("Role"));
    connect(role_, &QComboBox::currentIndexChanged, this, [this] {
        if (const auto capture = session_.shown())
            showCapture(*capture);
    });
    panel->addTool(role_);
    panel->setStretchedColumn(8);
    panel->addButton(QStringLiteral("fit"), tr("Show all (0)"), [this] { chart_->fit(); });
    connect(chart_, &StageChart::hovered, this, &TimelineView::point);
    connect(chart_, &StageChart::currentChanged, this, [this](int id) {
        point(id);
        if (const auto* s = span(id); s && s->op != 0 && !isBaseline(id) && session_.isOfActiveText())
            context_.selection.select({{}, s->op}, this);
    });
    connect(chart_, &StageChart::measuredChanged, this, &TimelineView::showMeasure);
    connect(chart_, &StageChart::activated, this, &TimelineView::go);
    connect(panel, &TwinPanel::rowActivated, this, &TimelineView::go);  // the rows stand in the order of the bars
    return panel;
}

QString TimelineView::missing(const capture::Capture& capture) const
{
    const bool none = std::all_of(capture.timelines.begin(), capture.timelines.end(), [](const auto& t) { return t.spans.empty(); });
    return none ? absence(capture, "timeline", tr("This profile recorded no stages. Profile with \u201ctimeline of the stages\u201d on.")) : QString();
}

std::string TimelineView::role() const { return role_->currentIndex() > 0 ? role_->currentText().toStdString() : std::string(); }

void TimelineView::fillRoles(const capture::Capture& capture)
{
    const QStringList roles = QStringList{tr("All roles")} + timelineRoles(capture);
    QStringList listed;
    for (int i = 0; i < role_->count(); ++i)
        listed << role_->itemText(i);
    if (listed == roles)
        return;
    const QSignalBlocker blocker(role_);
    role_->clear();
    role_->addItems(roles);
    role_->setVisible(roles.size() > 2);
}

void TimelineView::showCapture(const capture::Capture& capture)
{
    fillRoles(capture);
    lanes_ = stageLanes(capture, baseline(), role(), theme().isDark());
    chart_->setData(lanes_.chart);
    rows_->setRows(spanRows(capture, baseline(), lanes_));
    point(-1);
}

const capture::Span* TimelineView::span(int id) const
{
    const auto shown = session_.shown();
    if (!shown || id < 0 || static_cast<std::size_t>(id) >= lanes_.places.size())
        return nullptr;
    const auto& place = lanes_.places[static_cast<std::size_t>(id)];
    const auto* capture = place.isBaseline ? baseline() : shown.get();
    if (!capture)
        return nullptr;  // it was unpinned; the lanes follow
    return &capture->timelines[static_cast<std::size_t>(place.timeline)].spans[static_cast<std::size_t>(place.span)];
}

bool TimelineView::isBaseline(int id) const
{
    return id >= 0 && static_cast<std::size_t>(id) < lanes_.places.size() && lanes_.places[static_cast<std::size_t>(id)].isBaseline;
}

void TimelineView::point(int id)
{
    if (const auto* s = span(id)) {
        QString text = tr("%1, %2 from %3").arg(QString::fromStdString(s->event), timeText(s->endNs - s->startNs), timeText(s->startNs));
        if (s->iteration >= 0)
            text += tr(", iteration %1").arg(s->iteration);
        return setCaption(text);
    }
    const auto range = chart_->measured();
    if (range.second > range.first)
        return showMeasure(range.first, range.second);
    setCaption(tr("wheel or W S zoom, A D pan, drag measures, Enter goes to the source"));
}

void TimelineView::showMeasure(double startNs, double endNs)
{
    const auto capture = session_.shown();
    if (!capture || endNs <= startNs)
        return point(-1);
    const capture::Timeline* shown = bestTimeline(*capture);
    const capture::Timeline* before = baseline() ? bestTimeline(*baseline()) : nullptr;
    const auto sums = eventSums(*shown, role(), startNs, endNs);
    const auto old = before ? eventSums(*before, role(), startNs, endNs) : std::vector<EventSum>();
    const auto totalOf = [](const std::vector<EventSum>& all) {
        double total = 0;
        for (const auto& sum : all)
            total += sum.ns;
        return total;
    };
    const double all = totalOf(sums), allOld = totalOf(old);
    QStringList parts;
    for (const auto& sum : sums) {
        QString part = percentText(all > 0 ? sum.ns / all : 0);
        const auto found = std::find_if(old.begin(), old.end(), [&](const auto& o) { return o.event == sum.event; });
        if (allOld > 0)
            part += tr(", baseline %1").arg(percentText(found == old.end() ? 0 : found->ns / allOld));
        parts << tr("%1 %2 (%3)").arg(QString::fromStdString(sum.event), timeText(sum.ns), part);
    }
    setCaption(tr("%1 long, %2: %3").arg(timeText(endNs - startNs), originName(shown->origin), parts.join(QStringLiteral(", "))));
}

void TimelineView::go(int id)
{
    const auto capture = session_.shown();
    const auto* s = span(id);
    if (!s || !capture || isBaseline(id))
        return;
    for (const auto& op : capture->operations)
        if (op.id == s->op)
            return reveal(op.where, op.line, op.id);
}

}  // namespace tw::gui
