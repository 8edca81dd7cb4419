// What survives the window: open files with their carets, and unsaved text when it does not end well.
#pragma once

#include <QObject>
#include <QTimer>

#include <memory>

#include "app/gui/session/journal.h"
#include "app/gui/session/settings.h"

namespace tw::gui {

class DocumentArea;

class WindowSession : public QObject {
    Q_OBJECT

public:
    // `journalFolder`: empty for no journal.
    WindowSession(DocumentArea& documents, Settings& settings, const QString& journalFolder, QObject* parent);
    ~WindowSession() override;

    void restore();            // opens what was open, where it was
    void save();
    int restoreLeftovers();    // unsaved text of crashed windows; how many files
    void textEdited();         // the journal is written after a moment of silence
    void closed(const QString& key);

private:
    void writeJournal();

    DocumentArea& documents_;
    Settings& settings_;
    std::unique_ptr<Journal> journal_;
    QTimer quiet_;
};

}  // namespace tw::gui
