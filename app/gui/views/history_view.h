// Every profile that was kept: search, open, pin as the baseline, notes and tags, delete.
#pragma once

#include "app/gui/models/row_model.h"
#include "app/gui/session/compare_session.h"
#include "app/gui/session/run_history.h"
#include "app/gui/views/view.h"

class QLabel;
class QLineEdit;
class QPlainTextEdit;
class QToolButton;

namespace tw::gui {

class TwinPanel;

class HistoryView : public View {
    Q_OBJECT

public:
    HistoryView(RunHistory& history, ProfileSession& profiles, CompareSession& compare, ViewContext context, QWidget* parent);
    [[nodiscard]] bool isSettled() const override { return !isShown() || !history_.isBusy(); }

Q_SIGNALS:
    void viewRequested(const QString& name);  // where what was asked for appears

protected:
    void makeContent() override;
    void refresh() override;
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    QWidget* makeDetails(QWidget* parent);
    void showDetails(int row);
    void saveDetails();
    void open();
    void pin();
    void compareSelected();
    void removeSelected();
    [[nodiscard]] std::vector<std::int64_t> selectedIds() const;
    [[nodiscard]] const store::RunRow* currentRun() const;

    RunHistory& history_;
    ProfileSession& profiles_;
    CompareSession& compare_;
    RowModel* rows_;
    TwinPanel* panel_ = nullptr;
    QLineEdit *search_ = nullptr, *tags_ = nullptr;
    QPlainTextEdit* notes_ = nullptr;
    QLabel* title_ = nullptr;
    QToolButton* pin_ = nullptr;
    std::int64_t shownId_ = 0;  // whose notes and tags are in the fields
};

}  // namespace tw::gui
