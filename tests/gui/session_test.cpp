#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

#include <atomic>

#include "app/gui/session/journal.h"
#include "app/gui/session/run_session.h"
#include "app/gui/session/selection.h"
#include "app/gui/session/workbench.h"
#include "core/ir/print.h"
#include "tests/gui/groups.h"

namespace tw::gui {
namespace {

constexpr int kWaitMs = 10'000;

SnapshotPtr compileReal(const driver::CompileRequest& request, std::stop_token stop) { return driver::compile(request, stop); }

class SessionTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void newestCompileWins()
    {
        // Each job runs until it is asked to stop, except the last one.
        std::atomic<int> started = 0, stopped = 0;
        CompileWorker worker([&](const driver::CompileRequest& request, std::stop_token stop) {
            ++started;
            while (request.target != "last" && !stop.stop_requested())
                std::this_thread::yield();
            stopped += stop.stop_requested() ? 1 : 0;
            auto snapshot = std::make_shared<driver::CompileSnapshot>();
            snapshot->kernel = *request.target;
            return snapshot;
        });
        QSignalSpy finished(&worker, &CompileWorker::finished);
        for (const char* name : {"a", "b", "c", "last"}) {
            driver::CompileRequest request;
            request.target = name;
            worker.submit(std::move(request));
            if (*name == 'a')
                QTRY_COMPARE_WITH_TIMEOUT(started.load(), 1, kWaitMs);
        }
        QVERIFY(worker.isBusy());
        QVERIFY(finished.wait(kWaitMs));
        QCOMPARE(finished.count(), 1);
        QCOMPARE(finished.front().at(1).value<SnapshotPtr>()->kernel, std::string("last"));
        QVERIFY(!worker.isBusy());
        QVERIFY(stopped >= 1);
    }

    void destructionStopsTheJob()
    {
        std::atomic<bool> started = false;
        {
            CompileWorker worker([&](const driver::CompileRequest&, std::stop_token stop) {
                started = true;
                while (!stop.stop_requested())
                    std::this_thread::yield();
                return SnapshotPtr();
            });
            worker.submit({});
            QTRY_VERIFY_WITH_TIMEOUT(started, kWaitMs);
        }
    }

    void lastGoodResultStays()
    {
        Workbench bench(compileReal);
        QSignalSpy changed(&bench, &Workbench::snapshotChanged);
        bench.activate(QStringLiteral("/nowhere/sample.py"), kSample);
        QTRY_VERIFY_WITH_TIMEOUT(bench.shown() != nullptr, kWaitMs);
        QVERIFY(!bench.isStale());
        const auto good = bench.shown();
        bench.edit("def broken(:\n");
        QTRY_VERIFY_WITH_TIMEOUT(bench.isStale(), kWaitMs);
        QCOMPARE(bench.shown(), good);
        QVERIFY(!bench.newest()->ok());
        bench.edit(kSample + "\n");
        QTRY_VERIFY_WITH_TIMEOUT(!bench.isStale(), kWaitMs);
        QVERIFY(bench.shown() != good);
    }

    void parametersOverlayTheTrace()
    {
        Workbench bench(compileReal);
        bench.activate(QStringLiteral("/nowhere/sample.py"), kSample);
        QTRY_VERIFY_WITH_TIMEOUT(bench.shown() != nullptr, kWaitMs);
        const auto before = ir::print(*bench.shown()->function).text;
        bench.setParameter("block_N", "32");
        QTRY_VERIFY_WITH_TIMEOUT(!bench.isBusy(), kWaitMs);
        QVERIFY(ir::print(*bench.shown()->function).text != before);
        QCOMPARE(bench.shown()->instance.params.at("block_N"), std::string("32"));
        bench.resetParameters();
        QTRY_VERIFY_WITH_TIMEOUT(!bench.isBusy(), kWaitMs);
        QCOMPARE(ir::print(*bench.shown()->function).text, before);
    }

