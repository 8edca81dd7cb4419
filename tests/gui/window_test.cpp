#include <QApplication>
#include <QFile>
#include <QMessageBox>
#include <QProcess>
#include <QPushButton>
#include <QSettings>
#include <QSignalSpy>
#include <QSpinBox>
#include <QTabBar>
#include <QTemporaryDir>
#include <QTest>
#include <QThread>
#include <QTimer>

#include <atomic>
#include <csignal>

#include "app/gui/models/listing.h"
#include "app/gui/views/access_view.h"
#include "app/gui/views/code_view.h"
#include "app/gui/views/kernel_view.h"
#include "app/gui/views/run_view.h"
#include "app/gui/windows/document_page.h"
#include "app/gui/windows/main_window.h"
#include "app/gui/windows/menus.h"
#include "app/gui/windows/options.h"
#include "core/ir/print.h"
#include "tests/gui/groups.h"

namespace tw::gui {
namespace {

constexpr int kWaitMs = 20'000;

class PaintCount : public QObject {
public:
    int count = 0;

protected:
    bool eventFilter(QObject*, QEvent* event) override
    {
        count += event->type() == QEvent::Paint ? 1 : 0;
        return false;
    }
};

class WindowTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init()
    {
        QVERIFY(folder_.isValid());
        file_ = folder_.filePath(QStringLiteral("sample.py"));
        QFile file(file_);
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(kSample.data(), static_cast<qint64>(kSample.size()));
        MainWindow::Services services;
        services.compile = [](const auto& request, auto stop) { return driver::compile(request, stop); };
        services.runnerCommand = {std::string(TW_BINARY_DIR) + "/bin/tilec", "serve"};
        window_ = std::make_unique<MainWindow>(std::move(services));
        window_->resize(1200, 800);
        window_->show();
    }
    void cleanup() { window_.reset(); }

    void everyViewOpensEmptyAndFull()
    {
        for (const bool full : {false, true}) {
            if (full)
                openSample();
            for (const auto& name : viewNames()) {
                window_->focusView(name);
                QVERIFY(name == QLatin1String("editor") || window_->view(name) != nullptr);
                QApplication::processEvents();
                QVERIFY(!window_->grab().isNull());
            }
            for (const char* layout : {"author", "profile", "teach"}) {
                window_->setLayout(QString::fromLatin1(layout));
                QApplication::processEvents();
            }
            for (const char* theme : {"dark", "light"})
                window_->setThemePreference(QString::fromLatin1(theme));
        }
    }

    // Views without a place in the saved layout stay away, and the others keep their sizes.
    void aRestartLooksTheSame()
    {
        QSettings::setPath(QSettings::NativeFormat, QSettings::UserScope, folder_.path());
        int width = 0;
        for (int start = 0; start < 3; ++start) {
            MainWindow::Services services;
            services.compile = [](const auto& request, auto stop) { return driver::compile(request, stop); };
            services.settings = Settings(true);
            MainWindow window(std::move(services));
            window.resize(1400, 900);
            window.restoreSession();
            window.show();
            QApplication::processEvents();
            for (auto* view : window.views())
                QVERIFY2(view->isHidden() || view->isFloating() || window.dockWidgetArea(view) != Qt::NoDockWidgetArea,
                         qPrintable(view->objectName()));
            QVERIFY(window.view(QStringLiteral("kernels"))->isVisible());
            QVERIFY(window.view(QStringLiteral("tune"))->isHidden());
            const int now = window.view(QStringLiteral("passes"))->width();
            QVERIFY2(start == 0 || std::abs(now - width) < 20, qPrintable(QStringLiteral("%1 then %2").arg(width).arg(now)));
            width = now;
            QVERIFY(window.close());
        }
    }

    void filesThatAreTooLargeAreRefused()
    {
        QFile large(folder_.filePath(QStringLiteral("large.py")));
        QVERIFY(large.open(QIODevice::WriteOnly));
        QVERIFY(large.resize((16 << 20) + 1));
        QString error;
        QVERIFY(!readFile(large.fileName(), error));
        QVERIFY2(error.endsWith(QStringLiteral("is larger than 16 MiB")), qPrintable(error));
        QVERIFY(!readFile(QStringLiteral("/dev/zero"), error));
        QVERIFY(!readFile(folder_.path(), error));
        QVERIFY(!readFile(folder_.filePath(QStringLiteral("none.py")), error));
        QVERIFY(error.startsWith(QStringLiteral("cannot open ")));
    }

