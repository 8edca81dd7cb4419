#include "app/gui/widgets/cell_grid.h"

#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QWheelEvent>

#include <cmath>

namespace tw::gui {
namespace {

constexpr double kEdge = 34;       // pixels for the coordinates at the left and on top
constexpr double kMargin = 6;
constexpr double kLineCell = 5;    // from here on cells are told apart by lines
constexpr double kSmallest = 0.25, kLargest = 160, kLargestFit = 56;
constexpr double kLabelGap = 26;   // pixels between two coordinates

// 1, 2, 4, 8, …: coordinates of tiles are read in powers of two.
int labelEvery(double cell)
{
    int every = 1;
    while (every * cell < kLabelGap)
        every *= 2;
    return every;
}

QColor inkOn(const QColor& paper)
{
    return 0.299 * paper.red() + 0.587 * paper.green() + 0.114 * paper.blue() > 140 ? QColor(20, 24, 32) : QColor(245, 247, 250);
}

}  // namespace

QColor categoryColor(int k, bool dark)
{
    const double hue = std::fmod(0.58 + k * 0.61803398875, 1.0);
    const double shade = (k / 8) % 3 * 0.07;
    return QColor::fromHslF(static_cast<float>(hue), dark ? 0.48F : 0.62F, static_cast<float>(dark ? 0.42 + shade : 0.76 - shade));
}

CellGrid::CellGrid(QWidget* parent) : QWidget(parent)
{
    setMouseTracking(true);
    setFocusPolicy(Qt::StrongFocus);
    setAccessibleName(tr("Grid"));
}

void CellGrid::setData(CellGridData shown)
{
    const bool sameShape = shown.rows == data_.rows && shown.columns == data_.columns;
    data_ = std::move(shown);
    if (!sameShape) {
        current_ = hovered_ = {-1, -1};
        fitted_ = true;
    }
    if (fitted_)
        fit();
    update();
}

void CellGrid::fit()
{
    fitted_ = true;
    if (data_.isEmpty())
        return;
    const double w = std::max(1.0, width() - kEdge - kMargin), h = std::max(1.0, height() - kEdge - kMargin);
    x_ = y_ = {std::min({w / data_.columns, h / data_.rows, kLargestFit}), kEdge};
    update();
}

void CellGrid::zoom(double factor) { zoomAt(factor, rect().center()); }

void CellGrid::zoomAt(double factor, QPointF center)
{
    x_.zoomAt(factor, center.x(), kSmallest, kLargest);
    y_.zoomAt(factor, center.y(), kSmallest, kLargest);
    fitted_ = false;
    keepInside();
    update();
}

// The grid stays at the edges' corner, or fills the widget.
void CellGrid::keepInside()
{
    x_.keepInside(kEdge, width() - kMargin, data_.columns);
    y_.keepInside(kEdge, height() - kMargin, data_.rows);
}

void CellGrid::keepCurrentInSight()
{
    x_.reveal(current_.x(), current_.x() + 1, kEdge, width() - kMargin);
    y_.reveal(current_.y(), current_.y() + 1, kEdge, height() - kMargin);
}

void CellGrid::setCurrent(int row, int column)
{
    if (data_.isEmpty())
        return;
    const QPoint next(std::clamp(column, 0, data_.columns - 1), std::clamp(row, 0, data_.rows - 1));
    if (next == current_)
        return;
    current_ = next;
    keepCurrentInSight();
    update();
    Q_EMIT currentChanged(current_.y(), current_.x());
}

CellGrid::Frame CellGrid::frame() const
{
    return {{x_.origin, y_.origin}, x_.scale, QRectF(kEdge, kEdge, width() - kEdge, height() - kEdge)};
}

QPoint CellGrid::cellAt(QPointF p) const
{
    if (data_.isEmpty() || p.x() < kEdge || p.y() < kEdge)
        return {-1, -1};
    const int column = static_cast<int>(std::floor(x_.unit(p.x())));
    const int row = static_cast<int>(std::floor(y_.unit(p.y())));
    const bool inside = column >= 0 && row >= 0 && column < data_.columns && row < data_.rows;
    return inside ? QPoint(column, row) : QPoint(-1, -1);
}

void CellGrid::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    painter.fillRect(rect(), palette().color(QPalette::Base));
    if (data_.isEmpty())
        return;
    const Frame f = frame();
    drawEdges(painter, f);
    painter.save();
    painter.setClipRect(f.clip);
    draw(painter, f, true);
    painter.restore();
    if (hasFocus()) {
        painter.setPen(palette().color(QPalette::Highlight));
        painter.drawRect(rect().adjusted(0, 0, -1, -1));
    }
}