    void documentsKeepTheirChoice()
    {
        Workbench bench(compileReal);
        bench.activate(QStringLiteral("/nowhere/a.py"), kSample);
        bench.setParameter("block_N", "32");
        bench.activate(QStringLiteral("/nowhere/b.py"), kSample);
        QVERIFY(bench.choice().params.empty());
        bench.activate(QStringLiteral("/nowhere/a.py"), kSample);
        QCOMPARE(bench.choice().params.at("block_N"), std::string("32"));
        bench.forget(QStringLiteral("/nowhere/a.py"));
        QVERIFY(bench.newest() == nullptr);
    }

    void selectionSpeaksOnce()
    {
        Selection selection;
        QSignalSpy changed(&selection, &Selection::changed);
        selection.select({{0, 1, 2}, 3}, this);
        selection.select({{0, 1, 2}, 3}, this);
        QCOMPARE(changed.count(), 1);
    }

    void journalSurvivesACrash()
    {
        QTemporaryDir root;
        const JournalEntry entry{QStringLiteral("k.py"), QStringLiteral("/p/k.py"), "text \xc3\xa4\n"};
        {
            Journal living(root.path());
            living.record(entry);
            Journal other(root.path());
            QVERIFY(other.takeLeftovers().isEmpty());  // its window lives
        }
        QVERIFY(Journal(root.path()).takeLeftovers().isEmpty());  // a window that ended well leaves nothing
        // A crash: the folder and a lock of a process that is gone.
        QDir(root.path()).mkdir(QStringLiteral("crashed"));
        {
            Journal source(root.path());
            source.record(entry);
            const QDir folder(root.path());
            for (const auto& name : folder.entryList(QDir::Dirs | QDir::NoDotAndDotDot)) {
                const QDir from(folder.filePath(name));
                for (const auto& file : from.entryList({QStringLiteral("*.json")}))
                    QFile::copy(from.filePath(file), folder.filePath(QStringLiteral("crashed/") + file));
            }
        }
        Journal next(root.path());
        const auto found = next.takeLeftovers();
        QCOMPARE(found.size(), 1);
        QCOMPARE(found.front().path, entry.path);
        QCOMPARE(found.front().text, entry.text);
        QVERIFY(next.takeLeftovers().isEmpty());
    }

    void lostRunnerIsReportedAndTheNextRunStarts()
    {
        Workbench bench(compileReal);
        bench.activate(QStringLiteral("/nowhere/sample.py"), kSample);
        QTRY_VERIFY_WITH_TIMEOUT(bench.shown() != nullptr, kWaitMs);
        RunSession session(bench, {"/bin/sh", "-c", "kill -9 $$"}, nullptr);
        for (int attempt = 0; attempt < 2; ++attempt) {
            QSignalSpy finished(&session, &RunSession::finished);
            session.run({});
            QVERIFY(finished.wait(kWaitMs));
            const auto& diagnostics = session.outcome()->head().diagnostics;
            QVERIFY(!diagnostics.empty());
            QVERIFY(diagnostics.front().code == Code::kRunnerLost);
            QVERIFY(!session.isBusy());
        }
    }

    void missingInputFileIsAMessage()
    {
        Workbench bench(compileReal);
        bench.activate(QStringLiteral("/nowhere/sample.py"), kSample);
        QTRY_VERIFY_WITH_TIMEOUT(bench.shown() != nullptr, kWaitMs);
        RunSession session(bench, {"/bin/false"}, nullptr);
        QSignalSpy finished(&session, &RunSession::finished);
        session.run({.inputs = {{"A", "/nowhere/a.npy"}}});
        QVERIFY(finished.wait(kWaitMs));
        QVERIFY(session.outcome()->head().diagnostics.front().message.find("cannot read input A") != std::string::npos);
    }
};

}  // namespace

std::unique_ptr<QObject> makeSessionTest() { return std::make_unique<SessionTest>(); }

}  // namespace tw::gui

#include "session_test.moc"
