#include "app/gui/editor/text_pane.h"

#include <QHelpEvent>
#include <QMouseEvent>
#include <QToolTip>

#include <cmath>

namespace tw::gui {
namespace {
constexpr int kHeatMargin = 3, kHeatWidth = 7;
}

TextPane::TextPane(Language language, QWidget* parent)
    : QsciScintilla(parent), theme_(Theme::load(QStringLiteral("light"))), lexer_(new TextLexer(language, this))
{
    setUtf8(true);
    setFrameShape(QFrame::NoFrame);
    setIndentationsUseTabs(false);
    setTabWidth(4);
    setIndentationWidth(4);
    setAutoIndent(true);
    setBackspaceUnindents(true);
    setIndentationGuides(language == Language::kTileLang);
    setBraceMatching(QsciScintilla::SloppyBraceMatch);
    setCaretLineVisible(true);
    setScrollWidth(100);
    setScrollWidthTracking(true);
    setWrapMode(QsciScintilla::WrapNone);
    setEolMode(QsciScintilla::EolUnix);
    SendScintilla(SCI_SETVIRTUALSPACEOPTIONS, SCVS_RECTANGULARSELECTION);
    SendScintilla(SCI_SETMULTIPLESELECTION, 1);
    SendScintilla(SCI_SETADDITIONALSELECTIONTYPING, 1);
    SendScintilla(SCI_SETENDATLASTLINE, 0);
    SendScintilla(SCI_SETIDLESTYLING, SC_IDLESTYLING_AFTERVISIBLE, 0L);
    markerDefine(QsciScintilla::Background, kLinkedMark);
    markerDefine(QsciScintilla::Background, kAddedMark);
    markerDefine(QsciScintilla::Background, kRemovedMark);
    setMarginType(0, QsciScintilla::NumberMargin);
    setMarginWidth(1, 0);
    for (int level = 0; level < kHeatLevels; ++level)
        markerDefine(QsciScintilla::FullRectangle, kFirstHeatMark + level);
    setMarginType(kHeatMargin, QsciScintilla::SymbolMargin);
    setMarginMarkerMask(kHeatMargin, ((1 << kHeatLevels) - 1) << kFirstHeatMark);
    setMarginWidth(kHeatMargin, 0);
    indicatorDefine(QsciScintilla::StraightBoxIndicator, kMatchBox);
    setLexer(lexer_);
    viewport()->setMouseTracking(true);
    connect(this, &QsciScintilla::cursorPositionChanged, this, [this] { Q_EMIT caretMoved(caretLine(), caretOffset()); });
    connect(this, &QsciScintilla::linesChanged, this, [this] {
        const int digits = std::max(3, static_cast<int>(QString::number(lines()).size()));
        if (digits != std::exchange(digits_, digits))
            setMarginWidth(0, QString(digits + 1, QLatin1Char('0')));
    });
}

void TextPane::setTheme(const Theme& theme, double fontSize)
{
    theme_ = theme;
    fontSize_ = fontSize;
    applyLook();
}

void TextPane::setDimmed(bool dimmed)
{
    if (dimmed == dimmed_)
        return;
    dimmed_ = dimmed;
    lexer_->setLook(theme_, codeFont(fontSize_), dimmed_);
}

void TextPane::applyLook()
{
    const QFont font = codeFont(fontSize_);
    lexer_->setLook(theme_, font, dimmed_);
    setPaper(theme_.color("editorBase"));
    setColor(theme_.color("editorText"));
    setCaretForegroundColor(theme_.color("accent"));
    setCaretWidth(2);
    setCaretLineBackgroundColor(theme_.color("caretLine"));
    setSelectionBackgroundColor(theme_.color("selection"));
    resetSelectionForegroundColor();
    setMarginsFont(codeFont(fontSize_ - 1));
    setMarginsForegroundColor(theme_.color("lineNumber"));
    setMarginsBackgroundColor(theme_.color("gutter"));
    setFoldMarginColors(theme_.color("gutter"), theme_.color("gutter"));
    for (const int mark : {SC_MARKNUM_FOLDER, SC_MARKNUM_FOLDEROPEN, SC_MARKNUM_FOLDERSUB, SC_MARKNUM_FOLDERTAIL, SC_MARKNUM_FOLDEREND,
                           SC_MARKNUM_FOLDEROPENMID, SC_MARKNUM_FOLDERMIDTAIL}) {
        const bool closed = mark == SC_MARKNUM_FOLDER || mark == SC_MARKNUM_FOLDEREND;
        const bool open = mark == SC_MARKNUM_FOLDEROPEN || mark == SC_MARKNUM_FOLDEROPENMID;
        SendScintilla(SCI_MARKERDEFINE, static_cast<unsigned long>(mark),
                      static_cast<long>(closed ? SC_MARK_ARROW : open ? SC_MARK_ARROWDOWN : SC_MARK_EMPTY));
        SendScintilla(SCI_MARKERSETFORE, static_cast<unsigned long>(mark), theme_.color("gutter"));
        SendScintilla(SCI_MARKERSETBACK, static_cast<unsigned long>(mark), theme_.color("lineNumber"));
    }
    setIndentationGuidesForegroundColor(theme_.color("indentGuide"));
    setIndentationGuidesBackgroundColor(theme_.color("editorBase"));
    setMatchedBraceForegroundColor(theme_.color("accent"));
    setMatchedBraceBackgroundColor(theme_.color("accentSoft"));
    setUnmatchedBraceForegroundColor(theme_.color("error"));
    setUnmatchedBraceBackgroundColor(theme_.color("editorBase"));
    setMarkerBackgroundColor(theme_.color("linkSoft"), kLinkedMark);
    setMarkerBackgroundColor(theme_.color("addedSoft"), kAddedMark);
    setMarkerBackgroundColor(theme_.color("removedSoft"), kRemovedMark);
    colorHeat();
    setIndicatorForegroundColor(theme_.color("match"), kMatchBox);
    SendScintilla(SCI_INDICSETALPHA, kMatchBox, 140);
    SendScintilla(SCI_INDICSETUNDER, kMatchBox, 1);
    SendScintilla(SCI_SETEXTRAASCENT, 2);
    SendScintilla(SCI_SETEXTRADESCENT, 1);
    SendScintilla(SCI_SETMARGINLEFT, 0, 6L);
    digits_ = 0;  // their width is another one in this font
    Q_EMIT linesChanged();
}

std::string TextPane::textBytes() const
{
    const auto length = static_cast<std::size_t>(SendScintilla(SCI_GETLENGTH));
    const auto* bytes = reinterpret_cast<const char*>(SendScintilla(SCI_GETCHARACTERPOINTER));
    return {bytes, length};
}

void TextPane::setTextBytes(const std::string& text)
{
    const int line = caretLine();
    const int first = firstVisibleLine();
    const bool readOnly = isReadOnly();
    setReadOnly(false);
    SendScintilla(SCI_CLEARALL);
    SendScintilla(SCI_ADDTEXT, static_cast<unsigned long>(text.size()), text.data());
    SendScintilla(SCI_EMPTYUNDOBUFFER);
    setReadOnly(readOnly);
    setModified(false);
    heat_.clear();  // of the old lines
    markHeat();
    SendScintilla(SCI_GOTOLINE, static_cast<unsigned long>(line - 1));
    setFirstVisibleLine(first);
}

int TextPane::caretLine() const { return lineOfOffset(caretOffset()); }
int TextPane::caretOffset() const { return static_cast<int>(SendScintilla(SCI_GETCURRENTPOS)); }
int TextPane::lineOfOffset(int offset) const
{
    return static_cast<int>(SendScintilla(SCI_LINEFROMPOSITION, static_cast<unsigned long>(offset))) + 1;
}

void TextPane::showLine(int line)
{
    const auto index = static_cast<unsigned long>(std::max(0, line - 1));
    SendScintilla(SCI_ENSUREVISIBLE, index);
    const int visible = static_cast<int>(SendScintilla(SCI_VISIBLEFROMDOCLINE, index));
    const int rows = static_cast<int>(SendScintilla(SCI_LINESONSCREEN));
    if (visible < firstVisibleLine() || visible >= firstVisibleLine() + rows)
        setFirstVisibleLine(std::max(0, visible - rows / 3));
}

void TextPane::goToLine(int line)
{
    SendScintilla(SCI_GOTOLINE, static_cast<unsigned long>(std::max(0, line - 1)));
    SendScintilla(SCI_VCHOME);
    showLine(line);
}

void TextPane::selectRange(int begin, int end)
{
    SendScintilla(SCI_ENSUREVISIBLE, static_cast<unsigned long>(lineOfOffset(begin) - 1));
    SendScintilla(SCI_SETSEL, static_cast<unsigned long>(begin), static_cast<long>(end));
    showLine(lineOfOffset(begin));
}

std::string TextPane::wordAt(int offset) const
{
    const std::string text = textBytes();
    const auto isPart = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || (c & 0x80); };
    auto begin = std::min(static_cast<std::size_t>(std::max(0, offset)), text.size());
    auto end = begin;
    while (begin > 0 && (isPart(text[begin - 1]) || text[begin - 1] == '.'))
        --begin;
    while (end < text.size() && isPart(text[end]))
        ++end;
    return text.substr(begin, end - begin);
}

