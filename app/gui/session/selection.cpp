#include "app/gui/session/selection.h"

namespace tw::gui {

void Selection::select(const Place& place, const QObject* origin)
{
    if (place == place_)
        return;
    place_ = place;
    Q_EMIT changed(place_, origin);
}

void Selection::hover(const Place& place, const QObject* origin)
{
    if (place == hovered_)
        return;
    hovered_ = place;
    Q_EMIT hoverChanged(hovered_, origin);
}

void Selection::reveal(const Place& place)
{
    select(place, this);
    Q_EMIT revealed(place);
}

}  // namespace tw::gui
