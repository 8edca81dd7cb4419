#include <QAbstractItemModelTester>
#include <QApplication>
#include <QFile>
#include <QLabel>
#include <QMouseEvent>
#include <QSpinBox>
#include <QStackedWidget>
#include <QTemporaryDir>
#include <QTest>

#include <set>

#include "app/gui/editor/text_pane.h"
#include "app/gui/models/access_rows.h"
#include "app/gui/models/listing.h"
#include "app/gui/models/memory_map.h"
#include "app/gui/models/place_model.h"
#include "app/gui/models/tile_layout.h"
#include "app/gui/views/access_view.h"
#include "app/gui/views/code_view.h"
#include "app/gui/views/layout_view.h"
#include "app/gui/views/memory_view.h"
#include "app/gui/views/resource_view.h"
#include "app/gui/widgets/cell_grid.h"
#include "app/gui/widgets/span_chart.h"
#include "app/gui/windows/main_window.h"
#include "codegen/nvrtc/nvrtc.h"
#include "tests/gui/groups.h"

namespace tw::gui {
namespace {

constexpr int kWaitMs = 30'000;

const std::string kGemm = R"(import tilelang
import tilelang.language as T


@T.prim_func
def gemm(A: T.Tensor((128, 64), T.float16), B: T.Tensor((64, 128), T.float16), C: T.Tensor((128, 128), T.float32)):
    with T.Kernel(1, 1, threads=128) as (bx, by):
        A_shared = T.alloc_shared((64, 32), T.float16)
        B_shared = T.alloc_shared((32, 64), T.float16)
        C_local = T.alloc_fragment((64, 64), T.float32)
        T.clear(C_local)
        for k in T.Pipelined(2, num_stages=2):
            T.copy(A[0, k * 32], A_shared)
            T.copy(B[k * 32, 0], B_shared)
            T.gemm(A_shared, B_shared, C_local)
        T.copy(C_local, C[0, 0])
)";
constexpr int kGemmLine = 15;
const std::string kExchange = R"(import tilelang.language as T

@T.prim_func
def reversed(A: T.Tensor((64,), T.float32), B: T.Tensor((64,), T.float32)):
    with T.Kernel(1, threads=64):
        s = T.alloc_shared((64,), T.float32)
        for i in T.Parallel(64):
            s[i] = A[i]
        for i in T.Parallel(64):
            B[i] = s[63 - i]
)";

struct Marks : TextPane {
    using TextPane::kLinkedMark;
};

driver::CompileRequest requestOf(const std::string& target)
{
    driver::CompileRequest request;
    request.source = std::make_shared<SourceText>("gemm.py", kGemm);
    request.target = target;
    request.stages = driver::StageWanted::kPasses | driver::StageWanted::kTargetText;
    return request;
}

class GpuTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init()
    {
        QVERIFY(folder_.isValid());
        const QString path = folder_.filePath(QStringLiteral("gemm.py"));
        QFile file(path);
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(kGemm.data(), static_cast<qint64>(kGemm.size()));
        file.close();
        MainWindow::Services services;
        services.compile = [](const auto& request, auto stop) { return driver::compile(request, stop); };
        services.runnerCommand = {std::string(TW_BINARY_DIR) + "/bin/tilec", "serve"};
        window_ = std::make_unique<MainWindow>(std::move(services));
        window_->resize(1400, 900);
        window_->workbench().setTarget("sm_80");
        window_->show();
        window_->documents().open(path);
        QTRY_VERIFY_WITH_TIMEOUT(bench().lowered() != nullptr, kWaitMs);
    }
    void cleanup() { window_.reset(); }

    void targetTextIsQuietElsewhere()
    {
        QVERIFY(driver::compile(requestOf("sm_80"))->cuda != nullptr);
        const auto cpu = driver::compile(requestOf("cpu"));
        QVERIFY(cpu->ok());
        QVERIFY(cpu->cuda == nullptr);
    }

    void cudaFollowsTheTextAndTheSelection()
    {
        auto* view = open<CodeView>("cuda");
        QVERIFY(view->listing().text.find("__global__") != std::string::npos);
        auto& editor = window_->documents().current()->editor();
        editor.goToLine(kGemmLine);
        const auto& place = window_->selection().place();
        QTRY_COMPARE_WITH_TIMEOUT(bench().newest()->source->lineColumn(place.range.begin).line, kGemmLine, kWaitMs);
        QVERIFY(!linkedLines(view->listing(), *bench().newest()->source, place.range).empty());
        const std::string before = view->listing().text;
        const auto at = static_cast<int>(kGemm.find("threads=128")) + 8;
        editor.selectRange(at, at + 3);
        QTest::keyClicks(&editor, QStringLiteral("64"));
        QTRY_VERIFY_WITH_TIMEOUT(view->listing().text != before, kWaitMs);
        QTest::keyClicks(&editor, QStringLiteral("("));
        QTRY_VERIFY_WITH_TIMEOUT(bench().newest() != bench().lowered(), kWaitMs);
        QVERIFY(!view->listing().isEmpty());  // the last good text stays
    }

    void hoveringMarksTheOperationEverywhere()
    {
        auto* view = open<CodeView>("cuda");
        const auto& lines = view->listing().lines;
        const auto found = std::find_if(lines.begin(), lines.end(), [](const ListingLine& l) { return l.op != 0; });
        QVERIFY(found != lines.end());
        window_->selection().hover({found->source, found->op}, view);
        QCOMPARE(window_->selection().marked().op, found->op);
        const auto linked = linkedLines(view->listing(), *bench().newest()->source, {}, found->op);
        const auto sameOp = std::count_if(lines.begin(), lines.end(), [&](const ListingLine& l) { return l.op == found->op; });
        QCOMPARE(static_cast<std::ptrdiff_t>(linked.size()), sameOp);
        window_->selection().hover({}, view);
        QVERIFY(window_->selection().marked() == window_->selection().place());
    }

    // The pointer over a line of the source marks its operation in the other code views, and over a line of CUDA in the source.
    void thePointerMarksItsOperationInEveryCodeView()
    {
        const bool hasCompiler = static_cast<bool>(nvrtc::nvrtcVersion());
        QList<TextPane*> panes;
        for (const char* name : {"passes", "cuda", "ptx"}) {
            if (!hasCompiler && std::string_view(name) == "ptx")
                continue;
            window_->focusView(QString::fromLatin1(name));
            auto* view = window_->view(QString::fromLatin1(name));
            QTRY_VERIFY_WITH_TIMEOUT(view->isSettled() && view->findChild<TextPane*>() && !view->findChild<TextPane*>()->text().isEmpty(), kWaitMs);
            panes << view->findChild<TextPane*>();
        }
        const auto marks = [](TextPane& pane) {
            int count = 0;
            for (int line = 0; line < pane.lines(); ++line)
                count += (pane.markersAtLine(line) & (1U << Marks::kLinkedMark)) != 0 ? 1 : 0;
            return count;
        };
        auto& editor = window_->documents().current()->editor();
        const auto pointAt = [](TextPane& pane, int line) {
            const auto start = pane.SendScintilla(QsciScintilla::SCI_POSITIONFROMLINE, static_cast<unsigned long>(line - 1));
            const QPoint at(static_cast<int>(pane.SendScintilla(QsciScintilla::SCI_POINTXFROMPOSITION, 0UL, start)) + 4,
                            static_cast<int>(pane.SendScintilla(QsciScintilla::SCI_POINTYFROMPOSITION, 0UL, start)) + 6);
            QMouseEvent move(QEvent::MouseMove, at, pane.viewport()->mapToGlobal(at), Qt::NoButton, Qt::NoButton, Qt::NoModifier);
            QApplication::sendEvent(pane.viewport(), &move);
        };
        pointAt(editor, kGemmLine);
        for (auto* pane : panes)
            QTRY_VERIFY_WITH_TIMEOUT(marks(*pane) > 0, kWaitMs);
        auto* view = open<CodeView>("cuda");
        const auto& lines = view->listing().lines;
        const auto found = std::find_if(lines.begin(), lines.end(), [&](const ListingLine& l) {
            return l.source.isKnown() && bench().newest()->source->lineColumn(l.source.begin).line == kGemmLine;
        });
        QVERIFY(found != lines.end());
        window_->selection().hover({}, view);
        auto* pane = view->findChild<TextPane*>();
        pane->showLine(static_cast<int>(found - lines.begin()) + 1);
        pointAt(*pane, static_cast<int>(found - lines.begin()) + 1);
        QTRY_COMPARE_WITH_TIMEOUT(marks(editor), 1, kWaitMs);
    }

    void otherTargetsSayWhatToDo()
    {
        bench().setTarget("cpu");
        QTRY_VERIFY_WITH_TIMEOUT(bench().newest() && bench().newest()->target.name == "cpu", kWaitMs);
        for (const char* name : {"cuda", "ptx", "sass", "resources", "layout", "memory", "access"}) {
            window_->focusView(QString::fromLatin1(name));
            QApplication::processEvents();
            QVERIFY2(isEmpty(name), name);
        }
    }

    void machineCodeOrWhatIsMissing()
    {
        QVERIFY2(QFile::exists(QStringLiteral(TW_BINARY_DIR "/bin/tilec")), "gui_test depends on tilec");
        auto* view = open<CodeView>("ptx");
        QTRY_VERIFY_WITH_TIMEOUT(view->isSettled() && (!nvrtc::nvrtcVersion() || !view->listing().isEmpty()), kWaitMs);
        if (!nvrtc::nvrtcVersion()) {
            QVERIFY(isEmpty("ptx"));
            QSKIP("no NVRTC on this machine");
        }
        QVERIFY(view->listing().text.find(".target sm_80") != std::string::npos);
        const auto& lines = view->listing().lines;
        QVERIFY(std::any_of(lines.begin(), lines.end(), [&](const ListingLine& l) {
            return l.source.isKnown() && bench().newest()->source->lineColumn(l.source.begin).line == kGemmLine;
        }));
        auto* resources = open<ResourceView>("resources");
        QTRY_VERIFY_WITH_TIMEOUT(resources->registersBox()->value() > 0, kWaitMs);
    }

    void resourcesAnswerWhatIf()
    {
        auto* view = open<ResourceView>("resources");
        QCOMPARE(view->threadsBox()->value(), 128);
        QVERIFY(view->sharedBox()->value() >= 2 * (64 * 32 + 32 * 64) * 2);  // two stages of both tiles
        view->registersBox()->setValue(255);
        QCOMPARE(view->occupancy().limiter, std::string("registers"));
        // The table says what bounds the kernel as it is, and the bars can be saved.
        QStringList names;
        for (int row = 0; row < view->rows().rowCount(); ++row)
            names << view->rows().index(row, 0).data().toString();
        for (const char* name : {"Occupancy", "Blocks by threads", "Blocks a multiprocessor takes", "Blocks by shared memory"})
            QVERIFY2(names.contains(QString::fromLatin1(name)), name);
        QVERIFY(writePicture(view->picture(), folder_.filePath(QStringLiteral("occupancy.svg"))));
        QCOMPARE(view->occupancy().blocks, 2);
        view->sharedBox()->setValue(100 * 1024);
        QCOMPARE(view->occupancy().limiter, std::string("shared memory"));
        QCOMPARE(view->occupancy().blocks, 1);
    }

    void layoutsShowEveryElementAndWhy()
    {
        auto* view = open<LayoutView>("layout");
        view->choose(QStringLiteral("C_local"));
        QTest::keyClick(&view->grid(), Qt::Key_Right);
        QTest::keyClick(&view->grid(), Qt::Key_Right);
        QTest::keyClick(&view->grid(), Qt::Key_Down);
        QCOMPARE(view->grid().current(), QPoint(1, 1));
        QVERIFY2(view->hoverText().contains(QStringLiteral("thread")), qPrintable(view->hoverText()));
        QVERIFY(view->reasonText().size() > 12);
        // The accumulator of mma.m16n8k16: PTX ISA, "Matrix Fragments for mma.m16n8k16 with floating point type".
        QVERIFY2(view->bitText().startsWith(QStringLiteral("bits, lowest first: j = r0 t0 t1 ")) && view->bitText().contains(QStringLiteral("; i = t2 t3 t4 r1 ")), qPrintable(view->bitText()));
        const double fitted = view->grid().scale();
        QTest::keyClick(&view->grid(), Qt::Key_Plus);
        QVERIFY(view->grid().scale() > fitted);
        QTest::keyClick(&view->grid(), Qt::Key_0);
        QCOMPARE(view->grid().scale(), fitted);
        for (const auto by : {LayoutView::ColorBy::kWarp, LayoutView::ColorBy::kRegister, LayoutView::ColorBy::kThread})
            view->setColorBy(by);
        view->choose(QStringLiteral("A_shared"));
        view->grid().setCurrent(0, 0);
        QVERIFY2(view->hoverText().contains(QStringLiteral("bank")), qPrintable(view->hoverText()));
        // A slot (i), a row (j) and a column (k); chunks of 8 halves are permuted by bits of the row.
        QVERIFY2(view->bitText().startsWith(QStringLiteral("bits, lowest first: element = k0 k1 k2 k3^j")), qPrintable(view->bitText()));
        exportBoth(view->picture());
    }

    void everyPlaceIsTakenOnce()
    {
        for (const auto& tile : collectLayouts(*driver::compile(requestOf("sm_80")))) {
            const auto places = LayoutPlaces::make(tile);
            QVERIFY2(places.has_value(), qPrintable(tile.name));
            PlaceModel model;
            const QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
            model.setPlaces(places);
            QCOMPARE(std::int64_t{model.rowCount()}, places->count());
            std::set<std::pair<std::int64_t, std::int64_t>> taken;
            for (std::int64_t e = 0; e < places->count(); ++e)
                taken.insert(places->isFragment() ? std::pair(places->thread(e), places->registerOf(e)) : std::pair<std::int64_t, std::int64_t>(0, places->address(e)));
            QCOMPARE(static_cast<std::int64_t>(taken.size()), places->count());
        }
    }

    void memoryMapHasItsTwin()
    {
        auto* view = open<MemoryView>("memory");
        QVERIFY(view->rows().rowCount() >= 2);
        view->chart().setFocus();
        QTest::keyClick(&view->chart(), Qt::Key_Home);
        QCOMPARE(view->chart().current(), 0);
        exportBoth(view->picture());
        for (const auto& map : collectMemory(*bench().shown())) {
            for (const auto& a : map.entries)
                for (const auto& b : map.entries) {  // who lives at one time lies apart
                    const bool together = a.first <= b.last && b.first <= a.last;
                    QVERIFY(&a == &b || !together || a.offset + a.bytes <= b.offset || b.offset + b.bytes <= a.offset);
                }
        }
    }

    void accessesAndBarriersSayWhy()
    {
        auto* view = open<AccessView>("access");
        QVERIFY(view->accesses().rowCount() > 0);
        QVERIFY(view->syncs().rowCount() > 0);
        QVERIFY(!view->syncs().index(0, 2).data().toString().isEmpty());
        auto exchange = requestOf("sm_80");
        exchange.source = std::make_shared<SourceText>("x.py", kExchange);
        const auto rows = syncRows(*driver::compile(exchange), Theme::load(QStringLiteral("dark")));
        QCOMPARE(rows.size(), 1U);
        QVERIFY2(rows[0].cells[2].contains(QStringLiteral("s: read after write, line 8 then line 10")), qPrintable(rows[0].cells[2]));
        QVERIFY(view->accesses().toCsv().startsWith(QLatin1Char('"')));
    }

