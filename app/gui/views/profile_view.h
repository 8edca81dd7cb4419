// Profiling the chosen kernel: device, what to record, progress; the headline numbers as cards, and as a table with every metric.
#pragma once

#include "app/gui/models/row_model.h"
#include "app/gui/session/profile_session.h"
#include "app/gui/views/capture_view.h"

class QLabel;
class QProgressBar;
class QPushButton;
class QToolButton;

namespace tw::gui {

class DevicePicker;
class EmptyState;
class MetricCards;

class ProfileView : public View {
    Q_OBJECT

public:
    ProfileView(ProfileSession& session, RunSetup& setup, ViewContext context, QWidget* parent);
    [[nodiscard]] bool isSettled() const override { return !session_.isBusy(); }

    void profile();
    void chooseCounters();  // opens the search

Q_SIGNALS:
    void openRequested();  // a stored capture

protected:
    void makeContent() override;
    void applyTheme() override;
    void refresh() override;

private:
    QWidget* makeControls(QWidget* parent);
    QToolButton* makeOptions(QWidget* parent);
    void showCapture(const capture::Capture* capture);
    void showState();

    ProfileSession& session_;
    RunSetup& setup_;
    RowModel* rows_;
    MeaningColors colors_;
    MetricCards* cards_ = nullptr;
    TwinPanel* panel_ = nullptr;
    DevicePicker* device_ = nullptr;
    QPushButton *profile_ = nullptr, *cancel_ = nullptr;
    QToolButton* pin_ = nullptr;
    QLabel *state_ = nullptr, *details_ = nullptr;
    QProgressBar* progress_ = nullptr;
    EmptyState* nothing_ = nullptr;
};

}  // namespace tw::gui