void CellGrid::draw(QPainter& painter, const Frame& f, bool interactive) const
{
    const auto first = [&](double clip, double origin) { return std::max(0, static_cast<int>((clip - origin) / f.cell)); };
    const int row0 = first(f.clip.top(), f.origin.y()), column0 = first(f.clip.left(), f.origin.x());
    const int row1 = std::min(data_.rows, first(f.clip.bottom(), f.origin.y()) + 1);
    const int column1 = std::min(data_.columns, first(f.clip.right(), f.origin.x()) + 1);
    const double gap = f.cell >= kLineCell ? 1 : 0;
    QFont font = this->font();
    font.setPixelSize(std::clamp(static_cast<int>(f.cell / 4.2), 7, 13));
    painter.setFont(font);
    for (int row = row0; row < row1; ++row) {
        for (int column = column0; column < column1; ++column) {
            const QColor color = data_.color(row, column);
            if (!color.isValid())
                continue;
            const QRectF cell(f.origin.x() + column * f.cell, f.origin.y() + row * f.cell, f.cell, f.cell);
            painter.fillRect(cell.adjusted(0, 0, -gap, -gap), color);
            const auto lines = data_.lines && f.cell >= 22 ? data_.lines(row, column) : QStringList();
            if (lines.isEmpty())
                continue;
            const bool roomForAll = f.cell >= 13 * static_cast<double>(lines.size()) + 4;
            painter.setPen(inkOn(color));
            painter.drawText(cell, Qt::AlignCenter, roomForAll ? lines.join(QLatin1Char('\n')) : lines.front());
        }
    }
    if (interactive)
        drawGroup(painter, f);
}

void CellGrid::drawGroup(QPainter& painter, const Frame& f) const
{
    const QPoint lead = hovered_.x() >= 0 ? hovered_ : current_;
    if (lead.x() < 0)
        return;
    const auto cellOf = [&](int row, int column) {
        return QRectF(f.origin.x() + column * f.cell, f.origin.y() + row * f.cell, f.cell, f.cell).adjusted(0.5, 0.5, -1, -1);
    };
    const QColor ink = palette().color(QPalette::Text);
    painter.setBrush(Qt::NoBrush);
    if (data_.group) {
        const int group = data_.group(lead.y(), lead.x());
        painter.setPen(QPen(ink, f.cell >= 12 ? 1.6 : 1));
        for (int row = 0; row < data_.rows; ++row) {
            for (int column = 0; column < data_.columns; ++column) {
                const QRectF cell = cellOf(row, column);
                if (f.clip.intersects(cell) && data_.color(row, column).isValid() && data_.group(row, column) == group)
                    painter.drawRect(cell);
            }
        }
    }
    if (current_.x() >= 0) {
        painter.setPen(QPen(palette().color(QPalette::Highlight), 3));
        painter.drawRect(cellOf(current_.y(), current_.x()));
    }
}

