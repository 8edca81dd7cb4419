#include "app/gui/views/heat.h"

#include <QObject>

#include "app/gui/models/line_costs.h"
#include "app/gui/session/profile_session.h"
#include "app/gui/views/listing_panel.h"

namespace tw::gui {

QString showListingHeat(const ProfileSession& profiles, const std::string& text, ListingPanel& listing, bool fits)
{
    const auto capture = profiles.shown();
    ListingCosts costs;
    if (capture && fits)
        costs = listingCosts(*capture, text, listing.listing());
    else if (capture)
        costs.note = QObject::tr("no heat: the profile is of another text, kernel or target");
    std::vector<LineHeat> heat;
    for (const auto& cost : costs.lines)
        heat.push_back({cost.line, cost.share, cost.text});
    listing.pane().setHeat(std::move(heat));
    return costs.note;
}

}  // namespace tw::gui
