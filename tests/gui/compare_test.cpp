#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

#include "app/gui/models/compare_rows.h"
#include "app/gui/models/memory_flow.h"
#include "app/gui/models/metric_text.h"
#include "app/gui/models/profile_charts.h"
#include "app/gui/models/stage_lanes.h"
#include "app/gui/models/tune_rows.h"
#include "app/gui/models/tune_space.h"
#include "app/gui/session/compare_session.h"
#include "app/gui/session/run_history.h"
#include "app/gui/session/tune_session.h"
#include "tests/gui/sample_capture.h"

namespace tw::gui {
namespace {

constexpr int kWaitMs = 20'000;

CapturePtr share(capture::Capture c) { return std::make_shared<const capture::Capture>(std::move(c)); }
SnapshotPtr compileReal(const driver::CompileRequest& request, std::stop_token stop) { return driver::compile(request, stop); }

class CompareTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void variantsArePinnedComparedAndExported()
    {
        Workbench bench(compileReal);
        bench.activate(QStringLiteral("/nowhere/sample.py"), kSample);
        QTRY_VERIFY_WITH_TIMEOUT(bench.shown() != nullptr, kWaitMs);
        ProfileSession profiles(bench, {"/bin/false"}, nullptr);
        CompareSession session(bench, profiles, compileReal, {"/bin/false"}, nullptr);
        session.pinCurrent();
        session.addParameters({{"block_N", "32"}}, QStringLiteral("block_N=32"));
        QVERIFY(session.isBusy());
        QTRY_VERIFY_WITH_TIMEOUT(!session.isBusy(), kWaitMs);
        QCOMPARE(session.variants().size(), 2U);
        QVERIFY(session.variants()[1].snapshot);
        std::vector<ComparedVariant> compared;
        for (const auto& v : session.variants()) {
            QVERIFY(v.shown());
            compared.push_back({v.label, v.snapshot.get(), v.shown()});
        }
        const auto rows = compare::rowsOf(toCompare(compared));
        const auto block = std::find_if(rows.begin(), rows.end(), [](const auto& row) { return row.name == "block_N"; });
        QVERIFY(block != rows.end() && block->differs);
        const auto all = compareRows(rows, true, {}), different = compareRows(rows, false, {});
        QCOMPARE(all.size(), rows.size());
        QVERIFY(different.size() < all.size());
        // Nothing has run, and there are times: the model's.
        QVERIFY(capture::findMetric(*compared[0].capture, capture::metric::kDuration));
        QVERIFY(capture::findMetric(*compared[0].capture, capture::metric::kDuration)->origin == capture::Origin::kModelled);
        QVERIFY(variantText(compared[0], ComparedText::kCuda, {}) != variantText(compared[1], ComparedText::kCuda, {}));
        QVERIFY(variantText(compared[0], ComparedText::kIr, comparedPasses(compared).back()).find("T.prim_func") != std::string::npos);
        QVERIFY(!chartableRows(rows).empty());
        QVERIFY(compareJson(compared, rows).contains("\"variants\""));
        session.moveToFront(session.variants()[1].id);
        QCOMPARE(session.variants()[0].label, QStringLiteral("block_N=32"));
        session.remove(session.variants()[0].id);
        QCOMPARE(session.variants().size(), 1U);
    }