void TextPane::setLinkedLines(const std::vector<int>& lines)
{
    markerDeleteAll(kLinkedMark);
    for (const int line : lines)
        markerAdd(line - 1, kLinkedMark);
}

void TextPane::setDiffLines(const std::vector<int>& added, const std::vector<int>& removed)
{
    markerDeleteAll(kAddedMark);
    markerDeleteAll(kRemovedMark);
    for (const int line : added)
        markerAdd(line - 1, kAddedMark);
    for (const int line : removed)
        markerAdd(line - 1, kRemovedMark);
}

void TextPane::setHeat(std::vector<LineHeat> heat)
{
    if (heat == heat_)
        return;
    heat_ = std::move(heat);
    markHeat();
}

// Steps of the square root: a line of 1 % beside one of 60 % is still to be seen.
void TextPane::markHeat()
{
    for (int level = 0; level < kHeatLevels; ++level)
        markerDeleteAll(kFirstHeatMark + level);
    double most = 0;
    for (const auto& h : heat_)
        most = std::max(most, h.share);
    for (const auto& h : heat_)
        if (h.share > 0)
            markerAdd(h.line - 1, kFirstHeatMark + std::min(kHeatLevels - 1, static_cast<int>(std::sqrt(h.share / most) * kHeatLevels)));
    setMarginWidth(kHeatMargin, heat_.empty() ? 0 : kHeatWidth);
}

