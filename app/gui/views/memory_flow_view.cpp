#include "app/gui/views/memory_flow_view.h"

#include <QScrollArea>

#include "app/gui/views/twin_panel.h"

namespace tw::gui {
namespace {
constexpr QSizeF kFlowSize{960, 260};
}

MemoryFlowView::MemoryFlowView(ProfileSession& session, ViewContext context, QWidget* parent)
    : CaptureView(QStringLiteral("memoryflow"), tr("Memory flow"), QStringLiteral("memoryflow"), tr("The way of the bytes through the memories"), session,
                  context, parent),
      rows_(new RowModel(flowHeaders(), {2, 3, 4, 5, 6}, this))
{
}

TwinPanel* MemoryFlowView::makePanel()
{
    auto* scroll = new QScrollArea(this);
    scroll->setWidgetResizable(true);
    scroll->setFrameShape(QFrame::NoFrame);
    picture_ = new FlowPicture(scroll);
    scroll->setWidget(picture_);
    scroll->setFocusProxy(picture_);
    auto* panel = new TwinPanel(scroll, rows_, [this] {
        return Picture{QStringLiteral("memory-flow"), kFlowSize, [this](QPainter& painter) { picture_->paintAll(painter, kFlowSize); }};
    }, this);
    panel->setStretchedColumn(0);
    connect(picture_, &FlowPicture::currentChanged, panel, &TwinPanel::selectRow);  // one row an arrow
    return panel;
}

void MemoryFlowView::colorPanel() { picture_->setColors(theme().color("disabled"), theme().color("accent")); }

QString MemoryFlowView::missing(const capture::Capture& capture) const
{
    return memoryFlows(capture).empty() ? absence(capture, "counters", tr("This profile counted no bytes.")) : QString();
}

void MemoryFlowView::showCapture(const capture::Capture& capture)
{
    picture_->setData(flowPicture(capture, baseline()));
    rows_->setRows(flowRows(capture, baseline()));
    setCaption(tr("%1; thick: much crosses, coloured: near the peak").arg(captureTitle(capture)));
}

}  // namespace tw::gui