    void everyPartSaysItsChangeAgainstTheBaseline()
    {
        const auto capture = makeSampleCapture();
        auto before = capture;
        before.operations[0].stalls = {{"long scoreboard", 0.2}, {"barrier", 0.8}};
        before.metrics.front().value *= 2;
        before.series[0].values.assign(before.series[0].values.size(), 3);
        // Stalls: the baseline's bar under the operation's own; its row says the change in points.
        const auto order = stallOrder(capture, &before);
        QVERIFY(order[1].isBaseline() && order[1].op == order[0].op);
        QCOMPARE(stallBars(capture, &before, false).categories[1].section(QLatin1Char(' '), 0, 0), QStringLiteral("baseline"));
        QCOMPARE(stallRows(capture, nullptr)[0].cells[5], QString());
        const double share = capture.operations[0].stalls.at("long scoreboard");
        const auto rows = stallRows(capture, &before);
        const auto row = std::find_if(rows.begin(), rows.end(), [](const auto& r) { return r.cells[3] == QLatin1String("long scoreboard"); });
        QVERIFY(row != rows.end());
        QCOMPARE(row->cells[5], deltaText(share * 100, 20, "%"));
        // Counters over time: its line dashed, in the same colour, out of the legend.
        const auto unit = seriesUnits(capture)[0];
        const auto lines = seriesChart(capture, &before, unit, false).series;
        QCOMPARE(lines.size(), 2 * seriesChart(capture, nullptr, unit, false).series.size());
        QVERIFY(lines[0].kind == ChartSeries::Kind::kDashed && !lines[0].inLegend && lines[0].color == lines[1].color);
        QCOMPARE(lines[0].points[0].y(), 3.0);
        // Timeline: its best one below.
        const auto alone = stageLanes(capture, nullptr, {}, false), both = stageLanes(capture, &before, {}, false);
        QCOMPARE(both.chart.lanes.size(), alone.chart.lanes.size() + 3);
        QVERIFY(both.places.back().isBaseline && !both.places.front().isBaseline);
        QVERIFY(spanRows(capture, &before, both).back().cells.back().contains(QLatin1String("baseline")));
        // Memory flow.
        QCOMPARE(flowRows(capture, &before)[0].cells[6], QStringLiteral("same"));
        QCOMPARE(flowRows(capture, nullptr)[0].cells[6], QString());
    }

    // A stored run carries its program: here it is compiled again, so that every tab has it.
    void storedRunsHaveTheirIrAndMemoryToo()
    {
        Workbench bench(compileReal);
        ProfileSession profiles(bench, {"/bin/false"}, nullptr);
        CompareSession session(bench, profiles, compileReal, {"/bin/false"}, nullptr);
        const auto stored = share(makeSampleCapture());
        session.addCapture(stored, QStringLiteral("run 1"));
        auto broken = *stored;
        broken.files.front().text = "def f(:";
        session.addCapture(share(broken), QStringLiteral("run 2"));
        QTRY_VERIFY_WITH_TIMEOUT(!session.isBusy(), kWaitMs);
        const auto& first = session.variants()[0];
        QVERIFY(first.snapshot && first.snapshot->function);
        QCOMPARE(first.snapshot->instance.params, stored->params);
        QCOMPARE(first.shown(), stored.get());  // its numbers stay its own
        const ComparedVariant compared{first.label, first.snapshot.get(), first.shown()};
        QCOMPARE(variantText(compared, ComparedText::kCuda, {}), stored->cuda.text);
        QVERIFY(!comparedPasses({compared}).isEmpty());
        // One that does not compile here any more is still there, and nobody is bothered.
        QVERIFY(!session.variants()[1].snapshot);
        QVERIFY(session.variants()[1].state.isEmpty());
        QVERIFY(session.variants()[1].shown());
    }

    void countersOverTimeStandOnOneAxis()
    {
        auto first = makeSampleCapture(), second = makeSlowerCapture();
        first.series = {{"tensor_pipe_pct", "%", 0, capture::Origin::kMeasured, {0, 2000, 4000}, {10, 50, 20}}};
        second.series = {{"tensor_pipe_pct", "%", 0, capture::Origin::kMeasured, {0, 2000, 4000, 6000}, {10, 30, 30, 5}}};
        auto third = makeSampleCapture();
        third.series.clear();
        const std::vector<ComparedVariant> variants{{QStringLiteral("fast"), nullptr, &first}, {QStringLiteral("slow"), nullptr, &second},
                                                    {QStringLiteral("bare"), nullptr, &third}};
        const auto names = comparedSeries(variants);
        QCOMPARE(names.size(), 1);
        const auto chart = comparedSeriesChart(names[0], variants, false);
        QCOMPARE(chart.series.size(), 2);
        QCOMPARE(chart.series[0].name, QStringLiteral("fast"));
        QCOMPARE(chart.series[1].points.back(), QPointF(6, 5));
        QCOMPARE(chart.x.max, 6.0);
        QVERIFY(comparedSeriesChart(QStringLiteral("Duration, measured"), variants, false).series.isEmpty());
    }

