#include <QAbstractItemModelTester>
#include <QFileInfo>
#include <QMouseEvent>
#include <QPainter>
#include <QScrollArea>
#include <QSettings>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

#include "app/gui/models/history_rows.h"
#include "app/gui/models/matrix_model.h"
#include "app/gui/models/row_model.h"
#include "app/gui/models/stage_lanes.h"
#include "app/gui/widgets/bar_panel.h"
#include "app/gui/widgets/export_picture.h"
#include "app/gui/widgets/heat_map.h"
#include "app/gui/widgets/span_chart.h"
#include "app/gui/widgets/view_axis.h"
#include "app/gui/windows/main_window.h"
#include "tests/gui/groups.h"
#include "tests/gui/sample_capture.h"

namespace tw::gui {
namespace {

constexpr double kNothing = std::numeric_limits<double>::lowest();

class WidgetsTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void quantitiesSortBySize()
    {
        QCOMPARE(quantityOf(QStringLiteral("3.17 ms")), 3.17e-3);
        QCOMPARE(quantityOf(QStringLiteral("10.9 \u00b5s")), 10.9e-6);
        QCOMPARE(quantityOf(QStringLiteral("1.2 GB/s")), 1.2e9);
        QCOMPARE(quantityOf(QStringLiteral("41,473")), 41473.0);
        QCOMPARE(quantityOf(QStringLiteral("268 M")), 268e6);
        QCOMPARE(quantityOf(QStringLiteral("\u22122.5 points")), -2.5);
        QCOMPARE(quantityOf(QStringLiteral("+25 %")), 25.0);
        QCOMPARE(quantityOf(QStringLiteral("1.22\u00d7")), 1.22);
        QCOMPARE(quantityOf(QStringLiteral("5 misses")), 5.0);  // no milli
        QCOMPARE(quantityOf(QStringLiteral("\u2013")), kNothing);
        QCOMPARE(quantityOf(QString()), kNothing);
        RowModel rows({QStringLiteral("name"), QStringLiteral("time")}, {1});
        TableRow row;
        row.cells = {QStringLiteral("a"), QStringLiteral("2.0 ms")};
        rows.setRows({row});
        QCOMPARE(rows.index(0, 1).data(kSortRole).toDouble(), 2e-3);
        QCOMPARE(rows.index(0, 0).data(kSortRole).toString(), QStringLiteral("a"));
    }

    void storedRunsShowFirstWhatTellsThemApart()
    {
        std::vector<store::RunRow> runs(3);
        for (auto& run : runs) {
            run.kernel = "gemm";
            run.params = {{"K", "512"}, {"M", "512"}, {"num_stages", "2"}};
        }
        runs[1].params["num_stages"] = "3";
        runs[2].kernel = "copy";
        const auto rows = historyRows(runs);
        QCOMPARE(rows[0].cells[7], QStringLiteral("num_stages=2, K=512, M=512"));
        QCOMPARE(rows[1].cells[7], QStringLiteral("num_stages=3, K=512, M=512"));
        QCOMPARE(rows[2].cells[7], QStringLiteral("K=512, M=512, num_stages=2"));  // alone of its kernel
        QCOMPARE(historyHeaders()[7], QStringLiteral("Parameters"));
    }

    // Qt Charts leaves out the names of bars that stand close; these are all there, and in what is exported so is the legend.
    void everyBarHasItsName()
    {
        BarPanel bars;
        BarData data;
        for (int i = 0; i < 24; ++i)
            data.categories << QStringLiteral("operation %1").arg(i);
        data.sets = {BarSet{QStringLiteral("first"), Qt::red, QList<double>(24, 40)}, BarSet{QStringLiteral("second"), Qt::blue, QList<double>(24, 30)}};
        bars.setData(data);
        QVERIFY2(bars.minimumHeight() >= 24 * 14, qPrintable(QString::number(bars.minimumHeight())));
        bars.resize(600, bars.minimumHeight());
        bars.show();
        QImage image(600, bars.height(), QImage::Format_RGB32);
        QPainter painter(&image);
        bars.paintAll(painter, image.size());
        painter.end();
        const auto count = [&](const QRect& where, auto isIt) {
            int found = 0;
            for (int y = where.top(); y <= where.bottom(); ++y)
                for (int x = where.left(); x <= where.right(); ++x)
                    found += isIt(QColor(image.pixel(x, y))) ? 1 : 0;
            return found;
        };
        QVERIFY(count({0, 0, 600, 20}, [](const QColor& c) { return c == Qt::red; }) > 20);  // the legend's square
        // Rows of ink at the left: as many as there are names.
        const QColor paper = bars.palette().color(QPalette::Base);
        int texts = 0;
        bool inText = false;
        for (int y = 0; y < image.height(); ++y) {
            const bool ink = count({0, y, 60, 1}, [&](const QColor& c) { return std::abs(c.lightness() - paper.lightness()) > 60; }) > 0;
            texts += ink && !inText ? 1 : 0;
            inText = ink;
        }
        QCOMPARE(texts, 24);
    }

