// An output of the last run as a picture: a heat map of one matrix of it.
#pragma once

#include "app/gui/session/run_session.h"
#include "app/gui/views/view.h"

class QComboBox;
class QHBoxLayout;
class QLabel;
class QSpinBox;

namespace tw::gui {

class ColorScale;
class HeatMap;

class TensorView : public View {
    Q_OBJECT

public:
    TensorView(RunSession& session, ViewContext context, QWidget* parent);

protected:
    void makeContent() override;
    void refresh() override;

private:
    QWidget* makeBar(QWidget* parent);
    void chooseOutput();
    void showSlice();
    [[nodiscard]] std::int64_t sliceOffset() const;

    RunSession& session_;
    std::shared_ptr<const RunOutcome> outcome_;  // keeps the tensors that are on screen
    const protocol::Output* output_ = nullptr;
    QComboBox* choice_ = nullptr;
    QHBoxLayout* slices_ = nullptr;
    QList<QSpinBox*> sliceBoxes_;  // one an axis in front of the last two
    QLabel* hover_ = nullptr;
    HeatMap* map_ = nullptr;
    ColorScale* scale_ = nullptr;
};

}  // namespace tw::gui
