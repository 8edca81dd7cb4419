#include "app/gui/widgets/heat_map.h"

#include <QHelpEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QToolTip>
#include <QWheelEvent>

#include <array>
#include <cmath>

namespace tw::gui {
namespace {

constexpr std::array<std::array<int, 3>, 7> kStops = {
    {{46, 17, 86}, {59, 66, 137}, {44, 113, 142}, {33, 150, 135}, {86, 190, 100}, {170, 216, 60}, {250, 231, 85}}};
constexpr double kValueCell = 46;  // pixels a cell must have before its value is written into it
constexpr double kGridCell = 7;

}  // namespace

QRgb heatColor(double t)
{
    const double x = std::clamp(t, 0.0, 1.0) * (kStops.size() - 1);
    const auto i = std::min(static_cast<std::size_t>(x), kStops.size() - 2);
    const double f = x - static_cast<double>(i);
    const auto mix = [&](std::size_t c) { return static_cast<int>(std::lround(kStops[i][c] + (kStops[i + 1][c] - kStops[i][c]) * f)); };
    return qRgb(mix(0), mix(1), mix(2));
}

HeatMap::HeatMap(QWidget* parent) : QWidget(parent)
{
    setMouseTracking(true);
    setFocusPolicy(Qt::StrongFocus);
    setAccessibleName(tr("Heat map"));
    setToolTip(QString());
}

void HeatMap::setData(HeatData matrix)
{
    const bool sameShape = matrix.rows == data_.rows && matrix.columns == data_.columns;
    data_ = std::move(matrix);
    dirty_ = true;
    if (!sameShape || fitted_)
        fit();
    update();
}

void HeatMap::fit()
{
    fitted_ = true;
    dirty_ = true;
    if (data_.isEmpty())
        return;
    constexpr double kMargin = 8;
    const double w = std::max(1.0, width() - 2 * kMargin), h = std::max(1.0, height() - 2 * kMargin);
    scale_ = std::min({w / data_.columns, h / data_.rows, 64.0});
    origin_ = {(width() - scale_ * data_.columns) / 2, (height() - scale_ * data_.rows) / 2};
    update();
}

QRectF HeatMap::target() const { return {origin_, QSizeF(scale_ * data_.columns, scale_ * data_.rows)}; }

QPoint HeatMap::cellAt(QPointF p) const
{
    const int column = static_cast<int>(std::floor((p.x() - origin_.x()) / scale_));
    const int row = static_cast<int>(std::floor((p.y() - origin_.y()) / scale_));
    const bool inside = column >= 0 && row >= 0 && column < data_.columns && row < data_.rows;
    return inside ? QPoint(column, row) : QPoint(-1, -1);
}

double HeatMap::colorPosition(double value) const
{
    return data_.max > data_.min ? (value - data_.min) / (data_.max - data_.min) : 0.5;
}

void HeatMap::render()
{
    dirty_ = false;
    image_ = QImage(size(), QImage::Format_ARGB32_Premultiplied);
    image_.fill(Qt::transparent);
    const QRect visible = target().toAlignedRect().intersected(rect());
    std::vector<int> columns(static_cast<std::size_t>(std::max(0, visible.width())));
    for (int x = 0; x < visible.width(); ++x)
        columns[static_cast<std::size_t>(x)] =
            std::clamp(static_cast<int>((visible.left() + x + 0.5 - origin_.x()) / scale_), 0, data_.columns - 1);
    int lastRow = -1;
    for (int y = visible.top(); y <= visible.bottom(); ++y) {
        const int row = std::clamp(static_cast<int>((y + 0.5 - origin_.y()) / scale_), 0, data_.rows - 1);
        auto* line = reinterpret_cast<QRgb*>(image_.scanLine(y)) + visible.left();
        if (row == lastRow) {  // enlarged: the line above is the same
            std::copy_n(reinterpret_cast<const QRgb*>(image_.constScanLine(y - 1)) + visible.left(), visible.width(), line);
            continue;
        }
        for (int x = 0; x < visible.width(); ++x) {
            const double value = data_.at(row, columns[static_cast<std::size_t>(x)]);
            line[x] = std::isfinite(value) ? heatColor(colorPosition(value)) : kNanColor;
        }
        lastRow = row;
    }
}

void HeatMap::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    painter.fillRect(rect(), palette().color(QPalette::Base));
    if (data_.isEmpty())
        return;
    if (dirty_ || image_.size() != size())
        render();
    painter.drawImage(0, 0, image_);
    if (scale_ >= kGridCell) {
        painter.setPen(QColor(0, 0, 0, 40));
        const QRectF visible = target().intersected(QRectF(rect()));
        for (double x = origin_.x() + std::floor((visible.left() - origin_.x()) / scale_) * scale_; x <= visible.right(); x += scale_)
            painter.drawLine(QPointF(x, visible.top()), QPointF(x, visible.bottom()));
        for (double y = origin_.y() + std::floor((visible.top() - origin_.y()) / scale_) * scale_; y <= visible.bottom(); y += scale_)
            painter.drawLine(QPointF(visible.left(), y), QPointF(visible.right(), y));
    }
    if (scale_ >= kValueCell)
        drawValues(painter);
    if (hasFocus()) {
        painter.setPen(palette().color(QPalette::Highlight));
        painter.drawRect(rect().adjusted(0, 0, -1, -1));
    }
}

