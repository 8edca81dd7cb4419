// One open file: its editor, find bar and notices, and its life on disk.
#pragma once

#include <QWidget>

#include <optional>
#include <string>

#include "app/gui/editor/code_editor.h"

class QFileSystemWatcher;
class QFrame;
class QLabel;

namespace tw::gui {

class FindBar;

// The bytes of a file of at most 16 MiB, or nothing and the reason in `error`.
[[nodiscard]] std::optional<std::string> readFile(const QString& path, QString& error);

class DocumentPage : public QWidget {
    Q_OBJECT

public:
    // `path` may be empty: a new file, called by `key` until it is saved.
    DocumentPage(const LanguageInfo& language, const QString& key, QWidget* parent = nullptr);

    [[nodiscard]] bool load(const QString& path, QString& error);
    [[nodiscard]] bool save(const QString& path, QString& error);  // atomically
    void setText(const std::string& text);                         // of a file that is not here: unmodified
    void setUnsavedText(const std::string& text);                  // restored from the journal: modified

    [[nodiscard]] const QString& path() const { return path_; }
    [[nodiscard]] QString key() const { return path_.isEmpty() ? key_ : path_; }  // of the workbench
    [[nodiscard]] QString title() const;
    [[nodiscard]] bool isModified() const { return editor_->isModified(); }
    [[nodiscard]] CodeEditor& editor() { return *editor_; }
    [[nodiscard]] FindBar& findBar() { return *find_; }

Q_SIGNALS:
    void titleChanged();

private:
    void watch();
    void onDiskChange();
    QFrame* makeNotice();

    QString key_, path_;
    CodeEditor* editor_;
    FindBar* find_;
    QFrame* notice_ = nullptr;
    QLabel* noticeText_ = nullptr;
    QFileSystemWatcher* watcher_;
    std::string onDisk_;  // bytes as last read or written
};

}  // namespace tw::gui
