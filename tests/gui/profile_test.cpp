#include <QAbstractItemModelTester>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

#include "app/gui/models/line_costs.h"
#include "app/gui/models/listing.h"
#include "app/gui/models/memory_flow.h"
#include "app/gui/models/metric_text.h"
#include "app/gui/models/profile_charts.h"
#include "app/gui/models/profile_rows.h"
#include "app/gui/models/stage_lanes.h"
#include "app/gui/session/profile_session.h"
#include "app/gui/views/capture_export.h"
#include "app/gui/views/code_view.h"
#include "app/gui/views/finding_view.h"
#include "app/gui/widgets/export_picture.h"
#include "app/gui/windows/main_window.h"
#include "app/gui/windows/options.h"
#include "profiler/capture/json.h"
#include "profiler/store/twr.h"
#include "tests/gui/sample_capture.h"

namespace tw::gui {
namespace {

constexpr int kWaitMs = 20'000;
using Fatal = QAbstractItemModelTester::FailureReportingMode;

CapturePtr share(capture::Capture c) { return std::make_shared<const capture::Capture>(std::move(c)); }

class ProfileTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void cleanup() { window_.reset(); }

    void valuesHaveFittingUnits()
    {
        QCOMPARE(valueText(12.4, "us"), QStringLiteral("12.4 \u00b5s"));
        QCOMPARE(valueText(1234.5, "us"), QStringLiteral("1.23 ms"));
        QCOMPARE(valueText(0.5, "us"), QStringLiteral("500 ns"));
        QCOMPARE(valueText(1.5e6, "bytes"), QStringLiteral("1.50 MB"));
        QCOMPARE(valueText(999.9e6, "bytes"), QStringLiteral("1.00 GB"));
        QCOMPARE(valueText(83.14, "%"), QStringLiteral("83.1 %"));
        QCOMPARE(valueText(123456, "count"), QStringLiteral("123,456"));
        QCOMPARE(valueText(4.8e12, "bytes/s"), QStringLiteral("4.80 TB/s"));
        QCOMPARE(deltaText(125, 100, "us"), QStringLiteral("+25 %"));
        QCOMPARE(deltaText(40, 42.5, "%"), QStringLiteral("\u22122.5 points"));
        QCOMPARE(deltaSign(125, 100, Better::kLower), -1);
        QCOMPARE(deltaSign(125, 100, Better::kHigher), 1);
        QCOMPARE(deltaSign(100.1, 100, Better::kLower), 0);
    }

    void cardsSayWhereTheNumberCameFrom()
    {
        const auto capture = makeSlowerCapture(), baseline = makeSampleCapture();
        MeaningColors colors;
        colors.good = Qt::green;
        colors.bad = Qt::red;
        const auto cards = metricCards(capture, &baseline, colors);
        QCOMPARE(cards.front().title, QStringLiteral("Duration"));
        QCOMPARE(cards.front().value, QStringLiteral("125 \u00b5s"));
        QCOMPARE(cards.front().badge, QStringLiteral("measured"));
        QCOMPARE(cards.front().delta, QStringLiteral("+25 %"));
        QCOMPARE(cards.front().deltaColor, QColor(Qt::red));
        QVERIFY(cards.front().note.contains(QStringLiteral("of 10")));
        QCOMPARE(cards.size(), 10);  // the headline set, no counter
        auto twice = capture;  // the model beside the measurement
        twice.metrics.push_back({capture::metric::kDuration, 90, "us", 0, capture::Origin::kModelled, 1, 0});
        QCOMPARE(metricCards(twice, &baseline, colors), cards);
        const auto rows = metricRows(capture, &baseline);
        QCOMPARE(rows.size(), capture.metrics.size());
        QCOMPARE(rows.back().cells.front(), QStringLiteral("sm__inst_executed.sum"));
        QCOMPARE(originsText(capture), QStringLiteral("measured, simulated and modelled"));
    }