    void aSweepIsATableAndACurve()
    {
        Workbench bench(compileReal);
        bench.activate(QStringLiteral("/nowhere/sample.py"), kSample);
        QTRY_VERIFY_WITH_TIMEOUT(bench.shown() != nullptr, kWaitMs);
        ProfileSession profiles(bench, {"/bin/false"}, nullptr);
        CompareSession session(bench, profiles, compileReal, {"/bin/false"}, nullptr);
        session.sweep("block_N", {QStringLiteral("32"), QStringLiteral("64"), QStringLiteral("128")});
        session.addTarget("sm_80");  // the program as it is, beside them
        QTRY_VERIFY_WITH_TIMEOUT(!session.isBusy(), kWaitMs);
        std::vector<ComparedVariant> compared;
        for (const auto& v : session.variants()) {
            QVERIFY2(v.shown(), qPrintable(v.state));
            compared.push_back({v.label, v.snapshot.get(), v.shown()});
        }
        QCOMPARE(compared.size(), 4U);
        QCOMPARE(compared.back().capture->target, std::string("sm_80"));
        compared.pop_back();
        const auto rows = compare::rowsOf(toCompare(compared));
        const auto& charted = *chartableRows(rows).front();
        const auto plot = comparedChart(charted, compared, session.sweptParameter(), false);
        QVERIFY(plot.curve);
        QCOMPARE(plot.curve->x.title, QStringLiteral("block_N"));
        QCOMPARE(plot.curve->series[0].points.size(), 3);
        QCOMPARE(plot.curve->series[0].points[2].x(), 128.0);
        QVERIFY(!comparedChart(charted, compared, {}, false).curve);  // no sweep: bars
    }

    void eightAreTheMost()
    {
        Workbench bench(compileReal);
        ProfileSession profiles(bench, {"/bin/false"}, nullptr);
        CompareSession session(bench, profiles, compileReal, {"/bin/false"}, nullptr);
        for (int i = 0; i < 10; ++i)
            session.addCapture(share(makeSampleCapture()), QString::number(i));
        QCOMPARE(session.variants().size(), 8U);
        QVERIFY(!session.problem().isEmpty());
    }

    void runsAreKeptFoundAnnotatedAndPinned()
    {
        QTemporaryDir folder;
        const std::string path = folder.filePath(QStringLiteral("runs.db")).toStdString();
        RunHistory history(path, nullptr);
        history.find({});
        history.add(share(makeSampleCapture()));
        QTRY_COMPARE_WITH_TIMEOUT(history.rows().size(), 1U, kWaitMs);
        QVERIFY2(history.problem().isEmpty(), qPrintable(history.problem()));
        const auto id = history.rows()[0].id;
        history.setTags(id, {"first", "h200"});
        history.setNotes(id, "a note");
        history.pin(id, true);
        QTRY_VERIFY_WITH_TIMEOUT(!history.rows().empty() && history.rows()[0].isBaseline && history.rows()[0].notes == "a note", kWaitMs);
        CapturePtr loaded;
        history.load(id, [&](const CapturePtr& capture) { loaded = capture; });
        QTRY_VERIFY_WITH_TIMEOUT(loaded != nullptr, kWaitMs);
        QCOMPARE(loaded->notes, std::string("a note"));
        // The next run of the kernel on the device meets its baseline.
        QSignalSpy baseline(&history, &RunHistory::baselineFound);
        history.add(share(makeSlowerCapture()));
        QVERIFY(baseline.wait(kWaitMs));
        QTRY_COMPARE_WITH_TIMEOUT(history.rows().size(), 2U, kWaitMs);
        history.find({.text = "h200"});
        QTRY_COMPARE_WITH_TIMEOUT(history.rows().size(), 2U, kWaitMs);  // the GPU's name, the tag
        history.find({.text = "first"});
        QTRY_COMPARE_WITH_TIMEOUT(history.rows().size(), 1U, kWaitMs);
        history.remove({id});
        QTRY_COMPARE_WITH_TIMEOUT(history.rows().size(), 0U, kWaitMs);
    }

    void aBrokenStoreIsSaid()
    {
        QTemporaryDir folder;
        const QString path = folder.filePath(QStringLiteral("runs.db"));
        QFile file(path);
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write("this is no database, and long enough to be one: " + QByteArray(4096, 'x'));
        file.close();
        RunHistory history(path.toStdString(), nullptr);
        history.find({});
        QTRY_VERIFY_WITH_TIMEOUT(!history.problem().isEmpty(), kWaitMs);
    }