void CellGrid::drawEdges(QPainter& painter, const Frame& f) const
{
    painter.save();
    QFont font = this->font();
    font.setPixelSize(10);
    painter.setFont(font);
    painter.setPen(palette().color(QPalette::PlaceholderText));
    const int every = labelEvery(f.cell);
    for (int column = 0; column < data_.columns; column += every) {
        const double x = f.origin.x() + column * f.cell;
        if (x >= f.clip.left() - f.cell && x < f.clip.right())
            painter.drawText(QRectF(x - 20 + f.cell / 2, f.clip.top() - 20, 40, 16), Qt::AlignHCenter | Qt::AlignBottom, QString::number(column));
    }
    for (int row = 0; row < data_.rows; row += every) {
        const double y = f.origin.y() + row * f.cell;
        if (y >= f.clip.top() - f.cell / 2 && y < f.clip.bottom())
            painter.drawText(QRectF(0, y - 8 + f.cell / 2, f.clip.left() - 6, 16), Qt::AlignRight | Qt::AlignVCenter,
                             QString::number(row * data_.rowLabelStep));
    }
    painter.restore();
}

QSizeF CellGrid::sizeOfAll(double cell) const { return {kEdge + kMargin + cell * data_.columns, kEdge + kMargin + cell * data_.rows}; }

void CellGrid::paintAll(QPainter& painter, double cell) const
{
    const QSizeF size = sizeOfAll(cell);
    const Frame f{{kEdge, kEdge}, cell, QRectF({kEdge, kEdge}, QPointF(size.width(), size.height()))};
    painter.fillRect(QRectF({0, 0}, size), palette().color(QPalette::Base));
    if (data_.isEmpty())
        return;
    drawEdges(painter, f);
    draw(painter, f, false);
}

void CellGrid::wheelEvent(QWheelEvent* event)
{
    zoomAt(wheelFactor(*event), event->position());
    event->accept();
}

void CellGrid::mousePressEvent(QMouseEvent* event) { drag_.press(event->position()); }

void CellGrid::mouseMoveEvent(QMouseEvent* event)
{
    if (event->buttons() & (Qt::LeftButton | Qt::MiddleButton)) {
        const QPointF by = drag_.move(event->position());
        if (!drag_.isDragging())
            return;
        x_.origin += by.x();
        y_.origin += by.y();
        fitted_ = false;
        keepInside();
        return update();
    }
    const QPoint cell = cellAt(event->position());
    if (cell == hovered_)
        return;
    hovered_ = cell;
    update();
    Q_EMIT hovered(cell.y(), cell.x());
}

void CellGrid::mouseReleaseEvent(QMouseEvent* event)
{
    const QPoint cell = cellAt(event->position());
    if (!drag_.end() && cell.x() >= 0)
        setCurrent(cell.y(), cell.x());
}

void CellGrid::keyPressEvent(QKeyEvent* event)
{
    const int step = event->modifiers() & Qt::ControlModifier ? 8 : 1;
    const int row = std::max(0, current_.y()), column = std::max(0, current_.x());
    const bool none = current_.x() < 0;
    switch (zoomKey(*event)) {
    case ZoomKey::kIn: return zoom(kZoomStep);
    case ZoomKey::kOut: return zoom(1 / kZoomStep);
    case ZoomKey::kFit: return fit();
    case ZoomKey::kNone: break;
    }
    switch (event->key()) {
    case Qt::Key_Left: return setCurrent(row, none ? 0 : column - step);
    case Qt::Key_Right: return setCurrent(row, none ? 0 : column + step);
    case Qt::Key_Up: return setCurrent(none ? 0 : row - step, column);
    case Qt::Key_Down: return setCurrent(none ? 0 : row + step, column);
    case Qt::Key_Home: return setCurrent(step > 1 ? 0 : row, 0);
    case Qt::Key_End: return setCurrent(step > 1 ? data_.rows - 1 : row, data_.columns - 1);
    default: QWidget::keyPressEvent(event);
    }
}

void CellGrid::resizeEvent(QResizeEvent*)
{
    if (fitted_)
        fit();
    else
        keepInside();
}

void CellGrid::leaveEvent(QEvent*)
{
    hovered_ = {-1, -1};
    update();
    Q_EMIT hovered(-1, -1);
}

}  // namespace tw::gui
