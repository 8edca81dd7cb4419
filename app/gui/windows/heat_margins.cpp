#include "app/gui/windows/heat_margins.h"

#include "app/gui/models/line_costs.h"
#include "app/gui/session/profile_session.h"
#include "app/gui/windows/document_area.h"

namespace tw::gui {

HeatMargins::HeatMargins(ProfileSession& session, DocumentArea& documents, QObject* parent)
    : QObject(parent), session_(session), documents_(documents)
{
    connect(&session, &ProfileSession::changed, this, &HeatMargins::update);
    connect(&documents, &DocumentArea::currentChanged, this, &HeatMargins::update);
}

void HeatMargins::update()
{
    const auto capture = session_.shown();
    for (auto* page : documents_.pages()) {
        std::vector<LineHeat> heat;
        if (capture && !capture->files.empty() && page->editor().textBytes() == capture->files.front().text)
            for (const auto& cost : lineCosts(*capture, "source"))
                heat.push_back({cost.line, cost.share, cost.text});
        page->editor().setHeat(std::move(heat));
    }
}

}  // namespace tw::gui
