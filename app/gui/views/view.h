// The base of every view: a dock with an empty state. Its widgets are made when it is first shown, so the window opens as quickly
// with many views as with few; a hidden one only remembers that it is stale and refreshes on show.
#pragma once

#include <QDockWidget>

#include "app/gui/widgets/theme.h"

class QSplitter;
class QStackedWidget;

namespace tw::gui {

class EmptyState;
class Selection;
class TextPane;
class Workbench;

// What a view may talk to.
struct ViewContext {
    Workbench& workbench;
    Selection& selection;
};

class View : public QDockWidget {
    Q_OBJECT

public:
    // `name` is what --focus takes and what saved layouts know.
    View(const QString& name, const QString& title, const QString& iconName, ViewContext context, QWidget* parent);

    [[nodiscard]] const QString& iconName() const { return iconName_; }
    void setTheme(const Theme& theme, double codeSize);  // sizes in points
    // Whether the user sees it. A tab behind another one is not shown, though QWidget calls it visible.
    [[nodiscard]] bool isShown() const { return shown_; }
    // Whether it only says why there is nothing to see.
    [[nodiscard]] bool isEmpty() const;
    // Makes the content now, for who drives a view that was never shown.
    void prepare();
    // False while a result that the view will show is still being made (--shot waits for it).
    [[nodiscard]] virtual bool isSettled() const { return true; }

    // driver::StageWanted bits of far stages that are worth making while the view is shown.
    [[nodiscard]] virtual unsigned farStages() const { return 0; }

Q_SIGNALS:
    void shownChanged(bool shown);

protected:
    // Makes the widgets and ends with setContent; called once, before the first refresh.
    virtual void makeContent() = 0;
    // There is content, and theme() or codeSize() is new to it; a refresh follows.
    virtual void applyTheme() {}
    [[nodiscard]] const Theme& theme() const { return theme_; }
    [[nodiscard]] double codeSize() const { return codeSize_; }
    // The parent of the content: what is made elsewhere and moved here is styled twice.
    [[nodiscard]] QWidget* frame() const;
    void setContent(QWidget* content);
    void showContent();
    void showEmpty(const QString& title, const QString& hint, const QString& iconName = {});  // the view's own icon where none is named
    // True, and the view is blank, while the first result of a text is on its way: that there is none yet would only flash up.
    [[nodiscard]] bool awaitsFirstResult();
    // Two halves side by side where the dock has `wide` pixels and is not high, below each other elsewhere.
    void setFoldingSplitter(QSplitter* splitter, int wide);
    void resizeEvent(QResizeEvent* event) override;
    void invalidate();           // refresh now, or when the view is next shown
    virtual void refresh() = 0;  // rebuild from the workbench

    ViewContext context_;

private:
    void fold();

    QStackedWidget* stack_;
    EmptyState* empty_ = nullptr;
    QWidget* content_ = nullptr;
    QString iconName_;
    Theme theme_;
    double codeSize_ = 0;
    QSplitter* folding_ = nullptr;
    int wide_ = 0;
    bool stale_ = true, shown_ = false, prepared_ = false;
};

}  // namespace tw::gui
