#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

#include "app/gui/models/aligned_texts.h"
#include "app/gui/models/compare_rows.h"
#include "app/gui/models/line_diff.h"
#include "app/gui/models/tune_rows.h"
#include "app/gui/models/tune_space.h"
#include "app/gui/session/compare_session.h"
#include "app/gui/session/run_history.h"
#include "app/gui/session/tune_session.h"
#include "tests/gui/sample_capture.h"

namespace tw::gui {
namespace {

constexpr int kWaitMs = 20'000;
using Kind = AlignedLine::Kind;

CapturePtr share(capture::Capture c) { return std::make_shared<const capture::Capture>(std::move(c)); }
SnapshotPtr compileReal(const driver::CompileRequest& request, std::stop_token stop) { return driver::compile(request, stop); }

// The lines of a column in order: the text that it was made from.
std::string readBack(const AlignedTexts& aligned, std::size_t column, std::string_view original)
{
    const auto lines = splitLines(original);
    std::string text;
    for (const auto& line : aligned.columns[column])
        if (line.line >= 0)
            text += std::string(lines[static_cast<std::size_t>(line.line)]) + "\n";
    return text;
}

class CompareTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void alignedTextsKeepEveryLineAndPairWhatIsEqual()
    {
        const std::vector<std::string> texts = {"a\nb\nc\nd\n", "a\nx\nc\nd\ne\n", "p\na\nc\nd\n", ""};
        const auto aligned = alignTexts({texts.begin(), texts.end()}, -1);
        const auto rows = aligned.columns[0].size();
        for (std::size_t c = 0; c < texts.size(); ++c) {
            QCOMPARE(aligned.columns[c].size(), rows);
            QCOMPARE(readBack(aligned, c, texts[c]), texts[c]);
        }
        // Wherever two columns show the first text's line "c", they show it in one row.
        for (std::size_t r = 0; r < rows; ++r)
            if (aligned.columns[0][r].line == 2) {
                QCOMPARE(aligned.columns[1][r].line, 2);
                QCOMPARE(aligned.columns[2][r].line, 2);
                QVERIFY(aligned.columns[3][r].kind == Kind::kMissing);
            }
    }

    void equalPartsFoldAndCountTheirRows()
    {
        std::string a, b;
        for (int i = 0; i < 50; ++i) {
            a += "line " + std::to_string(i) + "\n";
            b += i == 25 ? "other\n" : "line " + std::to_string(i) + "\n";
        }
        const auto aligned = alignTexts({a, b}, 3);
        QCOMPARE(aligned.changedRows, 1);
        QCOMPARE(aligned.columns[0].size(), 9U);  // a fold, three lines, the difference, three lines, a fold
        QCOMPARE(aligned.columns[0].front().folded, 22);
        QCOMPARE(aligned.columns[0].back().folded, 21);
        QVERIFY(aligned.text(1, b).find("other") != std::string::npos);
        QVERIFY(aligned.text(0, a).starts_with("\u22ef 22 equal lines"));
        QCOMPARE(alignTexts({a, a}, 3).columns[0].size(), 1U);
    }

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
