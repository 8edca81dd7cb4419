// What each role did when: the planned pipeline above the recorded one, on one axis.
#pragma once

#include "app/gui/models/stage_lanes.h"
#include "app/gui/views/capture_view.h"

class QComboBox;

namespace tw::gui {

class TimelineView : public CaptureView {
    Q_OBJECT

public:
    TimelineView(ProfileSession& session, ViewContext context, QWidget* parent);

protected:
    TwinPanel* makePanel() override;
    void showCapture(const capture::Capture& capture) override;
    [[nodiscard]] QString missing(const capture::Capture& capture) const override;

private:
    void fillRoles(const capture::Capture& capture);
    void point(int id);          // caption of a bar; -1: of all
    void showMeasure(double startNs, double endNs);
    void go(int id);
    [[nodiscard]] bool isBaseline(int id) const;  // whose span a bar is
    [[nodiscard]] const capture::Span* span(int id) const;
    [[nodiscard]] std::string role() const;

    RowModel* rows_;
    StageChart* chart_ = nullptr;
    QComboBox* role_ = nullptr;
    StageLanes lanes_;
};

}  // namespace tw::gui
