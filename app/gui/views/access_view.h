// Whether accesses to memory cost more than they need, and which hazard every barrier and fence closes.
#pragma once

#include "app/gui/views/view.h"
#include "app/gui/widgets/theme.h"

class QLabel;
class QTreeView;

namespace tw::gui {

class RowModel;

class AccessView : public View {
    Q_OBJECT

public:
    AccessView(ViewContext context, QWidget* parent);
    void setTheme(const Theme& theme, double codeSize) override;
    [[nodiscard]] RowModel& accesses() { return *accesses_; }
    [[nodiscard]] RowModel& syncs() { return *syncs_; }

protected:
    void refresh() override;

private:
    QTreeView* makeTable(RowModel* model, int stretched);
    QWidget* makeSection(QLabel*& title, QTreeView* table, RowModel* model);

    RowModel* accesses_;
    RowModel* syncs_;
    QLabel* accessTitle_ = nullptr;
    QLabel* syncTitle_ = nullptr;
    Theme theme_;
};

}  // namespace tw::gui