    void tablesAreSoundModels()
    {
        const auto capture = makeSampleCapture();
        RowModel metrics(metricHeaders(), {1}), findings(findingHeaders(), {1}), operations(operationHeaders(), {1});
        const QAbstractItemModelTester a(&metrics, Fatal::QtTest), b(&findings, Fatal::QtTest), c(&operations, Fatal::QtTest);
        metrics.setRows(metricRows(capture, nullptr));
        findings.setRows(findingRows(capture));
        operations.setRows(operationRows(capture));
        QCOMPARE(findings.rowCount(), 2);
        QCOMPARE(operations.index(1, 6).data().toString(), QStringLiteral("2.00 GFLOP"));
        QVERIFY(findings.toCsv().startsWith(QStringLiteral("\"Finding\"")));
    }

    void rooflineKnowsWhatIsAttainable()
    {
        const auto capture = makeSampleCapture();
        // 2e9 operations over 1.5e6 bytes under 4e12 B/s and 9e14 FLOP/s: the tensor cores bound it; with fewer operations, DRAM.
        QCOMPARE(attainable(capture.roofline, capture.roofline.points[0]), 9e14);
        auto thin = capture.roofline.points[0];
        thin.flops = 1.5e6;
        QCOMPARE(attainable(capture.roofline, thin), 4e12);
        const auto chart = rooflineChart({{&capture, QStringLiteral("run"), Qt::red}}, Qt::gray);
        QVERIFY(chart.x.isLog && chart.y.isLog && chart.x.min > 0 && chart.y.min > 0);
        QCOMPARE(chart.series.back().points.size(), 2);
        QCOMPARE(chart.series.back().points[0], QPointF(2e9 / 1.5e6, 2e9 / 1e-4 / 1e12));
        for (const auto& line : chart.series)
            for (const auto& p : line.points) {
                QVERIFY(p.x() >= chart.x.min * 0.999 && p.x() <= chart.x.max * 1.001);
                QVERIFY(p.y() <= chart.y.max);
            }
    }

    void stallsAddUpAndKeepTheirOrder()
    {
        auto capture = makeSampleCapture();
        for (int i = 0; i < 12; ++i)  // many rare reasons become one
            capture.operations[0].stalls["rare " + std::to_string(i)] = 0.01;
        const auto bars = stallBars(capture, nullptr, false);
        QCOMPARE(bars.categories.size(), 2);
        QCOMPARE(bars.sets.size(), 9);
        QCOMPARE(bars.sets.back().name, QStringLiteral("other"));
        double first = 0;
        for (const auto& set : bars.sets)
            first += set.values[0];
        QVERIFY(qAbs(first - 112) < 1e-9);  // 100 % and the twelve that were added
        QCOMPARE(bars.sets[0].name, QStringLiteral("long scoreboard"));  // half of 60 % of the time
    }

    void lanesNestAndStandInOrder()
    {
        auto capture = makeSampleCapture();
        capture.timelines[1].spans.insert(capture.timelines[1].spans.begin(), {0, "block", 0, -1, -1, 0, 500});
        const auto lanes = stageLanes(capture, nullptr, {}, false);
        QCOMPARE(lanes.chart.lanes.size(), 6U);  // two headings, two tracks each
        QVERIFY(lanes.chart.lanes[0].isHeading && lanes.chart.lanes[3].isHeading);
        QVERIFY(lanes.chart.lanes[0].detail.startsWith(QStringLiteral("modelled")));
        QVERIFY(lanes.chart.lanes[3].detail.contains(QStringLiteral("recording cost 2.0 %")));
        QCOMPARE(lanes.chart.lanes[4].depths, 2);  // the block around its stages
        QCOMPARE(lanes.chart.lanes[4].bars[1].depth, 1);
        QCOMPARE(lanes.chart.end, 525.0);
        QCOMPARE(spanRows(capture, nullptr, lanes).size(), lanes.places.size());
        QCOMPARE(timelineRoles(capture), (QStringList{QStringLiteral("producer"), QStringLiteral("consumer 1")}));
        QCOMPARE(stageLanes(capture, nullptr, "producer", false).chart.lanes.size(), 4U);
    }

