#include "app/gui/views/code_view.h"

#include <QClipboard>
#include <QComboBox>
#include <QGuiApplication>
#include <QHBoxLayout>
#include <QLabel>
#include <QToolButton>

#include "app/gui/views/listing_panel.h"

namespace tw::gui {

CodeView::Kind CodeView::llvm()
{
    return {QStringLiteral("llvm"), tr("LLVM IR"), QStringLiteral("llvm"), Language::kLlvm,
            {{tr("Optimised"), [](const FarResult& r) { return r.llvmOptimized; }},
             {tr("As generated"), [](const FarResult& r) { return r.llvmIr; }}}};
}

CodeView::Kind CodeView::assembly()
{
    return {QStringLiteral("assembly"), tr("Assembly"), QStringLiteral("assembly"), Language::kAssembly,
            {{QString(), [](const FarResult& r) { return r.assembly; }}}};
}

CodeView::CodeView(Kind kind, FarStages& stages, ViewContext context, QWidget* parent)
    : View(kind.name, kind.title, kind.iconName, context, parent), kind_(std::move(kind)), stages_(stages),
      listing_(new ListingPanel(kind_.language, context.selection, this))
{
    auto* page = new QWidget(this);
    auto* layout = new QVBoxLayout(page);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(makeBar(page));
    layout->addWidget(listing_, 1);
    setContent(page);
    setFocusProxy(listing_);
    connect(this, &QDockWidget::visibilityChanged, this, &CodeView::shownChanged);
    connect(&stages, &FarStages::changed, this, [this] { invalidate(); });
    connect(&context.workbench, &Workbench::snapshotChanged, this, [this] { invalidate(); });
}

QWidget* CodeView::makeBar(QWidget* parent)
{
    auto* bar = new QWidget(parent);
    bar->setProperty("role", "bar");
    bar->setAttribute(Qt::WA_StyledBackground);
    auto* layout = new QHBoxLayout(bar);
    layout->setContentsMargins(8, 3, 6, 3);
    layout->setSpacing(4);
    variant_ = new QComboBox(bar);
    for (const auto& v : kind_.variants)
        variant_->addItem(v.title);
    variant_->setVisible(kind_.variants.size() > 1);
    caption_ = new QLabel(bar);
    caption_->setProperty("role", "muted");
    caption_->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    const auto button = [&](const char* iconName, const QString& tip, auto slot) {
        auto* b = new QToolButton(bar);
        b->setIcon(icon(QString::fromLatin1(iconName)));
        b->setToolTip(tip);
        b->setAccessibleName(tip);
        connect(b, &QToolButton::clicked, this, slot);
        layout->addWidget(b);
    };
    layout->addWidget(variant_);
    layout->addWidget(caption_, 1);
    button("search", tr("Find (Ctrl+F)"), [this] { listing_->openFind(); });
    button("copy", tr("Copy the whole text"),
           [this] { QGuiApplication::clipboard()->setText(listing_->pane().text()); });
    connect(variant_, &QComboBox::currentIndexChanged, this, [this] { refresh(); });
    return bar;
}

void CodeView::setTheme(const Theme& theme, double codeSize) { listing_->setTheme(theme, codeSize); }
bool CodeView::isSettled() const { return !isVisible() || !stages_.isBusy(); }

void CodeView::refresh()
{
    const auto shown = context_.workbench.shown();
    if (!shown)
        return showEmpty(tr("No code yet"), tr("The kernel's machine code for this processor appears here as soon as it compiles."));
    const auto result = stages_.result();
    const bool sameFile = result && result->snapshot->source->name() == shown->source->name();
    const auto code = sameFile ? kind_.variants[std::max(0, variant_->currentIndex())].code(*result) : nullptr;
    if (!code)
        return showProblems();
    listing_->setListing(makeListing(*code), result->snapshot->source);
    listing_->setStale(stages_.isStale());
    caption_->setText(stages_.isStale() && stages_.isBusy() ? tr("making newer code…")
                      : stages_.isStale()                   ? tr("older than the text")
                                                            : tr("for this machine's processor"));
    showContent();
}

void CodeView::showProblems()
{
    if (stages_.isBusy())
        return showEmpty(tr("Making code…"), tr("The runner compiles the kernel for this machine's processor."));
    for (const auto& d : stages_.problems()) {
        if (d.severity == Severity::kError)
            return showEmpty(tr("No code for this kernel"), QString::fromStdString(d.message));
    }
    showEmpty(tr("No code yet"), tr("The kernel's code for this machine's processor appears here."));
}

}  // namespace tw::gui
