// Compiles off the GUI thread: newest request wins, results come back as signals.
#pragma once

#include <QObject>

#include <functional>
#include <memory>
#include <stop_token>

#include "app/gui/session/latest_job.h"
#include "codegen/driver/compile.h"

namespace tw::gui {

using SnapshotPtr = std::shared_ptr<const driver::CompileSnapshot>;
using CompileFunction = std::function<SnapshotPtr(const driver::CompileRequest&, std::stop_token)>;

class CompileWorker : public QObject {
    Q_OBJECT

public:
    explicit CompileWorker(CompileFunction compile, QObject* parent = nullptr);

    // Returns the generation under which `finished` will deliver the snapshot, unless a newer request comes first.
    quint64 submit(driver::CompileRequest request);
    void cancel();  // nothing will be delivered for what was submitted so far
    void retire(SnapshotPtr snapshot) { job_.retire(std::move(snapshot)); }  // frees it off this thread, if it is the last
    [[nodiscard]] bool isBusy() const { return delivered_ != submitted_; }

Q_SIGNALS:
    // On the thread of this object, for the newest generation only.
    void finished(quint64 generation, tw::gui::SnapshotPtr snapshot);
    void busyChanged(bool busy);

private:
    void deliver(quint64 generation, const SnapshotPtr& snapshot);

    CompileFunction compile_;
    quint64 submitted_ = 0, delivered_ = 0;
    LatestJob job_;  // last: its destructor ends the thread that uses the rest
};

}  // namespace tw::gui
