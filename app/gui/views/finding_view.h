// What a profile found, ranked: each with its number, its reason and its line, and a button where the compiler knows the cure.
#pragma once

#include "app/gui/models/row_model.h"
#include "app/gui/views/capture_view.h"

class QPushButton;

namespace tw::gui {

class FindingList;

class FindingView : public CaptureView {
    Q_OBJECT

public:
    FindingView(ProfileSession& session, ViewContext context, QWidget* parent);

Q_SIGNALS:
    void editRequested(const std::vector<tw::FixIt>& changes, const QString& label);  // one step of undo

protected:
    TwinPanel* makePanel() override;
    void showCapture(const capture::Capture& capture) override;
    [[nodiscard]] QString missing(const capture::Capture& capture) const override;

private:
    void apply(int index);

    RowModel* rows_;
    FindingList* list_ = nullptr;
};

}  // namespace tw::gui
