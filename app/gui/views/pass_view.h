// The IR after every pass, with what the pass changed and what its lines cost in the shown profile.
#pragma once

#include "app/gui/models/pass_model.h"
#include "app/gui/views/view.h"

class QToolButton;
class QTreeView;

namespace tw::gui {

class ElidedLabel;
class ListingPanel;
class ProfileSession;

class PassView : public View {
    Q_OBJECT

public:
    PassView(ProfileSession& profiles, ViewContext context, QWidget* parent);

protected:
    void makeContent() override;
    void applyTheme() override;
    void refresh() override;

private:
    QWidget* makeListingSide(QWidget* parent);
    void showPass();

    ProfileSession& profiles_;
    PassModel* model_;
    QTreeView* list_ = nullptr;
    ListingPanel* listing_ = nullptr;
    ElidedLabel* caption_ = nullptr;
    QToolButton* diff_ = nullptr;
    QString chosen_;  // the pass that the user picked; survives recompiles
};

}  // namespace tw::gui
