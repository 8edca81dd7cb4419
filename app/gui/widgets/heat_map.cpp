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
constexpr double kSmallest = 0.02, kLargest = 200, kLargestFit = 64;  // pixels a cell
constexpr double kExportSide = 4096, kExportCell = 16;               // of a picture; of a cell in it

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
    const double scale = std::min({w / data_.columns, h / data_.rows, kLargestFit});
    x_ = {scale, (width() - scale * data_.columns) / 2};
    y_ = {scale, (height() - scale * data_.rows) / 2};
    update();
}

QRectF HeatMap::target() const { return {x_.origin, y_.origin, x_.scale * data_.columns, y_.scale * data_.rows}; }

QPoint HeatMap::cellAt(QPointF p) const
{
    const int column = static_cast<int>(std::floor(x_.unit(p.x())));
    const int row = static_cast<int>(std::floor(y_.unit(p.y())));
    const bool inside = column >= 0 && row >= 0 && column < data_.columns && row < data_.rows;
    return inside ? QPoint(column, row) : QPoint(-1, -1);
}

double HeatMap::colorPosition(double value) const
{
    return data_.max > data_.min ? (value - data_.min) / (data_.max - data_.min) : 0.5;
}

// The part of the matrix that lies within `visible`, one look-up a pixel.
void HeatMap::renderInto(QImage& image, const ViewAxis& x, const ViewAxis& y, const QRect& visible) const
{
    std::vector<int> columns(static_cast<std::size_t>(std::max(0, visible.width())));
    for (int i = 0; i < visible.width(); ++i)
        columns[static_cast<std::size_t>(i)] = std::clamp(static_cast<int>(x.unit(visible.left() + i + 0.5)), 0, data_.columns - 1);
    int lastRow = -1;
    for (int line = visible.top(); line <= visible.bottom(); ++line) {
        const int row = std::clamp(static_cast<int>(y.unit(line + 0.5)), 0, data_.rows - 1);
        auto* pixels = reinterpret_cast<QRgb*>(image.scanLine(line)) + visible.left();
        if (row == lastRow) {  // enlarged: the line above is the same
            std::copy_n(reinterpret_cast<const QRgb*>(image.constScanLine(line - 1)) + visible.left(), visible.width(), pixels);
            continue;
        }
        for (int i = 0; i < visible.width(); ++i) {
            const double value = data_.at(row, columns[static_cast<std::size_t>(i)]);
            pixels[i] = std::isfinite(value) ? heatColor(colorPosition(value)) : kNanColor;
        }
        lastRow = row;
    }
}

void HeatMap::render()
{
    dirty_ = false;
    image_ = QImage(size(), QImage::Format_ARGB32_Premultiplied);
    image_.fill(Qt::transparent);
    renderInto(image_, x_, y_, target().toAlignedRect().intersected(rect()));
}

QSizeF HeatMap::sizeOfAll() const
{
    const double cell = std::clamp(kExportSide / std::max({1, data_.rows, data_.columns}), 1.0, kExportCell);
    return {std::min(kExportSide, std::max(1.0, cell * data_.columns)), std::min(kExportSide, std::max(1.0, cell * data_.rows))};
}

void HeatMap::paintAll(QPainter& painter, QSizeF size) const
{
    if (data_.isEmpty())
        return;
    QImage image(size.toSize(), QImage::Format_ARGB32_Premultiplied);
    renderInto(image, {size.width() / data_.columns, 0}, {size.height() / data_.rows, 0}, image.rect());
    painter.drawImage(0, 0, image);
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
    if (scale() >= kGridCell) {
        painter.setPen(QColor(0, 0, 0, 40));
        const QRectF visible = target().intersected(QRectF(rect()));
        for (double x = x_.pixel(std::floor(x_.unit(visible.left()))); x <= visible.right(); x += scale())
            painter.drawLine(QPointF(x, visible.top()), QPointF(x, visible.bottom()));
        for (double y = y_.pixel(std::floor(y_.unit(visible.top()))); y <= visible.bottom(); y += scale())
            painter.drawLine(QPointF(visible.left(), y), QPointF(visible.right(), y));
    }
    if (scale() >= kValueCell)
        drawValues(painter);
    if (hasFocus()) {
        painter.setPen(palette().color(QPalette::Highlight));
        painter.drawRect(rect().adjusted(0, 0, -1, -1));
    }
}

void HeatMap::drawValues(QPainter& painter) const
{
    const int firstRow = std::max(0, static_cast<int>(y_.unit(0))), firstColumn = std::max(0, static_cast<int>(x_.unit(0)));
    for (int row = firstRow; row < data_.rows && y_.pixel(row) < height(); ++row) {
        for (int column = firstColumn; column < data_.columns && x_.pixel(column) < width(); ++column) {
            const double value = data_.at(row, column);
            const bool light = !std::isfinite(value) || colorPosition(value) < 0.6;
            painter.setPen(light ? Qt::white : Qt::black);
            painter.drawText(QRectF(x_.pixel(column), y_.pixel(row), scale(), scale()), Qt::AlignCenter,
                             QString::number(value, 'g', 4));
        }
    }
}

void HeatMap::zoom(double factor, QPointF center)
{
    x_.zoomAt(factor, center.x(), kSmallest, kLargest);
    y_.zoomAt(factor, center.y(), kSmallest, kLargest);
    fitted_ = false;
    dirty_ = true;
    update();
}

void HeatMap::pan(QPointF delta)
{
    x_.origin += delta.x();
    y_.origin += delta.y();
    fitted_ = false;
    dirty_ = true;
    update();
}

void HeatMap::wheelEvent(QWheelEvent* event)
{
    zoom(wheelFactor(*event), event->position());
    event->accept();
}

void HeatMap::mousePressEvent(QMouseEvent* event) { drag_.press(event->position()); }

void HeatMap::mouseMoveEvent(QMouseEvent* event)
{
    if (event->buttons() & (Qt::LeftButton | Qt::MiddleButton)) {
        if (const QPointF by = drag_.move(event->position()); drag_.isDragging())
            pan(by);
        return;
    }
    const QPoint cell = data_.isEmpty() ? QPoint(-1, -1) : cellAt(event->position());
    Q_EMIT hovered(cell.y(), cell.x());
}

void HeatMap::mouseDoubleClickEvent(QMouseEvent*) { fit(); }

void HeatMap::keyPressEvent(QKeyEvent* event)
{
    constexpr double kHop = 60;  // pixels
    if (const auto direction = panKey(*event))
        return pan(*direction * kHop);
    switch (zoomKey(*event)) {
    case ZoomKey::kIn: return zoom(kZoomStep, rect().center());
    case ZoomKey::kOut: return zoom(1 / kZoomStep, rect().center());
    case ZoomKey::kFit: return fit();
    case ZoomKey::kNone: QWidget::keyPressEvent(event);
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