    void aShotOfAMissingFileEnds()
    {
        QProcess shot;
        shot.start(QStringLiteral(TW_BINARY_DIR "/bin/tilewright"), {folder_.filePath(QStringLiteral("none.py")), QStringLiteral("--shot"), QStringLiteral("/dev/null")});
        QVERIFY(shot.waitForFinished(kWaitMs));
        QCOMPARE(shot.exitCode(), 2);
        QVERIFY(shot.readAllStandardError().contains("cannot open"));
    }

    void typingChangesTheSnapshot()
    {
        auto& editor = openSample();
        const auto before = ir::print(*bench().shown()->function).text;
        editor.selectRange(static_cast<int>(kSample.find("block_N=64")) + 8, static_cast<int>(kSample.find("block_N=64")) + 10);
        QTest::keyClicks(&editor, QStringLiteral("32"));
        QTRY_VERIFY_WITH_TIMEOUT(ir::print(*bench().shown()->function).text != before, kWaitMs);
        QTest::keyClicks(&editor, QStringLiteral("("));
        QTRY_VERIFY_WITH_TIMEOUT(bench().isStale() && !editor.diagnostics().empty(), kWaitMs);
        QVERIFY(bench().shown() != nullptr);
    }

    // Qt calls a tab behind another one visible. It has no widgets and asks for nothing until it is in front.
    void viewsBehindATabWait()
    {
        openSample();
        window_->focusView(QStringLiteral("passes"));
        auto* cuda = qobject_cast<CodeView*>(window_->view(QStringLiteral("cuda")));
        auto* sass = window_->view(QStringLiteral("sass"));
        QVERIFY(window_->view(QStringLiteral("passes"))->isShown());
        QVERIFY(cuda->isVisible() && !cuda->isShown() && !sass->isShown());
        QVERIFY(cuda->findChildren<TextPane*>().isEmpty());
        window_->focusView(QStringLiteral("cuda"));
        QVERIFY(cuda->isShown() && !window_->view(QStringLiteral("passes"))->isShown());
        QVERIFY(cuda->listing().text.find("__global__") != std::string::npos);
    }

    // A compiler that does not answer stops nobody from typing: it works on another thread, and the text is painted meanwhile.
    void typingNeverWaitsForTheCompiler()
    {
        std::atomic<bool> released{false}, wasOnTheWindowsThread{false};
        std::atomic<int> asked{0};
        MainWindow::Services services;
        services.compile = [&, gui = QThread::currentThread()](const auto& request, std::stop_token stop) {
            wasOnTheWindowsThread = wasOnTheWindowsThread || QThread::currentThread() == gui;
            ++asked;
            while (!released && !stop.stop_requested())
                QThread::msleep(1);
            return driver::compile(request, stop);
        };
        services.runnerCommand = {std::string(TW_BINARY_DIR) + "/bin/tilec", "serve"};
        window_ = std::make_unique<MainWindow>(std::move(services));
        window_->show();
        auto& editor = window_->documents().open(file_)->editor();
        editor.goToLine(1);
        for (int i = 0; i < 20; ++i) {
            PaintCount paints;
            editor.viewport()->installEventFilter(&paints);
            QTest::keyClick(&editor, '#');
            QTRY_VERIFY_WITH_TIMEOUT(paints.count > 0, kWaitMs);
        }
        QVERIFY(editor.textBytes() == std::string(20, '#') + kSample);
        QVERIFY(asked > 0 && bench().newest() == nullptr);
        released = true;
        QTRY_VERIFY_WITH_TIMEOUT(bench().newest() && bench().newest()->source->text() == editor.textBytes(), kWaitMs);
        QVERIFY(!wasOnTheWindowsThread);
    }

