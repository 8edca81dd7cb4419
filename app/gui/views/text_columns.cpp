#include "app/gui/views/text_columns.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QScopedValueRollback>
#include <QScrollBar>

#include "app/gui/widgets/elided_label.h"
#include "profiler/compare/aligned_texts.h"

namespace tw::gui {
namespace {
constexpr int kContext = 3;  // equal lines that stay around a difference
constexpr int kLeastColumn = 250;  // pixels
}

TextColumns::TextColumns(QWidget* parent) : QScrollArea(parent), layout_(new QHBoxLayout), theme_(Theme::load(QStringLiteral("light")))
{
    setFrameShape(QFrame::NoFrame);
    setWidgetResizable(true);
    setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    auto* row = new QWidget;
    row->setLayout(layout_);
    setWidget(row);
    layout_->setContentsMargins(0, 0, 0, 0);
    layout_->setSpacing(1);
}

void TextColumns::setTheme(const Theme& theme, double codeSize)
{
    theme_ = theme;
    codeSize_ = codeSize;
    for (auto& pane : panes_) {
        pane.text->setTheme(theme, codeSize);
        pane.text->setMarginWidth(0, 0);
    }
}

void TextColumns::rebuild(std::size_t count, Language language)
{
    if (count == panes_.size() && language == language_)
        return;
    for (auto& pane : panes_)
        delete pane.box;
    panes_.clear();
    language_ = language;
    for (std::size_t i = 0; i < count; ++i) {
        auto* box = new QWidget(widget());
        box->setMinimumWidth(kLeastColumn);
        auto* title = new ElidedLabel(box);
        title->setProperty("role", "muted");
        title->setContentsMargins(10, 3, 10, 3);
        auto* text = new TextPane(language, box);
        text->setReadOnly(true);
        text->setMarginWidth(0, 0);
        text->setTheme(theme_, codeSize_);
        text->setMarginWidth(0, 0);
        auto* column = new QVBoxLayout(box);
        column->setContentsMargins(0, 0, 0, 0);
        column->setSpacing(0);
        column->addWidget(title);
        column->addWidget(text, 1);
        layout_->addWidget(box, 1);
        panes_.push_back({box, title, text});
        connect(text->verticalScrollBar(), &QScrollBar::valueChanged, this, [this, text] { follow(*text); });
    }
}

void TextColumns::follow(const TextPane& leader)
{
    if (following_)
        return;
    const QScopedValueRollback guard(following_, true);
    for (auto& pane : panes_)
        if (pane.text != &leader)
            pane.text->verticalScrollBar()->setValue(leader.verticalScrollBar()->value());
}

void TextColumns::setColumns(const std::vector<Column>& columns, Language language, bool folded)
{
    rebuild(columns.size(), language);
    std::vector<std::string_view> texts;
    for (const auto& c : columns)
        texts.push_back(c.text);
    const auto aligned = compare::alignTexts(texts, folded ? kContext : -1);
    changedRows_ = aligned.changedRows;
    changed_.clear();
    for (std::size_t c = 0; c < columns.size(); ++c) {
        std::vector<int> added, removed;
        const auto& rows = aligned.columns[c];
        for (std::size_t r = 0; r < rows.size(); ++r) {
            const int row = static_cast<int>(r) + 1;
            if (rows[r].kind == compare::AlignedLine::Kind::kChanged)
                added.push_back(row);
            else if (rows[r].kind == compare::AlignedLine::Kind::kMissing)
                removed.push_back(row);
            if (c == 0 && rows[r].kind != compare::AlignedLine::Kind::kSame && rows[r].kind != compare::AlignedLine::Kind::kFold)
                changed_.push_back(row);
        }
        auto& pane = panes_[c];
        pane.title->setText(columns[c].title);
        pane.text->setTextBytes(aligned.text(c, columns[c].text));
        pane.text->setDiffLines(added, removed);
        pane.text->setMarginWidth(0, 0);
    }
}

void TextColumns::goToChange(bool forward)
{
    if (panes_.empty() || changed_.empty())
        return;
    auto* text = panes_.front().text;
    const int at = text->caretLine();
    int wanted = forward ? changed_.front() : changed_.back();
    // The first row of the next block, or of the one before.
    for (std::size_t i = 0; i < changed_.size(); ++i) {
        const bool begins = i == 0 || changed_[i] != changed_[i - 1] + 1;
        if (forward && begins && changed_[i] > at) {
            wanted = changed_[i];
            break;
        }
        if (!forward && begins && changed_[i] < at)
            wanted = changed_[i];
    }
    text->goToLine(wanted);
    follow(*text);
}

}  // namespace tw::gui
