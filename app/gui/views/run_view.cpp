#include "app/gui/views/run_view.h"

#include <QGridLayout>
#include <QHeaderView>
#include <QLabel>
#include <QPlainTextEdit>
#include <QProgressBar>
#include <QPushButton>
#include <QSpinBox>
#include <QSplitter>
#include <QStyle>
#include <QTreeView>

#include "app/gui/session/selection.h"
#include "app/gui/views/device_picker.h"
#include "app/gui/views/input_form.h"

namespace tw::gui {
namespace {

constexpr int kBesideEachOther = 560;  // pixels: below it the results stand under the controls

QString runTimeText(double us)
{
    if (us >= 1e6)
        return QStringLiteral("%1 s").arg(us / 1e6, 0, 'g', 4);
    return us >= 1e3 ? QStringLiteral("%1 ms").arg(us / 1e3, 0, 'g', 4) : QStringLiteral("%1 \u00b5s").arg(us, 0, 'g', 4);
}

double median(std::vector<double> samples)
{
    std::sort(samples.begin(), samples.end());
    const auto n = samples.size();
    return n % 2 == 1 ? samples[n / 2] : (samples[n / 2 - 1] + samples[n / 2]) / 2;
}

}  // namespace

RunView::RunView(RunSession& session, RunSetup& setup, ViewContext context, QWidget* parent)
    : View(QStringLiteral("run"), tr("Run"), QStringLiteral("run"), context, parent), session_(session), setup_(setup),
      outputs_(new OutputModel(this)), comparisons_(new ComparisonModel(this))
{
    connect(&session, &RunSession::busyChanged, this, [this](bool) { invalidate(); });
    connect(&context.workbench, &Workbench::snapshotChanged, this, [this] { invalidate(); });
}

void RunView::makeContent()
{
    auto* splitter = new QSplitter(Qt::Horizontal, frame());
    splitter->setChildrenCollapsible(false);
    splitter->addWidget(makeControls(splitter));
    splitter->addWidget(makeResults(splitter));
    splitter->setStretchFactor(1, 1);
    splitter->setSizes({290, 700});
    setContent(splitter);
    setFoldingSplitter(splitter, kBesideEachOther);
    connect(&session_, &RunSession::progress, this, &RunView::showProgress);
}

QWidget* RunView::makeControls(QWidget* parent)
{
    auto* panel = new QWidget(parent);
    device_ = new DevicePicker(setup_, DevicePicker::Use::kRun, panel);
    seed_ = new QSpinBox(panel);
    seed_->setRange(0, std::numeric_limits<int>::max());
    seed_->setToolTip(tr("Generated inputs come from this seed"));
    repeat_ = new QSpinBox(panel);
    repeat_->setRange(1, 10000);
    repeat_->setToolTip(tr("Timed runs, each from the same inputs"));
    run_ = new QPushButton(tr("Run"), panel);
    run_->setProperty("primary", true);
    verify_ = new QPushButton(tr("Verify"), panel);
    verify_->setToolTip(tr("Compare with the reference interpreter"));
    cancel_ = new QPushButton(tr("Cancel"), panel);
    inputs_ = new InputForm(panel);
    auto* grid = new QGridLayout;
    grid->setContentsMargins(12, 8, 8, 4);
    grid->setHorizontalSpacing(8);
    grid->setVerticalSpacing(5);
    const auto field = [&](int row, int column, const QString& text, QWidget* control, int span) {
        auto* label = new QLabel(text, panel);
        label->setBuddy(control);
        grid->addWidget(label, row, column);
        grid->addWidget(control, row, column + 1, 1, span);
    };
    field(0, 0, tr("Device"), device_, 3);
    field(1, 0, tr("Seed"), seed_, 1);
    field(1, 2, tr("Repeat"), repeat_, 1);
    auto* buttons = new QHBoxLayout;
    for (auto* button : {run_, verify_, cancel_})
        buttons->addWidget(button, 1);
    grid->addLayout(buttons, 2, 0, 1, 4);
    auto* heading = new QLabel(tr("Inputs"), panel);
    heading->setProperty("role", "title");
    heading->setContentsMargins(12, 4, 0, 0);
    auto* layout = new QVBoxLayout(panel);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addLayout(grid);
    layout->addWidget(heading);
    layout->addWidget(inputs_, 1);
    connect(run_, &QPushButton::clicked, this, &RunView::run);
    connect(verify_, &QPushButton::clicked, this, &RunView::verify);
    connect(cancel_, &QPushButton::clicked, &session_, &RunSession::cancel);
    connect(seed_, &QSpinBox::valueChanged, this, [this](int seed) { setup_.setSeed(static_cast<std::uint64_t>(seed)); });
    connect(inputs_, &InputForm::edited, this, [this](const QString& name, const QString& text) { setup_.setInput(name.toStdString(), text.toStdString()); });
    return panel;
}

QWidget* RunView::makeResults(QWidget* parent)
{
    auto* panel = new QWidget(parent);
    headline_ = new QLabel(panel);
    headline_->setWordWrap(true);
    headline_->setTextInteractionFlags(Qt::TextSelectableByMouse);
    details_ = new QLabel(panel);
    details_->setProperty("role", "muted");
    details_->setWordWrap(true);
    progress_ = new QProgressBar(panel);
    progress_->setTextVisible(false);
    progress_->setRange(0, 1000);
    table_ = new QTreeView(panel);
    table_->setRootIsDecorated(false);
    table_->setUniformRowHeights(true);
    table_->setAlternatingRowColors(true);
    log_ = new QPlainTextEdit(panel);
    log_->setReadOnly(true);
    log_->setFrameShape(QFrame::NoFrame);
    log_->setMaximumBlockCount(20000);
    log_->setAccessibleName(tr("Output of T.print"));
    auto* head = new QVBoxLayout;
    head->setContentsMargins(12, 8, 12, 6);
    head->setSpacing(3);
    for (QWidget* w : std::initializer_list<QWidget*>{headline_, details_, progress_})
        head->addWidget(w);
    auto* layout = new QVBoxLayout(panel);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addLayout(head);
    layout->addWidget(table_, 2);
    layout->addWidget(log_, 1);
    progress_->hide();
    log_->hide();
    setHeadline(tr("Not run yet"), "title");
    details_->setText(tr("Run shows the statistics of every output. Verify compares with the reference interpreter."));
    connect(table_, &QTreeView::activated, this, [this](const QModelIndex& index) {
        const auto range = index.data(kRangeRole).value<SourceRange>();
        if (range.isKnown())
            context_.selection.reveal({range, 0});
    });
    connect(table_, &QTreeView::clicked, this, [this](const QModelIndex& index) { Q_EMIT table_->activated(index); });
    return panel;
}

void RunView::applyTheme()
{
    comparisons_->setTheme(theme());
    log_->setFont(codeFont(codeSize() - 1));
}

RunOptions RunView::options()
{
    prepare();
    const auto newest = context_.workbench.newest();
    return {device_->device(), setup_.inputsOf(newest ? newest->function.get() : nullptr), setup_.seed(), repeat_->value()};
}

void RunView::run() { session_.run(options()); }

void RunView::verify()
{
    RunOptions wanted = options();
    if (wanted.device == "interp")
        wanted.device = "cpu";  // the interpreter is what it is compared with
    session_.verify(wanted);
}

void RunView::refresh()
{
    const auto shown = context_.workbench.shown();
    const auto newest = context_.workbench.newest();
    if (!shown && !session_.outcome())
        return showEmpty(tr("Nothing to run yet"), newest ? tr("Mend the errors first; then the kernel can run here.")
                                                          : tr("Open a kernel file to run it on this machine."));
    inputs_->showFunction(shown ? shown->function.get() : nullptr);
    const bool busy = session_.isBusy(), ready = newest && newest->ok() && newest->function;
    run_->setEnabled(!busy && ready);
    verify_->setEnabled(!busy && ready);
    cancel_->setEnabled(busy);
    progress_->setVisible(busy);
    if (busy) {
        setHeadline(tr("Running…"), "title");
        details_->clear();
        progress_->setValue(0);
    }
    if (session_.outcome() != shown_) {
        shown_ = session_.outcome();
        showOutcome(*shown_);
    }
    showContent();
}

void RunView::showProgress(const QString& phase, double fraction)
{
    progress_->setValue(static_cast<int>(fraction * 1000));
    if (session_.isBusy())
        setHeadline(phase == QLatin1String("start")       ? tr("Starting the runner…")
                    : phase == QLatin1String("compile")   ? tr("Compiling…")
                    : phase == QLatin1String("inputs")    ? tr("Making inputs…")
                    : phase == QLatin1String("reference") ? tr("Interpreting the reference…")
                                                          : tr("Running…"),
                    "title");
}

void RunView::setHeadline(const QString& text, const char* role)
{
    headline_->setText(text);
    headline_->setProperty("role", role);
    headline_->style()->unpolish(headline_);
    headline_->style()->polish(headline_);
}

void RunView::showOutcome(const RunOutcome& outcome)
{
    const auto& head = outcome.head();
    log_->setPlainText(outcome.run ? QString::fromStdString(outcome.run->log) : QString());
    log_->setVisible(outcome.run && !outcome.run->log.empty());
    if (outcome.run)
        showRun(*outcome.run);
    else
        showVerify(*outcome.verify, outcome.snapshot);
    const bool wrongAnswer = outcome.verify && head.outcome == protocol::Outcome::kAnswerWrong;
    if (head.cancelled) {
        setHeadline(tr("Cancelled"), "warning");
        details_->setText(tr("after %1").arg(runTimeText(outcome.seconds * 1e6)));
    } else if (head.outcome != protocol::Outcome::kFine && !wrongAnswer) {
        showFailure(head);
    }
}

void RunView::showRun(const protocol::RunResult& result)
{
    outputs_->setOutputs(result.outputs);
    table_->setModel(outputs_);
    for (int c = 0; c < outputs_->columnCount(); ++c)
        table_->resizeColumnToContents(c);
    if (result.samplesUs.empty())
        return;
    const auto samples = static_cast<int>(result.samplesUs.size());
    setHeadline(samples > 1 ? tr("%1 median of %2 runs").arg(runTimeText(median(result.samplesUs))).arg(samples)
                            : tr("Ran in %1").arg(runTimeText(result.samplesUs.front())),
                "good");
    details_->setText(tr("measured on %1, compiled in %2, fastest %3")
                          .arg(QString::fromStdString(result.head.device), runTimeText(result.compileMs * 1e3),
                               runTimeText(*std::min_element(result.samplesUs.begin(), result.samplesUs.end()))));
}

void RunView::showVerify(const protocol::VerifyResult& result, const SnapshotPtr& snapshot)
{
    comparisons_->setComparisons(result.outputs, snapshot && snapshot->function ? snapshot->function.get() : nullptr);
    table_->setModel(comparisons_);
    for (int c = 0; c < comparisons_->columnCount(); ++c)
        table_->resizeColumnToContents(c);
    const bool right = result.head.outcome == protocol::Outcome::kFine;
    setHeadline(right ? tr("The answer is right") : tr("The answer is wrong"), right ? "good" : "error");
    details_->setText(right ? tr("every output agrees with the reference interpreter within the bounds of its type")
                            : tr("click an output to go to the statement that wrote it"));
}

void RunView::showFailure(const protocol::ResultHead& head)
{
    QStringList messages;
    for (const auto& d : head.diagnostics) {
        if (d.severity == Severity::kError)
            messages << QString::fromStdString(d.message);
    }
    setHeadline(messages.isEmpty() ? tr("The run failed") : messages.join(QLatin1Char('\n')), "error");
    const bool lost = std::any_of(head.diagnostics.begin(), head.diagnostics.end(),
                                  [](const Diagnostic& d) { return d.code == Code::kRunnerLost; });
    details_->setText(lost ? tr("Only this run is lost: the next one starts a new runner.")
                           : head.outcome == protocol::Outcome::kCannot ? tr("This device cannot run the kernel.") : QString());
    for (const auto& d : head.diagnostics) {
        if (d.range.isKnown()) {
            context_.selection.select({d.range, 0}, this);
            break;
        }
    }
}

}  // namespace tw::gui
