// What may be counted on a device, searched by words. Each search takes the place of the one before; the runner answers on a worker
// thread, and `changed` says so on the GUI thread.
#pragma once

#include <QObject>

#include "app/gui/session/profile_session.h"

namespace tw::gui {

class MetricSearch : public QObject {
    Q_OBJECT

public:
    MetricSearch(ProfileSession& profiles, QObject* parent);

    // `device`: as --device names it; one that is no GPU stands for this machine's first. `words`: every one of them is in the
    // counter's name or meaning, case ignored. `target`: whose chip is searched where the machine has no GPU; may be empty.
    void find(const std::string& device, const std::string& words, const std::string& target);
    [[nodiscard]] bool isBusy() const { return answered_ != asked_; }
    [[nodiscard]] const protocol::MetricsResult& result() const { return result_; }  // of the last search that was answered
    // Why there is no list; empty if there is one.
    [[nodiscard]] QString problem() const;

Q_SIGNALS:
    void changed();

private:
    ProfileSession& profiles_;
    protocol::MetricsResult result_;
    quint64 asked_ = 0, answered_ = 0;
    LatestJob job_;  // last: its destructor ends the thread that uses the rest
};

}  // namespace tw::gui