void TextPane::colorHeat()
{
    const QColor cold = theme_.color("gutter"), hot = theme_.color("number");
    for (int level = 0; level < kHeatLevels; ++level) {
        const double t = (level + 1.0) / kHeatLevels;
        const auto mix = [t](int a, int b) { return static_cast<int>(a + (b - a) * t); };
        const QColor color(mix(cold.red(), hot.red()), mix(cold.green(), hot.green()), mix(cold.blue(), hot.blue()));
        setMarkerBackgroundColor(color, kFirstHeatMark + level);
        setMarkerForegroundColor(color, kFirstHeatMark + level);
    }
}

bool TextPane::event(QEvent* event)
{
    return (event->type() == QEvent::ToolTip && showHeat(*static_cast<QHelpEvent*>(event))) || QsciScintilla::event(event);
}

bool TextPane::showHeat(const QHelpEvent& help)
{
    int margins = 0;
    for (int m = 0; m <= kHeatMargin; ++m)
        margins += marginWidth(m);
    const auto position = SendScintilla(SCI_POSITIONFROMPOINT, static_cast<unsigned long>(std::max(0, help.x())), static_cast<long>(help.y()));
    const int line = lineOfOffset(static_cast<int>(position));
    const auto found = std::find_if(heat_.begin(), heat_.end(), [line](const LineHeat& h) { return h.line == line; });
    if (help.x() > margins + kHeatWidth || found == heat_.end())
        return false;
    QToolTip::showText(help.globalPos(), found->toolTip, this);
    return true;
}

