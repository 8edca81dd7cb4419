#include "app/gui/views/memory_stack.h"

#include <QLabel>
#include <QVBoxLayout>

#include "app/gui/models/metric_text.h"
#include "app/gui/widgets/cell_grid.h"
#include "app/gui/widgets/span_chart.h"

namespace tw::gui {
namespace {

constexpr int kLeastHeight = 150;

SpanChartData chartOf(const MemoryMap& map, double largest, bool dark)
{
    SpanChartData chart;
    for (std::size_t i = 0; i < map.entries.size(); ++i) {
        const auto& e = map.entries[i];
        chart.spans.push_back({e.buffer, valueText(static_cast<double>(e.bytes), "bytes"), e.first, e.last, static_cast<double>(e.offset),
                               static_cast<double>(e.offset + e.bytes), categoryColor(static_cast<int>(i), dark)});
    }
    for (const auto& step : map.steps)
        chart.steps << QString::number(step.line);
    chart.stepTitle = MemoryStack::tr("line of the source, in the order of execution");
    chart.largest = largest;
    return chart;
}

}  // namespace

MemoryStack::MemoryStack(QWidget* parent) : QScrollArea(parent)
{
    setWidgetResizable(true);
    setFrameShape(QFrame::NoFrame);
}

void MemoryStack::setItems(const std::vector<Item>& items, bool dark)
{
    double largest = 1;
    for (const auto& item : items)
        for (const auto& map : item.maps)
            largest = std::max(largest, static_cast<double>(map.size));
    auto* inside = new QWidget;
    inside->setProperty("role", "panel");
    inside->setAttribute(Qt::WA_StyledBackground);
    auto* layout = new QVBoxLayout(inside);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    int shown = 0;
    for (const auto& item : items) {
        for (std::size_t launch = 0; launch < item.maps.size(); ++launch) {
            const auto& map = item.maps[launch];
            if (map.entries.empty())
                continue;
            auto* title = new QLabel(item.maps.size() > 1 ? tr("%1, launch %2").arg(item.label).arg(launch + 1) : item.label, inside);
            title->setText(tr("%1: %2 a block").arg(title->text(), valueText(static_cast<double>(map.size), "bytes")));
            title->setProperty("role", "title");
            title->setContentsMargins(12, 8, 12, 0);
            auto* chart = new SpanChart(inside);
            chart->setMinimumHeight(kLeastHeight);
            chart->setData(chartOf(map, largest, dark));
            layout->addWidget(title);
            layout->addWidget(chart, 1);
            ++shown;
        }
    }
    if (shown == 0) {
        auto* none = new QLabel(tr("None of these keeps anything in shared memory, as far as is known here."), inside);
        none->setProperty("role", "muted");
        none->setAlignment(Qt::AlignCenter);
        layout->addWidget(none, 1);
    }
    setWidget(inside);
}

}  // namespace tw::gui
