// What zoomed pictures share: one axis of the view, and which keys, turns of the wheel and drags change it.
#pragma once

#include <QPointF>

#include <optional>

class QKeyEvent;
class QWheelEvent;

namespace tw::gui {

// Where the units of a picture lie on the screen, along one axis.
struct ViewAxis {
    double scale = 1;   // pixels a unit, more than 0
    double origin = 0;  // pixel of unit 0
    [[nodiscard]] double pixel(double unit) const { return origin + unit * scale; }
    [[nodiscard]] double unit(double pixel) const { return (pixel - origin) / scale; }

    // The unit under `pixel` stays there. `least` ≤ `most`: the bounds of the scale.
    void zoomAt(double factor, double pixel, double least, double most);
    // The first `units` begin at the pixel `from` or before, and cover all pixels to `to` as far as they can.
    void keepInside(double from, double to, double units);
    // Moves as little as puts [first, last] between the pixels; where there is no room for all of it, its end.
    void reveal(double first, double last, double from, double to);
};

constexpr double kZoomStep = 1.4;  // of one zoom by key
[[nodiscard]] double wheelFactor(const QWheelEvent& event);

enum class ZoomKey { kNone, kIn, kOut, kFit };
[[nodiscard]] ZoomKey zoomKey(const QKeyEvent& event);  // +, = and W; - and S; 0 and Escape
// Where the picture goes by A, D and the arrows, as a direction in pixels of length 1; none for other keys.
[[nodiscard]] std::optional<QPointF> panKey(const QKeyEvent& event);

// A pressed pointer: a click until it has moved some pixels, a drag from then on.
class PointerDrag {
public:
    void press(QPointF at);
    QPointF move(QPointF at);  // how far since the last call; nothing as long as it may be a click
    bool end();                // whether it was a drag
    [[nodiscard]] bool isDragging() const { return dragging_; }
    [[nodiscard]] QPointF pressedAt() const { return pressedAt_; }

private:
    QPointF pressedAt_, from_;
    bool dragging_ = false;
};

}  // namespace tw::gui
