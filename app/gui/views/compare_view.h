// Two to eight variants side by side: numbers, source, IR after a pass, CUDA, shared memory, timelines, a chart.
#pragma once

#include "app/gui/models/compare_rows.h"
#include "app/gui/session/compare_session.h"
#include "app/gui/views/view.h"

class QComboBox;
class QStackedWidget;
class QTabBar;
class QToolButton;

namespace tw::gui {

class BarPanel;
class ChartPanel;
class CompareBar;
class EmptyState;
class MemoryStack;
class StageChart;
class TextColumns;
class TwinPanel;

class CompareView : public View {
    Q_OBJECT

public:
    CompareView(CompareSession& session, ProfileSession& profiles, RunSetup& setup, ViewContext context, QWidget* parent);
    [[nodiscard]] bool isSettled() const override { return !isShown() || !session_.isBusy(); }

protected:
    void makeContent() override;
    void applyTheme() override;
    void refresh() override;

private:
    enum Tab { kNumbers, kSource, kIr, kCuda, kMemory, kTimelines, kChart };
    QWidget* makeTabs(QWidget* parent);
    QWidget* makePages(QWidget* parent);
    void showTab();
    void showTexts(ComparedText kind);
    void showMemory();
    void showTimelines();
    void showChart();
    void exportAs(const QString& format);
    [[nodiscard]] std::vector<ComparedVariant> compared() const;

    CompareSession& session_;
    ProfileSession& profiles_;
    RunSetup& setup_;
    RowModel* rows_;
    std::vector<compare::Row> numbers_;
    CompareBar* bar_ = nullptr;
    EmptyState *nothing_ = nullptr, *noPicture_ = nullptr;  // no variants; nothing to draw of those there are
    QWidget* results_ = nullptr;
    QTabBar* tabs_ = nullptr;
    QComboBox *pass_ = nullptr, *metric_ = nullptr;
    QToolButton *fold_ = nullptr, *next_ = nullptr, *previous_ = nullptr;
    QStackedWidget* pages_ = nullptr;
    TwinPanel* table_ = nullptr;
    TextColumns* texts_ = nullptr;
    MemoryStack* memory_ = nullptr;
    StageChart* timelines_ = nullptr;
    BarPanel* bars_ = nullptr;
    QWidget* barArea_ = nullptr;
    ChartPanel* curve_ = nullptr;
};

}  // namespace tw::gui