    void parameterIsWrittenToTheSourceAsOneUndo()
    {
        auto& editor = openSample();
        window_->focusView(QStringLiteral("kernels"));
        auto* box = qobject_cast<QSpinBox*>(control(QStringLiteral("block_N")));
        QVERIFY(box);
        QCOMPARE(box->value(), 64);
        box->stepBy(1);  // doubles a power of two
        QTRY_COMPARE_WITH_TIMEOUT(bench().shown()->instance.params.at("block_N"), std::string("128"), kWaitMs);
        auto* view = qobject_cast<KernelView*>(window_->view(QStringLiteral("kernels")));
        const auto& parameters = bench().newest()->program->kernels()[0].parameters;
        const auto parameter = std::find_if(parameters.begin(), parameters.end(), [](const auto& p) { return p.name == "block_N"; });
        Q_EMIT view->writeRequested(parameter->range, QStringLiteral("128"), QStringLiteral("block_N"));
        QVERIFY(editor.textBytes().find("block_N=128") != std::string::npos);
        editor.undo();
        QCOMPARE(editor.textBytes(), kSample);
    }

    void caretLinksEditorAndIr()
    {
        auto& editor = openSample();
        window_->focusView(QStringLiteral("passes"));
        editor.goToLine(11);
        QTRY_COMPARE_WITH_TIMEOUT(bench().newest()->source->lineColumn(window_->selection().place().range.begin).line, 11, kWaitMs);
        window_->selection().reveal({{0, static_cast<std::uint32_t>(kSample.find("T.Kernel")), 0}, 0});
        QCOMPARE(editor.caretLine(), 9);
    }

    void runVerifyAndLoseTheRunner()
    {
        openSample();
        window_->focusView(QStringLiteral("run"));
        auto* view = qobject_cast<RunView*>(window_->view(QStringLiteral("run")));
        view->run();
        QTRY_VERIFY_WITH_TIMEOUT(!window_->runs().isBusy(), kWaitMs);
        const auto outcome = window_->runs().outcome();
        QVERIFY2(outcome->head().outcome == protocol::Outcome::kFine,
                 outcome->head().diagnostics.empty() ? "" : outcome->head().diagnostics.front().message.c_str());
        QCOMPARE(outcome->run->outputs.size(), 1U);
        window_->focusView(QStringLiteral("tensor"));
        QVERIFY(!window_->grab().isNull());
        const int pid = window_->runs().runnerProcessId();
        QVERIFY(pid > 0);
        ::kill(pid, SIGKILL);
        view->verify();
        QTRY_VERIFY_WITH_TIMEOUT(!window_->runs().isBusy(), kWaitMs);
        view->verify();  // whatever the first one met, the next works
        QTRY_VERIFY_WITH_TIMEOUT(!window_->runs().isBusy(), kWaitMs);
        QVERIFY(window_->runs().outcome()->verify);
        QVERIFY(window_->runs().outcome()->head().outcome == protocol::Outcome::kFine);
    }

    void accessesAreCountedAfterARunOnTheSimulator()
    {
        openSample();
        window_->focusView(QStringLiteral("access"));
        auto* view = dynamic_cast<AccessView*>(window_->view(QStringLiteral("access")));
        const auto basis = [&] { return view->accesses().index(0, 4).data().toString(); };
        QTRY_COMPARE_WITH_TIMEOUT(basis(), QStringLiteral("modelled"), kWaitMs);
        window_->runs().run({.device = "sim", .inputs = {}, .seed = 0, .repeat = 1});
        QTRY_VERIFY_WITH_TIMEOUT(!window_->runs().isBusy(), kWaitMs);
        QVERIFY(window_->runs().outcome()->run->simulation);
        QTRY_COMPARE_WITH_TIMEOUT(basis(), QStringLiteral("simulated"), kWaitMs);
        bench().setTarget("sm_80");  // another program
        QTRY_COMPARE_WITH_TIMEOUT(basis(), QStringLiteral("modelled"), kWaitMs);
        bench().setTarget({});
    }

