#include "app/gui/widgets/bar_panel.h"

#include <QBarCategoryAxis>
#include <QBarSet>
#include <QHorizontalStackedBarSeries>
#include <QToolTip>
#include <QValueAxis>

#include "app/gui/widgets/chart_panel.h"
#include "app/gui/widgets/theme.h"

namespace tw::gui {

BarPanel::BarPanel(QWidget* parent) : QChartView(parent)
{
    setFrameShape(QFrame::NoFrame);
    setRenderHint(QPainter::Antialiasing);
    setMinimumSize(200, 120);
    setFocusPolicy(Qt::StrongFocus);
    setAccessibleName(tr("Bars"));
    style();
}

void BarPanel::setData(BarData shown)
{
    if (shown == data_)
        return;
    data_ = std::move(shown);
    rebuild();
}

void BarPanel::rebuild()
{
    chart()->removeAllSeries();
    for (auto* axis : chart()->axes()) {
        chart()->removeAxis(axis);
        delete axis;
    }
    auto* series = new QHorizontalStackedBarSeries;
    series->setBarWidth(0.62);
    const auto count = data_.categories.size();
    for (int s = 0; s < data_.sets.size(); ++s) {
        const auto& shown = data_.sets[s];
        auto* set = new QBarSet(shown.name);
        for (auto i = count - 1; i >= 0; --i)  // the chart's first category stands at the bottom
            *set << shown.values.value(i);
        set->setColor(shown.color);
        set->setBorderColor(palette().color(QPalette::Base));
        series->append(set);
        connect(set, &QBarSet::hovered, this, [this, s, count](bool on, int index) {
            const int category = static_cast<int>(count) - 1 - index;
            Q_EMIT barHovered(on ? category : -1, on ? s : -1);
            if (on)
                QToolTip::showText(QCursor::pos(), tr("%1\n%2: %3%4").arg(data_.categories.value(category), data_.sets[s].name)
                                                       .arg(data_.sets[s].values.value(category), 0, 'f', 1).arg(data_.unit), this);
        });
        connect(set, &QBarSet::clicked, this, [this, count](int index) { Q_EMIT barClicked(static_cast<int>(count) - 1 - index); });
    }
    chart()->addSeries(series);
    auto* categories = new QBarCategoryAxis;
    for (auto i = count - 1; i >= 0; --i)
        categories->append(data_.categories[i]);
    categories->setGridLineVisible(false);
    auto* values = new QValueAxis;
    values->setRange(0, data_.largest);
    values->setTickCount(6);
    values->applyNiceNumbers();
    values->setLabelFormat(QStringLiteral("%g"));
    values->setTitleText(data_.valueTitle);
    chart()->addAxis(categories, Qt::AlignLeft);
    chart()->addAxis(values, Qt::AlignBottom);
    series->attachAxis(categories);
    series->attachAxis(values);
    style();
}

QList<LegendEntry> BarPanel::legend() const
{
    QList<LegendEntry> entries;
    for (const auto& set : data_.sets)
        entries << LegendEntry{set.name, set.color, LegendEntry::Shape::kSquare};
    return entries.size() > 1 ? entries : QList<LegendEntry>();
}

void BarPanel::style() { styleChart(*chart(), palette(), legendHeight(legend(), width() - 2 * kLegendMargin)); }

void BarPanel::resizeEvent(QResizeEvent* event)
{
    style();  // another width, another number of rows
    QChartView::resizeEvent(event);
}

void BarPanel::drawForeground(QPainter* painter, const QRectF&)
{
    drawLegend(*painter, legend(), sceneRect().adjusted(kLegendMargin, 0, -kLegendMargin, 0), palette());
}

void BarPanel::changeEvent(QEvent* event)
{
    QChartView::changeEvent(event);
    if (event->type() == QEvent::PaletteChange)
        rebuild();
}

void BarPanel::paintAll(QPainter& painter, QSizeF size) { scene()->render(&painter, QRectF({0, 0}, size), sceneRect(), Qt::KeepAspectRatio); }

}  // namespace tw::gui
