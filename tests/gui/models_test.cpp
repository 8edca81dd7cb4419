#include <QAbstractItemModelTester>
#include <QTest>

#include "app/gui/models/kernel_model.h"
#include "app/gui/models/pass_model.h"
#include "app/gui/models/problem_model.h"
#include "app/gui/models/run_models.h"
#include "app/gui/widgets/command_palette.h"
#include "app/gui/widgets/heat_map.h"
#include "profiler/compare/line_diff.h"
#include "tests/gui/groups.h"

namespace tw::gui {
namespace {

constexpr auto kFatal = QAbstractItemModelTester::FailureReportingMode::QtTest;

class ModelsTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void listingsLinkBothWays()
    {
        const SourceText source("s.py", "one\ntwo\nthree\n");
        Listing listing{"x\ny\nz\n", {{{0, 4, 7}, 1, {}}, {{}, 0, {}}, {{0, 4, 13}, 2, {}}}};
        QCOMPARE(linkedLines(listing, source, {0, 4, 7}), (std::vector<int>{1, 3}));  // both begin on line 2
        QCOMPARE(linkedLines(listing, source, {0, 8, 13}), std::vector<int>{});
        QCOMPARE(sourceLines(listing, source, 3), std::vector<int>{2});
        QCOMPARE(sourceLines(listing, source, 2), std::vector<int>{});
    }

    void modelsAreSound()
    {
        KernelModel kernels;
        PassModel passes;
        ProblemModel problems;
        OutputModel outputs;
        ComparisonModel comparisons;
        std::vector<std::unique_ptr<QAbstractItemModelTester>> testers;
        for (QAbstractItemModel* model : std::initializer_list<QAbstractItemModel*>{&kernels, &passes, &problems, &outputs, &comparisons})
            testers.push_back(std::make_unique<QAbstractItemModelTester>(model, kFatal));
        const auto good = compileSample(), bad = compileSample("import tilelang.language as T\ndef f(:\n");
        for (const auto& snapshot : {good, bad, std::shared_ptr<const driver::CompileSnapshot>(), good, good}) {
            kernels.setProgram(snapshot ? snapshot->program : nullptr);
            passes.setSnapshot(snapshot);
            problems.setSnapshot(snapshot);
        }
        outputs.setOutputs({{"C", "float32", {2, 3}, 0.0, 1.0, 0.5, 0, 0, {}}});
        comparisons.setComparisons({{"C", 1.0, 0.5, 2, 6, 0, std::vector<std::int64_t>{1, 2}, 3.0, 4.0}}, good->function.get());
        QCOMPARE(outputs.index(0, 2).data().toString(), QStringLiteral("2 \u00d7 3"));
        QCOMPARE(comparisons.index(0, 4).data().toString(), QStringLiteral("[1, 2]"));
    }

    void kernelsAndInstances()
    {
        KernelModel model;
        const auto snapshot = compileSample();
        model.setProgram(snapshot->program);
        QCOMPARE(model.rowCount(), 1);
        QCOMPARE(model.index(0, 0).data().toString(), QStringLiteral("add"));
        QCOMPARE(model.rowCount(model.index(0, 0)), 2);
        const auto second = model.find("add", snapshot->program->kernels()[0].instances[1].name);
        QCOMPARE(second.row(), 1);
        QVERIFY(second.data(kDetailRole).toString().contains(QStringLiteral("block_M=64")));
    }

    void passesShowTheirDifference()
    {
        PassModel model;
        model.setSnapshot(compileSample());
        QVERIFY(model.rowCount() >= 2);
        QCOMPARE(model.index(0, 0).data().toString(), QStringLiteral("trace"));
        for (int row = 0; row < model.rowCount(); ++row) {
            const auto listing = model.listing(row);
            QCOMPARE(listing.lines.size(), compare::splitLines(listing.text).size());
            const auto diff = model.difference(row);
            const auto marked = std::count_if(diff.lines.begin(), diff.lines.end(),
                                              [](const ListingLine& l) { return l.mark != ListingLine::Mark::kNone; });
            QVERIFY(row == 0 || model.changed(row) || marked == 0);
        }
    }

    void wrongElementLeadsToItsWriter()
    {
        const auto snapshot = compileSample();
        const auto range = lastWriter(*snapshot->function, "C");
        QVERIFY(range.isKnown());
        QCOMPARE(snapshot->source->lineColumn(range.begin).line, 11);
        QVERIFY(!lastWriter(*snapshot->function, "A").isKnown());
    }

    void paletteRanks()
    {
        QVERIFY(fuzzyScore(QStringLiteral("np"), QStringLiteral("Go: Next problem")) >
                fuzzyScore(QStringLiteral("np"), QStringLiteral("File: Open a thing, please")));
        QCOMPARE(fuzzyScore(QStringLiteral("zz"), QStringLiteral("Next problem")), -1);
    }

    void heatColorsAreOrdered()
    {
        int last = -1;
        for (int i = 0; i <= 20; ++i) {
            const int lightness = qGray(heatColor(i / 20.0));
            QVERIFY(lightness >= last);
            last = lightness;
        }
    }
};

}  // namespace

std::unique_ptr<QObject> makeModelsTest() { return std::make_unique<ModelsTest>(); }

}  // namespace tw::gui

#include "models_test.moc"
