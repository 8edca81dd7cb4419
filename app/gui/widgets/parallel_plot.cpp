#include "app/gui/widgets/parallel_plot.h"

#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QToolTip>

#include <cmath>

#include "app/gui/widgets/theme.h"

namespace tw::gui {
namespace {

constexpr double kSide = 64, kTop = 34, kBottom = 20, kReach = 8;

QColor mixed(const QColor& a, const QColor& b, double t)
{
    const auto part = [t](int from, int to) { return static_cast<int>(from + (to - from) * t); };
    return {part(a.red(), b.red()), part(a.green(), b.green()), part(a.blue(), b.blue())};
}

double distanceTo(QPointF p, QPointF a, QPointF b)
{
    const QPointF d = b - a;
    const double length = QPointF::dotProduct(d, d);
    const double t = length > 0 ? std::clamp(QPointF::dotProduct(p - a, d) / length, 0.0, 1.0) : 0;
    const QPointF away = p - (a + t * d);
    return std::hypot(away.x(), away.y());
}

}  // namespace

ParallelPlot::ParallelPlot(QWidget* parent) : QWidget(parent)
{
    setFocusPolicy(Qt::StrongFocus);
    setMouseTracking(true);
    setAccessibleName(tr("Parallel coordinates"));
}

void ParallelPlot::setData(ParallelData shown)
{
    if (shown == data_)
        return;
    if (shown.lines.size() != data_.lines.size())
        current_ = -1;
    data_ = std::move(shown);
    hovered_ = -1;
    update();
}

void ParallelPlot::setColors(const QColor& good, const QColor& poor)
{
    good_ = good;
    poor_ = poor;
    update();
}

void ParallelPlot::setCurrent(int line)
{
    line = line < data_.lines.size() ? line : -1;
    if (line == current_)
        return;
    current_ = line;
    update();
    Q_EMIT currentChanged(current_);
}

double ParallelPlot::axisX(qsizetype axis, QSizeF size) const
{
    return kSide + static_cast<double>(axis) * (size.width() - 2 * kSide) / std::max<double>(1, static_cast<double>(data_.axes.size() - 1));
}

QPolygonF ParallelPlot::shapeOf(const ParallelLine& line, QSizeF size) const
{
    QPolygonF shape;
    for (qsizetype a = 0; a < std::min(line.values.size(), data_.axes.size()); ++a)
        if (line.values[a] >= 0)
            shape << QPointF(axisX(a, size), size.height() - kBottom - line.values[a] * (size.height() - kTop - kBottom));
    return shape;
}

void ParallelPlot::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    painter.fillRect(rect(), palette().color(QPalette::Base));
    draw(painter, size(), true);
    if (hasFocus()) {
        painter.setPen(palette().color(QPalette::Highlight));
        painter.setBrush(Qt::NoBrush);
        painter.drawRect(rect().adjusted(0, 0, -1, -1));
    }
}

void ParallelPlot::paintAll(QPainter& painter, QSizeF size) const
{
    painter.fillRect(QRectF({0, 0}, size), palette().color(QPalette::Base));
    draw(painter, size, false);
}

void ParallelPlot::draw(QPainter& painter, QSizeF size, bool interactive) const
{
    painter.setRenderHint(QPainter::Antialiasing);
    if (data_.lines.isEmpty())
        return;
    // The best last: on top. By rank: of many configurations most are near the best, and would hide it.
    const double last = std::max<double>(1, static_cast<double>(data_.lines.size() - 1));
    for (auto i = data_.lines.size() - 1; i >= 0; --i) {
        const double lead = std::pow(1 - static_cast<double>(i) / last, 3) * data_.lines[i].goodness;
        QColor color = mixed(poor_, good_, lead);
        color.setAlphaF(static_cast<float>(0.25 + 0.65 * lead));
        painter.setPen(QPen(color, i == 0 ? 2.6 : 1.2 + 0.6 * lead));
        painter.drawPolyline(shapeOf(data_.lines[i], size));
    }
    for (const int lead : {hovered_, current_})
        if (interactive && lead >= 0 && lead < data_.lines.size()) {
            painter.setPen(QPen(palette().color(QPalette::Text), 2.6));
            painter.setBrush(palette().color(QPalette::Text));
            const auto shape = shapeOf(data_.lines[lead], size);
            painter.drawPolyline(shape);
            for (const auto& p : shape)
                painter.drawEllipse(p, 2.6, 2.6);
        }
    drawAxes(painter, size);
}

