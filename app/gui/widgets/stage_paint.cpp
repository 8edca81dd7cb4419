#include <QPainter>

#include <cmath>

#include "app/gui/widgets/stage_geometry.h"
#include "app/gui/widgets/theme.h"

namespace tw::gui {

using namespace stage;

namespace {

constexpr double kTickGap = 84;

// 1, 2 or 5 times a power of ten, so that ticks are at least kTickGap pixels apart.
double tickEvery(double pixelsANs)
{
    const double least = kTickGap / pixelsANs, power = std::pow(10, std::floor(std::log10(least)));
    for (const double m : {1.0, 2.0, 5.0})
        if (m * power >= least)
            return m * power;
    return 10 * power;
}

QString nsText(double ns, double every)
{
    const auto text = [](double value, double step, const char* unit) {
        const int decimals = step >= 1 ? 0 : static_cast<int>(std::ceil(-std::log10(step) - 1e-9));
        return QStringLiteral("%1 %2").arg(value, 0, 'f', std::clamp(decimals, 0, 3)).arg(QString::fromUtf8(unit));
    };
    if (every >= 1e6)
        return text(ns / 1e6, every / 1e6, "ms");
    return every >= 100 ? text(ns / 1e3, every / 1e3, "\u00b5s") : text(ns, every, "ns");
}

QColor inkOn(const QColor& color) { return color.lightness() > 130 ? QColor(20, 24, 32) : QColor(245, 247, 250); }

}  // namespace

void StageChart::paintEvent(QPaintEvent*)
{
    QPainter painter(viewport());
    painter.fillRect(viewport()->rect(), palette().color(QPalette::Base));
    draw(painter, frame(), true);
    if (hasFocus()) {
        painter.setPen(palette().color(QPalette::Highlight));
        painter.setBrush(Qt::NoBrush);
        painter.drawRect(viewport()->rect().adjusted(0, 0, -1, -1));
    }
}

void StageChart::paintAll(QPainter& painter, QSizeF size) const
{
    painter.fillRect(QRectF({0, 0}, size), palette().color(QPalette::Base));
    draw(painter, frameOfAll(size), false);
}

void StageChart::draw(QPainter& painter, const Frame& f, bool interactive) const
{
    drawGrid(painter, f);
    painter.save();
    painter.setClipRect(QRectF(0, kAxis, f.left + f.width + kRight, f.height));
    for (std::size_t lane = 0; lane < data_.lanes.size(); ++lane)
        if (laneTop(f, lane + 1) >= kAxis && laneTop(f, lane) <= kAxis + f.height)
            drawLane(painter, f, lane, interactive);
    painter.restore();
    drawAxis(painter, f);
    drawLegend(painter, f);
    if (interactive && measured_.second > measured_.first)
        drawMeasure(painter, f);
}

void StageChart::drawGrid(QPainter& painter, const Frame& f) const
{
    QColor faint = palette().color(QPalette::Mid);
    faint.setAlphaF(0.6F);
    painter.setPen(palette().color(QPalette::Mid));
    painter.drawLine(QPointF(f.left - 0.5, kAxis), QPointF(f.left - 0.5, kAxis + f.height));
    painter.setPen(faint);
    const double every = tickEvery(f.scale), end = f.start + f.width / f.scale;
    for (double ns = std::ceil(f.start / every) * every; ns <= end + every * 1e-6; ns += every)
        painter.drawLine(QPointF(f.x(ns), kAxis), QPointF(f.x(ns), kAxis + f.height));
}

void StageChart::drawAxis(QPainter& painter, const Frame& f) const
{
    painter.save();
    painter.fillRect(QRectF(0, 0, f.left + f.width + kRight, kAxis), palette().color(QPalette::Base));
    painter.setFont(uiFont(8));
    QColor ink = palette().color(QPalette::Text), line = palette().color(QPalette::Mid);
    ink.setAlphaF(0.7F);
    const double every = tickEvery(f.scale), end = f.start + f.width / f.scale;
    for (double ns = std::ceil(f.start / every) * every; ns <= end + every * 1e-6; ns += every) {
        const double x = f.x(ns);
        painter.setPen(ink);
        const bool last = x + kTickGap / 2 > f.left + f.width;
        const QRectF text(last ? x - kTickGap : x - kTickGap / 2, 3, kTickGap, kAxis - 8);
        painter.drawText(text, (last ? Qt::AlignRight : Qt::AlignHCenter) | Qt::AlignVCenter, nsText(ns, every));
    }
    painter.setPen(line);
    painter.drawLine(QPointF(0, kAxis - 0.5), QPointF(f.left + f.width + kRight, kAxis - 0.5));
    painter.restore();
}

void StageChart::drawLane(QPainter& painter, const Frame& f, std::size_t index, bool interactive) const
{
    const auto& lane = data_.lanes[index];
    const double top = laneTop(f, index), height = laneHeight(lane);
    const QColor ink = palette().color(QPalette::Text);
    QColor soft = ink;
    soft.setAlphaF(0.66F);
    if (lane.isHeading) {
        painter.fillRect(QRectF(0, top, f.left + f.width + kRight, height - 3), palette().color(QPalette::Window));
        QFont bold = uiFont(8.5);
        bold.setWeight(QFont::DemiBold);
        painter.setFont(bold);
        painter.setPen(ink);
        const double titleWidth = QFontMetricsF(bold).horizontalAdvance(lane.title);
        painter.drawText(QRectF(10, top, titleWidth + 4, height - 3), Qt::AlignVCenter, lane.title);
        painter.setFont(uiFont(8.5));
        painter.setPen(soft);
        painter.drawText(QRectF(22 + titleWidth, top, f.left + f.width - titleWidth - 22, height - 3), Qt::AlignVCenter, lane.detail);
        return;
    }
    painter.setFont(uiFont(8.5));
    const QFontMetricsF metrics(painter.font());
    const double detailWidth = std::min(80.0, metrics.horizontalAdvance(lane.detail));
    painter.setPen(ink);
    painter.drawText(QRectF(18, top, f.left - 34 - detailWidth, height - kLaneGap), Qt::AlignVCenter,
                     metrics.elidedText(lane.title, Qt::ElideRight, f.left - 34 - detailWidth));
    painter.setPen(soft);
    painter.drawText(QRectF(f.left - detailWidth - 10, top, detailWidth + 2, height - kLaneGap), Qt::AlignRight | Qt::AlignVCenter, lane.detail);
    painter.save();
    painter.setClipRect(QRectF(f.left, std::max(kAxis, top), f.width, height), Qt::IntersectClip);
    const double first = f.start, last = f.start + f.width / f.scale;
    std::vector<double> drawnTo(static_cast<std::size_t>(lane.depths), -1);  // right edge of the last bar of each depth
    for (std::size_t i = 0; i < lane.bars.size() && lane.bars[i].start <= last; ++i) {
        const auto& b = lane.bars[i];
        if (b.end < first)
            continue;
        const double x = f.x(b.start), right = std::max(x + 1, f.x(b.end));
        auto& edge = drawnTo[static_cast<std::size_t>(std::clamp(b.depth, 0, lane.depths - 1))];
        if (right - x <= 1.5 && right <= edge + 0.5)
            continue;  // a column that is there already
        edge = right;
        const QRectF rect(x, top + b.depth * kInset, right - x, height - kLaneGap - 2 * b.depth * kInset);
        const QPoint at(static_cast<int>(index), static_cast<int>(i));
        drawBar(painter, b, rect, interactive && (at == current_ || at == hovered_), interactive && marked_ != 0 && b.key != marked_);
    }
    painter.restore();
}

void StageChart::drawBar(QPainter& painter, const StageBar& bar, const QRectF& rect, bool isLead, bool isDim) const
{
    const auto& category = data_.categories[static_cast<std::size_t>(bar.category)];
    QColor fill = category.color;
    if (isDim)
        fill.setAlphaF(0.35F);
    const QRectF shown = rect.width() > 3 ? rect.adjusted(0, 0, -1, 0) : rect;
    painter.fillRect(shown, category.isHatched ? fill.lighter(palette().color(QPalette::Base).lightness() > 128 ? 150 : 60) : fill);
    if (category.isHatched)
        painter.fillRect(shown, QBrush(fill, Qt::BDiagPattern));
    if (isLead) {
        painter.setPen(QPen(palette().color(QPalette::Text), 2));
        painter.setBrush(Qt::NoBrush);
        painter.drawRect(shown.adjusted(1, 1, -1, -1));
    }
    const QRectF text = shown.intersected(QRectF(kNames, 0, 1e6, 1e6)).adjusted(4, 0, -3, 0);
    if (text.width() < 22 || text.height() < 11)
        return;
    painter.setPen(category.isHatched || isDim ? palette().color(QPalette::Text) : inkOn(fill));
    painter.drawText(text, Qt::AlignLeft | Qt::AlignVCenter, QFontMetricsF(painter.font()).elidedText(bar.label, Qt::ElideRight, text.width()));
}

void StageChart::drawMeasure(QPainter& painter, const Frame& f) const
{
    painter.save();
    painter.setClipRect(QRectF(f.left, 0, f.width, kAxis + f.height));
    const QRectF rect(QPointF(f.x(measured_.first), kAxis), QPointF(f.x(measured_.second), kAxis + f.height));
    QColor wash = palette().color(QPalette::Highlight);
    painter.setPen(wash);
    painter.drawLine(rect.topLeft(), rect.bottomLeft());
    painter.drawLine(rect.topRight(), rect.bottomRight());
    wash.setAlpha(38);
    painter.fillRect(rect, wash);
    const double length = measured_.second - measured_.first;
    const QString text = nsText(length, length / 200);
    painter.setFont(uiFont(8.5));
    const double width = QFontMetricsF(painter.font()).horizontalAdvance(text) + 14;
    const QRectF tag(std::clamp(rect.center().x() - width / 2, f.left, f.left + f.width - width), 4, width, 18);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(Qt::NoPen);
    painter.setBrush(palette().color(QPalette::Highlight));
    painter.drawRoundedRect(tag, 4, 4);
    painter.setPen(palette().color(QPalette::HighlightedText));
    painter.drawText(tag, Qt::AlignCenter, text);
    painter.restore();
}

void StageChart::drawLegend(QPainter& painter, const Frame& f) const
{
    painter.save();
    const double y = kAxis + f.height;
    painter.fillRect(QRectF(0, y, f.left + f.width + kRight, kLegend), palette().color(QPalette::Base));
    painter.setPen(palette().color(QPalette::Mid));
    painter.drawLine(QPointF(0, y + 0.5), QPointF(f.left + f.width + kRight, y + 0.5));
    painter.setFont(uiFont(8.5));
    QColor ink = palette().color(QPalette::Text);
    ink.setAlphaF(0.8F);
    double x = 14;
    for (const auto& c : data_.categories) {
        const double width = QFontMetricsF(painter.font()).horizontalAdvance(c.name);
        if (x + width + 20 > f.left + f.width)
            break;
        const QRectF box(x, y + 8, 14, 11);
        painter.fillRect(box, c.isHatched ? c.color.lighter(palette().color(QPalette::Base).lightness() > 128 ? 150 : 60) : c.color);
        if (c.isHatched)
            painter.fillRect(box, QBrush(c.color, Qt::BDiagPattern));
        painter.setPen(ink);
        painter.drawText(QRectF(x + 20, y, width + 4, kLegend), Qt::AlignVCenter, c.name);
        x += width + 40;
    }
    painter.restore();
}

}  // namespace tw::gui
