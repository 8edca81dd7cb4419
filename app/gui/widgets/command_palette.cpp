#include "app/gui/widgets/command_palette.h"

#include <QApplication>
#include <QKeyEvent>
#include <QLineEdit>
#include <QListView>
#include <QPainter>
#include <QStandardItemModel>
#include <QStyledItemDelegate>
#include <QVBoxLayout>

namespace tw::gui {
namespace {

constexpr int kActionRole = Qt::UserRole + 1;
constexpr int kShortcutRole = Qt::UserRole + 2;

QString plainText(const QAction& action)
{
    QString text = action.text();
    text.remove(QLatin1Char('&'));
    const QString menu = action.objectName().section(QLatin1Char('.'), 0, 0);
    return menu.isEmpty() ? text : menu.at(0).toUpper() + menu.mid(1) + QStringLiteral(": ") + text;
}

// The shortcut stands at the right end of the row, in the muted colour.
class ShortcutDelegate final : public QStyledItemDelegate {
public:
    using QStyledItemDelegate::QStyledItemDelegate;
    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override
    {
        QStyledItemDelegate::paint(painter, option, index);
        painter->setPen(option.palette.color(QPalette::PlaceholderText));
        painter->drawText(option.rect.adjusted(0, 0, -12, 0), Qt::AlignRight | Qt::AlignVCenter,
                          index.data(kShortcutRole).toString());
    }
};

}  // namespace

int fuzzyScore(const QString& pattern, const QString& text)
{
    int score = 0, at = 0;
    bool together = false;
    for (const QChar wanted : pattern) {
        if (wanted.isSpace())
            continue;
        const auto found = text.indexOf(wanted, at, Qt::CaseInsensitive);
        if (found < 0)
            return -1;
        const bool beginsWord = found == 0 || !text.at(found - 1).isLetterOrNumber();
        score += beginsWord ? 8 : together && found == at ? 6 : 1;
        together = true;
        at = static_cast<int>(found) + 1;
    }
    return score * 64 - static_cast<int>(std::min<qsizetype>(text.size(), 63));
}

CommandPalette::CommandPalette(QWidget* window)
    : QFrame(window), line_(new QLineEdit(this)), list_(new QListView(this)), model_(new QStandardItemModel(this))
{
    setProperty("role", "palette");
    line_->setPlaceholderText(tr("Type the name of a command"));
    list_->setModel(model_);
    list_->setItemDelegate(new ShortcutDelegate(list_));
    list_->setEditTriggers(QAbstractItemView::NoEditTriggers);
    list_->setUniformItemSizes(true);
    list_->setFocusPolicy(Qt::NoFocus);
    list_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(8, 8, 8, 8);
    layout->addWidget(line_);
    layout->addWidget(list_);
    line_->installEventFilter(this);
    connect(line_, &QLineEdit::textChanged, this, &CommandPalette::filter);
    connect(list_, &QListView::clicked, this, &CommandPalette::accept);
    hide();
}

void CommandPalette::open(const QList<QAction*>& actions)
{
    actions_ = actions;
    focusBefore_ = QApplication::focusWidget();
    const int width = std::min(640, parentWidget()->width() - 80);
    setGeometry((parentWidget()->width() - width) / 2, 64, width, std::min(440, parentWidget()->height() - 140));
    line_->clear();
    filter({});
    show();
    raise();
    line_->setFocus();
}

void CommandPalette::filter(const QString& pattern)
{
    std::vector<std::pair<int, QAction*>> ranked;
    for (auto* action : actions_) {
        const int score = fuzzyScore(pattern, plainText(*action));
        if (score > -1 || pattern.trimmed().isEmpty())
            ranked.emplace_back(score, action);
    }
    if (!pattern.trimmed().isEmpty())
        std::stable_sort(ranked.begin(), ranked.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
    model_->clear();
    QPixmap blank(16, 16);  // so that names stand below each other
    blank.fill(Qt::transparent);
    for (const auto& [score, action] : ranked) {
        auto* item = new QStandardItem(action->icon().isNull() ? QIcon(blank) : action->icon(), plainText(*action));
        item->setData(QVariant::fromValue(static_cast<QObject*>(action)), kActionRole);
        item->setData(action->shortcut().toString(QKeySequence::NativeText), kShortcutRole);
        item->setEnabled(action->isEnabled());
        model_->appendRow(item);
    }
    list_->setCurrentIndex(model_->index(0, 0));
}

void CommandPalette::accept()
{
    QPointer<QObject> chosen = list_->currentIndex().data(kActionRole).value<QObject*>();
    close();
    if (auto* action = qobject_cast<QAction*>(chosen.data()))
        action->trigger();
}

void CommandPalette::close()
{
    hide();
    if (focusBefore_)
        focusBefore_->setFocus();
}

void CommandPalette::moveCurrent(int rows)
{
    const int count = model_->rowCount();
    if (count > 0)
        list_->setCurrentIndex(model_->index((list_->currentIndex().row() + rows + count) % count, 0));
}

bool CommandPalette::eventFilter(QObject* watched, QEvent* event)
{
    if (event->type() == QEvent::FocusOut) {
        hide();
    } else if (event->type() == QEvent::KeyPress) {
        switch (static_cast<QKeyEvent*>(event)->key()) {
        case Qt::Key_Escape: close(); return true;
        case Qt::Key_Return:
        case Qt::Key_Enter: accept(); return true;
        case Qt::Key_Down: moveCurrent(1); return true;
        case Qt::Key_Up: moveCurrent(-1); return true;
        case Qt::Key_PageDown: moveCurrent(8); return true;
        case Qt::Key_PageUp: moveCurrent(-8); return true;
        default: break;
        }
    }
    return QFrame::eventFilter(watched, event);
}

}  // namespace tw::gui