    void searchSpacesAreReadAndProposed()
    {
        const auto space = parseSpace(QStringLiteral("block_M=64, 128; shape=(1, 2),(3, 4); dtype='a,b'"));
        QVERIFY(space.has_value());
        QCOMPARE(space->at("block_M"), (std::vector<std::string>{"64", "128"}));
        QCOMPARE(space->at("shape"), (std::vector<std::string>{"(1, 2)", "(3, 4)"}));
        QCOMPARE(space->at("dtype"), (std::vector<std::string>{"'a,b'"}));
        QVERIFY(!parseSpace(QStringLiteral("64,128")));
        QVERIFY(!parseSpace(QStringLiteral("block_M=")));
        QVERIFY(parseSpace(QString())->empty());
        const auto snapshot = compileSample();
        const auto proposed = proposedSpace(snapshot->program->kernels()[0], snapshot->instance.params);
        QCOMPARE(proposed.size(), 2U);  // block_M and block_N, not M and N
        QCOMPARE(proposed.at("block_N"), (std::vector<std::string>{"32", "64", "128"}));
        QVERIFY(*parseSpace(spaceText(proposed)) == proposed);
    }

    void trialsAreReadFromTheDocument()
    {
        QString problem;
        const auto trials = readTrials(R"({"diagnostics": [], "measured": [
            {"params": {"block_M": 64, "dtype": "'float16'"}, "medianUs": 12.5, "modelUs": 10, "ok": true, "state": "measured"},
            {"params": {"block_M": 128}, "medianUs": 9, "modelUs": null, "ok": false, "state": "wrong", "message": "C[0, 3] differs"}],
            "unmeasured": [{"params": {"block_M": 512}, "medianUs": null, "modelUs": null, "ok": false, "state": "invalid", "message": "too large"},
                           {"params": {"block_M": 32}, "medianUs": null, "modelUs": 40, "ok": false, "state": "modelled"}]})", problem);
        QVERIFY(problem.isEmpty());
        QCOMPARE(trials.size(), 4U);
        QCOMPARE(trials[0].params.at("block_M"), std::string("64"));
        QCOMPARE(*trials[0].medianUs, 12.5);
        QVERIFY(trials[1].state == store::Trial::State::kWrong && !trials[1].modelUs);
        QVERIFY(trials[2].state == store::Trial::State::kFailed);
        QVERIFY(trials[3].state == store::Trial::State::kMeasured && !trials[3].medianUs);
        const auto ranked = rankedTrials(trials);
        QCOMPARE(ranked[0].params.at("block_M"), std::string("64"));  // a wrong answer is never the best
        QCOMPARE(ranked[1].params.at("block_M"), std::string("32"));
        QVERIFY(readTrials("no document", problem).empty());
        QVERIFY(!problem.isEmpty());
    }

    void trialsAreRanked()
    {
        using State = store::Trial::State;
        std::vector<store::Trial> trials(4);
        trials[0] = {{{"b", "64"}, {"s", "2"}}, State::kMeasured, 30.0, 25.0};
        trials[1] = {{{"b", "128"}, {"s", "2"}}, State::kFailed, std::nullopt, 5.0, 0, 0, "too much shared memory"};
        trials[2] = {{{"b", "32"}, {"s", "2"}}, State::kMeasured, 10.0, 12.0};
        trials[3] = {{{"b", "256"}, {"s", "2"}}, State::kMeasured, std::nullopt, 40.0};
        const auto ranked = rankedTrials(trials);
        QCOMPARE(ranked[0].params.at("b"), std::string("32"));
        QCOMPARE(ranked[1].params.at("b"), std::string("64"));
        QCOMPARE(ranked[2].params.at("b"), std::string("256"));
        const auto parameters = tunedParameters(trials);
        QCOMPARE(parameters, (std::vector<std::string>{"b"}));  // s has one value
        const auto lines = trialLines(ranked, parameters);
        QCOMPARE(lines.lines.size(), 2);
        QCOMPARE(lines.axes[0].ticks, (QStringList{QStringLiteral("32"), QStringLiteral("64"), QStringLiteral("128"), QStringLiteral("256")}));
        QCOMPARE(lines.lines[0].goodness, 1.0);
        QCOMPARE(lines.lines[1].values[0], 1.0 / 3);
        QCOMPARE(trialScatter(ranked, Qt::red, Qt::gray).series.back().points.size(), 2);
        const auto rows = trialRows(ranked, parameters);
        QCOMPARE(rows[1].cells[3], QStringLiteral("3.00\u00d7"));
        QCOMPARE(rows[3].cells.back(), QStringLiteral("too much shared memory"));
    }
};

}  // namespace

std::unique_ptr<QObject> makeCompareTest() { return std::make_unique<CompareTest>(); }

}  // namespace tw::gui

#include "compare_test.moc"
