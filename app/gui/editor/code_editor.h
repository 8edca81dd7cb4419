// The editor of a source file: problems under the text, fix-its, completion, hover help, go to definition.
#pragma once

#include "app/gui/editor/language_info.h"
#include "app/gui/editor/text_pane.h"
#include "core/support/diagnostic.h"

namespace tw::gui {

class Completer;

class CodeEditor : public TextPane {
    Q_OBJECT

public:
    CodeEditor(const LanguageInfo& language, QWidget* parent = nullptr);

    // The problems of the text as it is now; ranges of other files are ignored.
    void setDiagnostics(const std::vector<Diagnostic>& diagnostics);
    void setInlineMessages(bool shown);
    [[nodiscard]] const std::vector<Diagnostic>& diagnostics() const { return diagnostics_; }
    [[nodiscard]] std::vector<Diagnostic> diagnosticsAtLine(int line) const;

    // Replaces byte ranges, from the last to the first, as one step of undo.
    void applyEdits(std::vector<FixIt> edits);
    void complete();  // offers what fits at the caret
    void goToProblem(bool forward);
    [[nodiscard]] const LanguageInfo& language() const { return language_; }

Q_SIGNALS:
    void edited();  // the text changed

protected:
    void applyLook() override;
    bool event(QEvent* event) override;

private:
    void showHover(int offset, const QPoint& globalPosition);
    void rebuildMessages();

    const LanguageInfo& language_;
    Completer* completer_ = nullptr;  // ours, by Qt
    std::vector<Diagnostic> diagnostics_;
    bool inlineMessages_ = true, hasMessages_ = false;
};

}  // namespace tw::gui
