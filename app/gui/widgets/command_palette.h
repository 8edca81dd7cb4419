// Every command of the window by name: type a few letters, press Enter.
#pragma once

#include <QAction>
#include <QFrame>
#include <QPointer>

class QLineEdit;
class QListView;
class QStandardItemModel;

namespace tw::gui {

// How well `pattern` fits `text`: its letters in order, better when they begin words or stand together. -1: not at all.
[[nodiscard]] int fuzzyScore(const QString& pattern, const QString& text);

class CommandPalette : public QFrame {
    Q_OBJECT

public:
    explicit CommandPalette(QWidget* window);
    void open(const QList<QAction*>& actions);

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void filter(const QString& pattern);
    void accept();
    void close();
    void moveCurrent(int rows);

    QLineEdit* line_;
    QListView* list_;
    QStandardItemModel* model_;
    QList<QAction*> actions_;
    QPointer<QWidget> focusBefore_;
};

}  // namespace tw::gui
