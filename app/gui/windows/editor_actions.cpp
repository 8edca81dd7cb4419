#include "app/gui/windows/editor_actions.h"

#include <QMenu>
#include <QToolTip>

#include "app/gui/editor/code_editor.h"
#include "app/gui/editor/definitions.h"

namespace tw::gui {
namespace {

QPoint caretPoint(const CodeEditor& editor)
{
    const auto at = static_cast<long>(editor.caretOffset());
    const auto x = editor.SendScintilla(QsciScintilla::SCI_POINTXFROMPOSITION, 0UL, at);
    const auto y = editor.SendScintilla(QsciScintilla::SCI_POINTYFROMPOSITION, 0UL, at);
    return editor.viewport()->mapToGlobal(QPoint(static_cast<int>(x), static_cast<int>(y) + 20));
}

QString describe(const Diagnostic& d, const CodeEditor& editor)
{
    const auto& fix = d.fixits.front();
    const std::string text = editor.textBytes();
    const auto old = QString::fromStdString(text.substr(fix.range.begin, fix.range.end - fix.range.begin));
    const auto fresh = QString::fromStdString(fix.replacement);
    if (old.isEmpty())
        return QObject::tr("Insert %1").arg(fresh);
    return fresh.isEmpty() ? QObject::tr("Remove %1").arg(old) : QObject::tr("Replace %1 by %2").arg(old, fresh);
}

}  // namespace

void applyFix(CodeEditor& editor)
{
    auto found = editor.diagnosticsAtLine(editor.caretLine());
    std::erase_if(found, [](const Diagnostic& d) { return d.fixits.empty(); });
    if (found.empty())
        return QToolTip::showText(caretPoint(editor), QObject::tr("No fix is known for this line"), &editor);
    if (found.size() == 1)
        return editor.applyEdits(found.front().fixits);
    QMenu menu(&editor);
    for (const auto& d : found)
        menu.addAction(describe(d, editor), [&editor, d] { editor.applyEdits(d.fixits); });
    menu.exec(caretPoint(editor));
}

void goToDefinition(CodeEditor& editor, const SnapshotPtr& snapshot)
{
    if (!snapshot || !snapshot->module)
        return;
    std::string name = editor.wordAt(editor.caretOffset());
    name = name.substr(0, name.find('.'));  // of "config.block", the file defines "config"
    const auto definition =
        findDefinition(collectDefinitions(*snapshot->module), name, static_cast<std::uint32_t>(editor.caretOffset()));
    if (!definition)
        return QToolTip::showText(caretPoint(editor), QObject::tr("This file does not define %1").arg(QString::fromStdString(name)),
                                  &editor);
    editor.selectRange(static_cast<int>(definition->range.begin), static_cast<int>(definition->range.end));
}

}  // namespace tw::gui
