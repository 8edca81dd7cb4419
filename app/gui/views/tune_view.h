// The tuning browser: what was tried, as parallel coordinates, as model against measurement, as a table; the winner goes into the source.
#pragma once

#include "app/gui/models/tune_rows.h"
#include "app/gui/session/tune_session.h"
#include "app/gui/views/view.h"

class QComboBox;
class QLabel;
class QLineEdit;
class QProgressBar;
class QPushButton;
class QSpinBox;
class QStackedWidget;

namespace tw::gui {

class DevicePicker;
class EmptyState;
class TwinPanel;

class TuneView : public View {
    Q_OBJECT

public:
    TuneView(TuneSession& session, RunSetup& setup, ViewContext context, QWidget* parent);
    [[nodiscard]] bool isSettled() const override { return !isShown() || !session_.isBusy(); }

Q_SIGNALS:
    // Each parameter's default in the source becomes the value; one step of undo.
    void writeRequested(const std::map<std::string, std::string>& params);

protected:
    void makeContent() override;
    void refresh() override;

private:
    QWidget* makeControls(QWidget* parent);
    TwinPanel* makePanel(QWidget* parent);
    void start();
    void showTrials();
    void showState();
    void showPicture();  // or what to do for one
    [[nodiscard]] QString busyText() const;
    [[nodiscard]] bool isOfChosenKernel() const;  // the trials
    void proposeSpace();
    [[nodiscard]] const store::Trial* currentTrial() const;

    TuneSession& session_;
    RunSetup& setup_;
    RowModel* rows_;
    std::vector<store::Trial> ranked_;
    QString proposedFor_;  // the kernel whose space is in the field
    QLineEdit* space_ = nullptr;
    DevicePicker* device_ = nullptr;
    QSpinBox* top_ = nullptr;
    QPushButton *tune_ = nullptr, *cancel_ = nullptr, *write_ = nullptr;
    QProgressBar* progress_ = nullptr;
    QLabel* state_ = nullptr;
    TwinPanel* panel_ = nullptr;
    QComboBox* kind_ = nullptr;
    QStackedWidget* pictures_ = nullptr;
    ParallelPlot* lines_ = nullptr;
    ChartPanel* scatter_ = nullptr;
    EmptyState* nothing_ = nullptr;
};

}  // namespace tw::gui