    void barsAreWalkedByKeys()
    {
        auto* bars = new BarPanel;
        QWidget parent;
        auto* area = scrolled(*bars, &parent);
        QCOMPARE(area->focusProxy(), bars);
        BarData data;
        data.categories = {QStringLiteral("a"), QStringLiteral("b"), QStringLiteral("c")};
        data.sets = {BarSet{QStringLiteral("s"), Qt::red, {1, 2, 3}}};
        bars->setData(data);
        QSignalSpy clicked(bars, &BarPanel::barClicked);
        for (const auto key : {Qt::Key_Down, Qt::Key_Down, Qt::Key_Return, Qt::Key_End, Qt::Key_Return, Qt::Key_Down, Qt::Key_Up})
            QTest::keyClick(bars, key);
        QCOMPARE(clicked.size(), 2);
        QCOMPARE(clicked[0][0].toInt(), 1);
        QCOMPARE(clicked[1][0].toInt(), 2);
        QCOMPARE(bars->current(), 1);
    }

    void axesZoomPanAndStayInside()
    {
        ViewAxis axis{2, 10};
        axis.zoomAt(3, 30, 0.5, 100);  // unit 10 lies at pixel 30, before and after
        QCOMPARE(axis.scale, 6.0);
        QCOMPARE(axis.unit(30), 10.0);
        axis.zoomAt(1000, 30, 0.5, 100);
        QCOMPARE(axis.scale, 100.0);
        QCOMPARE(axis.unit(30), 10.0);
        axis = {2, 50};
        axis.keepInside(10, 110, 100);  // 200 pixels of content in 100
        QCOMPARE(axis.origin, 10.0);
        axis.origin = -500;
        axis.keepInside(10, 110, 100);
        QCOMPARE(axis.pixel(100), 110.0);
        axis = {1, -500};
        axis.keepInside(10, 110, 20);  // less than there is room for: from the start
        QCOMPARE(axis.origin, 10.0);
        axis = {10, 0};
        axis.reveal(20, 21, 0, 100);
        QCOMPARE(axis.pixel(21), 100.0);
        axis.reveal(20, 21, 0, 100);
        QCOMPARE(axis.pixel(21), 100.0);
    }

    void aPressIsAClickUntilItMoves()
    {
        PointerDrag drag;
        drag.press({10, 10});
        QCOMPARE(drag.move({12, 11}), QPointF());
        QVERIFY(!drag.end());
        drag.press({10, 10});
        QCOMPARE(drag.move({20, 10}), QPointF(10, 0));
        QCOMPARE(drag.move({21, 10}), QPointF(1, 0));
        QVERIFY(drag.end());
        QVERIFY(!drag.isDragging());
    }

    void heatMapsZoomPanShowValuesAndAreExported()
    {
        HeatMap map;
        map.resize(240, 240);
        HeatData data;
        data.rows = data.columns = 4;
        data.max = 15;
        data.at = [](int row, int column) { return row * 4.0 + column; };
        map.setData(data);
        map.show();
        const double fitted = map.scale();
        QCOMPARE(fitted, (240 - 16) / 4.0);
        for (const auto key : {Qt::Key_Plus, Qt::Key_Equal}) {
            QTest::keyClick(&map, key);
            QVERIFY(map.scale() > fitted);
            QTest::keyClick(&map, Qt::Key_0);
            QCOMPARE(map.scale(), fitted);
        }
        QSignalSpy hovered(&map, &HeatMap::hovered);
        const auto under = [&](QPoint at) {
            hovered.clear();
            QMouseEvent move(QEvent::MouseMove, at, map.mapToGlobal(at), Qt::NoButton, Qt::NoButton, Qt::NoModifier);
            QApplication::sendEvent(&map, &move);
            return hovered.isEmpty() ? QPoint(-2, -2) : QPoint(hovered.back()[1].toInt(), hovered.back()[0].toInt());
        };
        QCOMPARE(under({8 + 56 * 3 + 5, 8 + 56 + 5}), QPoint(3, 1));
        QTest::keyClick(&map, Qt::Key_Right);  // 60 pixels on
        QCOMPARE(under({8 + 56 * 2 + 5, 8 + 56 + 5}), QPoint(3, 1));
        const QSizeF size = map.sizeOfAll();
        QCOMPARE(size, QSizeF(64, 64));
        QImage image(size.toSize(), QImage::Format_ARGB32);
        QPainter painter(&image);
        map.paintAll(painter, size);
        painter.end();
        for (const QPoint cell : {QPoint(0, 0), QPoint(3, 1), QPoint(3, 3)})
            QCOMPARE(image.pixel(cell * 16 + QPoint(8, 8)), heatColor((cell.y() * 4 + cell.x()) / 15.0));
    }

