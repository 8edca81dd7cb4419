#include "app/gui/views/metric_dialog.h"

#include <QDialogButtonBox>
#include <QHeaderView>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QStackedWidget>
#include <QTreeView>
#include <QVBoxLayout>

#include "app/gui/models/metric_model.h"
#include "app/gui/widgets/elided_label.h"
#include "app/gui/widgets/empty_state.h"

namespace tw::gui {
namespace {
constexpr int kQuietMs = 120;  // of silence before the runner is asked
constexpr int kPage = 8;       // rows of PageUp and PageDown
}  // namespace

MetricDialog::MetricDialog(ProfileSession& session, std::string device, std::string target, QWidget* parent)
    : QDialog(parent), session_(session), device_(std::move(device)), target_(std::move(target)), search_(session, this),
      model_(new MetricModel(this)), line_(new QLineEdit(this)), pages_(new QStackedWidget(this)), table_(makeTable(pages_)),
      nothing_(new EmptyState(QStringLiteral("counters"), pages_))
{
    setWindowTitle(tr("Counters of the next profile"));
    resize(1040, 560);
    line_->setPlaceholderText(tr("Search by name or meaning: bank conflict, dram, tensor…"));
    line_->setAccessibleName(tr("Search counters"));
    line_->setClearButtonEnabled(true);
    line_->installEventFilter(this);
    pages_->addWidget(table_);
    pages_->addWidget(nothing_);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(10, 10, 10, 10);
    layout->setSpacing(8);
    layout->addWidget(line_);
    layout->addWidget(pages_, 1);
    layout->addWidget(makeFoot(this));
    quiet_.setSingleShot(true);
    quiet_.setInterval(kQuietMs);
    connect(&quiet_, &QTimer::timeout, this, &MetricDialog::find);
    connect(line_, &QLineEdit::textChanged, &quiet_, qOverload<>(&QTimer::start));
    connect(&search_, &MetricSearch::changed, this, &MetricDialog::showResult);
    model_->setChosen(session_.wanted().metrics);
    connect(model_, &MetricModel::chosenChanged, this, [this] {
        session_.wanted().metrics = model_->chosen();
        showNote();
    });
    showNote();
    nothing_->setMessage(tr("Asking for the chip's counters…"), {});
    pages_->setCurrentWidget(nothing_);
    find();
}

QTreeView* MetricDialog::makeTable(QWidget* parent)
{
    auto* table = new QTreeView(parent);
    table->setModel(model_);
    table->setRootIsDecorated(false);
    table->setUniformRowHeights(true);
    table->setAlternatingRowColors(true);
    table->header()->setStretchLastSection(true);
    table->header()->resizeSection(MetricModel::kName, 400);
    table->header()->resizeSection(MetricModel::kUnit, 90);
    table->header()->resizeSection(MetricModel::kPasses, 70);
    connect(table, &QTreeView::activated, model_, &MetricModel::toggle);
    return table;
}

QWidget* MetricDialog::makeFoot(QWidget* parent)
{
    auto* foot = new QWidget(parent);
    note_ = new QLabel(foot);
    note_->setWordWrap(true);
    chip_ = new ElidedLabel(foot);
    chip_->setProperty("role", "muted");
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close, foot);
    clear_ = buttons->addButton(tr("Choose none"), QDialogButtonBox::ResetRole);
    for (auto* button : buttons->findChildren<QPushButton*>())
        button->setAutoDefault(false);  // Enter belongs to the list
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::close);
    connect(clear_, &QPushButton::clicked, this, [this] { model_->setChosen({}); });
    auto* texts = new QVBoxLayout;
    texts->setSpacing(2);
    texts->addWidget(note_);
    texts->addWidget(chip_);
    auto* layout = new QHBoxLayout(foot);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addLayout(texts, 1);
    layout->addWidget(buttons, 0, Qt::AlignBottom);
    return foot;
}

QString MetricDialog::noteText() const { return note_->text(); }

void MetricDialog::find() { search_.find(device_, line_->text().simplified().toStdString(), target_); }

void MetricDialog::showResult()
{
    const auto& result = search_.result();
    const QString problem = search_.problem();
    const auto listed = static_cast<int>(result.metrics.size());
    const auto counters = static_cast<int>(std::count_if(result.metrics.begin(), result.metrics.end(), [](const auto& m) { return m.sets.empty(); }));
    model_->setMetrics(result.metrics);
    chip_->setText(result.chip.empty() ? QString()
                                       : tr("%1, %2: %3 counters fit%4")
                                             .arg(QString::fromStdString(result.chip), QString::fromStdString(result.library))
                                             .arg(result.found + listed - counters)
                                             .arg(counters < result.found ? tr(", the first %1 are listed").arg(listed) : QString()));
    if (!problem.isEmpty())
        nothing_->setMessage(tr("No counters here"), tr("%1.\nAn NVIDIA GPU counts, with CUPTI of the CUDA toolkit: this machine's, or one that ssh reaches.").arg(problem.at(0).toUpper() + problem.mid(1)));
    else
        nothing_->setMessage(tr("No counter is called so"), tr("Words are searched in names and meanings; all of them must be there."));
    pages_->setCurrentWidget(listed == 0 ? static_cast<QWidget*>(nothing_) : table_);
    if (listed > 0)
        table_->setCurrentIndex(model_->index(0, 0));
}

void MetricDialog::showNote()
{
    const auto count = model_->chosen().size();
    const bool measures = device_.find("cuda") != std::string::npos;
    const QString what = count == 0 ? tr("None chosen: a profile counts its headline numbers.")
                         : count == 1 ? tr("1 chosen, beside the headline numbers.") : tr("%1 chosen, beside the headline numbers.").arg(count);
    note_->setText(measures ? what : what + QLatin1Char(' ') + tr("They are counted once the device is a GPU; it is %1 now.").arg(QString::fromStdString(device_)));
    clear_->setEnabled(count > 0);
}

void MetricDialog::moveCurrent(int rows)
{
    const int count = model_->rowCount();
    if (count > 0)
        table_->setCurrentIndex(model_->index(std::clamp(table_->currentIndex().row() + rows, 0, count - 1), 0));
}

// The list is walked from the search line: arrows move, Enter chooses.
bool MetricDialog::eventFilter(QObject* watched, QEvent* event)
{
    if (event->type() == QEvent::KeyPress) {
        switch (static_cast<QKeyEvent*>(event)->key()) {
        case Qt::Key_Down: moveCurrent(1); return true;
        case Qt::Key_Up: moveCurrent(-1); return true;
        case Qt::Key_PageDown: moveCurrent(kPage); return true;
        case Qt::Key_PageUp: moveCurrent(-kPage); return true;
        case Qt::Key_Return:
        case Qt::Key_Enter: model_->toggle(table_->currentIndex()); return true;
        default: break;
        }
    }
    return QDialog::eventFilter(watched, event);
}

}  // namespace tw::gui
