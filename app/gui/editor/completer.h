// Completion and signature tips of an editor.
#pragma once

#include <QObject>

#include <string>

namespace tw::gui {

class CodeEditor;
class LanguageInfo;

class Completer : public QObject {
    Q_OBJECT

public:
    Completer(CodeEditor& editor, const LanguageInfo& language);  // owned by the editor
    void complete();                                              // asked for: whatever fits here

private:
    void onCharacter(int character);
    void completeFrom(std::size_t leastLetters);
    void showNames(const std::string& typed, bool qualified);
    void showSignature();

    CodeEditor& editor_;
    const LanguageInfo& language_;
};

}  // namespace tw::gui
