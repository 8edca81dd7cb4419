// The base of every view: a dock with an empty state. A hidden view only remembers that it is stale and refreshes on show.
#pragma once

#include <QDockWidget>

class QSplitter;
class QStackedWidget;

namespace tw::gui {

class EmptyState;
class Selection;
class TextPane;
class Theme;
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
    virtual void setTheme(const Theme& theme, double codeSize);
    // False while a result that the view will show is still being made (--shot waits for it).
    [[nodiscard]] virtual bool isSettled() const { return true; }

    // driver::StageWanted bits of far stages that are worth making while the view is shown.
    [[nodiscard]] virtual unsigned farStages() const { return 0; }

Q_SIGNALS:
    void shownChanged(bool shown);

protected:
    // The parent of the content: what is made elsewhere and moved here is styled twice.
    [[nodiscard]] QWidget* frame() const;
    void setContent(QWidget* content);
    void showContent();
    void showEmpty(const QString& title, const QString& hint);
    // Two halves side by side where the dock has `wide` pixels and is not high, below each other elsewhere.
    void setFoldingSplitter(QSplitter* splitter, int wide)
    {
        folding_ = splitter;
        wide_ = wide;
    }
    void resizeEvent(QResizeEvent* event) override;
    void invalidate();           // refresh now, or when the view is next shown
    virtual void refresh() = 0;  // rebuild from the workbench

    ViewContext context_;

private:
    QStackedWidget* stack_;
    EmptyState* empty_;
    QString iconName_;
    QSplitter* folding_ = nullptr;
    int wide_ = 0;
    bool stale_ = true;
};

}  // namespace tw::gui
