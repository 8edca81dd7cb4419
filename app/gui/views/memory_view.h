// A block's shared memory over time: every buffer from its first to its last use, at its place in the arena.
#pragma once

#include "app/gui/models/memory_map.h"
#include "app/gui/views/view.h"
#include "app/gui/widgets/export_picture.h"

class QComboBox;

namespace tw::gui {

class RowModel;
class SpanChart;
class TwinPanel;

class MemoryView : public View {
    Q_OBJECT

public:
    MemoryView(ViewContext context, QWidget* parent);
    [[nodiscard]] SpanChart& chart() { return *chart_; }
    [[nodiscard]] RowModel& rows() { return *rows_; }
    [[nodiscard]] Picture picture() const;

protected:
    void makeContent() override;
    void refresh() override;

private:
    void showLaunch();
    void mark();
    void pointAt(int entry);
    [[nodiscard]] const MemoryMap* map() const;

    std::vector<MemoryMap> maps_;
    std::shared_ptr<const driver::CompileSnapshot> snapshot_;
    SpanChart* chart_ = nullptr;
    RowModel* rows_;
    TwinPanel* panel_ = nullptr;
    QComboBox* launch_ = nullptr;
};

}  // namespace tw::gui
