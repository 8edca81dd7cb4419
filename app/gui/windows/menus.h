// Every action of the window, once: menus, tool bar, command palette and shortcuts are made from this list.
#pragma once

#include <QAction>
#include <QKeySequence>
#include <QObject>

#include <functional>

namespace tw::gui {

class MainWindow;

class ActionList : public QObject {
    Q_OBJECT

public:
    explicit ActionList(MainWindow& window);

    // `id` is stable ("file.open"); the part before the dot is the menu that it stands in.
    QAction* add(const QString& id, const QString& text, const QString& iconName, const QKeySequence& shortcut,
                 std::function<void()> run);
    [[nodiscard]] QAction* find(const QString& id) const;  // null if there is none
    [[nodiscard]] const QList<QAction*>& all() const { return all_; }

private:
    MainWindow& window_;
    QList<QAction*> all_;
};

// Fills the list and builds the menu bar and the tool bar from it.
void buildMenus(MainWindow& window);

}  // namespace tw::gui
