// The IR after every pass, with what the pass changed.
#pragma once

#include "app/gui/models/pass_model.h"
#include "app/gui/views/view.h"

class QLabel;
class QToolButton;
class QTreeView;

namespace tw::gui {

class ListingPanel;

class PassView : public View {
    Q_OBJECT

public:
    PassView(ViewContext context, QWidget* parent);
    void setTheme(const Theme& theme, double codeSize) override;

protected:
    void refresh() override;

private:
    QWidget* makeListingSide(QWidget* parent);
    QToolButton* makeButton(const QString& iconName, const QString& toolTip);
    void showPass();

    PassModel* model_;
    QTreeView* list_;
    ListingPanel* listing_ = nullptr;
    QLabel* caption_ = nullptr;
    QToolButton* diff_ = nullptr;
    QString chosen_;  // the pass that the user picked; survives recompiles
};

}  // namespace tw::gui
