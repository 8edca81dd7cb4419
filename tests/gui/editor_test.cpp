#include <QApplication>
#include <QSignalSpy>
#include <QGlyphRun>
#include <QRawFont>
#include <QTest>
#include <QTextLayout>

#include "app/gui/editor/code_editor.h"
#include "app/gui/editor/definitions.h"
#include "app/gui/editor/find_bar.h"
#include "core/syntax/parser.h"
#include "tests/gui/groups.h"

namespace tw::gui {
namespace {

using Sci = QsciScintillaBase;

// One letter a byte: what each character is shown as.
std::string styles(Language language, std::string_view text, Style before = Style::kText)
{
    // text, keyword, op, builtin, definition, decorator, three kinds of string, number, comment, operator, type
    std::string out;
    for (const auto style : highlight(language, text, before))
        out += std::string_view(".kobd@sss9#-t")[static_cast<std::size_t>(style)];
    return out;
}

class EditorTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void colorsTileLang()
    {
        QCOMPARE(styles(Language::kTileLang, "def f():"), std::string("kkk.d---"));
        QCOMPARE(styles(Language::kTileLang, "T.copy(a, 1) # x"), std::string(".-oooo-.-.9-.###"));
        QCOMPARE(styles(Language::kTileLang, "a.copy"), std::string(".-...."));
        QCOMPARE(styles(Language::kTileLang, "T.float16"), std::string(".-ttttttt"));
        QCOMPARE(styles(Language::kTileLang, "@T.macro"), std::string("@@@@@@@@"));
        QCOMPARE(styles(Language::kTileLang, "x = f'a'"), std::string("..-.ssss"));
    }

    void colorsWhatTheGpuBackEndWrites()
    {
        QCOMPARE(styles(Language::kCuda, "int i = f(1); // x"), std::string("kkk...-.o-9--.####"));
        QCOMPARE(styles(Language::kCuda, "#line 3"), std::string("@@@@@@@"));
        QCOMPARE(styles(Language::kPtx, "add.f32 %f1, %f2;"), std::string("ooooooo.ttt..ttt."));
        QCOMPARE(styles(Language::kSass, "/*0010*/ IADD3 R2, RZ"), std::string("########.ooooo.tt..tt"));
    }

    void carriesTripleQuotes()
    {
        const auto first = highlight(Language::kTileLang, "\"\"\"a\n", Style::kText);
        QVERIFY(first.back() == Style::kTripleDouble);
        QCOMPARE(styles(Language::kTileLang, "b\"\"\" x", first.back()), std::string("ssss.."));
    }

    void everyPrefixIsColored()
    {
        for (std::size_t n = 0; n <= kSample.size(); ++n) {
            for (const auto language : {Language::kTileLang, Language::kLlvm, Language::kAssembly, Language::kCuda, Language::kPtx, Language::kSass})
                QCOMPARE(highlight(language, std::string_view(kSample).substr(0, n), Style::kText).size(), n);
        }
    }

    void findsDefinitions()
    {
        DiagnosticSink sink;
        const std::string text = "def f(a):\n    b = a\n    def g():\n        return b\n    return g\nb = f\n";
        const auto module = syntax::parse(std::make_shared<SourceText>("t.py", text), 0, sink);
        const auto all = collectDefinitions(*module);
        const auto at = [&](const std::string& needle, std::size_t from) {
            return static_cast<std::uint32_t>(text.find(needle, from));
        };
        const auto inner = findDefinition(all, "b", at("return b", 0) + 7);
        QVERIFY(inner && inner->range.begin == at("b = a", 0));
        const auto function = findDefinition(all, "f", at("b = f", 0) + 4);
        QVERIFY(function && function->range.begin == 4);
        QVERIFY(!findDefinition(all, "missing", 5));
    }

    void knowsTheLanguage()
    {
        const auto info = LanguageInfo::load();
        QVERIFY(info.find(QStringLiteral("T.copy")) != nullptr);
        QCOMPARE(info.find(QStringLiteral("gemm"))->group, QStringLiteral("Matrix products"));
        QVERIFY(info.find(QStringLiteral("T.Pipelined"))->text.contains(QStringLiteral("loop")));
        QVERIFY(info.find(QStringLiteral("T.nothing")) == nullptr);
    }

    void marksProblemsAndFixesThem()
    {
        const auto info = LanguageInfo::load();
        CodeEditor editor(info);
        editor.setTextBytes("x = T.cpoy(a)\n");
        Diagnostic d{Code::kUsage, Severity::kError, {0, 6, 10}, "unknown name", {}, {{{0, 6, 10}, "copy"}}, {}};
        editor.setDiagnostics({d});
        QVERIFY(editor.annotation(0).contains(QStringLiteral("unknown name")));
        QCOMPARE(editor.diagnosticsAtLine(1).size(), 1U);
        editor.applyEdits(editor.diagnosticsAtLine(1).front().fixits);
        QCOMPARE(editor.textBytes(), std::string("x = T.copy(a)\n"));
        editor.undo();
        QCOMPARE(editor.textBytes(), std::string("x = T.cpoy(a)\n"));
    }

