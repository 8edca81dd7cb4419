#include "app/gui/editor/completer.h"

#include <array>
#include <set>

#include "app/gui/editor/code_editor.h"

namespace tw::gui {
namespace {

using Sci = QsciScintillaBase;
constexpr std::size_t kLettersTyped = 2;           // fewer do not open the list by themselves
constexpr std::size_t kScannedBytes = 256 << 10;  // names of the file are offered from this much text

// A table: every byte of the file is asked for at every key.
constexpr auto kIsPart = [] {
    std::array<bool, 256> table{};
    for (int c = 0; c < 256; ++c)
        table[static_cast<std::size_t>(c)] = (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_';
    return table;
}();
bool isPart(char c) { return kIsPart[static_cast<unsigned char>(c)]; }
bool isTileModule(const std::string& prefix) { return prefix == "T" || prefix == "tl"; }

constexpr std::array kPythonWords = {"and", "as", "assert", "break", "class", "continue", "def", "elif", "else", "False",
                                     "for", "from", "if", "import", "in", "is", "lambda", "None", "not", "or", "pass",
                                     "range", "return", "True", "while", "with", "enumerate", "len", "print", "zip"};
constexpr std::array kTypeNames = {"float16", "bfloat16", "float32", "float64", "float8_e4m3fn", "float8_e5m2", "int8", "int16",
                                   "int32", "int64", "uint8", "uint16", "uint32", "uint64", "bool"};

// Breaks lines at blanks: a tip does not wrap, and would leave the screen.
QString wrapped(QString text)
{
    constexpr qsizetype kTipColumns = 90;
    for (qsizetype begin = 0; text.size() - begin > kTipColumns;) {
        const qsizetype blank = text.lastIndexOf(QLatin1Char(' '), begin + kTipColumns);
        if (blank <= begin)
            break;
        text[blank] = QLatin1Char('\n');
        begin = blank + 1;
    }
    return text;
}

}  // namespace

Completer::Completer(CodeEditor& editor, const LanguageInfo& language) : QObject(&editor), editor_(editor), language_(language)
{
    editor.SendScintilla(Sci::SCI_AUTOCSETIGNORECASE, 1);
    editor.SendScintilla(Sci::SCI_AUTOCSETORDER, Sci::SC_ORDER_PERFORMSORT, 0L);
    editor.SendScintilla(Sci::SCI_AUTOCSETMAXHEIGHT, 12);
    editor.SendScintilla(Sci::SCI_AUTOCSETSEPARATOR, static_cast<unsigned long>('\n'));
    connect(&editor, &QsciScintillaBase::SCN_CHARADDED, this, &Completer::onCharacter);
}

void Completer::onCharacter(int character)
{
    if (character == '(') {
        editor_.SendScintilla(Sci::SCI_AUTOCCANCEL);  // a name that was typed whole still has its list
        return showSignature();
    }
    if (editor_.SendScintilla(Sci::SCI_AUTOCACTIVE))
        return;
    if (character == '.' || isPart(static_cast<char>(character)))
        completeFrom(kLettersTyped);
}

void Completer::complete() { completeFrom(0); }

void Completer::completeFrom(std::size_t leastLetters)
{
    const auto word = editor_.wordAt(editor_.caretOffset());
    // wordAt reaches to the right too; only what is left of the caret counts.
    const auto style = static_cast<Style>(editor_.SendScintilla(Sci::SCI_GETSTYLEAT, std::max(0, editor_.caretOffset() - 1)));
    if (style == Style::kComment || style == Style::kString || style == Style::kTripleSingle || style == Style::kTripleDouble)
        return;
    const auto dot = word.rfind('.');
    if (dot != std::string::npos) {
        if (isTileModule(word.substr(0, dot)))
            showNames(word.substr(dot + 1), true);
    } else if (word.size() >= leastLetters) {
        showNames(word, false);
    }
}

void Completer::showNames(const std::string& typed, bool qualified)
{
    std::set<std::string> names;
    const auto lower = [](char c) { return std::tolower(static_cast<unsigned char>(c)); };
    const auto offer = [&](std::string_view name) {  // called for every word of the file at every key: no allocation
        if (name.size() > typed.size() &&
            std::equal(typed.begin(), typed.end(), name.begin(), [&](char a, char b) { return lower(a) == lower(b); }))
            names.emplace(name);
    };
    if (qualified) {
        for (const auto& entry : language_.entries())
            offer(entry.name.toStdString());
        for (const char* type : kTypeNames)
            offer(type);
    } else {
        for (const char* word : kPythonWords)
            offer(word);
        std::string text = editor_.textBytes();
        text.resize(std::min(text.size(), kScannedBytes));
        for (std::size_t i = 0; i < text.size();) {
            std::size_t end = i;
            while (end < text.size() && isPart(text[end]))
                ++end;
            if (end > i + 2 && !std::isdigit(static_cast<unsigned char>(text[i])))
                offer(std::string_view(text).substr(i, end - i));
            i = end + 1;
        }
    }
    if (names.empty())
        return;
    std::string list;
    for (const auto& name : names)
        list += (list.empty() ? "" : "\n") + name;
    editor_.SendScintilla(Sci::SCI_AUTOCSHOW, static_cast<unsigned long>(typed.size()), list.c_str());
}

void Completer::showSignature()
{
    const int open = editor_.caretOffset() - 1;
    const QString word = QString::fromStdString(editor_.wordAt(open));
    const auto* entry = word.contains(QLatin1Char('.')) ? language_.find(word) : nullptr;
    if (!entry)
        return;
    const QByteArray tip = (wrapped(entry->signature) + QLatin1Char('\n') + wrapped(entry->text)).toUtf8();
    editor_.SendScintilla(Sci::SCI_CALLTIPSETBACK, editor_.theme().color("raised"));
    editor_.SendScintilla(Sci::SCI_CALLTIPSETFORE, editor_.theme().color("text"));
    editor_.SendScintilla(Sci::SCI_CALLTIPSHOW, static_cast<unsigned long>(open), tip.constData());
}

}  // namespace tw::gui
