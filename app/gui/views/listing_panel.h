// A listing that is linked to the shared selection: its text, find bar, and lines that light up with other views.
#pragma once

#include <QWidget>

#include "app/gui/editor/text_pane.h"
#include "app/gui/models/listing.h"

namespace tw::gui {

class FindBar;
class Selection;
struct Place;

class ListingPanel : public QWidget {
    Q_OBJECT

public:
    ListingPanel(Language language, Selection& selection, QWidget* parent);

    // `source`: the text that the listing was made from; its ranges are looked up there.
    void setListing(Listing listing, std::shared_ptr<const SourceText> source);
    void setStale(bool stale);
    void setTheme(const Theme& theme, double codeSize);
    void openFind();
    [[nodiscard]] TextPane& pane() { return *pane_; }
    [[nodiscard]] const Listing& listing() const { return listing_; }
    void goToChange(bool forward);  // the next block of lines that the diff marks

private:
    void onCaretMoved(int line);
    [[nodiscard]] Place placeOf(int line) const;  // unknown if the line came from nowhere
    void mark();
    void follow(const Place& place, const QObject* origin);

    Selection& selection_;
    TextPane* pane_;
    FindBar* find_;
    Listing listing_;
    std::shared_ptr<const SourceText> source_;
    bool updating_ = false;
};

}  // namespace tw::gui
