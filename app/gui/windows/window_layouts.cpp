#include "app/gui/windows/window_layouts.h"

#include "app/gui/windows/main_window.h"

namespace tw::gui {
namespace {

struct Place {
    Qt::DockWidgetArea area;
    QStringList views;  // as tabs, the first in front
    int size;           // width of a side, height of the bottom, in pixels
};

QList<Place> placesOf(const QString& layout)
{
    const auto names = [](std::initializer_list<const char*> list) {
        QStringList out;
        for (const char* name : list)
            out << QString::fromLatin1(name);
        return out;
    };
    if (layout == QLatin1String("profile"))
        return {{Qt::LeftDockWidgetArea, names({"profile", "kernels"}), 384},
                {Qt::LeftDockWidgetArea, names({"findings"}), 384},
                {Qt::RightDockWidgetArea, names({"cuda", "ptx", "sass", "passes"}), 520},
                {Qt::BottomDockWidgetArea,
                 names({"timeline", "memoryflow", "roofline", "stalls", "counters", "history", "compare", "tune", "resources", "access", "memory", "layout", "run",
                        "problems"}),
                 350}};
    if (layout == QLatin1String("teach"))
        return {{Qt::RightDockWidgetArea, names({"passes", "cuda", "layout", "help"}), 640},
                {Qt::BottomDockWidgetArea, names({"run", "memory", "tensor"}), 300}};
    return {{Qt::LeftDockWidgetArea, names({"kernels"}), 270},
            {Qt::RightDockWidgetArea, names({"passes", "cuda", "ptx", "sass", "llvm", "assembly", "layout", "help"}), 620},
            {Qt::BottomDockWidgetArea, names({"problems", "run", "profile", "findings", "resources", "access", "memory", "tensor"}), 230}};
}

// A view without a place is hidden; left alone it would stand in the window's corner, over everything.
void takeAway(MainWindow& window, const QString& layout)
{
    for (auto* view : window.views()) {
        window.removeDockWidget(view);
        view->setFloating(false);
    }
    window.setCorner(Qt::BottomLeftCorner, Qt::LeftDockWidgetArea);
    window.setCorner(Qt::BottomRightCorner, layout == QLatin1String("profile") ? Qt::BottomDockWidgetArea : Qt::RightDockWidgetArea);
}

}  // namespace

bool restoreViews(MainWindow& window, const QString& layout, const QByteArray& state, int version)
{
    takeAway(window, layout);
    return window.restoreState(state, version);
}

void arrangeViews(MainWindow& window, const QString& layout)
{
    takeAway(window, layout);
    for (const auto& place : placesOf(layout)) {
        View* front = nullptr;
        for (const auto& name : place.views) {
            auto* view = window.view(name);
            if (!view)
                continue;
            if (!front)
                window.addDockWidget(place.area, view);
            else
                window.tabifyDockWidget(front, view);
            view->show();
            front = front ? front : view;
        }
        if (!front)
            continue;
        front->raise();
    }
    resizeViews(window, layout);
}

void placeView(MainWindow& window, View* view)
{
    for (auto* other : window.views())
        if (other != view && !other->isFloating() && window.dockWidgetArea(other) == Qt::BottomDockWidgetArea)
            return window.tabifyDockWidget(other, view);
    window.addDockWidget(Qt::BottomDockWidgetArea, view);
}

void resizeViews(MainWindow& window, const QString& layout)
{
    for (const auto& place : placesOf(layout)) {
        if (auto* view = window.view(place.views.front()))
            window.resizeDocks({view}, {place.size}, place.area == Qt::BottomDockWidgetArea ? Qt::Vertical : Qt::Horizontal);
    }
    if (layout == QLatin1String("profile"))  // two below each other at the left
        window.resizeDocks({window.view(QStringLiteral("profile")), window.view(QStringLiteral("findings"))}, {480, 400}, Qt::Vertical);
}

}  // namespace tw::gui
