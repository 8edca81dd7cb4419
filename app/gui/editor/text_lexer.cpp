#include "app/gui/editor/text_lexer.h"

#include <Qsci/qsciscintilla.h>

namespace tw::gui {
namespace {

constexpr std::array<const char*, static_cast<std::size_t>(Style::kCount)> kRoles = {
    "editorText", "keyword", "tileOp", "builtin", "definition", "decorator", "string", "string", "string", "number",
    "comment", "operator", "type"};

QColor blend(const QColor& a, const QColor& b, double t)
{
    const auto mix = [t](int x, int y) { return static_cast<int>(x + (y - x) * t); };
    return {mix(a.red(), b.red()), mix(a.green(), b.green()), mix(a.blue(), b.blue())};
}

}  // namespace

TextLexer::TextLexer(Language language, QObject* parent) : QsciLexerCustom(parent), language_(language) {}

void TextLexer::setLook(const Theme& theme, const QFont& font, bool dimmed)
{
    const QColor paper = theme.color("editorBase");
    setDefaultPaper(paper);
    setDefaultColor(theme.color("editorText"));
    setDefaultFont(font);
    for (int style = 0; style < static_cast<int>(Style::kCount); ++style) {
        const QColor color = theme.color(kRoles[static_cast<std::size_t>(style)]);
        setPaper(paper, style);
        setColor(dimmed ? blend(color, paper, 0.5) : color, style);
        QFont styled = font;
        styled.setItalic(style == static_cast<int>(Style::kComment));
        styled.setBold(style == static_cast<int>(Style::kDefinition));
        setFont(styled, style);
    }
}

QString TextLexer::description(int style) const
{
    return style < static_cast<int>(Style::kCount) ? QString::fromLatin1(kRoles[static_cast<std::size_t>(style)]) : QString();
}

void TextLexer::styleText(int start, int end)
{
    auto* sci = editor();
    if (!sci || end <= start)
        return;
    const QByteArray text = sci->bytes(start, end);
    const auto size = static_cast<std::size_t>(end - start);
    const auto before =
        start > 0 ? static_cast<Style>(sci->SendScintilla(QsciScintillaBase::SCI_GETSTYLEAT, start - 1)) : Style::kText;
    const auto styles = highlight(language_, std::string_view(text.constData(), size), before);
    startStyling(start);
    sci->SendScintilla(QsciScintillaBase::SCI_SETSTYLINGEX, static_cast<unsigned long>(size),
                       reinterpret_cast<const char*>(styles.data()));
    if (language_ == Language::kTileLang) {
        const auto lineOf = [&](int p) { return static_cast<int>(sci->SendScintilla(QsciScintillaBase::SCI_LINEFROMPOSITION, p)); };
        foldLines(lineOf(start), lineOf(end));
    }
}

// A line opens a fold if the next line with text is indented deeper; blank lines belong to what follows them.
void TextLexer::foldLines(int firstLine, int lastLine)
{
    auto* sci = editor();
    const auto ask = [&](unsigned message, long line) { return sci->SendScintilla(message, static_cast<unsigned long>(line)); };
    const int count = static_cast<int>(ask(QsciScintillaBase::SCI_GETLINECOUNT, 0));
    const auto isBlank = [&](int line) {
        return ask(QsciScintillaBase::SCI_GETLINEINDENTPOSITION, line) >= ask(QsciScintillaBase::SCI_GETLINEENDPOSITION, line);
    };
    const auto indent = [&](int line) { return static_cast<int>(ask(QsciScintillaBase::SCI_GETLINEINDENTATION, line)); };
    int line = firstLine;
    while (line > 0 && (line == firstLine || isBlank(line)))
        --line;  // the header in front may have gained or lost its body
    int next = line;
    for (; line <= lastLine && line < count; ++line) {
        next = std::max(next, line + 1);
        while (next < count && isBlank(next))
            ++next;
        const int following = next < count ? indent(next) : 0;
        // A line that only closes a bracket, "):", belongs to the block behind it: the block folds with its header.
        const auto firstChar = ask(QsciScintillaBase::SCI_GETCHARAT, ask(QsciScintillaBase::SCI_GETLINEINDENTPOSITION, line));
        const bool closes = firstChar == ')' || firstChar == ']' || firstChar == '}';
        const bool blank = isBlank(line) || (closes && following > indent(line));
        int level = QsciScintillaBase::SC_FOLDLEVELBASE + (blank ? following : indent(line));
        if (isBlank(line))
            level |= QsciScintillaBase::SC_FOLDLEVELWHITEFLAG;
        else if (!blank && following > indent(line))
            level |= QsciScintillaBase::SC_FOLDLEVELHEADERFLAG;
        sci->SendScintilla(QsciScintillaBase::SCI_SETFOLDLEVEL, static_cast<unsigned long>(line), level);
    }
}

}  // namespace tw::gui
