// Unsaved text on disk, so that a crash loses nothing. One folder a running window, with a lock; the folder of a window that
// ended well is gone, so one without a living lock holder is what a crash left.
#pragma once

#include <QList>
#include <QLockFile>
#include <QString>

#include <memory>
#include <string>

namespace tw::gui {

struct JournalEntry {
    QString key;   // of the document
    QString path;  // empty: never saved
    std::string text;
};

class Journal {
public:
    // `root`: the folder that holds all journals.
    explicit Journal(const QString& root);
    ~Journal();  // removes this window's folder
    Journal(const Journal&) = delete;
    Journal& operator=(const Journal&) = delete;

    void record(const JournalEntry& entry);  // replaces the entry of the same key, atomically
    void remove(const QString& key);         // saved or discarded
    // What crashed windows left. Their folders are removed: the caller now owns the text.
    [[nodiscard]] QList<JournalEntry> takeLeftovers();

private:
    [[nodiscard]] QString fileOf(const QString& key) const;

    QString root_, folder_;
    std::unique_ptr<QLockFile> lock_;
};

}  // namespace tw::gui
