#include "app/gui/windows/window_session.h"

#include <QFileInfo>

#include "app/gui/windows/document_area.h"

namespace tw::gui {
namespace {
constexpr int kQuietMs = 2000;  // of silence before unsaved text goes to disk
}

WindowSession::WindowSession(DocumentArea& documents, Settings& settings, const QString& journalFolder, QObject* parent)
    : QObject(parent), documents_(documents), settings_(settings)
{
    if (!journalFolder.isEmpty())
        journal_ = std::make_unique<Journal>(journalFolder);
    quiet_.setSingleShot(true);
    quiet_.setInterval(kQuietMs);
    connect(&quiet_, &QTimer::timeout, this, &WindowSession::writeJournal);
}

WindowSession::~WindowSession() = default;

void WindowSession::restore()
{
    int current = 0;
    const auto files = settings_.session(current);
    for (const auto& file : files) {
        if (!QFileInfo::exists(file.path))
            continue;
        if (auto* page = documents_.open(file.path)) {
            page->editor().selectRange(file.caretOffset, file.caretOffset);
            page->editor().setFirstVisibleLine(file.firstLine);
        }
    }
    if (current >= 0 && current < files.size() && QFileInfo::exists(files[current].path))
        documents_.open(files[current].path);
}

void WindowSession::save()
{
    QList<OpenFile> files;
    int current = 0;
    for (auto* page : documents_.pages()) {
        if (page->path().isEmpty())
            continue;
        if (page == documents_.current())
            current = static_cast<int>(files.size());
        files.push_back({page->path(), page->editor().caretOffset(), page->editor().firstVisibleLine()});
    }
    settings_.setSession(files, current);
}

int WindowSession::restoreLeftovers()
{
    if (!journal_)
        return 0;
    const auto leftovers = journal_->takeLeftovers();
    for (const auto& entry : leftovers) {
        const bool onDisk = !entry.path.isEmpty() && QFileInfo::exists(entry.path);
        if (auto* page = onDisk ? documents_.open(entry.path) : documents_.openNew())
            page->setUnsavedText(entry.text);
    }
    return static_cast<int>(leftovers.size());
}

void WindowSession::textEdited()
{
    if (journal_)
        quiet_.start();
}

void WindowSession::closed(const QString& key)
{
    if (journal_)
        journal_->remove(key);
}

void WindowSession::writeJournal()
{
    for (auto* page : documents_.pages()) {
        if (page->isModified())
            journal_->record({page->key(), page->path(), page->editor().textBytes()});
        else
            journal_->remove(page->key());
    }
}

}  // namespace tw::gui
