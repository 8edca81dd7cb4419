// What a chip can count: searched by name, chosen, added to the next profile; and what is said where nothing can be counted.
#include <QAbstractItemModelTester>
#include <QLabel>
#include <QLineEdit>
#include <QSignalSpy>
#include <QTest>

#include "app/gui/models/metric_model.h"
#include "app/gui/views/metric_dialog.h"
#include "tests/gui/groups.h"

namespace tw::gui {
namespace {

constexpr int kWaitMs = 20'000;

QString visibleText(const QWidget& widget)
{
    QString all;
    for (auto* label : widget.findChildren<QLabel*>())
        all += label->isVisible() ? label->text() + QLatin1Char('\n') : QString();
    return all;
}

class CountersTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void chosenCountersAreTickedAndKept()
    {
        MetricModel model;
        QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::Fatal);
        model.setMetrics({{"duration_us", "us", "time on the GPU", "headline", "gpu__time_duration.sum", 1},
                          {"shared_load_conflicts", "count", "extra passes of loads", "memory", "l1tex__x", 1},
                          {"dram__sectors.sum", "l2_sector", "# of sectors", "", "", 2}});
        const auto box = [&](int row) { return model.index(row, MetricModel::kName).data(Qt::CheckStateRole).toInt(); };
        QSignalSpy changed(&model, &MetricModel::chosenChanged);
        model.toggle(model.index(0, 0));  // every profile has it
        QCOMPARE(changed.size(), 0);
        QCOMPARE(box(0), int(Qt::Checked));
        model.toggle(model.index(2, MetricModel::kMeaning));
        model.toggle(model.index(1, 0));
        QCOMPARE(model.chosen(), (std::vector<std::string>{"dram__sectors.sum", "shared_load_conflicts"}));
        model.setMetrics({});  // another search forgets nothing
        QCOMPARE(model.chosen().size(), 2U);
        model.setMetrics({{"dram__sectors.sum", "l2_sector", "# of sectors", "", "", 2}});
        QCOMPARE(box(0), int(Qt::Checked));
        model.toggle(model.index(0, 0));
        QCOMPARE(model.chosen(), (std::vector<std::string>{"shared_load_conflicts"}));
    }

    // The target's chip is searched, GPU or not.
    void countersAreSearchedByName()
    {
        Workbench bench([](const auto& request, auto stop) { return driver::compile(request, stop); });
        ProfileSession session(bench, {std::string(TW_BINARY_DIR) + "/bin/tilec", "serve"}, nullptr);
        MetricDialog dialog(session, "sim", "sm_90a", nullptr);
        dialog.show();
        QTRY_VERIFY_WITH_TIMEOUT(!visibleText(dialog).contains(QStringLiteral("Asking")), kWaitMs);
        QVERIFY(dialog.noteText().contains(QStringLiteral("once the device is a GPU")));
        if (dialog.metrics().rowCount() == 0) {
            QVERIFY2(visibleText(dialog).contains(QStringLiteral("NVIDIA GPU")), qPrintable(visibleText(dialog)));
            QSKIP("no CUPTI here: the search itself is not tried");
        }
        QTest::keyClicks(&dialog.searchLine(), QStringLiteral("shared load conflict"));
        const auto first = [&] { return dialog.metrics().index(0, 0).data().toString(); };
        QTRY_COMPARE_WITH_TIMEOUT(first(), QStringLiteral("shared_load_conflicts"), kWaitMs);
        QTest::keyClick(&dialog.searchLine(), Qt::Key_Return);
        QCOMPARE(session.wanted().metrics, std::vector<std::string>{"shared_load_conflicts"});
        QVERIFY(dialog.noteText().startsWith(QStringLiteral("1 chosen")));
        QTest::keyClicks(&dialog.searchLine(), QStringLiteral(" nobody counts this"));
        QTRY_VERIFY_WITH_TIMEOUT(visibleText(dialog).contains(QStringLiteral("No counter is called so")), kWaitMs);
        QCOMPARE(session.wanted().metrics.size(), 1U);
    }

    void whatIsMissingIsSaid()
    {
        Workbench bench([](const auto& request, auto stop) { return driver::compile(request, stop); });
        ProfileSession session(bench, {"/bin/false"}, nullptr);
        MetricDialog dialog(session, "cuda:0", {}, nullptr);
        dialog.show();
        QTRY_VERIFY_WITH_TIMEOUT(visibleText(dialog).contains(QStringLiteral("No counters here")), kWaitMs);
        QVERIFY2(visibleText(dialog).contains(QStringLiteral("The runner")), qPrintable(visibleText(dialog)));
        QVERIFY(visibleText(dialog).contains(QStringLiteral("NVIDIA GPU")));
        QVERIFY(!dialog.noteText().contains(QStringLiteral("once the device is a GPU")));
    }
};

}  // namespace

std::unique_ptr<QObject> makeCountersTest() { return std::make_unique<CountersTest>(); }

}  // namespace tw::gui

#include "counters_test.moc"
