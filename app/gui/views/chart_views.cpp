#include "app/gui/views/chart_views.h"

#include <QComboBox>
#include <QScrollArea>

#include "app/gui/models/history_rows.h"
#include "app/gui/models/metric_text.h"
#include "app/gui/views/twin_panel.h"

namespace tw::gui {
namespace {

constexpr std::size_t kMostRuns = 8;  // in one chart

// The parameters that another capture has otherwise; where there are none, when it was made.
QString difference(const capture::Capture& capture, const capture::Capture& shown)
{
    std::map<std::string, std::string> other;
    for (const auto& [name, value] : capture.params)
        if (const auto found = shown.params.find(name); found == shown.params.end() || found->second != value)
            other[name] = value;
    return other.empty() ? QString::fromStdString(capture.created).mid(11, 8) : paramsText(other);
}

// The shown capture, the baseline, then the other runs of this window of the same kernel.
std::vector<ChartedRun> chartedRuns(const ProfileSession& session, bool dark)
{
    std::vector<CapturePtr> captures{session.shown()};
    const auto add = [&](const CapturePtr& c) {
        const bool known = std::find(captures.begin(), captures.end(), c) != captures.end();
        if (c && !known && captures.size() < kMostRuns)
            captures.push_back(c);
    };
    add(session.baseline());
    for (const auto& c : session.recent())
        if (c->kernel == session.shown()->kernel)
            add(c);
    std::vector<ChartedRun> runs;
    for (std::size_t i = 0; i < captures.size(); ++i) {
        QString label = captureTitle(*captures[i]);
        if (captures[i] == session.baseline())
            label = CaptureView::tr("%1, the baseline").arg(label);
        else if (i > 0)
            label = CaptureView::tr("%1, %2").arg(label, difference(*captures[i], *captures[0]));
        runs.push_back({captures[i].get(), label, lineColor(static_cast<int>(i), dark)});
    }
    return runs;
}

template <class Chart>
std::function<Picture()> pictureOf(const QString& name, Chart*& chart)
{
    return [name, &chart] {
        const QSizeF size = chart->size();
        return Picture{name, size, [chart, size](QPainter& painter) { chart->paintAll(painter, size); }};
    };
}

}  // namespace

// ---- roofline ----

namespace {

// " (+2.0 points against the baseline)"; empty where there is nothing to compare with.
QString roofChange(const capture::Capture& capture, const capture::Capture* baseline)
{
    const auto shareOf = [](const capture::Capture& c) {
        if (c.roofline.points.empty())
            return 0.0;
        const auto& p = c.roofline.points.front();
        const double best = attainable(c.roofline, p);
        return best > 0 && p.seconds > 0 ? p.flops / p.seconds / best * 100 : 0;
    };
    if (!baseline || shareOf(*baseline) <= 0)
        return {};
    return CaptureView::tr(" (%1 against the baseline)").arg(deltaText(shareOf(capture), shareOf(*baseline), "%"));
}

}  // namespace

RooflineView::RooflineView(ProfileSession& session, ViewContext context, QWidget* parent)
    : CaptureView(QStringLiteral("roofline"), tr("Roofline"), QStringLiteral("roofline"), tr("How near the kernel is to what the device can do"), session,
                  context, parent),
      rows_(new RowModel(rooflineHeaders(), {2, 3, 4, 5}, this))
{
}

TwinPanel* RooflineView::makePanel()
{
    chart_ = new ChartPanel(this);
    auto* panel = new TwinPanel(chart_, rows_, pictureOf(QStringLiteral("roofline"), chart_), this);
    panel->addButton(QStringLiteral("fit"), tr("Show all (0)"), [this] { chart_->fit(); });
    panel->setStretchedColumn(0);
    return panel;
}

QString RooflineView::missing(const capture::Capture& capture) const
{
    const bool nothing = capture.roofline.ceilings.empty() && capture.roofline.points.empty();
    return nothing ? absence(capture, "roofline", tr("This profile counted neither operations nor bytes.")) : QString();
}

void RooflineView::showCapture(const capture::Capture& capture)
{
    const auto runs = chartedRuns(session_, theme().isDark());
    chart_->setData(rooflineChart(runs, theme().color("muted")));
    rows_->setRows(rooflineRows(runs));
    QString caption = tr("%1; solid ceilings are measured, dashed ones modelled").arg(captureTitle(capture));
    if (!capture.roofline.points.empty()) {
        const auto& p = capture.roofline.points.front();
        if (const double best = attainable(capture.roofline, p); best > 0 && p.seconds > 0) {
            caption = tr("%1 % of its roof%2; solid ceilings are measured, dashed ones modelled").arg(p.flops / p.seconds / best * 100, 0, 'f', 1).arg(roofChange(capture, baseline()));
        }
    }
    setCaption(caption);
}

// ---- stalls ----

StallView::StallView(ProfileSession& session, ViewContext context, QWidget* parent)
    : CaptureView(QStringLiteral("stalls"), tr("Stalls"), QStringLiteral("stalls"), tr("What the warps of each operation wait for"), session, context, parent),
      rows_(new RowModel(stallHeaders(), {1, 2, 4, 5}, this))
{
}

TwinPanel* StallView::makePanel()
{
    bars_ = new BarPanel(this);
    auto* panel = new TwinPanel(scrolled(*bars_, this), rows_, pictureOf(QStringLiteral("stalls"), bars_), this);
    panel->setStretchedColumn(0);
    connect(bars_, &BarPanel::barClicked, this, &StallView::goToBar);
    connect(panel, &TwinPanel::rowActivated, this, [this](int row) {
        if (row >= 0)
            reveal(rows_->row(row).range, rows_->row(row).cells[1].toInt(), rows_->row(row).op);
    });
    return panel;
}

QString StallView::missing(const capture::Capture& capture) const
{
    return stallOrder(capture, nullptr).empty()
               ? absence(capture, "stalls", tr("Stalls are sampled on a GPU. Profile on a CUDA device with \u201cstall reasons\u201d on.")) : QString();
}

void StallView::goToBar(int category)
{
    const auto capture = session_.shown();
    const auto order = capture ? stallOrder(*capture, baseline()) : std::vector<StallBar>();
    if (category >= 0 && static_cast<std::size_t>(category) < order.size()) {
        const auto& op = *order[static_cast<std::size_t>(category)].op;
        reveal(op.where, op.line, op.id);
    }
}

void StallView::showCapture(const capture::Capture& capture)
{
    bars_->setData(stallBars(capture, baseline(), theme().isDark()));
    rows_->setRows(stallRows(capture, baseline()));
    const auto order = stallOrder(capture, nullptr);
    setCaption(tr("%1, %2; behind each operation its share of the time; click one to go to its line")
                   .arg(captureTitle(capture), originName(order.front().op->origin)));
}

// ---- counters over time ----

CounterView::CounterView(ProfileSession& session, ViewContext context, QWidget* parent)
    : CaptureView(QStringLiteral("counters"), tr("Counters"), QStringLiteral("counters"), tr("How the counters go within the launch"), session, context, parent),
      rows_(new RowModel(seriesHeaders(), {1, 2}, this))
{
}

TwinPanel* CounterView::makePanel()
{
    chart_ = new ChartPanel(this);
    auto* panel = new TwinPanel(chart_, rows_, pictureOf(QStringLiteral("counters"), chart_), this);
    unit_ = new QComboBox(panel);
    unit_->setAccessibleName(tr("Unit"));
    connect(unit_, &QComboBox::currentIndexChanged, this, [this] {
        if (const auto capture = session_.shown())
            showCapture(*capture);
    });
    panel->addTool(unit_);
    panel->addButton(QStringLiteral("fit"), tr("Show all (0)"), [this] { chart_->fit(); });
    panel->setStretchedColumn(0);
    return panel;
}

QString CounterView::missing(const capture::Capture& capture) const
{
    return capture.series.empty() ? absence(capture, "series", tr("Counters over time are sampled on a GPU. Profile on a CUDA device with \u201ccounters over time\u201d on."))
                                  : QString();
}

void CounterView::showCapture(const capture::Capture& capture)
{
    const auto units = seriesUnits(capture);
    QStringList listed;
    for (int i = 0; i < unit_->count(); ++i)
        listed << unit_->itemText(i);
    if (listed != units) {
        const QSignalBlocker blocker(unit_);
        unit_->clear();
        unit_->addItems(units);
    }
    unit_->setVisible(units.size() > 1);
    chart_->setData(seriesChart(capture, baseline(), unit_->currentText(), theme().isDark()));
    rows_->setRows(seriesRows(capture, baseline(), unit_->currentText()));
    const QString what = tr("%1, %2").arg(captureTitle(capture), originName(capture.series.front().origin));
    setCaption(baseline() && !baseline()->series.empty() ? tr("%1; dashed: the baseline").arg(what) : what);
}

}  // namespace tw::gui
