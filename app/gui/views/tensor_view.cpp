#include "app/gui/views/tensor_view.h"

#include <QClipboard>
#include <QComboBox>
#include <QGuiApplication>
#include <QHBoxLayout>
#include <QLabel>
#include <QSpinBox>
#include <QStackedWidget>
#include <QTableView>
#include <QToolButton>

#include <limits>

#include "app/gui/models/matrix_model.h"
#include "app/gui/models/run_models.h"
#include "app/gui/widgets/color_scale.h"
#include "app/gui/widgets/export_picture.h"
#include "app/gui/widgets/heat_map.h"
#include "app/gui/widgets/icon_button.h"

namespace tw::gui {

TensorView::TensorView(RunSession& session, ViewContext context, QWidget* parent)
    : View(QStringLiteral("tensor"), tr("Tensor"), QStringLiteral("tensor"), context, parent), session_(session), matrix_(new MatrixModel(this))
{
    connect(&session, &RunSession::finished, this, [this] { invalidate(); });
}

void TensorView::makeContent()
{
    auto* page = new QWidget(frame());
    map_ = new HeatMap(page);
    scale_ = new ColorScale(page);
    auto* picture = new QWidget;
    auto* body = new QHBoxLayout(picture);
    body->setContentsMargins(0, 0, 0, 0);
    body->setSpacing(0);
    body->addWidget(map_, 1);
    body->addWidget(scale_);
    table_ = new QTableView;
    table_->setModel(matrix_);
    pages_ = new QStackedWidget(page);
    pages_->addWidget(picture);
    pages_->addWidget(table_);
    auto* layout = new QVBoxLayout(page);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(makeBar(page));
    layout->addWidget(pages_, 1);
    setContent(page);
    connect(choice_, &QComboBox::currentIndexChanged, this, &TensorView::chooseOutput);
    connect(map_, &HeatMap::hovered, this, [this](int row, int column) {
        if (row < 0 || !output_)
            return hover_->setText(hint());
        const auto columns = output_->shape.empty() ? 1 : output_->shape.back();
        hover_->setText(QStringLiteral("[%1, %2] = %3")
                            .arg(row)
                            .arg(column)
                            .arg(output_->data->floatAt(sliceOffset() + row * columns + column), 0, 'g', 9));
    });
}

QString TensorView::hint() { return tr("wheel or + and - zoom, drag or arrows pan, 0 shows all"); }

QWidget* TensorView::makeBar(QWidget* parent)
{
    auto* bar = barWidget(parent);
    choice_ = new QComboBox(bar);
    choice_->setMinimumWidth(160);
    choice_->setAccessibleName(tr("Output"));
    slices_ = new QHBoxLayout;
    hover_ = new QLabel(hint(), bar);
    hover_->setProperty("role", "muted");
    hover_->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    auto* copy = iconButton(QStringLiteral("copy"), tr("Copy what is shown as CSV"), bar);
    auto* fit = iconButton(QStringLiteral("fit"), tr("Show all (0)"), bar);
    auto* asTable = iconButton(QStringLiteral("table"), tr("As a table"), bar);
    asTable->setCheckable(true);
    auto* layout = new QHBoxLayout(bar);
    layout->setContentsMargins(8, 3, 6, 3);
    layout->addWidget(choice_);
    layout->addLayout(slices_);
    layout->addWidget(hover_, 1);
    for (QWidget* w : std::initializer_list<QWidget*>{copy, fit, asTable, makeExportButton([this] { return picture(); }, bar)})
        layout->addWidget(w);
    connect(fit, &QToolButton::clicked, map_, &HeatMap::fit);
    connect(copy, &QToolButton::clicked, this, [this] { QGuiApplication::clipboard()->setText(matrix_->toCsv()); });
    connect(asTable, &QToolButton::toggled, pages_, [this](bool table) { pages_->setCurrentIndex(table ? 1 : 0); });
    return bar;
}

Picture TensorView::picture() const
{
    const QSizeF size = map_->sizeOfAll();
    return {choice_->currentText().section(QLatin1Char(' '), 0, 0), size, [this, size](QPainter& painter) { map_->paintAll(painter, size); }};
}

void TensorView::refresh()
{
    const auto outcome = session_.outcome();
    if (!outcome || !outcome->run || outcome->run->outputs.empty()) {
        if (!outcome_)
            showEmpty(tr("No tensor yet"), tr("Run the kernel (F5): its outputs are drawn here."));
        return;
    }
    const int keep = std::max(0, choice_->currentIndex());
    const QSignalBlocker blocker(choice_);
    outcome_ = outcome;
    choice_->clear();
    for (const auto& o : outcome_->run->outputs)
        choice_->addItem(QStringLiteral("%1   %2").arg(QString::fromStdString(o.name), shapeText(o.shape)));
    choice_->setCurrentIndex(std::min(keep, choice_->count() - 1));
    chooseOutput();
    showContent();
}

void TensorView::chooseOutput()
{
    const auto& outputs = outcome_->run->outputs;
    const auto index = static_cast<std::size_t>(std::max(0, choice_->currentIndex()));
    output_ = index < outputs.size() && outputs[index].data ? &outputs[index] : nullptr;
    qDeleteAll(sliceBoxes_);
    sliceBoxes_.clear();
    if (!output_) {
        matrix_->setMatrix(0, 0, {});
        return map_->setData({});
    }
    for (std::size_t axis = 0; axis + 2 < output_->shape.size(); ++axis) {
        auto* box = new QSpinBox(this);
        box->setRange(0, static_cast<int>(output_->shape[axis]) - 1);
        box->setPrefix(tr("axis %1: ").arg(axis));
        connect(box, &QSpinBox::valueChanged, this, &TensorView::showSlice);
        slices_->addWidget(box);
        sliceBoxes_ << box;
    }
    showSlice();
}

std::int64_t TensorView::sliceOffset() const
{
    std::int64_t offset = 0;
    for (std::size_t axis = 0; axis < output_->shape.size(); ++axis) {
        const auto box = static_cast<qsizetype>(axis);
        offset = offset * output_->shape[axis] + (box < sliceBoxes_.size() ? sliceBoxes_[box]->value() : 0);
    }
    return offset;
}

void TensorView::showSlice()
{
    const auto& shape = output_->shape;
    constexpr std::int64_t kMost = std::numeric_limits<int>::max();
    HeatData matrix;
    matrix.columns = static_cast<int>(std::min(kMost, shape.empty() ? 1 : shape.back()));
    matrix.rows = static_cast<int>(std::min(kMost, shape.size() < 2 ? 1 : shape[shape.size() - 2]));
    matrix.min = output_->min.value_or(0);
    matrix.max = output_->max.value_or(0);
    matrix.at = [outcome = outcome_, tensor = &*output_->data, offset = sliceOffset(), columns = std::int64_t{matrix.columns}](
                  int row, int column) { return tensor->floatAt(offset + row * columns + column); };
    matrix_->setMatrix(matrix.rows, matrix.columns, matrix.at);
    map_->setData(std::move(matrix));
    scale_->setRange(output_->min.value_or(0), output_->max.value_or(0));
}

}  // namespace tw::gui
