#include "app/gui/widgets/span_chart.h"

#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QWheelEvent>

#include <cmath>

namespace tw::gui {
namespace {

constexpr double kLeft = 64, kBottom = 40, kTop = 14, kRight = 12;
constexpr double kTickGap = 34;
constexpr double kWidestStep = 120;

// 1, 2, 4, … times `unit`, so that ticks are at least `gap` pixels apart.
double tickEvery(double pixelsAUnit, double unit)
{
    double every = unit;
    while (every * pixelsAUnit < kTickGap)
        every *= 2;
    return every;
}

QString amountText(double amount)
{
    return amount >= 1024 && std::fmod(amount, 1024) == 0 ? QStringLiteral("%1 K").arg(amount / 1024) : QString::number(amount);
}

}  // namespace

SpanChart::SpanChart(QWidget* parent) : QWidget(parent)
{
    setMouseTracking(true);
    setFocusPolicy(Qt::StrongFocus);
    setAccessibleName(tr("Chart"));
}

void SpanChart::setData(SpanChartData shown)
{
    if (shown.spans.size() != data_.spans.size())
        current_ = hovered_ = -1;
    if (shown.steps.size() != data_.steps.size())
        fitted_ = true;
    data_ = std::move(shown);
    if (fitted_)
        fit();
    update();
}

QRectF SpanChart::plotOf(QSizeF size)
{
    return {kLeft, kTop, std::max(10.0, size.width() - kLeft - kRight), std::max(10.0, size.height() - kTop - kBottom)};
}

void SpanChart::fit()
{
    fitted_ = true;
    const QRectF plot = plotOf(size());
    x_ = {plot.width() / static_cast<double>(std::max<qsizetype>(1, data_.steps.size())), plot.left()};
    update();
}

SpanChart::Frame SpanChart::frame(QSizeF size) const
{
    const QRectF plot = plotOf(size);
    return {plot, x_.origin, x_.scale, plot.height() / std::max(1.0, data_.largest)};
}

void SpanChart::zoom(double factor) { zoomAt(factor, plotOf(size()).center().x()); }

void SpanChart::zoomAt(double factor, double x)
{
    const QRectF plot = plotOf(size());
    const double least = plot.width() / std::max<qsizetype>(1, data_.steps.size());
    x_.zoomAt(factor, x, least, std::max(least, kWidestStep));
    fitted_ = x_.scale <= least;
    clampView();
    update();
}

void SpanChart::clampView()
{
    const QRectF plot = plotOf(size());
    x_.keepInside(plot.left(), plot.right(), static_cast<double>(data_.steps.size()));
}

QRectF SpanChart::rectOf(const Span& s, const Frame& f) const
{
    const double x = f.left + s.first * f.step, y = f.plot.bottom() - s.high * f.amount;
    return {x, y, (s.last - s.first + 1) * f.step, (s.high - s.low) * f.amount};
}

int SpanChart::spanAt(QPointF p) const
{
    const Frame f = frame(size());
    if (!f.plot.contains(p))
        return -1;
    for (std::size_t i = 0; i < data_.spans.size(); ++i)
        if (rectOf(data_.spans[i], f).contains(p))
            return static_cast<int>(i);
    return -1;
}

void SpanChart::setCurrent(int index)
{
    index = index < static_cast<int>(data_.spans.size()) ? index : -1;
    if (index == current_)
        return;
    current_ = index;
    if (current_ >= 0) {
        const QRectF plot = plotOf(size()), r = rectOf(data_.spans[static_cast<std::size_t>(current_)], frame(size()));
        if (r.right() < plot.left() + 20 || r.left() > plot.right() - 20)
            x_.origin -= r.center().x() - plot.center().x();
        clampView();
    }
    update();
    Q_EMIT currentChanged(current_);
}

void SpanChart::setMarkedSteps(std::vector<int> steps)
{
    if (steps == marked_)
        return;
    marked_ = std::move(steps);
    update();
}

void SpanChart::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    painter.fillRect(rect(), palette().color(QPalette::Base));
    draw(painter, frame(size()), true);
    if (hasFocus()) {
        painter.setPen(palette().color(QPalette::Highlight));
        painter.drawRect(rect().adjusted(0, 0, -1, -1));
    }
}