    void cancelEndsARun()
    {
        openSample();
        window_->runs().run({.device = "interp", .inputs = {}, .seed = 0, .repeat = 10'000});
        QVERIFY(window_->runs().isBusy());
        QTest::qWait(50);
        window_->runs().cancel();
        QTRY_VERIFY_WITH_TIMEOUT(!window_->runs().isBusy(), kWaitMs);
        QVERIFY(window_->runs().outcome()->head().cancelled);
    }

    void unsavedTextComesBack()
    {
        QTemporaryDir journals;
        QDir(journals.path()).mkdir(QStringLiteral("crashed"));
        QFile left(journals.filePath(QStringLiteral("crashed/1.json")));
        QVERIFY(left.open(QIODevice::WriteOnly));
        left.write("{\"version\":1,\"key\":\"sample.py\",\"path\":\"" + file_.toUtf8() + "\",\"text\":\"x = 1\\n\"}");
        left.close();
        MainWindow::Services services;
        services.compile = [](const auto& request, auto stop) { return driver::compile(request, stop); };
        services.journalFolder = journals.path();
        MainWindow window(std::move(services));
        window.restoreLeftovers();
        auto* page = window.documents().current();
        QVERIFY(page);
        QCOMPARE(page->editor().textBytes(), std::string("x = 1\n"));
        QVERIFY(page->isModified());
        page->editor().undo();
        QCOMPARE(page->editor().textBytes(), kSample);
    }

    void aNoToClosingKeepsEveryTab()
    {
        openSample();
        auto* changed = window_->documents().openNew();
        changed->editor().setFocus();
        QTest::keyClicks(&changed->editor(), QStringLiteral("# mine"));
        QVERIFY(changed->isModified());
        const std::string text = changed->editor().textBytes();
        QTimer::singleShot(0, window_.get(), [] {
            if (auto* box = qobject_cast<QMessageBox*>(QApplication::activeModalWidget()))
                box->button(QMessageBox::Cancel)->click();
        });
        QVERIFY(!window_->close());
        QCOMPARE(window_->documents().pages().size(), 2);
        QCOMPARE(changed->editor().textBytes(), text);
    }

    void manyTabsKeepTheirNames()
    {
        openSample();
        for (int i = 0; i < 12; ++i)
            window_->documents().openNew();
        const auto* bar = window_->documents().findChild<QTabBar*>();
        QVERIFY(bar);
        QCOMPARE(bar->count(), 13);
        for (int i = 0; i < bar->count(); ++i)
            QVERIFY(bar->tabRect(i).width() > bar->fontMetrics().horizontalAdvance(bar->tabText(i)));
    }

    void actionsHaveNamesAndShortcutsOfTheirOwn()
    {
        QStringList seen;
        for (const auto* action : window_->actions().all()) {
            QVERIFY(!action->text().isEmpty());
            const QString keys = action->shortcut().toString();
            QVERIFY2(!keys.isEmpty(), qPrintable(action->objectName()));
            QVERIFY2(!seen.contains(keys), qPrintable(keys));
            seen << keys;
        }
    }

    void changedFileIsNoticed()
    {
        auto& editor = openSample();
        QFile file(file_);
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write("y = 2\n");
        file.close();
        QTRY_COMPARE_WITH_TIMEOUT(editor.textBytes(), std::string("y = 2\n"), kWaitMs);
    }

    void commandLine()
    {
        QCOMPARE(parseOptions({QStringLiteral("tilewright"), QStringLiteral("--list-views")}).answer->trimmed().split(QLatin1Char('\n')),
                 viewNames());
        QCOMPARE(parseOptions({QStringLiteral("tilewright"), QStringLiteral("--theme"), QStringLiteral("pink")}).exitCode, 2);
        const auto options = parseOptions({QStringLiteral("tilewright"), QStringLiteral("a.py"), QStringLiteral("--size"),
                                           QStringLiteral("800x600"), QStringLiteral("--kernel"), QStringLiteral("add@call:17")});
        QCOMPARE(options.size, QSize(800, 600));
        QCOMPARE(options.kernel, QStringLiteral("add"));
        QCOMPARE(options.instance, QStringLiteral("call:17"));
    }

private:
    Workbench& bench() { return window_->workbench(); }
    CodeEditor& openSample()
    {
        auto* page = window_->documents().open(file_);
        QElapsedTimer timer;
        timer.start();
        while (!bench().shown() && timer.elapsed() < kWaitMs)
            QTest::qWait(5);
        return page->editor();
    }
    QWidget* control(const QString& name)
    {
        for (auto* widget : window_->findChildren<QWidget*>()) {
            if (widget->accessibleName() == name)
                return widget->focusProxy();
        }
        return nullptr;
    }

    QTemporaryDir folder_;
    QString file_;
    std::unique_ptr<MainWindow> window_;
};

}  // namespace

std::unique_ptr<QObject> makeWindowTest() { return std::make_unique<WindowTest>(); }

}  // namespace tw::gui

#include "window_test.moc"