    void matricesHaveATableTwin()
    {
        MatrixModel model;
        QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        model.setMatrix(2, 3, [](int row, int column) { return row + column / 4.0; });
        QCOMPARE(model.index(1, 2).data().toString(), QStringLiteral("1.5"));
        QCOMPARE(model.toCsv(), QStringLiteral("0,0.25,0.5\n1,1.25,1.5\n"));
        model.setMatrix(0, 0, {});
        QCOMPARE(model.toCsv(), QString());
    }

    void gridsAndSpansTellDragsFromClicks()
    {
        SpanChart chart;
        chart.resize(400, 200);
        SpanChartData data;
        for (int i = 0; i < 40; ++i)
            data.steps << QString::number(i);
        data.largest = 10;
        data.spans = {{QStringLiteral("a"), {}, 0, 39, 0, 10, Qt::red}};
        chart.setData(data);
        chart.show();
        QTest::mouseClick(&chart, Qt::LeftButton, {}, {200, 100});
        QCOMPARE(chart.current(), 0);
        chart.setCurrent(-1);
        QTest::mousePress(&chart, Qt::LeftButton, {}, {200, 100});
        QMouseEvent move(QEvent::MouseMove, QPointF(150, 100), chart.mapToGlobal(QPointF(150, 100)), Qt::NoButton, Qt::LeftButton, Qt::NoModifier);
        QApplication::sendEvent(&chart, &move);
        QTest::mouseRelease(&chart, Qt::LeftButton, {}, {150, 100});
        QCOMPARE(chart.current(), -1);  // that was a drag
    }

    void timelineZoomsToTenNanosecondsAndWalks()
    {
        StageChart chart;
        chart.resize(800, 300);
        chart.setData(stageLanes(makeSampleCapture(), nullptr, {}, false).chart);
        QVERIFY(chart.visibleNs() >= 525);
        for (int i = 0; i < 40; ++i)
            QTest::keyClick(&chart, Qt::Key_W);
        QVERIFY(qAbs(chart.visibleNs() - 10) < 1e-6);
        QTest::keyClick(&chart, Qt::Key_0);
        QVERIFY(chart.visibleNs() >= 525);
        QTest::keyClick(&chart, Qt::Key_Down);
        QCOMPARE(chart.current(), QPoint(1, 0));
        QTest::keyClick(&chart, Qt::Key_Period);
        QCOMPARE(chart.current(), QPoint(1, 1));
        QTest::keyClick(&chart, Qt::Key_Down);
        QCOMPARE(chart.current().x(), 2);
        QSignalSpy activated(&chart, &StageChart::activated);
        QTest::keyClick(&chart, Qt::Key_Return);
        QCOMPARE(activated.count(), 1);
        QTemporaryDir folder;
        const QString picture = folder.filePath(QStringLiteral("t.svg"));
        const QSizeF size(900, chart.heightOfAll());
        QVERIFY(writePicture({QStringLiteral("t"), size, [&](QPainter& painter) { chart.paintAll(painter, size); }}, picture));
        QVERIFY(QFileInfo(picture).size() > 1000);
    }

    // The next window of the same size has docks of the same sizes, however its layout was asked for.
    void layoutsKeepTheirSizes()
    {
        QTemporaryDir folder;
        QSettings::setPath(QSettings::NativeFormat, QSettings::UserScope, folder.path());
        QCoreApplication::setOrganizationName(QStringLiteral("tilewright-test"));
        QCoreApplication::setApplicationName(QStringLiteral("layouts"));
        const auto window = [](const QString& layout) {
            MainWindow::Services services;
            services.compile = [](const auto& request, auto stop) { return driver::compile(request, stop); };
            services.settings = Settings(true);
            auto made = std::make_unique<MainWindow>(std::move(services));
            made->resize(1400, 900);
            if (!layout.isEmpty())
                made->setLayout(layout);
            made->show();
            QTest::qWait(50);
            return made;
        };
        const auto sizes = [](MainWindow& w) {
            return QSize(w.view(QStringLiteral("cuda"))->width(), w.view(QStringLiteral("timeline"))->height());
        };
        QSize wanted;
        {
            const auto first = window(QStringLiteral("profile"));
            first->resizeDocks({first->view(QStringLiteral("timeline"))}, {410}, Qt::Vertical);
            first->resizeDocks({first->view(QStringLiteral("cuda"))}, {470}, Qt::Horizontal);
            QTest::qWait(50);
            wanted = sizes(*first);
            QVERIFY2(wanted.height() > 350, qPrintable(QString::number(wanted.height())));
            first->close();
        }
        for (const auto& layout : {QString(), QStringLiteral("profile"), QStringLiteral("profile")}) {
            const auto again = window(layout);
            QCOMPARE(sizes(*again), wanted);
            again->close();
        }
    }
};

}  // namespace

std::unique_ptr<QObject> makeWidgetsTest() { return std::make_unique<WidgetsTest>(); }

}  // namespace tw::gui

#include "widgets_test.moc"
