#include "app/gui/views/capture_view.h"

#include "app/gui/session/selection.h"
#include "app/gui/views/twin_panel.h"

namespace tw::gui {

MeaningColors meaningColors(const Theme& theme)
{
    return {theme.color("good"), theme.color("error"), theme.color("muted"), theme.color("good"), theme.color("accent"), theme.color("warning")};
}

CaptureView::CaptureView(const QString& name, const QString& title, const QString& iconName, const QString& what, ProfileSession& session,
                         ViewContext context, QWidget* parent)
    : View(name, title, iconName, context, parent), session_(session), what_(what)
{
    connect(&session, &ProfileSession::changed, this, [this] { invalidate(); });
    connect(&session, &ProfileSession::busyChanged, this, [this] { invalidate(); });
}

void CaptureView::applyTheme()
{
    colors_ = meaningColors(theme());
    if (panel_)
        colorPanel();
}

QString CaptureView::missing(const capture::Capture&) const { return {}; }

QString CaptureView::absence(const capture::Capture& capture, const char* part, const QString& otherwise)
{
    const auto found = capture.absences.find(part);
    return found == capture.absences.end() ? otherwise : QString::fromStdString(found->second);
}

const capture::Capture* CaptureView::baseline() const
{
    const auto pinned = session_.baseline();
    return pinned && pinned != session_.shown() ? pinned.get() : nullptr;
}

void CaptureView::refresh()
{
    const auto capture = session_.shown();
    if (!capture) {
        if (session_.isBusy())
            return showEmpty(tr("Profiling…"), tr("%1 appears here as soon as the run is done.").arg(what_));
        if (!session_.problem().isEmpty())
            return showEmpty(tr("No profile"), session_.problem());
        return showEmpty(tr("No profile yet"),
                         tr("%1 appears here. Press F6 to profile the kernel, without a GPU in the simulator; or open a .twr file.").arg(what_));
    }
    if (const QString why = missing(*capture); !why.isEmpty())
        return showEmpty(tr("Not in this profile"), why);
    if (!panel_) {
        panel_ = makePanel();
        setContent(panel_);
        colorPanel();
    }
    showCapture(*capture);
    panel_->setStale(session_.isStale() || session_.isBusy());
    showContent();
}

void CaptureView::setCaption(const QString& text)
{
    const QString age = session_.isBusy() ? tr("a new profile is running") : session_.isStale() ? tr("older than the text") : QString();
    panel_->setCaption(age.isEmpty() ? text : age + QStringLiteral(" \u00b7 ") + text);
}

void CaptureView::reveal(const SourceRange& range, int line, std::uint32_t op)
{
    if (const Place place = session_.placeOf(range, line, op); place.isKnown())
        context_.selection.reveal(place);
}

}  // namespace tw::gui
