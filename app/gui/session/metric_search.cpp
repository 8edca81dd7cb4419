#include "app/gui/session/metric_search.h"

namespace tw::gui {
namespace {

bool countsOnGpu(const std::string& device) { return device.find("cuda") != std::string::npos; }

}  // namespace

MetricSearch::MetricSearch(ProfileSession& profiles, QObject* parent) : QObject(parent), profiles_(profiles) {}

void MetricSearch::find(const std::string& device, const std::string& words, const std::string& target)
{
    protocol::MetricsRequest request;
    request.device = countsOnGpu(device) ? device : "cuda:0";
    request.words = words;
    request.target = target;
    const auto runner = profiles_.runnerFor(request.device);
    job_.submit([this, runner, request, generation = ++asked_](std::stop_token stop) {
        auto result = runner->metrics(request, stop);
        QMetaObject::invokeMethod(this, [this, generation, result = std::move(result)]() mutable {
            if (generation != asked_)
                return;  // a newer one is on its way
            answered_ = generation;
            result_ = std::move(result);
            Q_EMIT changed();
        }, Qt::QueuedConnection);
    });
}

QString MetricSearch::problem() const
{
    QStringList messages;
    for (const auto& d : result_.head.diagnostics)
        if (d.severity == Severity::kError)
            messages << QString::fromStdString(d.message);
    return messages.join(QLatin1Char('\n'));
}

}  // namespace tw::gui
