#include "app/gui/views/tune_view.h"

#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QProgressBar>
#include <QPushButton>
#include <QSpinBox>
#include <QStackedWidget>
#include <QStyle>

#include "app/gui/models/history_rows.h"
#include "app/gui/models/metric_text.h"
#include "app/gui/models/tune_space.h"
#include "app/gui/views/device_picker.h"
#include "app/gui/views/twin_panel.h"
#include "app/gui/widgets/empty_state.h"
#include "app/gui/widgets/icon_button.h"

namespace tw::gui {
namespace {
constexpr int kMostMeasured = 1000;

// "about 40 s left"
QString remainingText(double seconds)
{
    if (seconds < 90)
        return TuneView::tr("about %1 s left").arg(std::max(1, static_cast<int>(seconds + 0.5)));
    return TuneView::tr("about %1 min left").arg(static_cast<int>(seconds / 60 + 0.5));
}
}

TuneView::TuneView(TuneSession& session, RunSetup& setup, ViewContext context, QWidget* parent)
    : View(QStringLiteral("tune"), tr("Tune"), QStringLiteral("tune"), context, parent), session_(session), setup_(setup),
      rows_(new RowModel(trialHeaders({}), {0, 1, 2, 3}, this))
{
    connect(&session, &TuneSession::changed, this, [this] { invalidate(); });
    connect(&context.workbench, &Workbench::snapshotChanged, this, [this] { invalidate(); });
}

void TuneView::makeContent()
{
    auto* page = new QWidget(frame());
    auto* layout = new QVBoxLayout(page);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(makeControls(page));
    panel_ = makePanel(page);
    layout->addWidget(panel_, 1);
    setContent(page);
    setFocusProxy(tune_);
}

QWidget* TuneView::makeControls(QWidget* parent)
{
    auto* bar = barWidget(parent);
    space_ = new QLineEdit(bar);
    space_->setPlaceholderText(tr("block_M=64,128; num_stages=2,3,4"));
    space_->setToolTip(tr("What to try: NAME=VALUE,VALUE; empty: the configurations of the file's own autotune"));
    space_->setAccessibleName(tr("Search space"));
    device_ = new DevicePicker(setup_, DevicePicker::Use::kMeasure, bar);
    top_ = new QSpinBox(bar);
    top_->setRange(1, kMostMeasured);
    top_->setValue(12);
    top_->setPrefix(tr("measure "));
    top_->setToolTip(tr("So many of those that the model ranks first are measured, each checked against the reference"));
    tune_ = new QPushButton(tr("Tune"), bar);
    tune_->setProperty("primary", true);
    cancel_ = new QPushButton(tr("Cancel"), bar);
    write_ = new QPushButton(icon(QStringLiteral("write")), tr("Write to source"), bar);
    write_->setToolTip(tr("Makes the selected configuration the default in the source"));
    state_ = new QLabel(bar);
    state_->setProperty("role", "muted");
    state_->setWordWrap(true);
    progress_ = new QProgressBar(bar);
    progress_->setTextVisible(false);
    progress_->setRange(0, 1000);
    auto* row = new QHBoxLayout;
    row->setSpacing(6);
    row->addWidget(device_, 1);
    for (QWidget* w : std::initializer_list<QWidget*>{top_, tune_, cancel_, write_})
        row->addWidget(w);
    auto* layout = new QVBoxLayout(bar);
    layout->setContentsMargins(10, 7, 10, 7);
    layout->setSpacing(5);
    layout->addWidget(space_);
    layout->addLayout(row);
    layout->addWidget(progress_);
    layout->addWidget(state_);
    connect(tune_, &QPushButton::clicked, this, &TuneView::start);
    connect(space_, &QLineEdit::returnPressed, this, &TuneView::start);
    connect(cancel_, &QPushButton::clicked, &session_, &TuneSession::cancel);
    connect(write_, &QPushButton::clicked, this, [this] {
        if (const auto* trial = currentTrial())
            Q_EMIT writeRequested(trial->params);
    });
    return bar;
}

TwinPanel* TuneView::makePanel(QWidget* parent)
{
    pictures_ = new QStackedWidget(parent);
    lines_ = new ParallelPlot(pictures_);
    scatter_ = new ChartPanel(pictures_);
    nothing_ = new EmptyState(QStringLiteral("tune"), pictures_);
    for (QWidget* w : std::initializer_list<QWidget*>{lines_, scatter_, nothing_})
        pictures_->addWidget(w);
    auto* panel = new TwinPanel(pictures_, rows_, [this] {
        const QSizeF size = pictures_->size();
        return Picture{QStringLiteral("tuning"), size, [this, size](QPainter& painter) {
                           pictures_->currentWidget() == lines_ ? lines_->paintAll(painter, size) : scatter_->paintAll(painter, size);
                       }};
    }, parent);
    kind_ = new QComboBox(panel);
    kind_->addItems({tr("Parallel coordinates"), tr("Model against measurement")});
    kind_->setAccessibleName(tr("Picture"));
    panel->addTool(kind_);
    connect(kind_, &QComboBox::currentIndexChanged, this, &TuneView::showPicture);
    connect(lines_, &ParallelPlot::currentChanged, panel, &TwinPanel::selectRow);  // the lines stand as the rows do
    connect(panel, &TwinPanel::rowSelected, this, [this](int row) {
        lines_->setCurrent(row);
        showState();
    });
    return panel;
}

// The file's own search space where it has one; else the sizes around the present ones.
void TuneView::proposeSpace()
{
    const auto newest = context_.workbench.newest();
    if (!newest || !newest->program || newest->kernel.empty())
        return;
    const QString name = QString::fromStdString(newest->source->name() + ":" + newest->kernel);
    if (name == proposedFor_)
        return;
    proposedFor_ = name;
    for (const auto& kernel : newest->program->kernels())
        if (kernel.name == newest->kernel)
{
            space_->setText(spaceText(proposedSpace(kernel, newest->instance.params)));
            space_->setCursorPosition(0);  // its beginning is what is read first
        }
}

void TuneView::showPicture()
{
    const bool measured = !ranked_.empty() && ranked_.front().medianUs;
    const bool isScatter = kind_->currentIndex() == 1;
    if (ranked_.empty())
        nothing_->setMessage(tr("Nothing tried yet"), tr("Tune compiles and models every configuration of the space above, then measures the best on the device; "
                                                         "each is a line from parameter to parameter to its time."));
    else
        nothing_->setMessage(tr("Nothing measured yet"), tr("The simulator measures no time: choose the CPU or a GPU to see how far the model is off."));
    pictures_->setCurrentWidget(ranked_.empty() || (isScatter && !measured) ? nothing_ : isScatter ? static_cast<QWidget*>(scatter_) : lines_);
}

void TuneView::start()
{
    const auto space = parseSpace(space_->text());
    if (!space) {
        state_->setText(QString::fromStdString(space.error()));
        return;
    }
    const auto newest = context_.workbench.newest();
    session_.start({*space, device_->device(), top_->value(), setup_.inputsOf(newest ? newest->function.get() : nullptr), setup_.seed()});
}

const store::Trial* TuneView::currentTrial() const
{
    const int row = panel_->currentRow();
    return row >= 0 && static_cast<std::size_t>(row) < ranked_.size() ? &ranked_[static_cast<std::size_t>(row)]
           : !ranked_.empty() && timeOf(ranked_.front(), ranked_)      ? &ranked_.front()
                                                                       : nullptr;
}

void TuneView::refresh()
{
    const auto newest = context_.workbench.newest();
    if (!newest && session_.trials().empty())
        return showEmpty(tr("Nothing to tune yet"), tr("Open a kernel file; then its block sizes and stages can be searched here."));
    if (!panel_)
        makeContent();
    proposeSpace();
    const bool busy = session_.isBusy(), ready = newest && newest->ok() && newest->function;
    tune_->setEnabled(ready && !busy);
    cancel_->setVisible(busy);
    progress_->setVisible(busy);
    progress_->setRange(0, session_.total());  // of nothing: it moves without an end
    progress_->setValue(session_.done());
    showTrials();
    showState();
    showContent();
}

bool TuneView::isOfChosenKernel() const
{
    const auto newest = context_.workbench.newest();
    return newest && newest->kernel == session_.kernel();
}

void TuneView::showTrials()
{
    const int row = panel_->currentRow();
    const auto kept = row >= 0 && static_cast<std::size_t>(row) < ranked_.size() ? ranked_[static_cast<std::size_t>(row)].params : staging::Bindings();
    ranked_ = rankedTrials(session_.trials());
    const auto parameters = tunedParameters(ranked_);
    QList<int> numbers;
    for (int c = 0; c < 4 + static_cast<int>(parameters.size()); ++c)
        numbers << c;
    rows_->setHeaders(trialHeaders(parameters), numbers);
    rows_->setRows(trialRows(ranked_, parameters));
    panel_->setStretchedColumn(rows_->columnCount() - 1);
    lines_->setColors(theme().color("good"), theme().color("disabled"));
    lines_->setData(trialLines(ranked_, parameters));
    scatter_->setData(trialScatter(ranked_, theme().color("accent"), theme().color("muted")));
    showPicture();
    const auto again = std::find_if(ranked_.begin(), ranked_.end(), [&](const auto& t) { return !kept.empty() && t.params == kept; });
    if (again != ranked_.end())
        panel_->selectRow(static_cast<int>(again - ranked_.begin()));  // what was chosen stays so while others come in
    const auto measured = std::count_if(ranked_.begin(), ranked_.end(), [](const auto& t) { return t.medianUs.has_value(); });
    panel_->setCaption(ranked_.empty() ? tr("Nothing tried yet")
                                       : tr("%1 on %2: %3 configurations, %4 measured")
                                             .arg(QString::fromStdString(session_.kernel()), QString::fromStdString(session_.device()))
                                             .arg(ranked_.size())
                                             .arg(measured));
}

// "Measuring 3 of 12 · best so far 96.1 µs: block_M=128 · about 40 s left"
QString TuneView::busyText() const
{
    QStringList words;
    if (session_.phase().isEmpty())
        words << tr("Starting…");
    else if (session_.phase() == QLatin1String("model"))
        words << tr("Modelling: %1 of %2").arg(session_.done()).arg(session_.total());
    else if (session_.phase() == QLatin1String("reference"))
        words << tr("Computing the reference answer");
    else
        words << tr("Measuring: %1 of %2").arg(session_.done()).arg(session_.total());
    if (!ranked_.empty() && ranked_.front().medianUs && timeOf(ranked_.front(), ranked_))
        words << tr("best so far %1: %2").arg(valueText(*ranked_.front().medianUs, "us"), paramsText(ranked_.front().params));
    if (const auto seconds = session_.remainingSeconds(); seconds && session_.done() < session_.total())
        words << remainingText(*seconds);
    return words.join(QStringLiteral(" \u00b7 "));
}

void TuneView::showState()
{
    const auto* trial = currentTrial();
    write_->setEnabled(trial != nullptr && !session_.isBusy() && isOfChosenKernel());
    const char* role = "muted";
    if (session_.isBusy()) {
        state_->setText(busyText());
    } else if (!session_.problem().isEmpty()) {
        state_->setText(session_.problem());
        role = "error";
    } else if (trial) {
        const QString time = trial->medianUs ? valueText(*trial->medianUs, "us")
                             : trial->modelUs ? (session_.device() == "sim" ? tr("%1 modelled (the simulator measures no time)") : tr("%1 modelled, not measured"))
                                                    .arg(valueText(*trial->modelUs, "us"))
                                              : tr("not measured");
        state_->setText(tr("%1: %2").arg(time, paramsText(trial->params)));
    } else {
        state_->setText(tr("The model ranks every configuration; the best are measured, and each answer is checked."));
    }
    state_->setProperty("role", role);
    state_->style()->unpolish(state_);
    state_->style()->polish(state_);
}

}  // namespace tw::gui