void ParallelPlot::drawAxes(QPainter& painter, QSizeF size) const
{
    QColor soft = palette().color(QPalette::Text);
    soft.setAlphaF(0.7F);
    const double width = data_.axes.size() > 1 ? axisX(1, size) - axisX(0, size) : size.width();
    for (qsizetype a = 0; a < data_.axes.size(); ++a) {
        const auto& axis = data_.axes[a];
        const double x = axisX(a, size), height = size.height() - kTop - kBottom;
        painter.setPen(palette().color(QPalette::Mid));
        painter.drawLine(QPointF(x, kTop), QPointF(x, size.height() - kBottom));
        QFont bold = uiFont(8.5);
        bold.setWeight(QFont::DemiBold);
        painter.setFont(bold);
        painter.setPen(palette().color(QPalette::Text));
        painter.drawText(QRectF(x - width / 2, 4, width, kTop - 12), Qt::AlignCenter, QFontMetricsF(bold).elidedText(axis.title, Qt::ElideRight, width - 8));
        painter.setFont(uiFont(8));
        painter.setPen(soft);
        double free = 1e9;
        for (qsizetype t = 0; t < axis.ticks.size(); ++t) {
            const double y = size.height() - kBottom - height * (axis.ticks.size() > 1 ? static_cast<double>(t) / static_cast<double>(axis.ticks.size() - 1) : 0.5);
            if (free - y < 12)
                continue;
            free = y;
            const QFontMetricsF metrics(painter.font());
            const QString text = metrics.elidedText(axis.ticks[t], Qt::ElideRight, std::max(30.0, width - 12));
            const QRectF place(x + 5, y - 7, metrics.horizontalAdvance(text) + 6, 14);
            QColor ground = palette().color(QPalette::Base);
            ground.setAlphaF(0.85F);
            painter.fillRect(place, ground);
            painter.drawText(place, Qt::AlignCenter, text);
        }
    }
}

int ParallelPlot::lineAt(QPointF position) const
{
    int best = -1;
    double least = kReach;
    for (int i = 0; i < data_.lines.size(); ++i) {
        const auto shape = shapeOf(data_.lines[i], size());
        for (qsizetype k = 0; k + 1 < shape.size(); ++k)
            if (const double d = distanceTo(position, shape[k], shape[k + 1]); d < least) {
                least = d;
                best = i;
            }
    }
    return best;
}

void ParallelPlot::mousePressEvent(QMouseEvent* event) { setCurrent(lineAt(event->position())); }

void ParallelPlot::mouseMoveEvent(QMouseEvent* event)
{
    const int line = lineAt(event->position());
    if (std::exchange(hovered_, line) != line)
        update();
}

void ParallelPlot::mouseDoubleClickEvent(QMouseEvent*)
{
    if (current_ >= 0)
        Q_EMIT activated(current_);
}

void ParallelPlot::keyPressEvent(QKeyEvent* event)
{
    const int count = static_cast<int>(data_.lines.size());
    if (count > 0 && (event->key() == Qt::Key_Right || event->key() == Qt::Key_Down))
        return setCurrent(std::min(count - 1, current_ + 1));
    if (count > 0 && (event->key() == Qt::Key_Left || event->key() == Qt::Key_Up))
        return setCurrent(std::max(0, current_ - 1));
    if (current_ >= 0 && (event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter))
        return Q_EMIT activated(current_);
    QWidget::keyPressEvent(event);
}

void ParallelPlot::leaveEvent(QEvent*)
{
    hovered_ = -1;
    update();
}

bool ParallelPlot::event(QEvent* event)
{
    if (event->type() != QEvent::ToolTip)
        return QWidget::event(event);
    const auto* help = static_cast<QHelpEvent*>(event);
    if (const int line = lineAt(help->pos()); line >= 0)
        QToolTip::showText(help->globalPos(), data_.lines[line].toolTip, this);
    else
        QToolTip::hideText();
    return true;
}

}  // namespace tw::gui
