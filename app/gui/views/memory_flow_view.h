// The way of the bytes: global memory, L2, shared memory, registers, tensor cores, with what crosses each border.
#pragma once

#include "app/gui/models/memory_flow.h"
#include "app/gui/views/capture_view.h"

namespace tw::gui {

class MemoryFlowView : public CaptureView {
    Q_OBJECT

public:
    MemoryFlowView(ProfileSession& session, ViewContext context, QWidget* parent);

protected:
    TwinPanel* makePanel() override;
    void showCapture(const capture::Capture& capture) override;
    [[nodiscard]] QString missing(const capture::Capture& capture) const override;
    void colorPanel() override;

private:
    RowModel* rows_;
    FlowPicture* picture_ = nullptr;
};

}  // namespace tw::gui
