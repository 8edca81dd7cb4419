#include "app/gui/views/compare_view.h"

#include <QComboBox>
#include <QFileDialog>
#include <QMessageBox>
#include <QSaveFile>
#include <QScrollArea>
#include <QStackedWidget>
#include <QTabBar>
#include <QToolButton>
#include <QVBoxLayout>

#include "app/gui/models/memory_map.h"
#include "app/gui/models/metric_text.h"
#include "app/gui/models/profile_rows.h"
#include "app/gui/models/stage_lanes.h"
#include "app/gui/views/compare_bar.h"
#include "app/gui/views/memory_stack.h"
#include "app/gui/views/text_columns.h"
#include "app/gui/views/twin_panel.h"
#include "app/gui/widgets/bar_panel.h"
#include "app/gui/widgets/cell_grid.h"
#include "app/gui/widgets/chart_panel.h"
#include "app/gui/widgets/empty_state.h"
#include "app/gui/widgets/icon_button.h"
#include "profiler/report/compare_page.h"

namespace tw::gui {
namespace {

// Tells a measured number from the modelled one of the same name.
QString chartName(const compare::Row& row) { return QStringLiteral("%1, %2").arg(numberTitle(row), originName(row.origin)); }

}  // namespace

CompareView::CompareView(CompareSession& session, ProfileSession& profiles, RunSetup& setup, ViewContext context, QWidget* parent)
    : View(QStringLiteral("compare"), tr("Compare"), QStringLiteral("compare"), context, parent), session_(session), profiles_(profiles), setup_(setup),
      rows_(new RowModel({tr("Number")}, {}, this))
{
    connect(&session, &CompareSession::changed, this, [this] { invalidate(); });
}

void CompareView::makeContent()
{
    auto* page = new QWidget(frame());
    auto* layout = new QVBoxLayout(page);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    bar_ = new CompareBar(session_, profiles_, setup_, context_.workbench, page);
    results_ = new QWidget(page);
    auto* below = new QVBoxLayout(results_);
    below->setContentsMargins(0, 0, 0, 0);
    below->setSpacing(0);
    below->addWidget(makeTabs(results_));
    below->addWidget(makePages(results_), 1);
    nothing_ = new EmptyState(QStringLiteral("compare"), page);
    layout->addWidget(bar_);
    layout->addWidget(results_, 1);
    layout->addWidget(nothing_, 1);
    setContent(page);
    setFocusProxy(bar_);
    connect(bar_, &CompareBar::exportRequested, this, &CompareView::exportAs);
    connect(&context_.workbench, &Workbench::snapshotChanged, bar_, [this] { bar_->refresh(theme().isDark()); });
}

QWidget* CompareView::makeTabs(QWidget* parent)
{
    auto* bar = barWidget(parent);
    tabs_ = new QTabBar(bar);
    tabs_->setExpanding(false);
    tabs_->setDrawBase(false);
    for (const auto& title : {tr("Numbers"), tr("Source"), tr("IR"), tr("CUDA"), tr("Shared memory"), tr("Timelines"), tr("Chart")})
        tabs_->addTab(title);
    pass_ = new QComboBox(bar);
    pass_->setAccessibleName(tr("After the pass"));
    metric_ = new QComboBox(bar);
    metric_->setAccessibleName(tr("Number"));
    previous_ = iconButton(QStringLiteral("previous"), tr("Previous difference"), bar);
    next_ = iconButton(QStringLiteral("next"), tr("Next difference"), bar);
    fold_ = iconButton(QStringLiteral("diff"), tr("Hide what is equal"), bar);
    fold_->setCheckable(true);
    fold_->setChecked(true);
    auto* layout = new QHBoxLayout(bar);
    layout->setContentsMargins(0, 0, 6, 0);
    layout->setSpacing(4);
    layout->addWidget(tabs_);
    layout->addStretch(1);
    for (QWidget* w : std::initializer_list<QWidget*>{pass_, metric_, previous_, next_, fold_})
        layout->addWidget(w);
    connect(tabs_, &QTabBar::currentChanged, this, &CompareView::showTab);
    connect(pass_, &QComboBox::currentIndexChanged, this, &CompareView::showTab);
    connect(metric_, &QComboBox::currentIndexChanged, this, &CompareView::showTab);
    connect(fold_, &QToolButton::toggled, this, &CompareView::showTab);
    connect(next_, &QToolButton::clicked, this, [this] { texts_->goToChange(true); });
    connect(previous_, &QToolButton::clicked, this, [this] { texts_->goToChange(false); });
    return bar;
}

QWidget* CompareView::makePages(QWidget* parent)
{
    pages_ = new QStackedWidget(parent);
    table_ = new TwinPanel(nullptr, rows_, {}, pages_);
    texts_ = new TextColumns(pages_);
    memory_ = new MemoryStack(pages_);
    timelines_ = new StageChart(pages_);
    bars_ = new BarPanel(pages_);
    barArea_ = scrolled(*bars_, pages_);
    curve_ = new ChartPanel(pages_);
    noPicture_ = new EmptyState(QStringLiteral("compare"), pages_);
    for (QWidget* w : std::initializer_list<QWidget*>{table_, texts_, memory_, timelines_, barArea_, curve_, noPicture_})
        pages_->addWidget(w);
    return pages_;
}

void CompareView::applyTheme() { texts_->setTheme(theme(), codeSize()); }

std::vector<ComparedVariant> CompareView::compared() const
{
    std::vector<ComparedVariant> all;
    for (const auto& v : session_.variants())
        if (v.shown())
            all.push_back({v.label, v.snapshot.get(), v.shown()});
    return all;
}

void CompareView::refresh()
{
    bar_->refresh(theme().isDark());
    const bool any = !session_.variants().empty();
    results_->setVisible(any);
    nothing_->setVisible(!any);
    nothing_->setMessage(tr("Nothing to compare yet"),
                         tr("Pin the program as it is, change it, and pin it again; or add (+) other parameters, files, targets and stored runs, or a sweep over a parameter."));
    const auto variantsNow = compared();
    numbers_ = variantsNow.empty() ? std::vector<compare::Row>() : compare::rowsOf(toCompare(variantsNow));
    QStringList metrics;
    for (const auto* row : chartableRows(numbers_))
        metrics << chartName(*row);
    metrics << comparedSeries(variantsNow);
    const QStringList passes = comparedPasses(variantsNow);
    const auto fill = [](QComboBox* box, const QStringList& items, int fallback) {
        QStringList listed;
        for (int i = 0; i < box->count(); ++i)
            listed << box->itemText(i);
        if (listed == items)
            return;
        const QString keep = box->currentText();
        const QSignalBlocker blocker(box);
        box->clear();
        box->addItems(items);
        box->setCurrentIndex(items.contains(keep) ? static_cast<int>(items.indexOf(keep)) : fallback < 0 ? static_cast<int>(items.size()) - 1 : fallback);
    };
    fill(pass_, passes, -1);
    fill(metric_, metrics, 0);
    showTab();
    showContent();
}

void CompareView::showTab()
{
    const auto tab = static_cast<Tab>(tabs_->currentIndex());
    const bool isText = tab == kSource || tab == kIr || tab == kCuda;
    pass_->setVisible(tab == kIr && pass_->count() > 0);
    metric_->setVisible(tab == kChart && metric_->count() > 0);
    fold_->setVisible(isText || tab == kNumbers);
    next_->setVisible(isText);
    previous_->setVisible(isText);
    const auto variants = compared();
    switch (tab) {
    case kNumbers: {
        QList<int> columns;
        for (int c = 1; c <= static_cast<int>(variants.size()); ++c)
            columns << c;
        rows_->setHeaders(compareHeaders(variants), columns);
        const auto shown = variants.empty() ? std::vector<TableRow>()
                                            : compareRows(numbers_, !fold_->isChecked() || variants.size() < 2,
                                                          {theme().color("good"), theme().color("error"), theme().color("accent")});
        rows_->setRows(shown);
        table_->setStretchedColumn(rows_->columnCount() - 1);
        const auto hidden = static_cast<int>(numbers_.size() - shown.size());
        table_->setCaption(variants.empty() ? tr("Nothing to compare yet")
                           : hidden > 0     ? tr("%1 equal hidden; changes are against the first variant").arg(hidden)
                                            : tr("changes are against the first variant"));
        pages_->setCurrentWidget(table_);
        break;
    }
    case kSource: showTexts(ComparedText::kSource); break;
    case kIr: showTexts(ComparedText::kIr); break;
    case kCuda: showTexts(ComparedText::kCuda); break;
    case kMemory: showMemory(); break;
    case kTimelines: showTimelines(); break;
    case kChart: showChart(); break;
    }
}

void CompareView::showTexts(ComparedText kind)
{
    std::vector<TextColumns::Column> columns;
    for (const auto& v : compared())
        if (std::string text = variantText(v, kind, pass_->currentText()); !text.empty())  // a run from elsewhere may have none
            columns.push_back({v.label, std::move(text)});
    texts_->setColumns(columns, kind == ComparedText::kCuda ? Language::kCuda : Language::kTileLang, fold_->isChecked());
    pages_->setCurrentWidget(texts_);
}

void CompareView::showMemory()
{
    std::vector<MemoryStack::Item> items;
    for (const auto& v : compared())
        if (v.snapshot)
            items.push_back({v.label, collectMemory(*v.snapshot)});
    memory_->setItems(items, theme().isDark());
    pages_->setCurrentWidget(memory_);
}

void CompareView::showTimelines()
{
    std::vector<LabelledCapture> captures;
    for (const auto& v : compared())
        captures.push_back({v.label, v.capture});
    StageChartData lanes = stackedLanes(captures, theme().isDark());
    noPicture_->setMessage(tr("No timelines yet"), tr("Profile all: the stages of every variant are recorded, and stand here on one axis."));
    pages_->setCurrentWidget(lanes.lanes.empty() ? static_cast<QWidget*>(noPicture_) : timelines_);
    timelines_->setData(std::move(lanes));
}

void CompareView::showChart()
{
    const auto variants = compared();
    if (const auto lines = comparedSeriesChart(metric_->currentText(), variants, theme().isDark()); !lines.series.isEmpty()) {
        curve_->setData(lines);
        return pages_->setCurrentWidget(curve_);
    }
    const auto found = std::find_if(numbers_.begin(), numbers_.end(), [this](const auto& row) { return chartName(row) == metric_->currentText(); });
    if (found == numbers_.end()) {
        noPicture_->setMessage(tr("No numbers yet"), tr("They come with the first result of the compiler, more of them with Profile all."));
        return pages_->setCurrentWidget(noPicture_);
    }
    const auto plot = comparedChart(*found, variants, session_.sweptParameter(), theme().isDark());
    if (plot.curve) {
        curve_->setData(*plot.curve);
        return pages_->setCurrentWidget(curve_);
    }
    bars_->setData(plot.bars);
    pages_->setCurrentWidget(barArea_);
}

void CompareView::exportAs(const QString& format)
{
    const auto variants = compared();
    if (variants.empty())
        return;
    const QString path = QFileDialog::getSaveFileName(this, tr("Export the comparison"), QStringLiteral("comparison.") + format,
                                                      QStringLiteral("%1 (*.%2)").arg(format.toUpper(), format));
    if (path.isEmpty())
        return;
    if (format == QLatin1String("svg")) {
        QWidget* shown = pages_->currentWidget();
        const Picture picture{QStringLiteral("comparison"), shown->size(), [shown](QPainter& painter) { shown->render(&painter, {}, {}, QWidget::DrawChildren); }};
        if (!writePicture(picture, path))
            QMessageBox::warning(this, tr("Export"), tr("%1 cannot be written.").arg(path));
        return;
    }
    QSaveFile file(path);
    const auto given = toCompare(variants);
    const QByteArray bytes = format == QLatin1String("html")  ? QByteArray::fromStdString(report::comparisonPage(given, numbers_))
                             : format == QLatin1String("csv") ? QByteArray::fromStdString(report::comparisonCsv(given, numbers_))
                                                              : compareJson(variants, numbers_);
    if (!file.open(QIODevice::WriteOnly) || file.write(bytes) != bytes.size() || !file.commit())
        QMessageBox::warning(this, tr("Export"), tr("%1 cannot be written: %2").arg(path, file.errorString()));
}

}  // namespace tw::gui
