#include "app/gui/widgets/view_axis.h"

#include <QKeyEvent>
#include <QWheelEvent>

#include <algorithm>
#include <cmath>
#include <utility>

namespace tw::gui {
namespace {
constexpr int kClickSlack = 4;  // pixels
}

void ViewAxis::zoomAt(double factor, double pixel, double least, double most)
{
    const double next = std::clamp(scale * factor, least, most);
    origin = pixel - (pixel - origin) * (next / scale);
    scale = next;
}

void ViewAxis::keepInside(double from, double to, double units) { origin = std::clamp(origin, std::min(from, to - scale * units), from); }

void ViewAxis::reveal(double first, double last, double from, double to)
{
    origin += std::max(0.0, from - pixel(first));
    origin -= std::max(0.0, pixel(last) - to);
}

double wheelFactor(const QWheelEvent& event) { return std::pow(1.0015, event.angleDelta().y()); }

ZoomKey zoomKey(const QKeyEvent& event)
{
    switch (event.key()) {
    case Qt::Key_Plus:
    case Qt::Key_Equal:
    case Qt::Key_W: return ZoomKey::kIn;
    case Qt::Key_Minus:
    case Qt::Key_S: return ZoomKey::kOut;
    case Qt::Key_0:
    case Qt::Key_Escape: return ZoomKey::kFit;
    default: return ZoomKey::kNone;
    }
}

std::optional<QPointF> panKey(const QKeyEvent& event)
{
    switch (event.key()) {
    case Qt::Key_A:
    case Qt::Key_Left: return QPointF(1, 0);
    case Qt::Key_D:
    case Qt::Key_Right: return QPointF(-1, 0);
    case Qt::Key_Up: return QPointF(0, 1);
    case Qt::Key_Down: return QPointF(0, -1);
    default: return std::nullopt;
    }
}

void PointerDrag::press(QPointF at)
{
    pressedAt_ = from_ = at;
    dragging_ = false;
}

QPointF PointerDrag::move(QPointF at)
{
    dragging_ = dragging_ || (at - pressedAt_).manhattanLength() > kClickSlack;
    if (!dragging_)
        return {};
    return at - std::exchange(from_, at);
}

bool PointerDrag::end() { return std::exchange(dragging_, false); }

}  // namespace tw::gui
