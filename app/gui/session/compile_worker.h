// Compiles off the GUI thread: one thread, newest request wins.
#pragma once

#include <QObject>

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <thread>

#include "codegen/driver/compile.h"

namespace tw::gui {

using SnapshotPtr = std::shared_ptr<const driver::CompileSnapshot>;
using CompileFunction = std::function<SnapshotPtr(const driver::CompileRequest&, std::stop_token)>;

class CompileWorker : public QObject {
    Q_OBJECT

public:
    explicit CompileWorker(CompileFunction compile, QObject* parent = nullptr);
    ~CompileWorker() override;  // stops the running job and joins

    // Stops the running job and starts this one as soon as the thread is free; a request that has not started is dropped.
    // Returns the generation under which `finished` will deliver it.
    quint64 submit(driver::CompileRequest request);
    void cancel();  // nothing will be delivered for what was submitted so far
    [[nodiscard]] bool isBusy() const { return delivered_ != submitted_; }

Q_SIGNALS:
    // On the thread of this object, for the newest generation only.
    void finished(quint64 generation, tw::gui::SnapshotPtr snapshot);
    void busyChanged(bool busy);

private:
    // What both threads touch. The thread owns a share, so a job may outlive the widget that asked.
    struct Shared {
        std::mutex mutex;
        std::condition_variable_any wake;
        std::optional<driver::CompileRequest> next;
        quint64 generation = 0;
        std::stop_source job;
    };

    void run(std::stop_token stop);
    void deliver(quint64 generation, const SnapshotPtr& snapshot);

    CompileFunction compile_;
    std::shared_ptr<Shared> shared_ = std::make_shared<Shared>();
    quint64 submitted_ = 0, delivered_ = 0;
    std::jthread thread_;  // last: starts when all else stands
};

}  // namespace tw::gui
