#include "app/gui/views/kernel_view.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QPainter>
#include <QPushButton>
#include <QSplitter>
#include <QStyledItemDelegate>
#include <QTreeView>

#include "app/gui/session/selection.h"
#include "app/gui/session/workbench.h"
#include "app/gui/views/parameter_form.h"
#include "app/gui/widgets/icon_button.h"

namespace tw::gui {
namespace {

// The name, and behind it the details in the muted colour, elided.
class DetailDelegate final : public QStyledItemDelegate {
public:
    using QStyledItemDelegate::QStyledItemDelegate;

    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override
    {
        QStyledItemDelegate::paint(painter, option, index);
        const QString detail = index.data(kDetailRole).toString();
        QStyleOptionViewItem item = option;
        initStyleOption(&item, index);
        const QRect text = item.widget->style()->subElementRect(QStyle::SE_ItemViewItemText, &item, item.widget);
        const int used = text.left() + option.fontMetrics.horizontalAdvance(item.text) + 16;
        const QRect rect(QPoint(used, option.rect.top()), QPoint(option.rect.right() - 6, option.rect.bottom()));
        if (detail.isEmpty() || rect.width() < 24)
            return;
        painter->setPen(option.palette.color(QPalette::PlaceholderText));
        painter->drawText(rect, Qt::AlignLeft | Qt::AlignVCenter,
                          option.fontMetrics.elidedText(detail, Qt::ElideRight, rect.width()));
    }
};

}  // namespace

KernelView::KernelView(ViewContext context, QWidget* parent)
    : View(QStringLiteral("kernels"), tr("Kernels"), QStringLiteral("kernels"), context, parent),
      model_(new KernelModel(this))
{
    connect(&context.workbench, &Workbench::snapshotChanged, this, [this] { invalidate(); });
    connect(&context.workbench, &Workbench::choiceChanged, this, [this] { invalidate(); });
}

void KernelView::makeContent()
{
    auto* page = new QWidget(frame());
    auto* splitter = new QSplitter(Qt::Vertical, page);
    tree_ = new QTreeView(splitter);
    tree_->setModel(model_);
    tree_->setHeaderHidden(true);
    tree_->setUniformRowHeights(true);
    tree_->setIndentation(14);
    tree_->setItemDelegate(new DetailDelegate(tree_));
    splitter->setChildrenCollapsible(false);
    splitter->addWidget(tree_);
    splitter->addWidget(makeParameterPanel(splitter));
    splitter->setStretchFactor(0, 2);
    splitter->setStretchFactor(1, 3);
    auto* layout = new QVBoxLayout(page);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(makeTargetBar(page));
    layout->addWidget(splitter, 1);
    setContent(page);
    setFocusProxy(tree_);
    connect(tree_, &QTreeView::clicked, this, &KernelView::choose);
    connect(tree_, &QTreeView::activated, this, [this](const QModelIndex& index) {
        choose(index);
        context_.selection.reveal({index.data(kRangeRole).value<SourceRange>(), 0});
    });
}

QWidget* KernelView::makeTargetBar(QWidget* parent)
{
    auto* bar = barWidget(parent);
    auto* caption = new QLabel(tr("Target"), bar);
    caption->setProperty("role", "title");
    target_ = new QComboBox(bar);
    target_->setToolTip(tr("What the kernels are compiled for"));
    target_->setAccessibleName(tr("Target"));
    target_->addItem(QString());
    for (const auto& target : target::all())
        target_->addItem(QString::fromStdString(target.name));
    auto* layout = new QHBoxLayout(bar);
    layout->setContentsMargins(12, 4, 8, 4);
    layout->addWidget(caption);
    layout->addWidget(target_, 1);
    connect(target_, &QComboBox::activated, this, [this](int index) {
        context_.workbench.setTarget(index == 0 ? std::nullopt : std::optional(target_->itemText(index).toStdString()));
    });
    showTarget();
    return bar;
}

// The first entry leaves the choice to the file, and says what that is.
void KernelView::showTarget()
{
    const auto snapshot = context_.workbench.newest();
    const auto& chosen = context_.workbench.target();
    target_->setItemText(0, snapshot && !chosen ? tr("as the file says: %1").arg(QString::fromStdString(snapshot->target.name))
                                                : tr("as the file says"));
    target_->setCurrentIndex(chosen ? std::max(0, target_->findText(QString::fromStdString(*chosen))) : 0);
}

QWidget* KernelView::makeParameterPanel(QWidget* parent)
{
    auto* panel = new QWidget(parent);
    auto* bar = barWidget(panel);
    caption_ = new QLabel(tr("Parameters"), bar);
    caption_->setProperty("role", "title");
    reset_ = new QPushButton(tr("Reset"), bar);
    reset_->setToolTip(tr("Take all values from the file again"));
    auto* barLayout = new QHBoxLayout(bar);
    barLayout->setContentsMargins(12, 4, 8, 4);
    barLayout->addWidget(caption_, 1);
    barLayout->addWidget(reset_);
    form_ = new ParameterForm(context_.workbench, panel);
    auto* layout = new QVBoxLayout(panel);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(bar);
    layout->addWidget(form_, 1);
    connect(reset_, &QPushButton::clicked, &context_.workbench, &Workbench::resetParameters);
    connect(form_, &ParameterForm::writeRequested, this, &KernelView::writeRequested);
    return panel;
}

void KernelView::choose(const QModelIndex& index)
{
    context_.workbench.choose(index.data(kKernelRole).toString().toStdString(),
                              index.data(kInstanceRole).toString().toStdString());
}

void KernelView::refresh()
{
    if (awaitsFirstResult())
        return;
    showTarget();
    auto snapshot = context_.workbench.newest();
    // While the text has syntax errors, the kernels of the last good text stay.
    if (snapshot && (!snapshot->program || snapshot->program->kernels().empty()) && context_.workbench.shown())
        snapshot = context_.workbench.shown();
    if (!snapshot || !snapshot->program || snapshot->program->kernels().empty()) {
        model_->setProgram(nullptr);
        if (!snapshot)
            return showEmpty(tr("No file is open"), tr("Open a TileLang file to see its kernels."));
        return showEmpty(tr("No kernels here"),
                         tr("A kernel is a function with @T.prim_func, @tilelang.jit or @tl.kernel."));
    }
    const bool firstTime = model_->rowCount() == 0;
    model_->setProgram(snapshot->program);
    if (firstTime || tree_->currentIndex() == QModelIndex())
        tree_->expandAll();
    selectChosen();
    const auto* kernel = snapshot->program->find(snapshot->kernel.empty() ? snapshot->program->kernels().front().name
                                                                          : snapshot->kernel);
    form_->showKernel(kernel, *snapshot);
    const auto& choice = context_.workbench.choice();
    reset_->setEnabled(!choice.params.empty() || !choice.dims.empty());
    showContent();
}

void KernelView::selectChosen()
{
    const auto& choice = context_.workbench.choice();
    const auto index = model_->find(choice.kernel, choice.instance);
    if (index.isValid() && tree_->currentIndex() != index)
        tree_->setCurrentIndex(index);
}

}  // namespace tw::gui
