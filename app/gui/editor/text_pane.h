// The text widget that the editor and all listings share: look, line highlights, find, zoom, caret as a byte offset.
//
// Scintilla works in UTF-8, so its positions are the byte offsets of SourceRange. Lines count from 1 here.
#pragma once

#include <Qsci/qsciscintilla.h>

#include <string>
#include <vector>

#include "app/gui/editor/text_lexer.h"

namespace tw::gui {

class TextPane : public QsciScintilla {
    Q_OBJECT

public:
    TextPane(Language language, QWidget* parent = nullptr);

    void setTheme(const Theme& theme, double fontSize);
    void setDimmed(bool dimmed);
    [[nodiscard]] const Theme& theme() const { return theme_; }

    [[nodiscard]] std::string textBytes() const;
    void setTextBytes(const std::string& text);  // keeps caret line and scroll position as far as they exist
    [[nodiscard]] int caretLine() const;
    [[nodiscard]] int caretOffset() const;
    [[nodiscard]] int lineOfOffset(int offset) const;
    void goToLine(int line);                 // moves the caret and shows the line
    void showLine(int line);                 // scrolls only if the line is out of sight
    void selectRange(int begin, int end);    // byte offsets
    [[nodiscard]] std::string wordAt(int offset) const;  // with dots: "T.copy"

    // Lines that correspond to what another view has selected.
    void setLinkedLines(const std::vector<int>& lines);
    // Lines that the diff marks: added or changed here, or removed from here.
    void setDiffLines(const std::vector<int>& added, const std::vector<int>& removed);

    struct FindOptions {
        bool matchCase = false, wholeWord = false, regex = false;
    };
    // Marks every match; returns their number, at most kMaxMatches.
    int markMatches(const QString& text, const FindOptions& options);
    bool findFrom(int offset, const QString& text, const FindOptions& options, bool forward);
    static constexpr int kMaxMatches = 2000;

Q_SIGNALS:
    void caretMoved(int line, int offset);  // by the user or by goToLine
    void lineActivated(int line);           // double click
    void lineHovered(int line);             // by the pointer; 0: none

protected:
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void leaveEvent(QEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;
    virtual void applyLook();

    enum Marker { kErrorMark = 1, kWarningMark, kLinkedMark, kAddedMark, kRemovedMark };
    enum Indicator { kErrorSquiggle = 8, kWarningSquiggle, kMatchBox, kDefinitionLink };

private:
    Theme theme_;
    TextLexer* lexer_;
    double fontSize_ = 10.5;
    bool dimmed_ = false;
    int hovered_ = 0;

    void setHovered(int line);
};

}  // namespace tw::gui
