// An output of the last run as a picture: a heat map of one matrix of it; its twin is a table of the numbers.
#pragma once

#include "app/gui/session/run_session.h"
#include "app/gui/views/view.h"

class QComboBox;
class QHBoxLayout;
class QLabel;
class QSpinBox;
class QStackedWidget;
class QTableView;

namespace tw::gui {

class ColorScale;
class HeatMap;
class MatrixModel;
struct Picture;

class TensorView : public View {
    Q_OBJECT

public:
    TensorView(RunSession& session, ViewContext context, QWidget* parent);
    [[nodiscard]] Picture picture() const;  // the whole shown slice
    [[nodiscard]] MatrixModel& matrix() { return *matrix_; }

protected:
    void makeContent() override;
    void refresh() override;

private:
    QWidget* makeBar(QWidget* parent);
    [[nodiscard]] static QString hint();
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
    MatrixModel* matrix_;
    QTableView* table_ = nullptr;
    QStackedWidget* pages_ = nullptr;
    ColorScale* scale_ = nullptr;
};

}  // namespace tw::gui
