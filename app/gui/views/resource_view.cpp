#include "app/gui/views/resource_view.h"

#include <QClipboard>
#include <QComboBox>
#include <QGridLayout>
#include <QGuiApplication>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QScopedValueRollback>
#include <QScrollArea>
#include <QSlider>
#include <QSpinBox>
#include <QSplitter>
#include <QToolButton>
#include <QTreeView>

#include "app/gui/models/row_model.h"
#include "app/gui/widgets/icon_button.h"
#include "app/gui/widgets/limit_bars.h"
#include "app/gui/widgets/theme.h"

namespace tw::gui {
namespace {

constexpr int kNoLimit = 999;  // so many blocks fit nowhere
constexpr int kMostRegisters = 255;
constexpr double kShownBlocks = 32;  // what a full bar stands for

QString resourceBytes(std::int64_t bytes)
{
    return QStringLiteral("%L1 B").arg(bytes);
}

}  // namespace

ResourceView::ResourceView(FarStages& stages, ViewContext context, QWidget* parent)
    : View(QStringLiteral("resources"), tr("Resources"), QStringLiteral("resources"), context, parent), stages_(stages),
      rows_(new RowModel({tr("Resource"), tr("Value"), tr("Of")}, {1, 2}, this))
{
    connect(&stages, &FarStages::changed, this, [this] { invalidate(); });
    connect(&context.workbench, &Workbench::snapshotChanged, this, [this] { invalidate(); });
}

void ResourceView::makeContent()
{
    auto* page = new QWidget(frame());
    auto* splitter = new QSplitter(Qt::Vertical, page);
    table_ = new QTreeView(splitter);
    table_->setModel(rows_);
    table_->setRootIsDecorated(false);
    table_->setUniformRowHeights(true);
    table_->header()->setStretchLastSection(false);
    table_->header()->setSectionResizeMode(0, QHeaderView::Stretch);
    table_->header()->setSectionResizeMode(1, QHeaderView::ResizeToContents);
    table_->header()->setSectionResizeMode(2, QHeaderView::ResizeToContents);
    splitter->setChildrenCollapsible(false);
    splitter->addWidget(table_);
    splitter->addWidget(makeWhatIf(splitter));
    splitter->setStretchFactor(0, 1);
    auto* layout = new QVBoxLayout(page);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(makeBar(page));
    layout->addWidget(splitter, 1);
    setContent(page);
    setFoldingSplitter(splitter, 560);
    setFocusProxy(table_);
    connect(choice_, &QComboBox::currentIndexChanged, this, &ResourceView::showLaunch);
}

QWidget* ResourceView::makeBar(QWidget* parent)
{
    auto* bar = barWidget(parent);
    choice_ = new QComboBox(bar);
    choice_->setAccessibleName(tr("Launch"));
    caption_ = new QLabel(bar);
    caption_->setProperty("role", "muted");
    caption_->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    auto* copy = iconButton(QStringLiteral("copy"), tr("Copy the table as CSV"), bar);
    auto* layout = new QHBoxLayout(bar);
    layout->setContentsMargins(8, 3, 6, 3);
    layout->setSpacing(4);
    layout->addWidget(choice_);
    layout->addWidget(caption_, 1);
    layout->addWidget(copy);
    layout->addWidget(makeExportButton([this] { return picture(); }, bar));
    connect(copy, &QToolButton::clicked, this, [this] { QGuiApplication::clipboard()->setText(rows_->toCsv()); });
    return bar;
}

Picture ResourceView::picture() const
{
    const QSizeF size = bars_->sizeHint();
    return {QStringLiteral("occupancy"), size, [this, size](QPainter& painter) { bars_->paintAll(painter, size); }};
}

QWidget* ResourceView::makeWhatIf(QWidget* parent)
{
    auto* panel = new QWidget;
    panel->setProperty("role", "panel");
    panel->setAttribute(Qt::WA_StyledBackground);
    auto* title = new QLabel(tr("What if"), panel);
    title->setProperty("role", "title");
    reset_ = iconButton(QStringLiteral("reset"), tr("Back to the kernel's own numbers"), panel);
    auto* head = new QHBoxLayout;
    head->addWidget(title, 1);
    head->addWidget(reset_);
    auto* grid = new QGridLayout;
    grid->setHorizontalSpacing(10);
    grid->setColumnStretch(1, 1);
    threads_ = addControl(*grid, 0, tr("Threads a block"), 32, {});
    registers_ = addControl(*grid, 1, tr("Registers a thread"), 8, {});
    shared_ = addControl(*grid, 2, tr("Shared memory"), 1024, tr(" B"));
    registers_.box->setSpecialValueText(tr("unknown"));
    verdict_ = new QLabel(panel);
    verdict_->setProperty("role", "title");
    detail_ = new QLabel(panel);
    detail_->setProperty("role", "muted");
    detail_->setWordWrap(true);
    bars_ = new LimitBars(panel);
    auto* layout = new QVBoxLayout(panel);
    layout->setContentsMargins(12, 8, 12, 12);
    layout->setSpacing(8);
    layout->addLayout(head);
    layout->addLayout(grid);
    layout->addSpacing(4);
    layout->addWidget(verdict_);
    layout->addWidget(detail_);
    layout->addWidget(bars_);
    layout->addStretch(1);
    connect(reset_, &QToolButton::clicked, this, [this] {
        following_ = true;
        takeFrom(needs_);
    });
    auto* scroll = new QScrollArea(parent);
    scroll->setWidgetResizable(true);
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setWidget(panel);
    return scroll;
}

ResourceView::Control ResourceView::addControl(QGridLayout& grid, int row, const QString& label, int step, const QString& suffix)
{
    Control control{new QSpinBox(this), new QSlider(Qt::Horizontal, this)};
    control.box->setAccessibleName(label);
    control.box->setSuffix(suffix);
    control.box->setLocale(QLocale(QLocale::English));  // as the table beside it writes thousands
    control.box->setGroupSeparatorShown(true);
    control.box->setSingleStep(step);
    control.box->setMinimumWidth(104);
    control.slider->setAccessibleName(label);
    control.slider->setSingleStep(step);
    control.slider->setPageStep(step * 4);
    grid.addWidget(new QLabel(label, this), row, 0);
    grid.addWidget(control.slider, row, 1);
    grid.addWidget(control.box, row, 2);
    connect(control.slider, &QSlider::valueChanged, control.box, [box = control.box, step](int value) {
        if (value / step != box->value() / step)
            box->setValue((value + step / 2) / step * step);
    });
    connect(control.box, &QSpinBox::valueChanged, this, [this, slider = control.slider](int value) {
        slider->setValue(value);
        if (!taking_)
            following_ = false;
        showOccupancy();
    });
    return control;
}

void ResourceView::applyTheme() { bars_->setColors(theme().color("disabled"), theme().color("accent")); }
bool ResourceView::isSettled() const { return !isShown() || !stages_.isBusy(); }
unsigned ResourceView::farStages() const { return static_cast<unsigned>(driver::StageWanted::kPtx); }

std::vector<ResourceView::Launch> ResourceView::launches(const driver::CompileSnapshot& snapshot) const
{
    const auto result = stages_.result();
    std::vector<Launch> all;
    for (const auto& launch : snapshot.gpuProgram->launches) {
        Launch next{QString::fromStdString(launch.entry), launch.block[0] * launch.block[1] * launch.block[2], launch.staticSharedBytes,
                    launch.dynamicSharedBytes, {}};
        if (result && result->snapshot->target == snapshot.target)
            for (const auto& info : result->launches)
                if (info.entry == launch.entry && info.registers)
                    next.compiled = info;
        all.push_back(std::move(next));
    }
    return all;
}

void ResourceView::refresh()
{
    const auto shown = context_.workbench.shown();
    if (!shown)
        return showEmpty(tr("No resources yet"), tr("What a block of the kernel needs appears here as soon as it compiles."));
    if (!shown->target.isCuda())
        return showEmpty(tr("No multiprocessors on this target"),
                         tr("The target is %1. Choose a CUDA target, such as sm_90a, in the Kernels view.")
                             .arg(QString::fromStdString(shown->target.name)));
    const auto lowered = context_.workbench.lowered();
    if (!lowered)
        return showEmpty(tr("No code for this kernel"), tr("The Problems view says why it does not reach CUDA text."));
    launches_ = launches(*lowered);
    target_ = lowered->target;
    const int keep = std::max(0, choice_->currentIndex());
    {
        const QSignalBlocker blocker(choice_);
        choice_->clear();
        for (const auto& launch : launches_)
            choice_->addItem(launch.name);
        choice_->setCurrentIndex(std::min(keep, choice_->count() - 1));
        choice_->setVisible(choice_->count() > 1);
    }
    showLaunch();
    showContent();
}

void ResourceView::showLaunch()
{
    const int index = choice_->currentIndex();
    if (index < 0 || static_cast<std::size_t>(index) >= launches_.size())
        return;
    const Launch& launch = launches_[static_cast<std::size_t>(index)];
    const auto& made = launch.compiled;
    needs_ = {launch.threads, made ? static_cast<int>(*made->registers) : 0,
              (made ? made->sharedBytes : launch.staticShared) + launch.dynamicShared};
    showRows(launch);
    {
        const QScopedValueRollback taking(taking_, true);
        threads_.box->setRange(1, target_.maxThreadsPerBlock);
        registers_.box->setRange(0, kMostRegisters);
        shared_.box->setRange(0, static_cast<int>(target_.sharedBytesPerBlock));
        for (const auto& c : {threads_, registers_, shared_})
            c.slider->setRange(c.box->minimum(), c.box->maximum());
    }
    if (following_)
        takeFrom(needs_);
    else
        showOccupancy();
    const bool failed = !made && !stages_.isBusy() && !stages_.problems().empty();
    caption_->setText(stages_.isBusy()            ? tr("%1, asking the compiler for registers…").arg(QString::fromStdString(target_.name))
                      : failed                    ? QString::fromStdString(stages_.problems().front().message)
                      : made && stages_.isStale() ? tr("%1, registers of an older text").arg(QString::fromStdString(target_.name))
                                                  : QString::fromStdString(target_.name));
    caption_->setToolTip(caption_->text());
}

void ResourceView::showRows(const Launch& launch)
{
    const auto& made = launch.compiled;
    const QString unknown = QStringLiteral("–");
    const auto optional = [&](const std::optional<std::int64_t>& v) { return v ? QString::number(*v) : unknown; };
    const std::int64_t staticBytes = made ? made->sharedBytes : launch.staticShared;
    const bool spills = made && (made->spillStores.value_or(0) > 0 || made->spillLoads.value_or(0) > 0);
    std::vector<TableRow> rows;
    const auto add = [&](const QString& name, const QString& value, const QString& of, const QString& tip = {}) {
        TableRow row;
        row.cells = {name, value, of};
        row.toolTip = tip;
        rows.push_back(std::move(row));
    };
    add(tr("Threads a block"), QString::number(launch.threads), QString::number(target_.maxThreadsPerBlock));
    add(tr("Registers a thread"), made ? optional(made->registers) : unknown, QString::number(kMostRegisters),
        made ? QString() : tr("Known once NVIDIA's compiler has run."));
    add(tr("Spilled, stores / loads"), made ? tr("%1 / %2 B").arg(made->spillStores.value_or(0)).arg(made->spillLoads.value_or(0)) : unknown, {},
        spills ? tr("Registers do not suffice: values go to memory and back.") : QString());
    add(tr("Stack a thread"), made ? tr("%1 B").arg(made->stackBytes.value_or(0)) : unknown, {});
    add(tr("Shared memory, static"), resourceBytes(staticBytes), {});
    add(tr("Shared memory, dynamic"), resourceBytes(launch.dynamicShared), {});
    add(tr("Shared memory, total"), resourceBytes(staticBytes + launch.dynamicShared), resourceBytes(target_.sharedBytesPerBlock));
    const auto own = target::occupancyOf(target_, needs_);
    add(tr("Occupancy"), tr("%1 %").arg(own.fraction * 100, 0, 'g', 3), {}, tr("limited by %1").arg(QString::fromStdString(own.limiter)));
    for (const auto& limit : own.limits)
        add(limit.resource == "blocks" ? tr("Blocks a multiprocessor takes") : tr("Blocks by %1").arg(QString::fromStdString(limit.resource)), limit.blocks > kNoLimit ? tr("no limit") : QString::number(limit.blocks), {});
    rows_->setRows(std::move(rows));
}

void ResourceView::takeFrom(const target::BlockNeeds& needs)
{
    {
        const QScopedValueRollback taking(taking_, true);
        threads_.box->setValue(static_cast<int>(needs.threads));
        registers_.box->setValue(needs.registers);
        shared_.box->setValue(static_cast<int>(needs.sharedBytes));
    }
    showOccupancy();
}

target::Occupancy ResourceView::occupancy() const
{
    return target::occupancyOf(target_, {threads_.box->value(), registers_.box->value(), shared_.box->value()});
}

void ResourceView::showOccupancy()
{
    if (!target_.isCuda() || taking_)
        return;
    const auto o = occupancy();
    const int warps = target_.maxThreadsPerMultiprocessor / target_.warpSize;
    const QString limiter = QString::fromStdString(o.limiter);
    verdict_->setText(o.blocks == 0 ? tr("Does not fit: %1").arg(limiter)
                                    : tr("Occupancy %1 % — limited by %2").arg(o.fraction * 100, 0, 'g', 3).arg(limiter));
    detail_->setText((o.blocks == 1 ? tr("1 block on a multiprocessor, %1 of %2 warps%3") : tr("%4 blocks on a multiprocessor, %1 of %2 warps%3").replace(QLatin1String("%4"), QString::number(o.blocks)))
                         .arg(static_cast<int>(o.fraction * warps + 0.5))
                         .arg(warps)
                         .arg(registers_.box->value() == 0 ? tr("; registers not known yet") : QString()));
    QList<LimitBar> bars;
    for (const auto& limit : o.limits)
        bars << LimitBar{tr("by %1").arg(QString::fromStdString(limit.resource)), static_cast<double>(limit.blocks),
                         limit.blocks > kNoLimit ? tr("no limit") : limit.blocks == 1 ? tr("1 block") : tr("%1 blocks").arg(limit.blocks)};
    bars_->setBars(std::move(bars), kShownBlocks);
    reset_->setEnabled(!following_);
}

}  // namespace tw::gui
