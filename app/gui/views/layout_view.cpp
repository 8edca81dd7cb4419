#include "app/gui/views/layout_view.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QSpinBox>
#include <QStackedWidget>
#include <QTableView>
#include <QToolButton>

#include "app/gui/models/place_model.h"
#include "app/gui/session/selection.h"
#include "app/gui/session/workbench.h"
#include "app/gui/widgets/cell_grid.h"
#include "app/gui/widgets/elided_label.h"
#include "app/gui/widgets/heat_map.h"
#include "app/gui/widgets/icon_button.h"
#include "app/gui/widgets/theme.h"

namespace tw::gui {
namespace {

constexpr int kWarp = 32, kBanks = 32;
constexpr int kRowOfVector = 32;   // a vector is folded into rows of that many
constexpr double kExportCell = 24, kExportSide = 4096;

}  // namespace

LayoutView::LayoutView(ViewContext context, QWidget* parent)
    : View(QStringLiteral("layout"), tr("Layout"), QStringLiteral("fragment"), context, parent),
      model_(new PlaceModel(this))
{
    connect(&context.workbench, &Workbench::snapshotChanged, this, [this] { invalidate(); });
}

void LayoutView::makeContent()
{
    auto* page = new QWidget(frame());
    auto* stack = new QStackedWidget(page);
    grid_ = new CellGrid(stack);
    table_ = new QTableView(stack);
    table_->setModel(model_);
    table_->verticalHeader()->hide();
    table_->setShowGrid(false);
    table_->setSelectionBehavior(QAbstractItemView::SelectRows);
    table_->horizontalHeader()->setSectionResizeMode(QHeaderView::Stretch);
    stack->addWidget(grid_);
    stack->addWidget(table_);
    auto* layout = new QVBoxLayout(page);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(makeBar(page));
    layout->addWidget(stack, 1);
    layout->addWidget(makeFoot(page));
    setContent(page);
    setFocusProxy(grid_);
    connect(asTable_, &QToolButton::toggled, stack, [stack](bool table) { stack->setCurrentIndex(table ? 1 : 0); });
    connect(choice_, &QComboBox::currentIndexChanged, this, [this] { showBuffer(); });
    connect(choice_, &QComboBox::activated, this, [this](int index) {
        const auto& tile = layouts_[static_cast<std::size_t>(index)];
        chosen_ = tile.name;
        context_.selection.select({tile.where.range, tile.where.op}, this);
    });
    connect(colors_, &QComboBox::currentIndexChanged, this, [this] { showSlice(); });
    connect(grid_, &CellGrid::hovered, this, &LayoutView::showHover);
    connect(grid_, &CellGrid::currentChanged, this, &LayoutView::showHover);
}

QWidget* LayoutView::makeBar(QWidget* parent)
{
    auto* bar = barWidget(parent);
    choice_ = new QComboBox(bar);
    choice_->setAccessibleName(tr("Buffer"));
    choice_->setToolTip(tr("Fragment or shared buffer"));
    choice_->setSizeAdjustPolicy(QComboBox::AdjustToContents);
    colors_ = new QComboBox(bar);
    colors_->setAccessibleName(tr("Colour"));
    colors_->setToolTip(tr("What the colours mean"));
    slices_ = new QHBoxLayout;
    facts_ = new ElidedLabel(bar);
    facts_->setProperty("role", "muted");
    asTable_ = iconButton(QStringLiteral("table"), tr("As a table"), bar);
    asTable_->setCheckable(true);
    auto* fit = iconButton(QStringLiteral("fit"), tr("Show all (0)"), bar);
    connect(fit, &QToolButton::clicked, grid_, &CellGrid::fit);
    auto* layout = new QHBoxLayout(bar);
    layout->setContentsMargins(8, 3, 6, 3);
    layout->setSpacing(6);
    layout->addWidget(choice_);
    layout->addWidget(colors_);
    layout->addLayout(slices_);
    layout->addWidget(facts_, 1);
    layout->addWidget(fit);
    layout->addWidget(asTable_);
    layout->addWidget(makeExportButton([this] { return picture(); }, bar));
    return bar;
}

QWidget* LayoutView::makeFoot(QWidget* parent)
{
    auto* foot = barWidget(parent);
    hover_ = new QLabel(foot);
    auto* title = new QLabel(tr("Why this layout"), foot);
    title->setProperty("role", "title");
    title->setContentsMargins(0, 3, 0, 0);
    reason_ = new QLabel(foot);
    reason_->setProperty("role", "muted");
    reason_->setTextInteractionFlags(Qt::TextSelectableByMouse);
    reason_->setWordWrap(true);
    bits_ = new QLabel(foot);
    bits_->setProperty("role", "muted");
    bits_->setTextInteractionFlags(Qt::TextSelectableByMouse);
    bits_->setWordWrap(true);
    auto* layout = new QVBoxLayout(foot);
    layout->setContentsMargins(12, 5, 12, 6);
    layout->setSpacing(2);
    for (QWidget* w : std::initializer_list<QWidget*>{hover_, title, reason_, bits_})
        layout->addWidget(w);
    return foot;
}

QString LayoutView::hoverText() const { return hover_->text(); }
QString LayoutView::reasonText() const { return reason_->text(); }
QString LayoutView::bitText() const { return bits_->text(); }

void LayoutView::refresh()
{
    const auto shown = context_.workbench.shown();
    if (!shown)
        return showEmpty(tr("No layouts yet"), tr("Where the elements of every tile lie appears here as soon as the kernel compiles."));
    if (!shown->target.isCuda())
        return showEmpty(tr("No layouts on this target"),
                         tr("The target is %1. Choose a CUDA target, such as sm_90a, in the Kernels view.")
                             .arg(QString::fromStdString(shown->target.name)));
    layouts_ = collectLayouts(*shown);
    if (layouts_.empty())
        return showEmpty(tr("No tiles"), tr("This kernel has no fragment and no shared buffer, or an error keeps it from its layouts."));
    {
        const QSignalBlocker blocker(choice_);
        choice_->clear();
        for (const auto& l : layouts_)
            choice_->addItem(QStringLiteral("%1   %2").arg(l.name, l.shapeText()));
        const auto kept = std::find_if(layouts_.begin(), layouts_.end(), [&](const TileLayout& l) { return l.name == chosen_; });
        choice_->setCurrentIndex(kept == layouts_.end() ? 0 : static_cast<int>(kept - layouts_.begin()));
    }
    showBuffer();
    showContent();
}

void LayoutView::choose(const QString& buffer)
{
    chosen_ = buffer;
    invalidate();
}

LayoutView::ColorBy LayoutView::colorBy() const { return static_cast<ColorBy>(colors_->currentData().toInt()); }

void LayoutView::setColorBy(ColorBy by)
{
    if (const int index = colors_->findData(static_cast<int>(by)); index >= 0)
        colors_->setCurrentIndex(index);
}

void LayoutView::showColors()
{
    const auto wanted = static_cast<int>(colorBy());
    const QSignalBlocker blocker(colors_);
    colors_->clear();
    const auto add = [&](const QString& text, ColorBy by) { colors_->addItem(text, static_cast<int>(by)); };
    if (places_ && !places_->isFragment()) {
        add(tr("by bank"), ColorBy::kBank);
        add(tr("by address"), ColorBy::kAddress);
    } else {
        add(tr("by thread"), ColorBy::kThread);
        add(tr("by warp"), ColorBy::kWarp);
        add(tr("by register"), ColorBy::kRegister);
    }
    colors_->setCurrentIndex(std::max(0, colors_->findData(wanted)));
}

void LayoutView::showBuffer()
{
    const int index = choice_->currentIndex();
    if (index < 0)
        return;
    const TileLayout& layout = layouts_[static_cast<std::size_t>(index)];
    places_ = LayoutPlaces::make(layout);
    model_->setPlaces(places_);
    showColors();
    qDeleteAll(sliceBoxes_);
    sliceBoxes_.clear();
    for (std::size_t axis = 0; axis + 2 < layout.shape.size(); ++axis) {
        auto* box = new QSpinBox(this);
        box->setRange(0, static_cast<int>(layout.shape[axis]) - 1);
        box->setPrefix(tr("axis %1: ").arg(axis));
        connect(box, &QSpinBox::valueChanged, this, &LayoutView::showSlice);
        slices_->addWidget(box);
        sliceBoxes_ << box;
    }
    if (!places_)
        facts_->setText(tr("%1, too large or too irregular to draw").arg(layout.type));
    else if (places_->isFragment())
        facts_->setText(tr("%1 · %2 threads × %3 registers%4")
                            .arg(layout.type)
                            .arg(places_->threadCount())
                            .arg(places_->registerCount())
                            .arg(places_->copies() > 1 ? tr(" · %1 copies").arg(places_->copies()) : QString()));
    else
        facts_->setText(tr("%1 · %L2 B of shared memory").arg(layout.type).arg(places_->bytes()));
    showReason(layout);
    showBits(layout);
    showSlice();
}

void LayoutView::showBits(const TileLayout& layout)
{
    const QString bits = layout.bitText();
    bits_->setVisible(!bits.isEmpty());
    bits_->setFont(codeFont(codeSize() - 1));
    bits_->setText(bits.isEmpty() ? QString() : tr("bits, lowest first: %1").arg(bits));
    bits_->setToolTip(layout.isFragment ? tr("Which bits of the thread number (t) and of the register number (r) make each coordinate, from the lowest bit on")
                                        : tr("Which bits of the coordinates make the place in memory, from the lowest bit on; ^ is exclusive or"));
}

void LayoutView::showReason(const TileLayout& layout)
{
    if (!layout.why.isEmpty())
        return reason_->setText(layout.why);
    if (!places_ || places_->isFragment() || places_->isRowMajor())
        return reason_->setText(tr("Nobody demanded anything else of it."));
    reason_->setText(tr("Chunks of a row are permuted or padded, so that the same chunk of neighbouring rows lies in different banks."));
}

void LayoutView::showSlice()
{
    if (!places_) {
        grid_->setData({});
        return showHover(-1, -1);
    }
    const auto& shape = places_->shape();
    const bool isVector = shape.size() < 2;
    columns_ = static_cast<int>(isVector ? std::min<std::int64_t>(kRowOfVector, places_->count()) : shape.back());
    rows_ = static_cast<int>(isVector ? (places_->count() + columns_ - 1) / columns_ : shape[shape.size() - 2]);
    first_ = 0;
    for (std::size_t axis = 0; axis + 2 < shape.size(); ++axis)
        first_ = first_ * shape[axis] + sliceBoxes_[static_cast<qsizetype>(axis)]->value();
    first_ *= isVector ? 0 : std::int64_t{rows_} * columns_;
    CellGridData cells;
    cells.rows = rows_;
    cells.columns = columns_;
    cells.rowLabelStep = isVector ? columns_ : 1;
    cells.color = [this](int row, int column) { return colorOf(elementAt(row, column)); };
    cells.lines = [this](int row, int column) { return linesOf(elementAt(row, column)); };
    cells.group = [this](int row, int column) { return groupOf(elementAt(row, column)); };
    grid_->setData(std::move(cells));
    showHover(grid_->current().y(), grid_->current().x());
}

std::int64_t LayoutView::elementAt(int row, int column) const
{
    const std::int64_t element = first_ + std::int64_t{row} * columns_ + column;
    return row < 0 || column < 0 || !places_ || element >= places_->count() ? -1 : element;
}

QColor LayoutView::colorOf(std::int64_t element) const
{
    if (element < 0)
        return {};
    const auto sequential = [](std::int64_t value, std::int64_t count) {
        return QColor(heatColor(count > 1 ? static_cast<double>(value) / static_cast<double>(count - 1) : 0.5));
    };
    switch (colorBy()) {
    case ColorBy::kThread: return categoryColor(static_cast<int>(places_->thread(element)), theme().isDark());
    case ColorBy::kWarp: return categoryColor(static_cast<int>(places_->thread(element) / kWarp), theme().isDark());
    case ColorBy::kRegister: return sequential(places_->registerOf(element), places_->registerCount());
    case ColorBy::kBank:
        return QColor::fromHslF(static_cast<float>(places_->bank(element)) / kBanks, theme().isDark() ? 0.45F : 0.62F, theme().isDark() ? 0.44F : 0.74F);
    case ColorBy::kAddress: return sequential(places_->address(element), places_->bytes());
    }
    return {};
}

QStringList LayoutView::linesOf(std::int64_t element) const
{
    if (element < 0)
        return {};
    if (!places_->isFragment())
        return {tr("b%1").arg(places_->bank(element)), QString::number(places_->address(element))};
    return {tr("t%1").arg(places_->thread(element)), tr("r%1").arg(places_->registerOf(element))};
}

int LayoutView::groupOf(std::int64_t element) const
{
    if (element < 0)
        return -1;
    if (!places_->isFragment())
        return places_->bank(element);
    return static_cast<int>(colorBy() == ColorBy::kRegister ? places_->registerOf(element) : places_->thread(element));
}

void LayoutView::showHover(int row, int column)
{
    std::int64_t element = elementAt(row, column);
    if (element < 0)
        element = elementAt(grid_->current().y(), grid_->current().x());
    hover_->setText(element >= 0 ? places_->describe(element) : tr("Point at a cell, or walk with the arrow keys; wheel zooms, 0 shows all."));
}

Picture LayoutView::picture() const
{
    const double cell = std::clamp(kExportSide / std::max({1, rows_, columns_}), 1.0, kExportCell);
    return {QStringLiteral("layout-%1").arg(chosen_.isEmpty() ? QStringLiteral("tile") : chosen_), grid_->sizeOfAll(cell),
            [this, cell](QPainter& painter) { grid_->paintAll(painter, cell); }};
}

}  // namespace tw::gui