void SpanChart::paintAll(QPainter& painter, QSizeF size) const
{
    painter.fillRect(QRectF({0, 0}, size), palette().color(QPalette::Base));
    Frame f = frame(size);
    f.left = f.plot.left();
    f.step = f.plot.width() / std::max<qsizetype>(1, data_.steps.size());
    draw(painter, f, false);
}

void SpanChart::draw(QPainter& painter, const Frame& f, bool interactive) const
{
    drawAxes(painter, f);
    painter.save();
    painter.setClipRect(f.plot.adjusted(0, -1, 1, 1));
    if (interactive) {
        QColor wash = palette().color(QPalette::Highlight);
        wash.setAlpha(36);
        for (const int step : marked_)
            painter.fillRect(QRectF(f.left + step * f.step, f.plot.top(), f.step, f.plot.height()), wash);
    }
    painter.setRenderHint(QPainter::Antialiasing);
    for (std::size_t i = 0; i < data_.spans.size(); ++i) {
        const Span& span = data_.spans[i];
        const bool isLead = interactive && (static_cast<int>(i) == current_ || static_cast<int>(i) == hovered_);
        const QRectF r = rectOf(span, f).adjusted(0.5, 0.5, -0.5, -0.5);
        painter.setPen(QPen(isLead ? palette().color(QPalette::Text) : span.color.darker(125), isLead ? 2 : 1));
        painter.setBrush(span.color);
        painter.drawRoundedRect(r, 3, 3);
        const QRectF text = r.intersected(f.plot).adjusted(7, 2, -5, -2);
        if (text.width() < 24 || text.height() < 12)
            continue;
        painter.setPen(span.color.lightness() > 130 ? QColor(20, 24, 32) : QColor(245, 247, 250));
        const QFontMetrics metrics(painter.font());
        const bool two = text.height() >= 2.0 * metrics.height();
        painter.drawText(text, Qt::AlignLeft | Qt::AlignVCenter,
                         metrics.elidedText(span.label, Qt::ElideRight, static_cast<int>(text.width())) +
                             (two ? QLatin1Char('\n') + metrics.elidedText(span.detail, Qt::ElideRight, static_cast<int>(text.width()))
                                  : QString()));
    }
    painter.restore();
}

void SpanChart::drawAxes(QPainter& painter, const Frame& f) const
{
    painter.save();
    QFont font = this->font();
    font.setPixelSize(10);
    painter.setFont(font);
    const QColor line = palette().color(QPalette::Mid), ink = palette().color(QPalette::PlaceholderText);
    const double every = tickEvery(f.amount, 256);
    for (double amount = 0; amount <= data_.largest; amount += every) {
        const double y = f.plot.bottom() - amount * f.amount;
        painter.setPen(line);
        painter.drawLine(QPointF(f.plot.left(), y), QPointF(f.plot.right(), y));
        painter.setPen(ink);
        painter.drawText(QRectF(0, y - 8, f.plot.left() - 8, 16), Qt::AlignRight | Qt::AlignVCenter, amountText(amount));
    }
    const double width = f.step * tickEvery(f.step, 1);
    double free = f.plot.left();
    for (qsizetype step = 0; step < data_.steps.size(); ++step) {
        const double x = f.left + static_cast<double>(step) * f.step;
        if (x + f.step / 2 < free || x + f.step > f.plot.right() + 1)
            continue;
        painter.setPen(line);
        painter.drawLine(QPointF(x + f.step / 2, f.plot.bottom()), QPointF(x + f.step / 2, f.plot.bottom() + 4));
        painter.setPen(ink);
        painter.drawText(QRectF(x + f.step / 2 - 20, f.plot.bottom() + 5, 40, 14), Qt::AlignHCenter, data_.steps[step]);
        free = x + f.step / 2 + std::max(width, 20.0);
    }
    painter.drawText(QRectF(f.plot.left(), f.plot.bottom() + 20, f.plot.width(), 16), Qt::AlignHCenter, data_.stepTitle);
    painter.restore();
}

