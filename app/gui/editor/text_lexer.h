// Puts highlight() into QScintilla: styles what is on screen, folds by indentation.
#pragma once

#include <Qsci/qscilexercustom.h>

#include "app/gui/editor/highlight.h"
#include "app/gui/widgets/theme.h"

namespace tw::gui {

class TextLexer : public QsciLexerCustom {
    Q_OBJECT

public:
    TextLexer(Language language, QObject* parent);

    // Colours and font. `dimmed` blends every colour into the background: the text is older than its source.
    void setLook(const Theme& theme, const QFont& font, bool dimmed);

    [[nodiscard]] const char* language() const override { return "TileLang"; }
    [[nodiscard]] QString description(int style) const override;
    void styleText(int start, int end) override;

private:
    void foldLines(int firstLine, int lastLine);

    Language language_;
};

}  // namespace tw::gui
