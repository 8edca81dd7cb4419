#include "app/gui/widgets/bar_panel.h"

#include <QBarCategoryAxis>
#include <QBarSet>
#include <QHorizontalStackedBarSeries>
#include <QKeyEvent>
#include <QScrollArea>
#include <QToolTip>
#include <QValueAxis>

#include "app/gui/widgets/chart_style.h"
#include "app/gui/widgets/theme.h"

namespace tw::gui {
namespace {

constexpr double kLeastRow = 14;       // of a bar with its name
constexpr double kAxisHeight = 46;     // of the numbers and the title below the bars
constexpr double kNameGap = 10;
constexpr double kWidestNames = 0.42;  // of the width

QFont nameFont() { return uiFont(8); }

}  // namespace

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
    if (shown.categories != data_.categories)
        current_ = -1;
    data_ = std::move(shown);
    QStringList spoken;
    for (const auto& set : data_.sets)
        spoken << set.name;
    setAccessibleDescription(spoken.join(QStringLiteral(", ")));
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
    categories->setLabelsVisible(false);
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

double BarPanel::nameWidth() const
{
    const QFontMetricsF metrics(nameFont());
    double widest = 0;
    for (const auto& name : data_.categories)
        widest = std::max(widest, metrics.horizontalAdvance(name));
    return std::min(widest + kNameGap, kWidestNames * width());
}

void BarPanel::style()
{
    const double above = legendHeight(legend(), width() - 2 * kLegendMargin);
    styleChart(*chart(), palette(), above);
    QMargins margins = chart()->margins();
    margins.setLeft(margins.left() + static_cast<int>(nameWidth()));
    chart()->setMargins(margins);
    setMinimumHeight(static_cast<int>(above + kAxisHeight + kLeastRow * static_cast<double>(data_.categories.size())));
}

QRectF BarPanel::rowRect(int category) const
{
    const QRectF plot = chart()->plotArea();
    const double height = plot.height() / std::max(1.0, static_cast<double>(data_.categories.size()));
    return {0, plot.top() + category * height, plot.right(), height};
}

// The end of a name says how much time the bar stands for: what does not fit goes from its middle.
void BarPanel::drawNames(QPainter& painter) const
{
    QColor ink = palette().color(QPalette::Text);
    ink.setAlphaF(0.85F);
    painter.setFont(nameFont());
    painter.setPen(ink);
    const QFontMetricsF metrics(painter.font());
    const double right = chart()->plotArea().left() - 6;
    for (int i = 0; i < data_.categories.size(); ++i) {
        const QRectF row = rowRect(i);
        painter.drawText(QRectF(0, row.center().y() - 8, right, 16), Qt::AlignRight | Qt::AlignVCenter,
                         metrics.elidedText(data_.categories[i], Qt::ElideMiddle, right - 4));
    }
}

void BarPanel::setCurrent(int category)
{
    if (data_.categories.isEmpty())
        return;
    current_ = std::clamp(category, 0, static_cast<int>(data_.categories.size()) - 1);
    viewport()->update();
}

void BarPanel::keyPressEvent(QKeyEvent* event)
{
    switch (event->key()) {
    case Qt::Key_Down: return setCurrent(current_ + 1);
    case Qt::Key_Up: return setCurrent(current_ - 1);
    case Qt::Key_Home: return setCurrent(0);
    case Qt::Key_End: return setCurrent(static_cast<int>(data_.categories.size()) - 1);
    case Qt::Key_Return:
    case Qt::Key_Enter:
        if (current_ >= 0)
            Q_EMIT barClicked(current_);
        return;
    default: QChartView::keyPressEvent(event);
    }
}

void BarPanel::resizeEvent(QResizeEvent* event)
{
    style();  // another width, another number of rows
    QChartView::resizeEvent(event);
}

void BarPanel::drawForeground(QPainter* painter, const QRectF&)
{
    drawNames(*painter);
    drawLegend(*painter, legend(), sceneRect().adjusted(kLegendMargin, 0, -kLegendMargin, 0), palette());
    if (exporting_ || !hasFocus())
        return;
    painter->setPen(palette().color(QPalette::Highlight));
    painter->setBrush(Qt::NoBrush);
    painter->drawRect(sceneRect().adjusted(0, 0, -1, -1));
    if (current_ >= 0)
        painter->drawRoundedRect(rowRect(current_).adjusted(2, 0.5, -0.5, -0.5), 3, 3);
}

void BarPanel::changeEvent(QEvent* event)
{
    QChartView::changeEvent(event);
    if (event->type() == QEvent::PaletteChange)
        rebuild();
}

void BarPanel::paintAll(QPainter& painter, QSizeF size)
{
    exporting_ = true;
    render(&painter, QRectF({0, 0}, size), viewport()->rect(), Qt::KeepAspectRatio);
    exporting_ = false;
}

QScrollArea* scrolled(BarPanel& bars, QWidget* parent)
{
    auto* area = new QScrollArea(parent);
    area->setFrameShape(QFrame::NoFrame);
    area->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    area->setWidgetResizable(true);
    area->setWidget(&bars);
    area->setFocusProxy(&bars);
    return area;
}

}  // namespace tw::gui
