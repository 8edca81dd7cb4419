#include "app/gui/editor/code_editor.h"

#include <Qsci/qscistyle.h>
#include <Qsci/qscistyledtext.h>
#include <QHelpEvent>
#include <QToolTip>

#include "app/gui/editor/completer.h"

namespace tw::gui {
namespace {
constexpr int kErrorText = 60, kWarningText = 61;  // styles of the messages, above the lexer's
}

CodeEditor::CodeEditor(const LanguageInfo& language, QWidget* parent)
    : TextPane(Language::kTileLang, parent), language_(language)
{
    setFolding(QsciScintilla::PlainFoldStyle, 2);
    setMarginWidth(2, 16);
    setMarginType(1, QsciScintilla::SymbolMargin);
    setMarginWidth(1, 12);
    setMarginMarkerMask(1, (1 << kErrorMark) | (1 << kWarningMark));
    setMarginMarkerMask(0, 0);
    markerDefine(QsciScintilla::Circle, kErrorMark);
    markerDefine(QsciScintilla::Circle, kWarningMark);
    indicatorDefine(QsciScintilla::SquiggleIndicator, kErrorSquiggle);
    indicatorDefine(QsciScintilla::SquiggleIndicator, kWarningSquiggle);
    setEdgeMode(QsciScintilla::EdgeNone);
    setAnnotationDisplay(QsciScintilla::AnnotationIndented);
    SendScintilla(SCI_SETENDATLASTLINE, 0);
    completer_ = new Completer(*this, language_);
    connect(this, &QsciScintilla::textChanged, this, &CodeEditor::edited);
}

void CodeEditor::complete() { completer_->complete(); }

void CodeEditor::applyLook()
{
    TextPane::applyLook();
    const QColor error = theme().color("error"), warning = theme().color("warning");
    setMarkerBackgroundColor(error, kErrorMark);
    setMarkerForegroundColor(error, kErrorMark);
    setMarkerBackgroundColor(warning, kWarningMark);
    setMarkerForegroundColor(warning, kWarningMark);
    setIndicatorForegroundColor(error, kErrorSquiggle);
    setIndicatorForegroundColor(warning, kWarningSquiggle);
    SendScintilla(SCI_MARKERSETALPHA, kErrorMark, 255L);
    rebuildMessages();
}

void CodeEditor::setDiagnostics(const std::vector<Diagnostic>& diagnostics)
{
    if (diagnostics == diagnostics_)
        return;
    diagnostics_ = diagnostics;
    std::erase_if(diagnostics_, [](const Diagnostic& d) { return d.range.file != 0; });
    rebuildMessages();
}

void CodeEditor::setInlineMessages(bool shown)
{
    inlineMessages_ = shown;
    rebuildMessages();
}

void CodeEditor::rebuildMessages()
{
    if (diagnostics_.empty() && !std::exchange(hasMessages_, false))
        return;  // nothing is there, and nothing comes
    hasMessages_ = !diagnostics_.empty();
    const long length = SendScintilla(SCI_GETLENGTH);
    for (const int indicator : {kErrorSquiggle, kWarningSquiggle}) {
        SendScintilla(SCI_SETINDICATORCURRENT, indicator);
        SendScintilla(SCI_INDICATORCLEARRANGE, 0UL, length);
    }
    markerDeleteAll(kErrorMark);
    markerDeleteAll(kWarningMark);
    SendScintilla(SCI_ANNOTATIONCLEARALL);
    const QFont font = uiFont(9);
    const QsciStyle errorStyle(kErrorText, QStringLiteral("error"), theme().color("error"), theme().color("errorSoft"), font);
    const QsciStyle warningStyle(kWarningText, QStringLiteral("warning"), theme().color("warning"),
                                 theme().color("warningSoft"), font);
    std::map<int, QList<QsciStyledText>> messages;
    for (const auto& d : diagnostics_) {
        const bool error = d.severity == Severity::kError;
        const auto begin = std::min<long>(d.range.begin, length);
        const auto end = std::clamp<long>(d.range.end, begin + (begin < length ? 1 : 0), length);
        SendScintilla(SCI_SETINDICATORCURRENT, error ? kErrorSquiggle : kWarningSquiggle);
        // A problem of a whole block is marked on its first line.
        const long lineEnd = SendScintilla(SCI_GETLINEENDPOSITION, static_cast<unsigned long>(lineOfOffset(static_cast<int>(begin)) - 1));
        SendScintilla(SCI_INDICATORFILLRANGE, static_cast<unsigned long>(begin), std::max(1L, std::min(end, lineEnd) - begin));
        const int line = lineOfOffset(static_cast<int>(begin)) - 1;
        markerAdd(line, error ? kErrorMark : kWarningMark);
        if (!inlineMessages_)
            continue;
        auto& list = messages[line];
        const QString breakBefore = list.isEmpty() ? QString() : QStringLiteral("\n");
        const QString fix = d.fixits.empty() ? QString() : QStringLiteral("   Alt+Enter to fix");
        list.append(QsciStyledText(QStringLiteral("%1 %2%3 ").arg(breakBefore, QString::fromStdString(d.message), fix),
                                   error ? errorStyle : warningStyle));
    }
    for (const auto& [line, list] : messages)
        annotate(line, list);
}

std::vector<Diagnostic> CodeEditor::diagnosticsAtLine(int line) const
{
    std::vector<Diagnostic> found;
    for (const auto& d : diagnostics_) {
        if (lineOfOffset(static_cast<int>(d.range.begin)) == line)
            found.push_back(d);
    }
    return found;
}

void CodeEditor::applyEdits(std::vector<FixIt> edits)
{
    std::sort(edits.begin(), edits.end(), [](const FixIt& a, const FixIt& b) { return a.range.begin > b.range.begin; });
    beginUndoAction();
    for (const auto& edit : edits) {
        if (edit.range.file != 0)
            continue;
        SendScintilla(SCI_SETTARGETSTART, static_cast<unsigned long>(edit.range.begin));
        SendScintilla(SCI_SETTARGETEND, static_cast<unsigned long>(edit.range.end));
        SendScintilla(SCI_REPLACETARGET, static_cast<unsigned long>(edit.replacement.size()), edit.replacement.c_str());
    }
    endUndoAction();
}

void CodeEditor::goToProblem(bool forward)
{
    if (diagnostics_.empty())
        return;
    const auto caret = static_cast<std::uint32_t>(caretOffset());
    const Diagnostic* best = nullptr;
    const Diagnostic* wrap = nullptr;
    for (const auto& d : diagnostics_) {
        const auto at = d.range.begin;
        const bool ahead = forward ? at > caret : at < caret;
        const auto nearer = [&](const Diagnostic* old) { return !old || (forward ? at < old->range.begin : at > old->range.begin); };
        if (ahead && nearer(best))
            best = &d;
        if (nearer(wrap))
            wrap = &d;
    }
    const auto offset = static_cast<int>((best ? best : wrap)->range.begin);
    selectRange(offset, offset);
}

bool CodeEditor::event(QEvent* event)
{
    if (event->type() == QEvent::ToolTip) {
        const auto* help = static_cast<QHelpEvent*>(event);
        if (showHeat(*help))
            return true;
        const auto offset = SendScintilla(SCI_POSITIONFROMPOINTCLOSE, static_cast<unsigned long>(help->pos().x()),
                                          static_cast<long>(help->pos().y()));
        showHover(static_cast<int>(offset), help->globalPos());
        return true;
    }
    return TextPane::event(event);
}

void CodeEditor::showHover(int offset, const QPoint& globalPosition)
{
    if (offset < 0)
        return QToolTip::hideText();
    for (const auto& d : diagnostics_) {
        if (d.range.contains(static_cast<std::uint32_t>(offset)) || d.range.begin == static_cast<std::uint32_t>(offset)) {
            QString text = QStringLiteral("<p><b>%1</b></p>").arg(QString::fromStdString(d.message).toHtmlEscaped());
            for (const auto& note : d.notes)
                text += QStringLiteral("<p>%1</p>").arg(QString::fromStdString(note.message).toHtmlEscaped());
            return QToolTip::showText(globalPosition, text, this);
        }
    }
    const QString word = QString::fromStdString(wordAt(offset));
    const bool qualified = word.startsWith(QLatin1String("T.")) || word.startsWith(QLatin1String("tl."));
    const auto* entry = qualified ? language_.find(word) : nullptr;
    if (entry)
        QToolTip::showText(globalPosition, language_.toolTip(*entry), this);
    else
        QToolTip::hideText();
}

}  // namespace tw::gui
