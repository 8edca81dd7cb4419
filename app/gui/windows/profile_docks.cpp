#include "app/gui/windows/profile_docks.h"

#include "app/gui/views/chart_views.h"
#include "app/gui/views/compare_view.h"
#include "app/gui/views/finding_view.h"
#include "app/gui/views/history_view.h"
#include "app/gui/views/memory_flow_view.h"
#include "app/gui/views/profile_view.h"
#include "app/gui/views/timeline_view.h"
#include "app/gui/views/tune_view.h"

namespace tw::gui {
namespace {

bool isQuoted(const std::string& literal) { return literal.size() >= 2 && (literal.front() == '"' || literal.front() == '\''); }
// Results name strings with or without their quotes.
std::string bare(const std::string& literal) { return isQuoted(literal) ? literal.substr(1, literal.size() - 2) : literal; }

}  // namespace

ProfileDocks::ProfileDocks(ProfileSession& profiles, const Services& services, ViewContext context, QWidget* window)
    : QObject(window), workbench_(context.workbench), history_(services.storePath, nullptr),
      compare_(context.workbench, profiles, services.compile, services.runnerCommand, nullptr),
      tune_(context.workbench, services.runnerCommand.empty() ? QString() : QString::fromStdString(services.runnerCommand.front()),
            QString::fromStdString(services.storePath), nullptr)
{
    compare_.setRunnerFinder(services.findRunner);
    makeViews(profiles, services.setup, context, window);
    connect(&profiles, &ProfileSession::captured, &history_, &RunHistory::add);
    connect(&profiles, &ProfileSession::pinned, &history_, &RunHistory::pinCapture);
    connect(&history_, &RunHistory::baselineFound, this, [&profiles](const CapturePtr& baseline) {
        if (!profiles.baseline())
            profiles.pin(baseline);
    });
}

void ProfileDocks::makeViews(ProfileSession& profiles, RunSetup& setup, ViewContext context, QWidget* window)
{
    auto* profile = new ProfileView(profiles, setup, context, window);
    auto* findings = new FindingView(profiles, context, window);
    auto* history = new HistoryView(history_, profiles, compare_, context, window);
    auto* tune = new TuneView(tune_, setup, context, window);
    views_ = {profile,
              findings,
              new TimelineView(profiles, context, window),
              new MemoryFlowView(profiles, context, window),
              new RooflineView(profiles, context, window),
              new StallView(profiles, context, window),
              new CounterView(profiles, context, window),
              history,
              new CompareView(compare_, profiles, setup, context, window),
              tune};
    connect(profile, &ProfileView::openRequested, this, &ProfileDocks::openRequested);
    connect(findings, &FindingView::editRequested, this, [this](const std::vector<FixIt>& changes, const QString&) { Q_EMIT editRequested(changes); });
    connect(history, &HistoryView::viewRequested, this, &ProfileDocks::viewRequested);
    connect(tune, &TuneView::writeRequested, this, &ProfileDocks::writeParameters);
}

// Into the defaults of the kernel's parameters, where those are other values.
void ProfileDocks::writeParameters(const std::map<std::string, std::string>& params)
{
    const auto newest = workbench_.newest();
    if (!newest || !newest->program)
        return;
    std::vector<FixIt> changes;
    for (const auto& kernel : newest->program->kernels())
        for (const auto& parameter : kernel.parameters)
            if (const auto found = params.find(parameter.name); kernel.name == newest->kernel && found != params.end() && parameter.defaultText &&
                                                                bare(found->second) != bare(*parameter.defaultText))
                changes.push_back({parameter.range, isQuoted(*parameter.defaultText) && !isQuoted(found->second) ? "\"" + found->second + "\"" : found->second});
    if (!changes.empty())
        Q_EMIT editRequested(changes);
}

}  // namespace tw::gui
