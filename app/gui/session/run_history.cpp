#include "app/gui/session/run_history.h"

namespace tw::gui {
namespace {

constexpr int kPollMs = 3000;

template <class T>
QString problemOf(const tl::expected<T, std::string>& result)
{
    return result ? QString() : QString::fromStdString(result.error());
}

}  // namespace

RunHistory::RunHistory(std::string path, QObject* parent) : QObject(parent), path_(std::move(path)), jobs_(std::make_unique<JobQueue>())
{
    poll_.setInterval(kPollMs);
    connect(&poll_, &QTimer::timeout, this, &RunHistory::watch);
}

RunHistory::~RunHistory() = default;

QString RunHistory::ensureOpen()
{
    if (store_ && !store_->isReplaced())
        return {};
    store_.reset();
    auto opened = store::Store::open(path_);
    if (!opened)
        return QString::fromStdString(opened.error());
    store_.emplace(std::move(*opened));
    return {};
}

void RunHistory::submit(Work work, bool listAgain)
{
    if (!isKept())
        return;
    ++waiting_;
    jobs_->submit([this, work = std::move(work), listAgain] {
        QString problem = ensureOpen();
        if (problem.isEmpty())
            problem = work(*store_);
        QMetaObject::invokeMethod(
            this,
            [this, problem, listAgain] {
                --waiting_;
                problem_ = problem;
                if (listAgain)
                    list();
                Q_EMIT changed();
            },
            Qt::QueuedConnection);
    });
}

void RunHistory::find(const store::Query& query)
{
    query_ = query;
    list();
}

void RunHistory::list()
{
    submit(
        [this, query = query_](store::Store& store) {
            auto rows = store.find(query);
            if (!rows)
                return QString::fromStdString(rows.error());
            if (const auto version = store.version())
                version_ = *version;
            QMetaObject::invokeMethod(this, [this, rows = std::move(*rows)] { rows_ = rows; }, Qt::QueuedConnection);
            return QString();
        },
        false);
}

void RunHistory::setWatching(bool on)
{
    if (on && isKept())
        poll_.start();
    else
        poll_.stop();
}

void RunHistory::watch()
{
    if (waiting_ > 0)
        return;
    jobs_->submit([this] {
        if (!store_)
            return;
        if (const auto version = store_->version(); version && *version != version_)
            QMetaObject::invokeMethod(this, [this] { list(); }, Qt::QueuedConnection);
    });
}

void RunHistory::add(const CapturePtr& capture)
{
    submit(
        [this, capture](store::Store& store) {
            const auto id = store.add(*capture);
            if (!id)
                return QString::fromStdString(id.error());
            QMetaObject::invokeMethod(this, [this, capture, id = *id] { ids_[capture] = id; }, Qt::QueuedConnection);
            const auto row = store.baselineFor(*capture);
            if (!row)
                return QString::fromStdString(row.error());
            if (!*row)
                return QString();
            auto baseline = store.load((*row)->id);
            if (!baseline)
                return QString::fromStdString(baseline.error());
            auto shared = std::make_shared<const capture::Capture>(std::move(*baseline));
            QMetaObject::invokeMethod(this, [this, shared] { Q_EMIT baselineFound(shared); }, Qt::QueuedConnection);
            return QString();
        },
        true);
}

void RunHistory::load(std::int64_t id, std::function<void(const CapturePtr&)> then)
{
    submit(
        [this, id, then = std::move(then)](store::Store& store) {
            auto capture = store.load(id);
            if (!capture)
                return QString::fromStdString(capture.error());
            auto shared = std::make_shared<const capture::Capture>(std::move(*capture));
            QMetaObject::invokeMethod(this, [this, id, then, shared] {
                ids_[shared] = id;
                then(shared);
            }, Qt::QueuedConnection);
            return QString();
        },
        false);
}

void RunHistory::remove(const std::vector<std::int64_t>& ids)
{
    submit(
        [ids](store::Store& store) {
            for (const auto id : ids)
                if (const QString problem = problemOf(store.remove(id)); !problem.isEmpty())
                    return problem;
            return QString();
        },
        true);
}

void RunHistory::setNotes(std::int64_t id, const std::string& notes)
{
    submit([id, notes](store::Store& store) { return problemOf(store.setNotes(id, notes)); }, true);
}

void RunHistory::setTags(std::int64_t id, const std::vector<std::string>& tags)
{
    submit([id, tags](store::Store& store) { return problemOf(store.setTags(id, tags)); }, true);
}

void RunHistory::pinCapture(const CapturePtr& capture)
{
    if (const auto found = ids_.find(capture); found != ids_.end())
        pin(found->second, true);
}

void RunHistory::pin(std::int64_t id, bool isBaseline)
{
    submit([id, isBaseline](store::Store& store) { return problemOf(isBaseline ? store.pin(id) : store.unpin(id)); }, true);
}

}  // namespace tw::gui
