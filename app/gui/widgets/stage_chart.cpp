#include "app/gui/widgets/stage_chart.h"

#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QScrollBar>
#include <QToolTip>

#include <cmath>

#include "app/gui/widgets/stage_geometry.h"

namespace tw::gui {

using namespace stage;

namespace {
constexpr double kLeastNs = 10;       // across the plot at the highest zoom
}  // namespace

StageChart::StageChart(QWidget* parent) : QAbstractScrollArea(parent)
{
    setFrameShape(QFrame::NoFrame);
    setFocusPolicy(Qt::StrongFocus);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    viewport()->setMouseTracking(true);
    setMinimumSize(260, 120);
    setAccessibleName(tr("Timeline"));
}

void StageChart::setData(StageChartData shown)
{
    const bool sameEnd = shown.end == data_.end && shown.lanes.size() == data_.lanes.size();
    data_ = std::move(shown);
    tops_.assign(1, 0);
    for (const auto& lane : data_.lanes)
        tops_.push_back(tops_.back() + laneHeight(lane));
    if (!bar(current_))
        current_ = {-1, -1};
    hovered_ = {-1, -1};
    if (!sameEnd || fitted_) {
        measured_ = {0, 0};
        fit();
    }
    updateRange();
    viewport()->update();
}

StageChart::Frame StageChart::frame() const
{
    const double width = std::max(40.0, viewport()->width() - kNames - kRight);
    return {kNames, width, viewport()->height() - kAxis - kLegend, x_.scale, x_.unit(kNames), kAxis - verticalScrollBar()->value()};
}

StageChart::Frame StageChart::frameOfAll(QSizeF size) const
{
    const double width = size.width() - kNames - kRight;
    return {kNames, width, size.height() - kAxis - kLegend, width / std::max(1.0, data_.end), 0, kAxis};
}

double StageChart::heightOfAll() const { return kAxis + tops_.back() + 8 + kLegend; }
double StageChart::visibleNs() const { return frame().width / x_.scale; }

void StageChart::fit()
{
    fitted_ = true;
    x_ = {frame().width / std::max(1.0, data_.end), kNames};
    viewport()->update();
}

void StageChart::clampView()
{
    x_.keepInside(kNames, kNames + frame().width, data_.end);
}

void StageChart::zoomAt(double factor, double x)
{
    const Frame f = frame();
    const double least = f.width / std::max(1.0, data_.end), most = f.width / kLeastNs;
    x_.zoomAt(factor, x, least, std::max(least, most));
    fitted_ = x_.scale <= least;
    clampView();
    viewport()->update();
}

void StageChart::zoom(double factor) { zoomAt(factor, frame().left + frame().width / 2); }

void StageChart::showRange(double startNs, double endNs)
{
    const Frame f = frame();
    const double length = std::max(kLeastNs, endNs - startNs);
    x_.scale = std::clamp(f.width / length, f.width / std::max(1.0, data_.end), f.width / kLeastNs);
    x_.origin = kNames - startNs * x_.scale;
    fitted_ = false;
    clampView();
    viewport()->update();
}

void StageChart::panBy(double pixels)
{
    x_.origin += pixels;
    clampView();
    viewport()->update();
}

const StageBar* StageChart::bar(QPoint at) const
{
    if (at.x() < 0 || static_cast<std::size_t>(at.x()) >= data_.lanes.size())
        return nullptr;
    const auto& bars = data_.lanes[static_cast<std::size_t>(at.x())].bars;
    return at.y() < 0 || static_cast<std::size_t>(at.y()) >= bars.size() ? nullptr : &bars[static_cast<std::size_t>(at.y())];
}

void StageChart::setCurrent(int lane, int index)
{
    const QPoint next = bar({lane, index}) ? QPoint(lane, index) : QPoint(-1, -1);
    if (next == current_)
        return;
    current_ = next;
    if (const auto* b = bar(current_)) {
        const Frame f = frame();
        if (b->end < f.start || b->start > f.ns(f.left + f.width))
            x_.origin += f.left + f.width / 2 - f.x((b->start + b->end) / 2);
        clampView();
        const auto top = tops_[static_cast<std::size_t>(lane)], bottom = tops_[static_cast<std::size_t>(lane) + 1];
        auto* scroll = verticalScrollBar();
        if (top < scroll->value())
            scroll->setValue(static_cast<int>(top));
        else if (bottom > scroll->value() + frame().height)
            scroll->setValue(static_cast<int>(bottom - frame().height) + 1);
    }
    viewport()->update();
    Q_EMIT currentChanged(bar(current_) ? bar(current_)->id : -1);
}

void StageChart::setMarkedKey(std::uint32_t key)
{
    if (std::exchange(marked_, key) != key)
        viewport()->update();
}

double StageChart::laneTop(const Frame& f, std::size_t lane) const { return f.top + tops_[lane]; }

QPoint StageChart::barAt(QPointF p) const
{
    const Frame f = frame();
    if (p.x() < f.left || p.y() < kAxis || p.y() > viewport()->height() - kLegend)
        return {-1, -1};
    const auto above = std::upper_bound(tops_.begin(), tops_.end(), p.y() - f.top);
    const auto lane = static_cast<std::size_t>(above - tops_.begin()) - 1;
    if (above == tops_.begin() || lane >= data_.lanes.size())
        return {-1, -1};
    const double ns = f.ns(p.x()), slack = 2 / f.scale;  // a thin bar can still be met
    const auto& bars = data_.lanes[lane].bars;
    int best = -1;
    for (std::size_t i = 0; i < bars.size() && bars[i].start <= ns + slack; ++i)
        if (bars[i].end + slack >= ns && (best < 0 || bars[i].depth >= bars[static_cast<std::size_t>(best)].depth))
            best = static_cast<int>(i);
    return best < 0 ? QPoint(-1, -1) : QPoint(static_cast<int>(lane), best);
}

void StageChart::wheelEvent(QWheelEvent* event)
{
    const QPoint delta = event->angleDelta();
    if (event->position().x() < kNames)
        return QAbstractScrollArea::wheelEvent(event);
    if (event->modifiers() & Qt::ShiftModifier)
        panBy(delta.x() + delta.y());
    else if (std::abs(delta.x()) > std::abs(delta.y()))
        panBy(delta.x());
    else
        zoomAt(std::pow(1.002, delta.y()), event->position().x());
    event->accept();
}

void StageChart::mousePressEvent(QMouseEvent* event)
{
    drag_.press(event->position());
    panning_ = event->button() == Qt::MiddleButton || event->modifiers().testFlag(Qt::ShiftModifier);
}

void StageChart::mouseMoveEvent(QMouseEvent* event)
{
    if (event->buttons() == Qt::NoButton) {
        const QPoint at = barAt(event->position());
        if (at != hovered_) {
            hovered_ = at;
            viewport()->update();
            Q_EMIT hovered(bar(at) ? bar(at)->id : -1);
        }
        return;
    }
    const QPointF by = drag_.move(event->position());
    const double from = drag_.pressedAt().x();
    if (panning_) {
        panBy(by.x());
    } else if (drag_.isDragging() && from >= kNames) {
        const Frame f = frame();
        const auto inside = [&](double x) { return std::clamp(f.ns(x), 0.0, data_.end); };
        const double a = inside(from), b = inside(event->position().x());
        measured_ = {std::min(a, b), std::max(a, b)};
        viewport()->update();
        Q_EMIT measuredChanged(measured_.first, measured_.second);
    }
}

void StageChart::mouseReleaseEvent(QMouseEvent* event)
{
    if (!drag_.end() && event->button() == Qt::LeftButton) {
        const QPoint at = barAt(event->position());
        if (measured_.second > measured_.first) {
            measured_ = {0, 0};
            Q_EMIT measuredChanged(0, 0);
        }
        setCurrent(at.x(), at.y());
        viewport()->update();
    }
    panning_ = false;
}

void StageChart::mouseDoubleClickEvent(QMouseEvent* event)
{
    if (const auto* b = bar(barAt(event->position())))
        Q_EMIT activated(b->id);
    else
        fit();
}

void StageChart::step(int bars)
{
    if (current_.x() < 0)
        return walkLanes(1);
    const auto count = static_cast<int>(data_.lanes[static_cast<std::size_t>(current_.x())].bars.size());
    setCurrent(current_.x(), std::clamp(current_.y() + bars, 0, count - 1));
}

// To the bar of the next lane that runs at the same time, or the nearest one.
void StageChart::walkLanes(int lanes)
{
    const auto* from = bar(current_);
    const double middle = from ? (from->start + from->end) / 2 : frame().start;
    for (int lane = current_.x() + lanes; lane >= 0 && lane < static_cast<int>(data_.lanes.size()); lane += lanes) {
        const auto& bars = data_.lanes[static_cast<std::size_t>(lane)].bars;
        if (bars.empty())
            continue;
        int best = 0;
        const auto distance = [&](const StageBar& b) { return middle < b.start ? b.start - middle : middle > b.end ? middle - b.end : 0; };
        for (std::size_t i = 1; i < bars.size(); ++i)
            if (distance(bars[i]) < distance(bars[static_cast<std::size_t>(best)]))
                best = static_cast<int>(i);
        return setCurrent(lane, best);
    }
}

void StageChart::keyPressEvent(QKeyEvent* event)
{
    const double hop = frame().width / 8;
    const auto* b = bar(current_);
    switch (zoomKey(*event)) {
    case ZoomKey::kIn: return zoom(kZoomStep);
    case ZoomKey::kOut: return zoom(1 / kZoomStep);
    case ZoomKey::kFit: return fit();
    case ZoomKey::kNone: break;
    }
    switch (event->key()) {
    case Qt::Key_A: return panBy(hop);
    case Qt::Key_D: return panBy(-hop);
    case Qt::Key_F:
        if (b)
            showRange(b->start - (b->end - b->start) * 0.1, b->end + (b->end - b->start) * 0.1);
        return;
    case Qt::Key_Comma:
    case Qt::Key_Left: return step(-1);
    case Qt::Key_Period:
    case Qt::Key_Right: return step(1);
    case Qt::Key_Up: return walkLanes(-1);
    case Qt::Key_Down: return walkLanes(1);
    case Qt::Key_Return:
    case Qt::Key_Enter:
        if (b)
            Q_EMIT activated(b->id);
        return;
    default: QAbstractScrollArea::keyPressEvent(event);
    }
}

void StageChart::updateRange()
{
    const int height = static_cast<int>(tops_.empty() ? 0 : tops_.back());
    const int shown = static_cast<int>(frame().height);
    verticalScrollBar()->setPageStep(shown);
    verticalScrollBar()->setSingleStep(static_cast<int>(kRow));
    verticalScrollBar()->setRange(0, std::max(0, height - shown + 4));
}

void StageChart::resizeEvent(QResizeEvent*)
{
    if (fitted_)
        fit();
    else
        clampView();
    updateRange();
}

bool StageChart::viewportEvent(QEvent* event)
{
    if (event->type() == QEvent::Leave) {
        hovered_ = {-1, -1};
        viewport()->update();
        Q_EMIT hovered(-1);
    }
    if (event->type() == QEvent::ToolTip) {
        const auto* help = static_cast<QHelpEvent*>(event);
        if (const auto* b = bar(barAt(help->pos())))
            QToolTip::showText(help->globalPos(), b->detail, this);
        else
            QToolTip::hideText();
        return true;
    }
    return QAbstractScrollArea::viewportEvent(event);
}

}  // namespace tw::gui
