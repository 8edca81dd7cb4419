// Whether accesses to memory cost more than they need, and which hazard every barrier and fence closes. Costs are modelled from
// layouts until the program as it stands has run on the simulator; then they are what it counted.
#pragma once

#include "app/gui/models/row_model.h"
#include "app/gui/views/view.h"
#include "codegen/driver/compile.h"

class QLabel;
class QTreeView;

namespace tw::gui {

class RunSession;

class AccessView : public View {
    Q_OBJECT

public:
    AccessView(const RunSession& runs, ViewContext context, QWidget* parent);
    [[nodiscard]] RowModel& accesses() { return *accesses_; }
    [[nodiscard]] RowModel& syncs() { return *syncs_; }

protected:
    void makeContent() override;
    void refresh() override;

private:
    [[nodiscard]] std::vector<TableRow> rowsOf(const driver::CompileSnapshot& lowered) const;
    QTreeView* makeTable(RowModel* model, int stretched, QWidget* parent);
    QWidget* makeSection(QLabel*& title, QTreeView* table, RowModel* model, QWidget* parent);

    const RunSession& runs_;
    RowModel* accesses_;
    RowModel* syncs_;
    QLabel* accessTitle_ = nullptr;
    QLabel* syncTitle_ = nullptr;
};

}  // namespace tw::gui
