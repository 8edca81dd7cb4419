#include "app/gui/editor/find_bar.h"

#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QToolButton>

#include "app/gui/editor/text_pane.h"

namespace tw::gui {

FindBar::FindBar(TextPane& pane, QWidget* parent)
    : QWidget(parent), pane_(pane), needle_(new QLineEdit(this)), replacement_(new QLineEdit(this)), count_(new QLabel(this)),
      case_(makeToggle(QStringLiteral("Aa"), tr("Match case"))), word_(makeToggle(QStringLiteral("W"), tr("Whole words"))),
      regex_(makeToggle(QStringLiteral(".*"), tr("Regular expression"))), replaceRow_(new QWidget(this))
{
    setProperty("role", "bar");
    setAttribute(Qt::WA_StyledBackground);
    needle_->setPlaceholderText(tr("Find"));
    needle_->setClearButtonEnabled(true);
    replacement_->setPlaceholderText(tr("Replace with"));
    count_->setProperty("role", "muted");
    count_->setMinimumWidth(90);
    const auto button = [this](const QString& name, const QString& tip, auto slot) {
        auto* b = new QToolButton(this);
        b->setIcon(icon(name));
        b->setToolTip(tip);
        connect(b, &QToolButton::clicked, this, slot);
        return b;
    };
    auto* findRow = new QHBoxLayout;
    for (QWidget* w : std::initializer_list<QWidget*>{needle_, case_, word_, regex_, count_})
        findRow->addWidget(w, w == needle_ ? 1 : 0);
    findRow->addWidget(button(QStringLiteral("previous"), tr("Previous match (Shift+F3)"), [this] { findNext(false); }));
    findRow->addWidget(button(QStringLiteral("next"), tr("Next match (F3)"), [this] { findNext(true); }));
    findRow->addWidget(button(QStringLiteral("close"), tr("Close (Esc)"), [this] { closeBar(); }));
    auto* replaceLayout = new QHBoxLayout(replaceRow_);
    replaceLayout->setContentsMargins(0, 0, 0, 0);
    auto* one = new QPushButton(tr("Replace"), replaceRow_);
    auto* all = new QPushButton(tr("Replace all"), replaceRow_);
    replaceLayout->addWidget(replacement_, 1);
    replaceLayout->addWidget(one);
    replaceLayout->addWidget(all);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(8, 5, 8, 5);
    layout->setSpacing(4);
    layout->addLayout(findRow);
    layout->addWidget(replaceRow_);
    connect(needle_, &QLineEdit::textChanged, this, [this] { update(); });
    connect(needle_, &QLineEdit::returnPressed, this, [this] { findNext(true); });
    connect(one, &QPushButton::clicked, this, &FindBar::replaceOne);
    connect(all, &QPushButton::clicked, this, &FindBar::replaceAll);
    connect(replacement_, &QLineEdit::returnPressed, this, &FindBar::replaceOne);
    hide();
}

QToolButton* FindBar::makeToggle(const QString& text, const QString& toolTip)
{
    auto* button = new QToolButton(this);
    button->setText(text);
    button->setToolTip(toolTip);
    button->setCheckable(true);
    button->setMinimumWidth(28);
    connect(button, &QToolButton::toggled, this, [this] { update(); });
    return button;
}

void FindBar::open(bool withReplace)
{
    replaceRow_->setVisible(withReplace && !pane_.isReadOnly());
    const QString selected = pane_.selectedText();
    if (!selected.isEmpty() && !selected.contains(QLatin1Char('\n')))
        needle_->setText(selected);
    show();
    needle_->setFocus();
    needle_->selectAll();
    update();
}

void FindBar::update()
{
    const TextPane::FindOptions options{case_->isChecked(), word_->isChecked(), regex_->isChecked()};
    const int count = pane_.markMatches(needle_->text(), options);
    if (needle_->text().isEmpty())
        count_->clear();
    else if (count == 0)
        count_->setText(tr("no match"));
    else
        count_->setText(count == TextPane::kMaxMatches ? tr("%1 or more").arg(count) : count == 1 ? tr("1 match") : tr("%1 matches").arg(count));
}

void FindBar::findNext(bool forward)
{
    if (needle_->text().isEmpty())
        return open(false);
    const TextPane::FindOptions options{case_->isChecked(), word_->isChecked(), regex_->isChecked()};
    int line = 0, column = 0, endLine = 0, endColumn = 0;
    pane_.getSelection(&line, &column, &endLine, &endColumn);
    const int from = line < 0 ? pane_.caretOffset()
                     : forward ? pane_.positionFromLineIndex(endLine, endColumn)
                               : pane_.positionFromLineIndex(line, column);
    pane_.findFrom(from, needle_->text(), options, forward);
}

void FindBar::replaceOne()
{
    if (pane_.selectedText().compare(needle_->text(), case_->isChecked() ? Qt::CaseSensitive : Qt::CaseInsensitive) == 0 ||
        (regex_->isChecked() && pane_.hasSelectedText()))
        pane_.replaceSelectedText(replacement_->text());
    findNext(true);
    update();
}

void FindBar::replaceAll()
{
    using Sci = QsciScintillaBase;
    const QByteArray needle = needle_->text().toUtf8(), with = replacement_->text().toUtf8();
    if (needle.isEmpty())
        return;
    update();  // sets the search flags
    pane_.beginUndoAction();
    for (long from = 0; from <= pane_.SendScintilla(Sci::SCI_GETLENGTH);) {
        pane_.SendScintilla(Sci::SCI_SETTARGETSTART, static_cast<unsigned long>(from));
        pane_.SendScintilla(Sci::SCI_SETTARGETEND, static_cast<unsigned long>(pane_.SendScintilla(Sci::SCI_GETLENGTH)));
        const long at =
            pane_.SendScintilla(Sci::SCI_SEARCHINTARGET, static_cast<unsigned long>(needle.size()), needle.constData());
        if (at < 0)
            break;
        const bool empty = pane_.SendScintilla(Sci::SCI_GETTARGETEND) == at;
        pane_.SendScintilla(regex_->isChecked() ? Sci::SCI_REPLACETARGETRE : Sci::SCI_REPLACETARGET,
                            static_cast<unsigned long>(with.size()), with.constData());
        from = pane_.SendScintilla(Sci::SCI_GETTARGETEND) + (empty ? 1 : 0);
    }
    pane_.endUndoAction();
    update();
}

void FindBar::closeBar()
{
    hide();
    pane_.markMatches({}, {});
    pane_.setFocus();
}

void FindBar::keyPressEvent(QKeyEvent* event)
{
    if (event->key() == Qt::Key_Escape)
        return closeBar();
    if (event->key() == Qt::Key_F3)
        return findNext(!(event->modifiers() & Qt::ShiftModifier));
    QWidget::keyPressEvent(event);
}

}  // namespace tw::gui
