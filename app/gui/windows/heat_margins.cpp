#include "app/gui/windows/heat_margins.h"

#include "app/gui/models/line_costs.h"
#include "app/gui/session/profile_session.h"
#include "app/gui/views/code_view.h"
#include "app/gui/windows/document_area.h"

namespace tw::gui {
namespace {

std::vector<LineHeat> heatOf(const CapturePtr& capture, const std::string& text)
{
    std::vector<LineHeat> heat;
    if (capture)
        for (const auto& cost : lineCosts(*capture, text))
            heat.push_back({cost.line, cost.share, cost.text});
    return heat;
}

}  // namespace

HeatMargins::HeatMargins(ProfileSession& session, DocumentArea& documents, const QList<View*>& views, QObject* parent)
    : QObject(parent), session_(session), documents_(documents), views_(views)
{
    connect(&session, &ProfileSession::changed, this, &HeatMargins::update);
    connect(&documents, &DocumentArea::currentChanged, this, &HeatMargins::update);
}

void HeatMargins::update()
{
    const auto capture = session_.shown();
    for (auto* page : documents_.pages()) {
        const bool same = capture && !capture->files.empty() && page->editor().textBytes() == capture->files.front().text;
        page->editor().setHeat(same ? heatOf(capture, "source") : std::vector<LineHeat>());
    }
    for (auto* view : views_) {
        auto* code = qobject_cast<CodeView*>(view);
        if (!code)
            continue;
        const std::string name = code->objectName().toStdString();
        if (name == "cuda" || name == "sass")
            code->setHeat(capture ? (name == "cuda" ? capture->cuda.text : capture->sass.text) : std::string(), heatOf(capture, name));
    }
}

}  // namespace tw::gui