void HeatMap::drawValues(QPainter& painter) const
{
    const QPoint first(std::max(0, static_cast<int>(-origin_.x() / scale_)), std::max(0, static_cast<int>(-origin_.y() / scale_)));
    for (int row = first.y(); row < data_.rows && origin_.y() + row * scale_ < height(); ++row) {
        for (int column = first.x(); column < data_.columns && origin_.x() + column * scale_ < width(); ++column) {
            const double value = data_.at(row, column);
            const bool light = !std::isfinite(value) || colorPosition(value) < 0.6;
            painter.setPen(light ? Qt::white : Qt::black);
            painter.drawText(QRectF(origin_.x() + column * scale_, origin_.y() + row * scale_, scale_, scale_), Qt::AlignCenter,
                             QString::number(value, 'g', 4));
        }
    }
}

void HeatMap::zoom(double factor, QPointF center)
{
    const double next = std::clamp(scale_ * factor, 0.02, 200.0);
    origin_ = center - (center - origin_) * (next / scale_);
    scale_ = next;
    fitted_ = false;
    dirty_ = true;
    update();
}

void HeatMap::pan(QPointF delta)
{
    origin_ += delta;
    fitted_ = false;
    dirty_ = true;
    update();
}

void HeatMap::wheelEvent(QWheelEvent* event)
{
    zoom(std::pow(1.0015, event->angleDelta().y()), event->position());
    event->accept();
}

void HeatMap::mousePressEvent(QMouseEvent* event) { dragFrom_ = event->position(); }

void HeatMap::mouseMoveEvent(QMouseEvent* event)
{
    if (event->buttons() & (Qt::LeftButton | Qt::MiddleButton)) {
        pan(event->position() - dragFrom_);
        dragFrom_ = event->position();
        return;
    }
    const QPoint cell = data_.isEmpty() ? QPoint(-1, -1) : cellAt(event->position());
    Q_EMIT hovered(cell.y(), cell.x());
}

void HeatMap::mouseDoubleClickEvent(QMouseEvent*) { fit(); }

void HeatMap::keyPressEvent(QKeyEvent* event)
{
    constexpr double kStep = 60;
    switch (event->key()) {
    case Qt::Key_Plus:
    case Qt::Key_W: return zoom(1.4, rect().center());
    case Qt::Key_Minus:
    case Qt::Key_S: return zoom(1 / 1.4, rect().center());
    case Qt::Key_Left:
    case Qt::Key_A: return pan({kStep, 0});
    case Qt::Key_Right:
    case Qt::Key_D: return pan({-kStep, 0});
    case Qt::Key_Up: return pan({0, kStep});
    case Qt::Key_Down: return pan({0, -kStep});
    case Qt::Key_F:
    case Qt::Key_Escape: return fit();
    default: QWidget::keyPressEvent(event);
    }
}

void HeatMap::resizeEvent(QResizeEvent*)
{
    dirty_ = true;
    if (fitted_)
        fit();
}

void HeatMap::leaveEvent(QEvent*) { Q_EMIT hovered(-1, -1); }

bool HeatMap::event(QEvent* event)
{
    if (event->type() != QEvent::ToolTip || data_.isEmpty())
        return QWidget::event(event);
    const auto* help = static_cast<QHelpEvent*>(event);
    const QPoint cell = cellAt(help->pos());
    if (cell.x() < 0)
        QToolTip::hideText();
    else
        QToolTip::showText(help->globalPos(),
                           QStringLiteral("[%1, %2]  %3").arg(cell.y()).arg(cell.x()).arg(data_.at(cell.y(), cell.x())), this);
    return true;
}

}  // namespace tw::gui
