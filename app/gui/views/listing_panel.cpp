#include "app/gui/views/listing_panel.h"

#include <QShortcut>
#include <QVBoxLayout>

#include "app/gui/editor/find_bar.h"
#include "app/gui/session/selection.h"

namespace tw::gui {

ListingPanel::ListingPanel(Language language, Selection& selection, QWidget* parent)
    : QWidget(parent), selection_(selection), pane_(new TextPane(language, this)), find_(new FindBar(*pane_, this))
{
    pane_->setReadOnly(true);
    pane_->setFolding(language == Language::kTileLang ? QsciScintilla::PlainFoldStyle : QsciScintilla::NoFoldStyle, 2);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(pane_, 1);
    layout->addWidget(find_);
    setFocusProxy(pane_);
    auto* shortcut = new QShortcut(QKeySequence::Find, this);
    shortcut->setContext(Qt::WidgetWithChildrenShortcut);
    connect(shortcut, &QShortcut::activated, this, &ListingPanel::openFind);
    connect(pane_, &TextPane::caretMoved, this, [this](int line) { onCaretMoved(line); });
    connect(pane_, &TextPane::lineActivated, this, [this](int line) {
        onCaretMoved(line);
        if (selection_.place().isKnown())
            selection_.reveal(selection_.place());
    });
    connect(pane_, &TextPane::lineHovered, this, [this](int line) { selection_.hover(placeOf(line), this); });
    connect(&selection, &Selection::changed, this, &ListingPanel::follow);
    connect(&selection, &Selection::hoverChanged, this, &ListingPanel::mark);
}

void ListingPanel::setListing(Listing listing, std::shared_ptr<const SourceText> source)
{
    updating_ = true;
    const bool sameText = listing.text == listing_.text, isFirst = listing_.isEmpty();
    listing_ = std::move(listing);
    source_ = std::move(source);
    if (!sameText)
        pane_->setTextBytes(listing_.text);
    std::vector<int> added, removed;
    for (std::size_t i = 0; i < listing_.lines.size(); ++i) {
        if (listing_.lines[i].mark == ListingLine::Mark::kAdded)
            added.push_back(static_cast<int>(i) + 1);
        else if (listing_.lines[i].mark == ListingLine::Mark::kRemoved)
            removed.push_back(static_cast<int>(i) + 1);
    }
    pane_->setDiffLines(added, removed);
    if (isFirst) {  // past what every program begins with
        const auto own = std::find_if(listing_.lines.begin(), listing_.lines.end(), [](const ListingLine& l) { return l.source.isKnown(); });
        pane_->showLine(own == listing_.lines.end() ? 1 : static_cast<int>(own - listing_.lines.begin()) + 1);
    }
    updating_ = false;
    follow(selection_.place(), nullptr);
}

void ListingPanel::setStale(bool stale) { pane_->setDimmed(stale); }
void ListingPanel::setTheme(const Theme& theme, double codeSize) { pane_->setTheme(theme, codeSize); }
void ListingPanel::openFind() { find_->open(false); }

void ListingPanel::goToChange(bool forward)
{
    const auto marked = [&](int line) {
        const auto i = static_cast<std::size_t>(line) - 1;
        return line >= 1 && i < listing_.lines.size() && listing_.lines[i].mark != ListingLine::Mark::kNone;
    };
    const int count = static_cast<int>(listing_.lines.size()), step = forward ? 1 : -1;
    int line = pane_->caretLine();
    while (marked(line))
        line += step;
    for (int i = 0; i < count && !marked(line); ++i)
        line = line + step < 1 ? count : line + step > count ? 1 : line + step;
    while (marked(line - 1) && !forward)
        --line;
    if (marked(line))
        pane_->goToLine(line);
}

void ListingPanel::onCaretMoved(int line)
{
    if (updating_ || !pane_->hasFocus())
        return;
    if (const Place place = placeOf(line); place.isKnown())
        selection_.select(place, this);
}

Place ListingPanel::placeOf(int line) const
{
    const auto index = static_cast<std::size_t>(line) - 1;
    if (line < 1 || !source_ || index >= listing_.lines.size() || !listing_.lines[index].source.isKnown())
        return {};
    return {listing_.lines[index].source, listing_.lines[index].op};
}

void ListingPanel::mark()
{
    if (source_)
        pane_->setLinkedLines(linkedLines(listing_, *source_, selection_.marked().range, selection_.marked().op));
}

void ListingPanel::follow(const Place& place, const QObject* origin)
{
    if (!source_)
        return;
    mark();
    const auto lines = linkedLines(listing_, *source_, place.range, place.op);
    if (origin != this && !lines.empty())
        pane_->showLine(lines.front());
}

}  // namespace tw::gui
