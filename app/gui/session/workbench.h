// What is open and what is known about it: the active document, the chosen kernel instance, and its newest snapshots.
//
// Views read from here and change it through its functions; they never know each other.
#pragma once

#include <QHash>
#include <QObject>
#include <QString>

#include <optional>
#include <string>

#include "app/gui/session/compile_worker.h"
#include "app/gui/session/sibling_reader.h"
#include "profiler/protocol/messages.h"

namespace tw::gui {

// Which kernel and instance of a file, and what overlays it. Empty names: the first.
struct KernelChoice {
    std::string kernel, instance;
    staging::Bindings params, dims;
    bool operator==(const KernelChoice&) const = default;
};

class Workbench : public QObject {
    Q_OBJECT

public:
    explicit Workbench(CompileFunction compile, QObject* parent = nullptr);

    // Makes a document the active one. `key` is its path, or a unique name if it has none. Its last snapshots are shown at
    // once; a compile starts.
    void activate(const QString& key, const std::string& text);
    void forget(const QString& key);  // the document was closed
    void edit(const std::string& text);
    // `params`, `dims`: values that take the place of the instance's own.
    void choose(const std::string& kernel, const std::string& instance, const staging::Bindings& params = {}, const staging::Bindings& dims = {});
    void setParameter(const std::string& name, const std::string& literal);
    void setDimension(const std::string& name, const std::string& literal);
    void resetParameters();
    void setTarget(const std::optional<std::string>& spelling);  // empty: the file's own

    [[nodiscard]] const QString& activeKey() const { return active_; }
    [[nodiscard]] const KernelChoice& choice() const;
    [[nodiscard]] const std::optional<std::string>& target() const { return target_; }
    [[nodiscard]] SnapshotPtr newest() const;  // of the text as it is; may have errors; null before the first compile
    [[nodiscard]] SnapshotPtr shown() const;   // the newest that has IR; null if there was none
    // The newest that has target text, for a GPU target; null if there was none or the target is no GPU.
    [[nodiscard]] SnapshotPtr lowered() const;
    [[nodiscard]] bool isStale() const { return shown() != newest(); }  // `shown` is older than the text
    [[nodiscard]] bool isBusy() const { return worker_.isBusy(); }
    // What the newest snapshot was asked for, and the same for a runner: runs and far stages of the same program.
    [[nodiscard]] driver::CompileRequest currentRequest() const;
    [[nodiscard]] protocol::Job currentJob() const;

Q_SIGNALS:
    void snapshotChanged();  // newest(), shown() or the document changed
    void choiceChanged();    // kernel, instance, parameters or target
    void busyChanged(bool busy);

private:
    struct Document {
        std::shared_ptr<const SourceText> source;
        std::shared_ptr<SiblingReader> siblings;
        KernelChoice choice;
        SnapshotPtr newest, shown, lowered;
    };

    void compile();
    void accept(const SnapshotPtr& snapshot);

    QHash<QString, Document> documents_;
    QString active_;
    std::optional<std::string> target_;
    CompileWorker worker_;
};

}  // namespace tw::gui
