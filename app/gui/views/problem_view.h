// What is wrong with the file, as a list that leads to the places.
#pragma once

#include "app/gui/models/problem_model.h"
#include "app/gui/views/view.h"

class QTreeView;

namespace tw::gui {

class ProblemView : public View {
    Q_OBJECT

public:
    ProblemView(ViewContext context, QWidget* parent);

protected:
    void makeContent() override;
    void applyTheme() override;
    void refresh() override;

private:
    void copySelected();

    ProblemModel* model_;
    QTreeView* table_ = nullptr;
};

}  // namespace tw::gui