private:
    Workbench& bench() { return window_->workbench(); }

    template <class V>
    V* open(const char* name)
    {
        window_->focusView(QString::fromLatin1(name));
        QApplication::processEvents();
        return dynamic_cast<V*>(window_->view(QString::fromLatin1(name)));
    }
    bool isEmpty(const char* name)
    {
        return window_->view(QString::fromLatin1(name))->isEmpty();
    }
    void exportBoth(const Picture& picture)
    {
        const QString svg = folder_.filePath(QStringLiteral("p.svg")), png = folder_.filePath(QStringLiteral("p.png"));
        QVERIFY(writePicture(picture, svg));
        QVERIFY(writePicture(picture, png));
        QFile file(svg);
        QVERIFY(file.open(QIODevice::ReadOnly));
        QVERIFY(file.readAll().contains("<svg"));
        QVERIFY(QImage(png).width() > 100);
        QVERIFY(!writePicture(picture, folder_.filePath(QStringLiteral("no/such/folder/p.png"))));
    }

    QTemporaryDir folder_;
    std::unique_ptr<MainWindow> window_;
};

}  // namespace

std::unique_ptr<QObject> makeGpuTest() { return std::make_unique<GpuTest>(); }

}  // namespace tw::gui

#include "gpu_test.moc"
