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
    void setTheme(const Theme& theme, double codeSize) override;

protected:
    void refresh() override;

private:
    void copySelected();

    ProblemModel* model_;
    QTreeView* table_;
};

}  // namespace tw::gui
