// The charts of a capture: roofline, stalls of each operation, counters over time.
#pragma once

#include "app/gui/models/profile_charts.h"
#include "app/gui/views/capture_view.h"

class QComboBox;

namespace tw::gui {

// How near the kernel is to what the device can do. Every run of this window is in it, the shown one in front.
class RooflineView : public CaptureView {
    Q_OBJECT

public:
    RooflineView(ProfileSession& session, ViewContext context, QWidget* parent);

protected:
    TwinPanel* makePanel() override;
    void showCapture(const capture::Capture& capture) override;
    [[nodiscard]] QString missing(const capture::Capture& capture) const override;

private:
    RowModel* rows_;
    ChartPanel* chart_ = nullptr;
};

// What the warps of each tile operation waited for.
class StallView : public CaptureView {
    Q_OBJECT

public:
    StallView(ProfileSession& session, ViewContext context, QWidget* parent);

protected:
    TwinPanel* makePanel() override;
    void showCapture(const capture::Capture& capture) override;
    [[nodiscard]] QString missing(const capture::Capture& capture) const override;

private:
    void goToBar(int category);
    RowModel* rows_;
    BarPanel* bars_ = nullptr;
};

// Counters within the launch, those of one unit at a time.
class CounterView : public CaptureView {
    Q_OBJECT

public:
    CounterView(ProfileSession& session, ViewContext context, QWidget* parent);

protected:
    TwinPanel* makePanel() override;
    void showCapture(const capture::Capture& capture) override;
    [[nodiscard]] QString missing(const capture::Capture& capture) const override;

private:
    RowModel* rows_;
    ChartPanel* chart_ = nullptr;
    QComboBox* unit_ = nullptr;
};

}  // namespace tw::gui