namespace {
unsigned long searchFlags(const TextPane::FindOptions& options)
{
    unsigned long flags = 0;
    if (options.matchCase)
        flags |= QsciScintillaBase::SCFIND_MATCHCASE;
    if (options.wholeWord)
        flags |= QsciScintillaBase::SCFIND_WHOLEWORD;
    if (options.regex)
        flags |= QsciScintillaBase::SCFIND_REGEXP | QsciScintillaBase::SCFIND_CXX11REGEX;
    return flags;
}
}  // namespace

int TextPane::markMatches(const QString& text, const FindOptions& options)
{
    const auto length = SendScintilla(SCI_GETLENGTH);
    SendScintilla(SCI_SETINDICATORCURRENT, kMatchBox);
    SendScintilla(SCI_INDICATORCLEARRANGE, 0UL, length);
    if (text.isEmpty())
        return 0;
    const QByteArray needle = text.toUtf8();
    SendScintilla(SCI_SETSEARCHFLAGS, searchFlags(options));
    int count = 0;
    for (long from = 0; from < length && count < kMaxMatches; ++count) {
        SendScintilla(SCI_SETTARGETSTART, static_cast<unsigned long>(from));
        SendScintilla(SCI_SETTARGETEND, static_cast<unsigned long>(length));
        const long at = SendScintilla(SCI_SEARCHINTARGET, static_cast<unsigned long>(needle.size()), needle.constData());
        if (at < 0)
            break;
        const long end = SendScintilla(SCI_GETTARGETEND);
        SendScintilla(SCI_INDICATORFILLRANGE, static_cast<unsigned long>(at), end - at);
        from = std::max(end, at + 1);
    }
    return count;
}

bool TextPane::findFrom(int offset, const QString& text, const FindOptions& options, bool forward)
{
    const QByteArray needle = text.toUtf8();
    const long length = SendScintilla(SCI_GETLENGTH);
    SendScintilla(SCI_SETSEARCHFLAGS, searchFlags(options));
    const auto search = [&](long from, long to) {
        SendScintilla(SCI_SETTARGETSTART, static_cast<unsigned long>(from));
        SendScintilla(SCI_SETTARGETEND, static_cast<unsigned long>(to));
        return SendScintilla(SCI_SEARCHINTARGET, static_cast<unsigned long>(needle.size()), needle.constData());
    };
    long at = forward ? search(offset, length) : search(offset, 0);
    if (at < 0)
        at = forward ? search(0, length) : search(length, 0);
    if (at < 0)
        return false;
    selectRange(static_cast<int>(at), static_cast<int>(SendScintilla(SCI_GETTARGETEND)));
    return true;
}

void TextPane::mouseDoubleClickEvent(QMouseEvent* event)
{
    QsciScintilla::mouseDoubleClickEvent(event);
    Q_EMIT lineActivated(caretLine());
}

void TextPane::mouseMoveEvent(QMouseEvent* event)
{
    QsciScintilla::mouseMoveEvent(event);
    const auto position = SendScintilla(SCI_POSITIONFROMPOINTCLOSE, static_cast<unsigned long>(event->position().x()),
                                        static_cast<long>(event->position().y()));
    setHovered(position < 0 ? 0 : lineOfOffset(static_cast<int>(position)));
}

void TextPane::leaveEvent(QEvent* event)
{
    QsciScintilla::leaveEvent(event);
    setHovered(0);
}

void TextPane::setHovered(int line)
{
    if (line != std::exchange(hovered_, line))
        Q_EMIT lineHovered(line);
}

void TextPane::wheelEvent(QWheelEvent* event)
{
    if (event->modifiers() & Qt::ControlModifier) {
        event->angleDelta().y() > 0 ? zoomIn() : zoomOut();
        event->accept();
        return;
    }
    QsciScintilla::wheelEvent(event);
}

}  // namespace tw::gui