    void completesAfterT()
    {
        const auto info = LanguageInfo::load();
        CodeEditor editor(info);
        editor.resize(400, 300);
        editor.show();
        QTest::keyClicks(&editor, QStringLiteral("T.atomic_a"));
        QVERIFY(editor.SendScintilla(Sci::SCI_AUTOCACTIVE) != 0);
        QTest::keyClick(&editor, Qt::Key_Return);
        QVERIFY(editor.textBytes().starts_with("T.atomic_add"));
    }

    void aNameTypedWholeShowsItsSignature()
    {
        const auto info = LanguageInfo::load();
        CodeEditor editor(info);
        editor.resize(400, 300);
        editor.show();
        QTest::keyClicks(&editor, QStringLiteral("T.copy"));
        QVERIFY(editor.SendScintilla(Sci::SCI_AUTOCACTIVE) != 0);
        QVERIFY(editor.SendScintilla(Sci::SCI_CALLTIPACTIVE) == 0);
        QTest::keyClicks(&editor, QStringLiteral("("));
        QVERIFY(editor.SendScintilla(Sci::SCI_AUTOCACTIVE) == 0);
        QVERIFY(editor.SendScintilla(Sci::SCI_CALLTIPACTIVE) != 0);
        QCOMPARE(editor.textBytes(), std::string("T.copy("));
    }

    void completesWhereAsked()
    {
        const auto info = LanguageInfo::load();
        CodeEditor editor(info);
        editor.resize(400, 300);
        editor.show();
        editor.setTextBytes("alphabet = 1\na");
        editor.selectRange(14, 14);
        editor.complete();  // one letter would not open the list by itself
        QVERIFY(editor.SendScintilla(Sci::SCI_AUTOCACTIVE) != 0);
        QTest::keyClick(&editor, Qt::Key_Return);
        QVERIFY(!editor.textBytes().ends_with("\na"));
    }

    // One character, one cell; digits of one width; whatever fonts the machine has.
    void fontsLineUp()
    {
        QCOMPARE(QFontInfo(codeFont(10.5)).family(), QStringLiteral("Tilewright Mono"));
        QCOMPARE(QFontInfo(uiFont()).family(), QStringLiteral("Tilewright Sans"));
        const QString operators = QStringLiteral("a != b -> c <= d // e");
        QTextLayout layout(operators, codeFont(10.5));
        layout.beginLayout();
        layout.createLine().setLineWidth(1e6);
        layout.endLayout();
        QCOMPARE(layout.glyphRuns().front().glyphIndexes(), QRawFont::fromFont(codeFont(10.5)).glyphIndexesForString(operators));
        const QFontMetricsF text(uiFont());
        for (const QChar digit : QStringLiteral("123456789"))
            QCOMPARE(text.horizontalAdvance(digit), text.horizontalAdvance(QLatin1Char('0')));
    }

    void findsAndReplaces()
    {
        const auto info = LanguageInfo::load();
        CodeEditor editor(info);
        editor.setTextBytes("aa b aa b AA\n");
        QCOMPARE(editor.markMatches(QStringLiteral("aa"), {}), 3);
        QCOMPARE(editor.markMatches(QStringLiteral("aa"), {.matchCase = true}), 2);
        QCOMPARE(editor.markMatches(QStringLiteral("a+"), {.regex = true}), 3);
        QVERIFY(editor.findFrom(3, QStringLiteral("aa"), {}, true));
        QCOMPARE(editor.selectedText(), QStringLiteral("aa"));
        QCOMPARE(editor.caretOffset(), 7);
    }

    void typingInALongFileIsQuick()
    {
        const auto info = LanguageInfo::load();
        CodeEditor editor(info);
        editor.resize(800, 600);
        editor.show();
        std::string text;
        while (std::count(text.begin(), text.end(), '\n') < 10'000)
            text += kSample;
        editor.setTextBytes(text);
        editor.goToLine(5000);
        QElapsedTimer timer;
        timer.start();
        constexpr int kKeys = 50;
        for (int i = 0; i < kKeys; ++i) {
            QTest::keyClick(&editor, Qt::Key_X);
            QApplication::processEvents();
        }
        qInfo("%.2f ms a key in 10,000 lines", static_cast<double>(timer.elapsed()) / kKeys);
        QVERIFY(editor.textBytes().find(std::string(kKeys, 'x')) != std::string::npos);
    }
};

}  // namespace

std::unique_ptr<QObject> makeEditorTest() { return std::make_unique<EditorTest>(); }

}  // namespace tw::gui

#include "editor_test.moc"