    void measuringSumsTheOverlap()
    {
        const auto capture = makeSampleCapture();
        // Of the plan, consumers wait for [0, 50), [100, 150) and [200, 250): within [25, 125) that is 25 + 25.
        const auto sums = eventSums(capture.timelines[0], "consumer 1", 25, 125);
        QCOMPARE(sums.size(), 2U);
        QCOMPARE(sums[0].event, std::string("tensor"));
        QCOMPARE(sums[0].ns, 50.0);
        QCOMPARE(sums[1].ns, 50.0);
        QCOMPARE(sums[1].spans, 2);
    }

    void flowsKnowTheirRateAndShare()
    {
        const auto capture = makeSampleCapture();
        const auto flows = memoryFlows(capture);
        QCOMPARE(flows.size(), 7U);
        QCOMPARE(flows[0].rate, 1e10);  // 1 MB in 100 µs
        QCOMPARE(flows[0].share, 1e10 / 4e12);
        QCOMPARE(flows.back().isOperations, true);
        QCOMPARE(flows.back().share, 0.4);  // the tensor pipe's own counter
        QCOMPARE(flowPicture(capture, nullptr).arrows.size(), flowRows(capture, nullptr).size());
    }

    void lineCostsAddUpAndFallBackToOperations()
    {
        auto capture = makeSampleCapture();
        capture.lines.push_back({"source", 9, 1, 0.4, {{"long scoreboard", 1.0}}, capture::Origin::kMeasured});
        const auto costs = lineCosts(capture, "source");
        QCOMPARE(costs.size(), 2U);
        QCOMPARE(costs[0].line, 9);
        QVERIFY(qAbs(costs[0].share - 1.0) < 1e-12);
        QVERIFY(costs[0].text.contains(QStringLiteral("long scoreboard 70 %")));  // (0.5 * 0.6 + 1 * 0.4) / 1
        capture.lines.clear();
        QCOMPARE(lineCosts(capture, "source").size(), 1U);  // both operations stand on line 11
        QVERIFY(lineCosts(capture, "sass").empty());
    }

    void heatFollowsTheText()
    {
        makeWindow();
        auto& editor = openSample();
        profiles().show(share(makeSampleCapture()));
        QCOMPARE(editor.heat().size(), 2U);
        QCOMPARE(editor.heat()[0].line, 9);
        QTest::keyClick(&editor, Qt::Key_Space);
        QTRY_VERIFY_WITH_TIMEOUT(editor.heat().empty(), kWaitMs);
        editor.undo();
        QTRY_COMPARE_WITH_TIMEOUT(editor.heat().size(), 2U, kWaitMs);
    }

    void codeViewsShowTheHeatOrSayWhyNot()
    {
        makeWindow();
        openSample();
        bench().setTarget("sm_90a");
        window_->setLayout(QStringLiteral("profile"));
        window_->focusView(QStringLiteral("cuda"));
        auto* cuda = qobject_cast<CodeView*>(window_->view(QStringLiteral("cuda")));
        QTRY_VERIFY_WITH_TIMEOUT(!cuda->listing().isEmpty(), kWaitMs);
        QVERIFY(cuda->heatNote().isEmpty());  // nothing was profiled
        auto capture = makeSampleCapture();
        capture.target = "sm_90a";
        capture.params = bench().newest()->instance.params;
        profiles().show(share(capture));
        QTRY_VERIFY_WITH_TIMEOUT(!profiles().isStale(), kWaitMs);
        QVERIFY2(cuda->heatNote().startsWith(QStringLiteral("heat: ")), qPrintable(cuda->heatNote()));
        capture.params["block_M"] = "16";  // of another program
        profiles().show(share(capture));
        QVERIFY2(cuda->heatNote().startsWith(QStringLiteral("no heat: ")), qPrintable(cuda->heatNote()));
        bench().setTarget({});
    }

