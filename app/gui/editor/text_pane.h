// The text widget that the editor and all listings share: look, line highlights, find, zoom, caret as a byte offset.
//
// Scintilla works in UTF-8, so its positions are the byte offsets of SourceRange. Lines count from 1 here.
#pragma once

#include <QHelpEvent>
#include <Qsci/qsciscintilla.h>

#include <string>
#include <vector>

#include "app/gui/editor/text_lexer.h"

namespace tw::gui {

// How much of the whole a line costs: a colour in the margin, the text under the pointer.
struct LineHeat {
    int line = 0;      // from 1
    double share = 0;  // 0 … 1
    QString toolTip;
    bool operator==(const LineHeat&) const = default;
};

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

    // Colours a narrow margin beside the text; empty: there is none.
    void setHeat(std::vector<LineHeat> heat);
    [[nodiscard]] const std::vector<LineHeat>& heat() const { return heat_; }

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
    bool event(QEvent* event) override;
    // Says what the line under the pointer costs, if that is over the margins; false: nothing to say.
    bool showHeat(const QHelpEvent& help);
    virtual void applyLook();

    enum Marker { kErrorMark = 1, kWarningMark, kLinkedMark, kAddedMark, kRemovedMark, kFirstHeatMark = 8 };
    static constexpr int kHeatLevels = 8;
    enum Indicator { kErrorSquiggle = 8, kWarningSquiggle, kMatchBox, kDefinitionLink };

private:
    Theme theme_;
    TextLexer* lexer_;
    double fontSize_ = 10.5;
    bool dimmed_ = false;
    int hovered_ = 0, digits_ = 0;
    std::vector<LineHeat> heat_;

    void setHovered(int line);
    void colorHeat();
    void markHeat();
};

}  // namespace tw::gui
