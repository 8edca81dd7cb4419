// The heat of the shown profile in the margin of a listing.
#pragma once

#include <QString>

#include <string>

namespace tw::gui {

class ListingPanel;
class ProfileSession;

// `text` as in models/line_costs.h. `fits`: the listing is of the program that was profiled. Returns what the margin shows, or why it is
// empty; empty where nothing was profiled.
[[nodiscard]] QString showListingHeat(const ProfileSession& profiles, const std::string& text, ListingPanel& listing, bool fits);

}  // namespace tw::gui
