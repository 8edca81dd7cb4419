// LLVM IR, assembly and a GPU's machine code of the shown kernel, made in a runner process once the text has been quiet for a moment.
#pragma once

#include <QObject>
#include <QTimer>

#include "app/gui/session/workbench.h"
#include "profiler/protocol/client.h"

namespace tw::gui {

struct FarResult {
    SnapshotPtr snapshot;  // what it was made from
    std::shared_ptr<const driver::TargetCode> llvmIr, llvmOptimized, assembly, ptx, sass;  // each may be empty
    std::vector<protocol::LaunchInfo> launches;  // of a GPU target, in order
    std::vector<Diagnostic> diagnostics;
};

class FarStages : public QObject {
    Q_OBJECT

public:
    FarStages(Workbench& workbench, std::vector<std::string> runnerCommand, QObject* parent);

    // What is shown somewhere: driver::StageWanted bits. Those of a GPU are made for CUDA targets only.
    void setWanted(unsigned stages);
    [[nodiscard]] std::shared_ptr<const FarResult> result() const { return result_; }  // newest that is not empty
    [[nodiscard]] const std::vector<Diagnostic>& problems() const { return problems_; }  // why there is no newer one
    [[nodiscard]] bool isStale() const { return !result_ || result_->snapshot != workbench_.newest(); }
    [[nodiscard]] bool isBusy() const { return busy_; }

Q_SIGNALS:
    void changed();

private:
    void onSnapshot();
    [[nodiscard]] unsigned stagesFor(const driver::CompileSnapshot& snapshot) const;
    void start();
    void deliver(quint64 generation, const SnapshotPtr& of, const protocol::CompileResult& made);

    Workbench& workbench_;
    std::shared_ptr<const FarResult> result_;
    std::vector<Diagnostic> problems_;
    QTimer quiet_;
    unsigned wanted_ = 0, askedStages_ = 0;
    bool busy_ = false;
    quint64 generation_ = 0;
    SnapshotPtr asked_;
    protocol::Client client_;
    LatestJob job_;  // last: its destructor ends the thread that uses the rest
};

}  // namespace tw::gui
