// Running and verifying the chosen kernel: device, inputs, progress, what came out.
#pragma once

#include "app/gui/models/run_models.h"
#include "app/gui/session/run_session.h"
#include "app/gui/views/view.h"

class QLabel;
class QPlainTextEdit;
class QProgressBar;
class QPushButton;
class QSpinBox;
class QTreeView;

namespace tw::gui {

class DevicePicker;
class InputForm;

class RunView : public View {
    Q_OBJECT

public:
    RunView(RunSession& session, RunSetup& setup, ViewContext context, QWidget* parent);
    [[nodiscard]] bool isSettled() const override { return !session_.isBusy(); }

    void run();
    void verify();

protected:
    void makeContent() override;
    void applyTheme() override;
    void refresh() override;

private:
    QWidget* makeControls(QWidget* parent);
    QWidget* makeResults(QWidget* parent);
    void showOutcome(const RunOutcome& outcome);
    void showRun(const protocol::RunResult& result);
    void showVerify(const protocol::VerifyResult& result, const SnapshotPtr& snapshot);
    void showFailure(const protocol::ResultHead& head);
    void setHeadline(const QString& text, const char* role);
    void showProgress(const QString& phase, double fraction);
    [[nodiscard]] RunOptions options();

    RunSession& session_;
    RunSetup& setup_;
    OutputModel* outputs_;
    ComparisonModel* comparisons_;
    std::shared_ptr<const RunOutcome> shown_;
    DevicePicker* device_ = nullptr;
    QSpinBox *seed_ = nullptr, *repeat_ = nullptr;
    QPushButton *run_ = nullptr, *verify_ = nullptr, *cancel_ = nullptr;
    InputForm* inputs_ = nullptr;
    QLabel *headline_ = nullptr, *details_ = nullptr;
    QProgressBar* progress_ = nullptr;
    QTreeView* table_ = nullptr;
    QPlainTextEdit* log_ = nullptr;
};

}  // namespace tw::gui
