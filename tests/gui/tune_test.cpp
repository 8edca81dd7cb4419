// A search as the window shows it while it goes on, and what runs, profiles and searches share.
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

#include "app/gui/models/tune_rows.h"
#include "app/gui/session/compare_session.h"
#include "app/gui/session/run_session.h"
#include "app/gui/session/tune_session.h"
#include "app/gui/views/device_picker.h"
#include "tests/gui/groups.h"

namespace tw::gui {
namespace {

constexpr int kWaitMs = 20'000;

SnapshotPtr compileReal(const driver::CompileRequest& request, std::stop_token stop) { return driver::compile(request, stop); }

class TuneTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init()
    {
        QVERIFY(folder_.isValid());
        bench_ = std::make_unique<Workbench>(compileReal);
        bench_->activate(QStringLiteral("/nowhere/sample.py"), kSample);
        QTRY_VERIFY_WITH_TIMEOUT(bench_->shown() != nullptr, kWaitMs);
    }

    void trialsAppearAsTheyAreFound()
    {
        const QString go = folder_.filePath(QStringLiteral("go"));
        const QString program = script("tilec", R"(cat >/dev/null
echo "$@" >)" + folder_.filePath(QStringLiteral("arguments")).toStdString() + R"(
echo '{"phase":"model","done":1,"total":2,"trial":{"params":{"b":32},"medianUs":null,"modelUs":20,"state":"modelled"}}' >&2
echo '{"phase":"model","done":2,"total":2,"trial":{"params":{"b":64},"medianUs":null,"modelUs":10,"state":"modelled"}}' >&2
echo '{"phase":"measure","done":0,"total":2}' >&2
sleep 0.2
echo '{"phase":"measure","done":1,"total":2,"trial":{"params":{"b":64},"medianUs":12,"modelUs":10,"state":"measured"}}' >&2
while [ ! -e ")" + go.toStdString() + R"(" ]; do sleep 0.02; done
echo '{"diagnostics":[],"measured":[{"params":{"b":64},"medianUs":12,"modelUs":10,"state":"measured"},
 {"params":{"b":32},"medianUs":18,"modelUs":20,"state":"measured"}],"unmeasured":[]}'
)");
        TuneSession session(*bench_, program, folder_.filePath(QStringLiteral("runs.db")), nullptr);
        session.start({{{"b", {"32", "64"}}}, "cpu", 2, {{"A", "3"}}, 7});
        QTRY_VERIFY_WITH_TIMEOUT(session.done() == 1 && session.phase() == QLatin1String("measure") && session.trials().size() == 2, kWaitMs);
        QVERIFY(session.isBusy());
        QCOMPARE(session.total(), 2);
        QVERIFY(session.remainingSeconds() && *session.remainingSeconds() > 0.1);
        auto ranked = rankedTrials(session.trials());
        QCOMPARE(ranked.front().params.at("b"), std::string("64"));
        QCOMPARE(*ranked.front().medianUs, 12.0);
        QVERIFY(!ranked.back().medianUs && !timeOf(ranked.back(), ranked));
        QFile(go).open(QIODevice::WriteOnly);
        QTRY_VERIFY_WITH_TIMEOUT(!session.isBusy(), kWaitMs);
        QVERIFY2(session.problem().isEmpty(), qPrintable(session.problem()));
        QCOMPARE(session.trials().size(), 2U);
        QCOMPARE(session.kernel(), std::string("add"));
        QVERIFY(!session.remainingSeconds());
        QFile arguments(folder_.filePath(QStringLiteral("arguments")));
        QVERIFY(arguments.open(QIODevice::ReadOnly));
        const QByteArray asked = arguments.readAll();
        for (const char* part : {"--progress", "--space b=32,64", "--device cpu", "--seed 7", "--input A=3", "--store "})
            QVERIFY2(asked.contains(part), part);
    }

    void beforeAnythingIsMeasuredPlacesAreModelled()
    {
        std::vector<store::Trial> trials(2);
        trials[0] = {{{"b", "64"}}, store::Trial::State::kMeasured, std::nullopt, 40.0};
        trials[1] = {{{"b", "32"}}, store::Trial::State::kMeasured, std::nullopt, 20.0};
        const auto ranked = rankedTrials(trials);
        QCOMPARE(*timeOf(ranked[0], ranked), 20.0);
        QCOMPARE(trialRows(ranked, {"b"})[1].cells[3], QStringLiteral("2.00\u00d7"));
        const auto lines = trialLines(ranked, {"b"});
        QCOMPARE(lines.lines.size(), 2);
        QVERIFY(lines.axes.back().title.contains(QLatin1String("modelled")));
    }

    void aProgramThatFailsIsSaidWithItsWords()
    {
        TuneSession session(*bench_, script("tilec", "cat >/dev/null; echo 'no room in the store' >&2; exit 3\n"), {}, nullptr);
        session.start({});
        QTRY_VERIFY_WITH_TIMEOUT(!session.isBusy(), kWaitMs);
        QVERIFY2(session.problem().contains(QLatin1String("no room in the store")), qPrintable(session.problem()));
    }

    void aRealSearchReportsEveryConfiguration()
    {
        TuneSession session(*bench_, QStringLiteral(TW_BINARY_DIR "/bin/tilec"), folder_.filePath(QStringLiteral("real.db")), nullptr);
        session.start({{{"block_N", {"32", "64"}}}, "sim", 2, {}, 0});
        QTRY_VERIFY_WITH_TIMEOUT(!session.isBusy(), 3 * kWaitMs);
        QVERIFY2(session.problem().isEmpty(), qPrintable(session.problem()));
        QCOMPARE(session.done(), 2);  // the simulator measures nothing: both were modelled, one after the other
        QCOMPARE(session.phase(), QStringLiteral("model"));
        QCOMPARE(session.trials().size(), 2U);
    }

    void theChosenDeviceIsOneForAllViews()
    {
        RunSetup setup({"/bin/false"}, nullptr);
        DevicePicker run(setup, DevicePicker::Use::kRun, nullptr), measure(setup, DevicePicker::Use::kMeasure, nullptr);
        QCOMPARE(run.device(), std::string("cpu"));
        QCOMPARE(measure.device(), std::string("sim"));  // no GPU here, and nobody chose
        setup.setDevice("ssh:host/cuda:1");
        QCOMPARE(run.device(), std::string("ssh:host/cuda:1"));
        QCOMPARE(measure.device(), run.device());
        QCOMPARE(measure.currentData().toString(), QStringLiteral("ssh:host/cuda:1"));
        QCOMPARE(setup.typedDevices(), QStringList(QStringLiteral("ssh:host/cuda:1")));
        setup.setDevice("interp");  // which measures nothing
        QCOMPARE(run.device(), std::string("interp"));
        QCOMPARE(measure.device(), std::string("sim"));
    }

    void inputsAreThoseOfTheKernel()
    {
        RunSetup setup({"/bin/false"}, nullptr);
        setup.setInput("A", "a.npy");
        setup.setInput("gone", "3");
        const auto snapshot = bench_->shown();
        QCOMPARE(setup.inputsOf(snapshot->function.get()), (GivenInputs{{"A", "a.npy"}}));
        setup.setInput("A", "");
        QVERIFY(setup.inputsOf(snapshot->function.get()).empty());
        QVERIFY(setup.inputsOf(nullptr).empty());
    }

    // An input that cannot be read is what every profile says, so each of them has looked at it.
    void profilesAndComparisonsUseTheInputs()
    {
        RunSetup setup({"/bin/false"}, nullptr);
        setup.setInput("A", "/nowhere/a.npy");
        ProfileSession profiles(*bench_, {"/bin/false"}, nullptr);
        ProfileOptions options;
        options.inputs = setup.inputsOf(bench_->shown()->function.get());
        profiles.profile(options);
        QTRY_VERIFY_WITH_TIMEOUT(!profiles.isBusy(), kWaitMs);
        QVERIFY2(profiles.problem().contains(QLatin1String("cannot read input A")), qPrintable(profiles.problem()));
        CompareSession compare(*bench_, profiles, compileReal, {"/bin/false"}, nullptr);
        compare.pinCurrent();
        QTRY_VERIFY_WITH_TIMEOUT(!compare.isBusy(), kWaitMs);
        compare.profileAll({}, setup);
        QTRY_VERIFY_WITH_TIMEOUT(!compare.isBusy(), kWaitMs);
        QVERIFY2(compare.variants()[0].state.contains(QLatin1String("cannot read input A")), qPrintable(compare.variants()[0].state));
    }

    void chosenCountersAreAskedForByAllThatMeasures()
    {
        ProfileOptions options;
        options.device = "cuda:1";
        options.metrics = {"dram__bytes_read.sum"};
        options.timeline = false;
        const auto request = requestOf(options, {});
        QCOMPARE(request.metrics, (std::vector<std::string>{"headline", "dram__bytes_read.sum"}));
        QCOMPARE(request.device, std::string("cuda:1"));
        QVERIFY(!request.timeline && request.stalls && request.instructions);
        options.metrics.clear();
        QCOMPARE(requestOf(options, {}).metrics, protocol::ProfileRequest().metrics);
    }

    void runsGoToTheDeviceThatWasChosen()
    {
        RunSession session(*bench_, {"/bin/false"}, nullptr);
        session.setRunnerFinder([](const std::string& device) -> std::optional<RunnerPlace> {
            if (!device.starts_with("cmd:"))
                return std::nullopt;
            return RunnerPlace{{std::string(TW_BINARY_DIR) + "/bin/tilec", "serve"}, "interp"};
        });
        session.run({.device = "cmd:elsewhere/interp", .inputs = {}, .seed = 0, .repeat = 1});
        QTRY_VERIFY_WITH_TIMEOUT(!session.isBusy(), 3 * kWaitMs);
        QVERIFY(session.outcome()->head().outcome == protocol::Outcome::kFine);
        QCOMPARE(session.outcome()->head().device, std::string("cmd:elsewhere/interp"));
    }

private:
    QString script(const char* name, const std::string& body)
    {
        const QString path = folder_.filePath(QString::fromLatin1(name));
        QFile file(path);
        if (file.open(QIODevice::WriteOnly | QIODevice::Truncate))
            file.write(QByteArray::fromStdString("#!/bin/sh\n" + body));
        file.setPermissions(QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner);
        return path;
    }

    QTemporaryDir folder_;
    std::unique_ptr<Workbench> bench_;
};

}  // namespace

std::unique_ptr<QObject> makeTuneTest() { return std::make_unique<TuneTest>(); }

}  // namespace tw::gui

#include "tune_test.moc"