void SpanChart::wheelEvent(QWheelEvent* event)
{
    zoomAt(wheelFactor(*event), event->position().x());
    event->accept();
}

void SpanChart::mousePressEvent(QMouseEvent* event) { drag_.press(event->position()); }

void SpanChart::mouseMoveEvent(QMouseEvent* event)
{
    if (event->buttons() & (Qt::LeftButton | Qt::MiddleButton)) {
        x_.origin += drag_.move(event->position()).x();
        clampView();
        return update();
    }
    const Frame f = frame(size());
    const int step = f.plot.contains(event->position()) ? static_cast<int>((event->position().x() - f.left) / f.step) : -1;
    Q_EMIT stepHovered(step < data_.steps.size() ? step : -1);
    const int span = spanAt(event->position());
    if (span == hovered_)
        return;
    hovered_ = span;
    update();
    Q_EMIT hovered(span);
}

void SpanChart::mouseReleaseEvent(QMouseEvent* event)
{
    if (!drag_.end())
        setCurrent(spanAt(event->position()));
}

// To the nearest rectangle in that direction.
void SpanChart::walk(int key)
{
    if (data_.spans.empty())
        return;
    if (current_ < 0)
        return setCurrent(0);
    const auto middle = [](const Span& s) { return QPointF((s.first + s.last) / 2.0, (s.low + s.high) / 2); };
    const QPointF from = middle(data_.spans[static_cast<std::size_t>(current_)]);
    int best = -1;
    double least = 0;
    for (std::size_t i = 0; i < data_.spans.size(); ++i) {
        const QPointF d = middle(data_.spans[i]) - from;
        const double x = d.x() / std::max<double>(1, static_cast<double>(data_.steps.size())), y = d.y() / std::max(1.0, data_.largest);
        const double along = key == Qt::Key_Right ? x : key == Qt::Key_Left ? -x : key == Qt::Key_Up ? y : -y;
        const double across = std::abs(key == Qt::Key_Right || key == Qt::Key_Left ? y : x);
        if (static_cast<int>(i) == current_ || along <= 0 || (best >= 0 && along + 2 * across >= least))
            continue;
        best = static_cast<int>(i);
        least = along + 2 * across;
    }
    if (best >= 0)
        setCurrent(best);
}

void SpanChart::keyPressEvent(QKeyEvent* event)
{
    switch (zoomKey(*event)) {
    case ZoomKey::kIn: return zoom(kZoomStep);
    case ZoomKey::kOut: return zoom(1 / kZoomStep);
    case ZoomKey::kFit: return fit();
    case ZoomKey::kNone: break;
    }
    switch (event->key()) {
    case Qt::Key_Left:
    case Qt::Key_Right:
    case Qt::Key_Up:
    case Qt::Key_Down: return walk(event->key());
    case Qt::Key_Home: return setCurrent(data_.spans.empty() ? -1 : 0);
    case Qt::Key_End: return setCurrent(static_cast<int>(data_.spans.size()) - 1);
    default: QWidget::keyPressEvent(event);
    }
}

void SpanChart::resizeEvent(QResizeEvent*)
{
    if (fitted_)
        fit();
    else
        clampView();
}

void SpanChart::leaveEvent(QEvent*)
{
    hovered_ = -1;
    update();
    Q_EMIT hovered(-1);
    Q_EMIT stepHovered(-1);
}

}  // namespace tw::gui