    void captureFileOpensAndShows()
    {
        makeWindow();
        const QString path = folder_.filePath(QStringLiteral("run.twr"));
        write(path, store::toTwr(makeSampleCapture()));
        window_->documents().open(path);
        QTRY_VERIFY_WITH_TIMEOUT(profiles().shown() != nullptr, kWaitMs);
        QCOMPARE(profiles().shown()->kernel, std::string("add"));
        // Its program came with it, and compiles here.
        QVERIFY(window_->documents().current());
        QCOMPARE(window_->documents().current()->editor().textBytes(), kSample);
        QVERIFY(!window_->documents().current()->isModified());
        QTRY_VERIFY_WITH_TIMEOUT(bench().shown() != nullptr && !profiles().isStale(), kWaitMs);
        // One that ran with values of its own is shown with them, not as an older one.
        auto other = makeSampleCapture();
        other.params["block_N"] = "32";
        write(path, store::toTwr(other));
        window_->documents().open(path);
        QTRY_VERIFY_WITH_TIMEOUT(bench().shown()->instance.params.at("block_N") == "32" && profiles().shown()->params.at("block_N") == "32", kWaitMs);
        QVERIFY(!profiles().isStale());
        // A run of the store whose program is the open one takes its values and opens no second page.
        const auto pages = window_->documents().pages().size();
        profiles().showWithProgram(share(makeSampleCapture()));
        QTRY_VERIFY_WITH_TIMEOUT(bench().shown()->instance.params.at("block_N") == "64" && !profiles().isStale(), kWaitMs);
        QCOMPARE(window_->documents().pages().size(), pages);
        write(path, "not a capture");
        window_->documents().open(path);
        QTRY_VERIFY_WITH_TIMEOUT(!profiles().problem().isEmpty(), kWaitMs);
        QCOMPARE(profiles().shown()->kernel, std::string("add"));  // the last good one stays
    }

    void everyProfileViewOpensEmptyAndFull()
    {
        makeWindow();
        for (const bool full : {false, true}) {
            if (full) {
                openSample();
                profiles().show(share(makeSampleCapture()));
                profiles().pin(share(makeSlowerCapture()));
            }
            window_->setLayout(QStringLiteral("profile"));
            for (const auto& name : viewNames()) {
                window_->focusView(name);
                QApplication::processEvents();
                QVERIFY2(!window_->grab().isNull(), qPrintable(name));
            }
            for (const char* theme : {"dark", "light"})
                window_->setThemePreference(QString::fromLatin1(theme));
        }
    }

    void findingAppliesItsEditAsOneUndo()
    {
        makeWindow();
        auto& editor = openSample();
        profiles().show(share(makeSampleCapture()));
        QVERIFY(profiles().isOfActiveText());
        QVERIFY(!profiles().isStale());
        auto* view = qobject_cast<FindingView*>(window_->view(QStringLiteral("findings")));
        window_->focusView(QStringLiteral("findings"));
        const auto& edit = profiles().shown()->findings.front().edit;
        Q_EMIT view->editRequested(edit.changes, QString::fromStdString(edit.label));
        QVERIFY(editor.textBytes().find("block_N=128") != std::string::npos);
        QTRY_VERIFY_WITH_TIMEOUT(profiles().isStale(), kWaitMs);
        QVERIFY(!profiles().isOfActiveText());
        // A stale place is found by its line.
        const auto& finding = profiles().shown()->findings.front();
        const Place place = profiles().placeOf(finding.where, finding.line, finding.op);
        QCOMPARE(bench().newest()->source->lineColumn(place.range.begin).line, finding.line);
        editor.undo();
        QCOMPARE(editor.textBytes(), kSample);
        QTRY_VERIFY_WITH_TIMEOUT(!profiles().isStale(), kWaitMs);
    }

