// The one shared selection: what the user looks at. Every view sets it and follows it; views never know each other.
#pragma once

#include <QObject>
#include <QString>

#include "core/support/source.h"

namespace tw::gui {

struct Place {
    SourceRange range;     // of the opened file or a sibling; unknown if there is none
    std::uint32_t op = 0;  // tile operation, 0 if none
    bool operator==(const Place&) const = default;
    [[nodiscard]] bool isKnown() const { return range.isKnown() || op != 0; }
};

class Selection : public QObject {
    Q_OBJECT

public:
    using QObject::QObject;

    [[nodiscard]] const Place& place() const { return place_; }
    // `origin` is the view that speaks; it ignores its own echo.
    void select(const Place& place, const QObject* origin);
    // What the pointer is over, for as long as it is: marked everywhere, scrolled to nowhere. Unknown: nothing.
    void hover(const Place& place, const QObject* origin);
    [[nodiscard]] const Place& marked() const { return hovered_.isKnown() ? hovered_ : place_; }
    // Asks the editor to show and focus the place (double click, Enter).
    void reveal(const Place& place);

Q_SIGNALS:
    void changed(const tw::gui::Place& place, const QObject* origin);
    void hoverChanged(const tw::gui::Place& place, const QObject* origin);
    void revealed(const tw::gui::Place& place);

private:
    Place place_, hovered_;
};

}  // namespace tw::gui
