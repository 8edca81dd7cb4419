// The stored runs: every profile of this window is kept; lists, notes, tags, baselines and old runs come back as signals. The store is
// touched on one worker thread only. Another window may write to it at the same time.
#pragma once

#include <QObject>
#include <QTimer>

#include <optional>

#include "app/gui/session/job_queue.h"
#include "app/gui/session/profile_session.h"
#include "profiler/store/store.h"

namespace tw::gui {

class RunHistory : public QObject {
    Q_OBJECT

public:
    // `path` of the store; empty: nothing is kept and the list says so. It is opened, and made if need be, by the first use.
    RunHistory(std::string path, QObject* parent);
    ~RunHistory() override;

    [[nodiscard]] bool isKept() const { return !path_.empty(); }
    [[nodiscard]] const std::vector<store::RunRow>& rows() const { return rows_; }
    [[nodiscard]] const QString& problem() const { return problem_; }  // of the last action; empty if it went well
    [[nodiscard]] bool isBusy() const { return waiting_ > 0; }

    void find(const store::Query& query);    // again after every change, here or in another window
    void setWatching(bool on);               // looks for changes of other windows
    void add(const CapturePtr& capture);
    // `then` is called on this object's thread with the run, if it can be read.
    void load(std::int64_t id, std::function<void(const CapturePtr&)> then);
    void remove(const std::vector<std::int64_t>& ids);
    void setNotes(std::int64_t id, const std::string& notes);
    void setTags(std::int64_t id, const std::vector<std::string>& tags);
    void pin(std::int64_t id, bool isBaseline);
    void pinCapture(const CapturePtr& capture);  // one that this window added or loaded; another one stays as it is

Q_SIGNALS:
    void changed();  // rows or problem
    void baselineFound(const tw::gui::CapturePtr& baseline);  // for a run that was added

private:
    using Work = std::function<QString(store::Store&)>;  // on the worker thread; what went wrong
    void submit(Work work, bool listAgain);
    void list();
    void watch();
    QString ensureOpen();

    std::string path_;
    store::Query query_;
    std::vector<store::RunRow> rows_;
    std::map<CapturePtr, std::int64_t> ids_;  // of the runs that this window added or loaded
    QString problem_;
    int waiting_ = 0;
    QTimer poll_;
    std::optional<store::Store> store_;  // of the worker thread
    std::int64_t version_ = -1;          // likewise
    std::unique_ptr<JobQueue> jobs_;
};

}  // namespace tw::gui
