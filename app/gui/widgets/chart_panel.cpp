#include "app/gui/widgets/chart_panel.h"

#include <QKeyEvent>
#include <QLineSeries>
#include <QLogValueAxis>
#include <QScatterSeries>
#include <QToolTip>
#include <QValueAxis>

#include <cmath>

#include "app/gui/widgets/chart_style.h"
#include "app/gui/widgets/theme.h"

namespace tw::gui {
namespace {

constexpr double kReach = 14;     // pixels from the pointer to a point
constexpr int kTicks = 6;

// The next 1, 2 or 5 times a power of ten.
double niceStep(double least)
{
    const double power = std::pow(10, std::floor(std::log10(std::max(least, 1e-30))));
    for (const double m : {1.0, 2.0, 5.0})
        if (m * power >= least)
            return m * power;
    return 10 * power;
}

}  // namespace

ChartPanel::ChartPanel(QWidget* parent) : QChartView(parent)
{
    setFrameShape(QFrame::NoFrame);
    setRenderHint(QPainter::Antialiasing);
    setMouseTracking(true);
    setFocusPolicy(Qt::StrongFocus);
    setMinimumSize(160, 120);
    setAccessibleName(tr("Chart"));
    style();
}

void ChartPanel::setData(ChartData shown)
{
    if (shown == data_ && !drawn_.isEmpty())
        return;
    const bool sameAxes = shown.x == data_.x && shown.y == data_.y;
    const Range x = rangeOf(Qt::Horizontal), y = rangeOf(Qt::Vertical);
    data_ = std::move(shown);
    hovered_ = {-1, -1};
    rebuild();
    if (sameAxes && zoomed_)
        setRanges(x, y);
    else
        fit();
    QStringList spoken;
    for (const auto& s : data_.series)
        spoken << s.name;
    setAccessibleDescription(spoken.join(QStringLiteral(", ")));
}

QAbstractAxis* ChartPanel::makeAxis(const ChartAxis& axis) const
{
    QAbstractAxis* made = nullptr;
    if (axis.isLog) {
        auto* log = new QLogValueAxis;
        log->setBase(10);
        log->setLabelFormat(QStringLiteral("%g"));
        log->setMinorTickCount(8);
        made = log;
    } else {
        auto* linear = new QValueAxis;
        linear->setTickType(QValueAxis::TicksDynamic);
        linear->setTickAnchor(0);
        linear->setLabelFormat(QStringLiteral("%.4g"));
        made = linear;
    }
    made->setTitleText(axis.title);
    return made;
}

void ChartPanel::rebuild()
{
    chart()->removeAllSeries();
    drawn_.clear();
    for (auto* axis : chart()->axes()) {
        chart()->removeAxis(axis);
        delete axis;
    }
    chart()->addAxis(makeAxis(data_.x), Qt::AlignBottom);
    chart()->addAxis(makeAxis(data_.y), Qt::AlignLeft);
    for (const auto& s : data_.series) {
        QXYSeries* series = nullptr;
        if (s.kind == ChartSeries::Kind::kPoints) {
            auto* scatter = new QScatterSeries;
            scatter->setMarkerSize(10);
            scatter->setBorderColor(palette().color(QPalette::Base));
            scatter->setColor(s.color);
            series = scatter;
        } else {
            series = new QLineSeries;
            series->setPen(QPen(s.color, 2, s.kind == ChartSeries::Kind::kDashed ? Qt::DashLine : Qt::SolidLine));
        }
        series->setName(s.name);
        series->replace(s.points);
        chart()->addSeries(series);
        for (auto* axis : chart()->axes())
            series->attachAxis(axis);
        drawn_ << series;
    }
    style();
}

QList<LegendEntry> ChartPanel::legend() const
{
    const auto markOf = [](ChartSeries::Kind kind) {
        return kind == ChartSeries::Kind::kPoints   ? LegendEntry::Shape::kDot
               : kind == ChartSeries::Kind::kDashed ? LegendEntry::Shape::kDashed
                                                    : LegendEntry::Shape::kLine;
    };
    QList<LegendEntry> entries;
    for (const auto& s : data_.series)
        if (s.inLegend)
            entries << LegendEntry{s.name, s.color, markOf(s.kind)};
    return entries;
}

void ChartPanel::style() { styleChart(*chart(), palette(), legendHeight(legend(), width() - 2 * kLegendMargin)); }

void ChartPanel::resizeEvent(QResizeEvent* event)
{
    style();  // another width, another number of rows
    QChartView::resizeEvent(event);
}

void ChartPanel::fit()
{
    setRanges({data_.x.min, data_.x.max}, {data_.y.min, data_.y.max});
    zoomed_ = false;
}

ChartPanel::Range ChartPanel::rangeOf(Qt::Orientation orientation) const
{
    const auto axes = chart()->axes(orientation);
    if (axes.isEmpty())
        return {0, 1};
    if (const auto* linear = qobject_cast<const QValueAxis*>(axes.front()))
        return {linear->min(), linear->max()};
    const auto* log = qobject_cast<const QLogValueAxis*>(axes.front());
    return {log->min(), log->max()};
}

void ChartPanel::setRanges(Range x, Range y)
{
    for (const auto& [orientation, range] : {std::pair(Qt::Horizontal, x), std::pair(Qt::Vertical, y)}) {
        const auto axes = chart()->axes(orientation);
        if (axes.isEmpty() || range.max <= range.min)
            continue;
        if (auto* linear = qobject_cast<QValueAxis*>(axes.front()))
            linear->setTickInterval(niceStep((range.max - range.min) / kTicks));
        axes.front()->setRange(range.min, range.max);
    }
    zoomed_ = true;
    viewport()->update();
}

QPointF ChartPanel::valueAt(QPointF position) const
{
    const QRectF plot = chart()->plotArea();
    const auto along = [](const Range& r, bool isLog, double t) {
        const double a = isLog ? std::log10(r.min) : r.min, b = isLog ? std::log10(r.max) : r.max;
        return a + (b - a) * t;
    };
    return {along(rangeOf(Qt::Horizontal), data_.x.isLog, (position.x() - plot.left()) / std::max(1.0, plot.width())),
            along(rangeOf(Qt::Vertical), data_.y.isLog, (plot.bottom() - position.y()) / std::max(1.0, plot.height()))};
}

void ChartPanel::zoomAt(double factor, QPointF position)
{
    const QPointF center = valueAt(position);
    const auto scaled = [factor](const Range& r, bool isLog, double middle) {
        const double a = isLog ? std::log10(r.min) : r.min, b = isLog ? std::log10(r.max) : r.max;
        const double low = middle - (middle - a) / factor, high = middle + (b - middle) / factor;
        return isLog ? Range{std::pow(10, low), std::pow(10, high)} : Range{low, high};
    };
    setRanges(scaled(rangeOf(Qt::Horizontal), data_.x.isLog, center.x()), scaled(rangeOf(Qt::Vertical), data_.y.isLog, center.y()));
}

void ChartPanel::zoom(double factor) { zoomAt(factor, chart()->plotArea().center()); }
void ChartPanel::pan(QPointF pixels)
{
    chart()->scroll(-pixels.x(), pixels.y());
    zoomed_ = true;
}

QPoint ChartPanel::nearest(QPointF position) const
{
    QPoint best(-1, -1);
    double least = kReach;
    for (int s = 0; s < drawn_.size(); ++s) {
        const auto& points = data_.series[s].points;
        for (int i = 0; i < points.size(); ++i) {
            const QPointF at = chart()->mapToPosition(points[i], drawn_[s]);
            const double distance = std::hypot(at.x() - position.x(), at.y() - position.y());
            if (distance < least && chart()->plotArea().contains(at)) {
                best = {s, i};
                least = distance;
            }
        }
    }
    return best;
}

void ChartPanel::setHovered(QPoint point)
{
    if (point == hovered_)
        return;
    hovered_ = point;
    viewport()->update();
    Q_EMIT pointHovered(point.x(), point.y());
    if (point.x() < 0)
        return QToolTip::hideText();
    const auto& s = data_.series[point.x()];
    const QPointF value = s.points[point.y()];
    const QString label = point.y() < s.labels.size() ? s.labels[point.y()] : tr("%1, %2").arg(value.x(), 0, 'g', 4).arg(value.y(), 0, 'g', 4);
    const QPointF at = chart()->mapToPosition(value, drawn_[point.x()]);
    QToolTip::showText(viewport()->mapToGlobal(at.toPoint() + QPoint(12, 8)), s.name.isEmpty() ? label : s.name + QLatin1Char('\n') + label, this);
}

void ChartPanel::drawTags(QPainter& painter) const
{
    const QRectF plot = chart()->plotArea();
    QColor ink = palette().color(QPalette::Text);
    ink.setAlphaF(0.75F);
    painter.setFont(uiFont(8));
    painter.setPen(ink);
    const QFontMetricsF metrics(painter.font());
    const auto write = [&](const QString& tag, const QPointF& where, QXYSeries* series, QPointF away) {
        if (tag.isEmpty())
            return;
        const QPointF at = chart()->mapToPosition(where, series);
        const double width = metrics.horizontalAdvance(tag);
        if (!plot.adjusted(-2, -2, 2, 2).contains(at))
            return;
        const bool leftOf = at.x() + width + 10 > plot.right();
        painter.drawText(leftOf ? QPointF(plot.right() - width - 6, at.y() - 5) : at + away, tag);
    };
    for (qsizetype i = 0; i < data_.series.size(); ++i) {
        const auto& s = data_.series[i];
        write(s.tag, s.tagAt, drawn_[i], {8, 13});  // below and right of a rising line, which would run through it; above a level one
        for (qsizetype p = 0; p < std::min(s.points.size(), s.pointTags.size()); ++p)
            write(s.pointTags[p], s.points[p], drawn_[i], {-metrics.horizontalAdvance(s.pointTags[p]) / 2, -9});
    }
}

void ChartPanel::drawForeground(QPainter* painter, const QRectF&)
{
    drawTags(*painter);
    drawLegend(*painter, legend(), sceneRect().adjusted(kLegendMargin, 0, -kLegendMargin, 0), palette());
    if (exporting_)
        return;
    drawPointer(*painter);
    if (hasFocus()) {
        painter->setPen(palette().color(QPalette::Highlight));
        painter->setBrush(Qt::NoBrush);
        painter->drawRect(mapToScene(viewport()->rect().adjusted(0, 0, -1, -1)).boundingRect());
    }
}

void ChartPanel::drawPointer(QPainter& painter) const
{
    if (!band_.isNull()) {
        QColor wash = palette().color(QPalette::Highlight);
        painter.setPen(wash);
        wash.setAlpha(40);
        painter.setBrush(wash);
        painter.drawRect(band_.normalized());
    }
    if (hovered_.x() >= 0) {
        const QPointF at = chart()->mapToPosition(data_.series[hovered_.x()].points[hovered_.y()], drawn_[hovered_.x()]);
        const QRectF plot = chart()->plotArea();
        painter.setPen(QPen(palette().color(QPalette::Mid), 1, Qt::DotLine));
        painter.drawLine(QPointF(plot.left(), at.y()), QPointF(plot.right(), at.y()));
        painter.drawLine(QPointF(at.x(), plot.top()), QPointF(at.x(), plot.bottom()));
        painter.setPen(QPen(palette().color(QPalette::Text), 2));
        painter.setBrush(Qt::NoBrush);
        painter.drawEllipse(at, 6, 6);
    }
}

void ChartPanel::wheelEvent(QWheelEvent* event)
{
    zoomAt(wheelFactor(*event), event->position());
    event->accept();
}

void ChartPanel::mousePressEvent(QMouseEvent* event)
{
    drag_.press(event->position());
    panning_ = event->button() == Qt::MiddleButton || event->modifiers().testFlag(Qt::ShiftModifier);
    setFocus(Qt::MouseFocusReason);
}

void ChartPanel::mouseMoveEvent(QMouseEvent* event)
{
    if (event->buttons() == Qt::NoButton)
        return setHovered(nearest(event->position()));
    const QPointF by = drag_.move(event->position());
    if (panning_)
        pan(by);
    else if (drag_.isDragging())
        band_ = QRectF(drag_.pressedAt(), event->position()).normalized().intersected(chart()->plotArea());
    viewport()->update();
}

void ChartPanel::mouseReleaseEvent(QMouseEvent* event)
{
    const QRectF band = std::exchange(band_, {});
    if (band.width() > 6 && band.height() > 6) {
        const QPointF low = valueAt(band.bottomLeft()), high = valueAt(band.topRight());
        const auto range = [](double a, double b, bool isLog) { return isLog ? Range{std::pow(10, a), std::pow(10, b)} : Range{a, b}; };
        setRanges(range(low.x(), high.x(), data_.x.isLog), range(low.y(), high.y(), data_.y.isLog));
    } else if (!panning_) {
        if (const QPoint point = nearest(event->position()); point.x() >= 0)
            Q_EMIT pointClicked(point.x(), point.y());
    }
    panning_ = false;
    viewport()->update();
}

void ChartPanel::mouseDoubleClickEvent(QMouseEvent*) { fit(); }

void ChartPanel::keyPressEvent(QKeyEvent* event)
{
    constexpr double kHop = 40;  // pixels
    if (const auto direction = panKey(*event))
        return pan(*direction * kHop);
    switch (zoomKey(*event)) {
    case ZoomKey::kIn: return zoom(kZoomStep);
    case ZoomKey::kOut: return zoom(1 / kZoomStep);
    case ZoomKey::kFit: return fit();
    case ZoomKey::kNone: QWidget::keyPressEvent(event);
    }
}

void ChartPanel::leaveEvent(QEvent*) { setHovered({-1, -1}); }

void ChartPanel::changeEvent(QEvent* event)
{
    QChartView::changeEvent(event);
    if (event->type() == QEvent::PaletteChange)
        style();
}

void ChartPanel::paintAll(QPainter& painter, QSizeF size)
{
    exporting_ = true;
    render(&painter, QRectF({0, 0}, size), viewport()->rect(), Qt::KeepAspectRatio);
    exporting_ = false;
}

}  // namespace tw::gui