    void capturesAreExportedByTheEndingOfTheName()
    {
        const auto capture = makeSampleCapture();
        const auto read = [&](const char* ending) {
            const QString path = folder_.filePath(QStringLiteral("out.") + QLatin1String(ending));
            const QString problem = exportCapture(capture, nullptr, path);
            QFile file(path);
            return problem.isEmpty() && file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
        };
        QVERIFY(store::fromTwr(read("twr").toStdString()).has_value());
        QVERIFY(read("html").contains("<html"));
        QVERIFY(read("csv").startsWith("part,name"));
        QVERIFY(capture::fromJson(read("json").toStdString()).has_value());
        QVERIFY(!exportCapture(capture, nullptr, QStringLiteral("/nowhere/out.twr")).isEmpty());
    }

    void lostRunnerIsSaid()
    {
        Workbench workbench([](const auto& request, auto stop) { return driver::compile(request, stop); });
        workbench.activate(QStringLiteral("/nowhere/sample.py"), kSample);
        QTRY_VERIFY_WITH_TIMEOUT(workbench.shown() != nullptr, kWaitMs);
        ProfileSession session(workbench, {"/bin/sh", "-c", "kill -9 $$"}, nullptr);
        QSignalSpy busy(&session, &ProfileSession::busyChanged);
        session.profile({});
        QVERIFY(session.isBusy());
        QTRY_VERIFY_WITH_TIMEOUT(!session.isBusy(), kWaitMs);
        QVERIFY(!session.problem().isEmpty());
        QVERIFY(session.shown() == nullptr);
    }

    void devicesElsewhereHaveTheirOwnRunner()
    {
        Workbench workbench([](const auto& request, auto stop) { return driver::compile(request, stop); });
        workbench.activate(QStringLiteral("/nowhere/sample.py"), kSample);
        QTRY_VERIFY_WITH_TIMEOUT(workbench.shown() != nullptr, kWaitMs);
        ProfileSession session(workbench, {"/bin/false"}, nullptr);
        session.setRunnerFinder([](const std::string& device) -> std::optional<RunnerPlace> {
            if (!device.starts_with("cmd:"))
                return std::nullopt;
            return RunnerPlace{{std::string(TW_BINARY_DIR) + "/bin/tilec", "serve"}, "sim"};
        });
        ProfileOptions options;
        options.device = "cmd:elsewhere/sim";
        session.profile(options);
        QTRY_VERIFY_WITH_TIMEOUT(!session.isBusy(), 3 * kWaitMs);
        QVERIFY2(session.shown(), qPrintable(session.problem()));
        QCOMPARE(session.shown()->environment.device, options.device);
        QVERIFY(capture::findMetric(*session.shown(), capture::metric::kDuration));
        QVERIFY(!session.isStale());
    }

private:
    ProfileSession& profiles() { return window_->profiles(); }
    Workbench& bench() { return window_->workbench(); }
    void makeWindow()
    {
        MainWindow::Services services;
        services.compile = [](const auto& request, auto stop) { return driver::compile(request, stop); };
        services.runnerCommand = {std::string(TW_BINARY_DIR) + "/bin/tilec", "serve"};
        window_ = std::make_unique<MainWindow>(std::move(services));
        window_->resize(1400, 900);
        window_->show();
    }
    static void write(const QString& path, const std::string& text)
    {
        QFile file(path);
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(text.data(), static_cast<qint64>(text.size()));
    }
    CodeEditor& openSample()
    {
        const QString path = folder_.filePath(QStringLiteral("sample.py"));
        write(path, kSample);
        auto* page = window_->documents().open(path);
        QElapsedTimer timer;
        timer.start();
        while (!bench().shown() && timer.elapsed() < kWaitMs)
            QTest::qWait(5);
        return page->editor();
    }

    QTemporaryDir folder_;
    std::unique_ptr<MainWindow> window_;
};

}  // namespace

std::unique_ptr<QObject> makeProfileTest() { return std::make_unique<ProfileTest>(); }

}  // namespace tw::gui

#include "profile_test.moc"
