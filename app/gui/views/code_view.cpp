#include "app/gui/views/code_view.h"

#include <QClipboard>
#include <QComboBox>
#include <QGuiApplication>
#include <QHBoxLayout>
#include <QLabel>
#include <QToolButton>

#include "app/gui/views/listing_panel.h"

namespace tw::gui {

namespace {
constexpr auto kLlvmStages = driver::StageWanted::kLlvmIr | driver::StageWanted::kLlvmOptimized;
constexpr auto kAssemblyStages = static_cast<unsigned>(driver::StageWanted::kAssembly);
constexpr auto kPtxStages = static_cast<unsigned>(driver::StageWanted::kPtx);
constexpr auto kSassStages = static_cast<unsigned>(driver::StageWanted::kSass);
}  // namespace

CodeView::Kind CodeView::cuda()
{
    return {QStringLiteral("cuda"), tr("CUDA"), QStringLiteral("cuda"), Language::kCuda, {{QString(), {}}}, 0, true};
}

CodeView::Kind CodeView::ptx()
{
    return {QStringLiteral("ptx"), tr("PTX"), QStringLiteral("ptx"), Language::kPtx,
            {{QString(), [](const FarResult& r) { return r.ptx; }}}, kPtxStages, true};
}

CodeView::Kind CodeView::sass()
{
    return {QStringLiteral("sass"), tr("SASS"), QStringLiteral("sass"), Language::kSass,
            {{QString(), [](const FarResult& r) { return r.sass; }}}, kSassStages, true};
}

CodeView::Kind CodeView::llvm()
{
    return {QStringLiteral("llvm"), tr("LLVM IR"), QStringLiteral("llvm"), Language::kLlvm,
            {{tr("Optimised"), [](const FarResult& r) { return r.llvmOptimized; }},
             {tr("As generated"), [](const FarResult& r) { return r.llvmIr; }}}, kLlvmStages, false};
}

CodeView::Kind CodeView::assembly()
{
    return {QStringLiteral("assembly"), tr("Assembly"), QStringLiteral("assembly"), Language::kAssembly,
            {{QString(), [](const FarResult& r) { return r.assembly; }}}, kAssemblyStages, false};
}

CodeView::CodeView(Kind kind, FarStages& stages, ViewContext context, QWidget* parent)
    : View(kind.name, kind.title, kind.iconName, context, parent), kind_(std::move(kind)), stages_(stages)
{
    auto* page = new QWidget(frame());
    listing_ = new ListingPanel(kind_.language, context.selection, page);
    auto* layout = new QVBoxLayout(page);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(makeBar(page));
    layout->addWidget(listing_, 1);
    setContent(page);
    setFocusProxy(listing_);
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
bool CodeView::isSettled() const { return !isVisible() || kind_.stages == 0 || !stages_.isBusy(); }
const Listing& CodeView::listing() const { return listing_->listing(); }

QString CodeView::targetText() const
{
    const auto shown = context_.workbench.shown();
    return kind_.forGpu && shown ? tr("for %1").arg(QString::fromStdString(shown->target.name)) : tr("for this machine's processor");
}

void CodeView::refresh()
{
    const auto shown = context_.workbench.shown();
    if (!shown)
        return showEmpty(tr("No code yet"), tr("The kernel's code appears here as soon as it compiles."));
    if (kind_.forGpu && !shown->target.isCuda())
        return showEmpty(tr("No %1 for this target").arg(kind_.title),
                         tr("The target is %1. Choose a CUDA target, such as sm_90a, in the Kernels view.")
                             .arg(QString::fromStdString(shown->target.name)));
    if (kind_.stages == 0)
        return refreshNear(*shown);
    const auto result = stages_.result();
    const bool sameFile = result && result->snapshot->source->name() == shown->source->name();
    const auto code = sameFile ? kind_.variants[std::max(0, variant_->currentIndex())].code(*result) : nullptr;
    if (!code)
        return showProblems(stages_.problems(), stages_.isBusy());
    show(*code, result->snapshot->source, stages_.isStale(), stages_.isBusy());
}

void CodeView::refreshNear(const driver::CompileSnapshot& shown)
{
    const auto lowered = context_.workbench.lowered();
    if (!lowered)
        return showProblems(shown.diagnostics, false);
    show(*lowered->cuda, lowered->source, lowered != context_.workbench.newest(), false);
}

void CodeView::show(const driver::TargetCode& code, std::shared_ptr<const SourceText> source, bool stale, bool busy)
{
    listing_->setListing(makeListing(code), std::move(source));
    listing_->setStale(stale);
    showHeat();
    caption_->setText(stale && busy ? tr("making newer code…") : stale ? tr("older than the text") : targetText());
    showContent();
}

void CodeView::setHeat(const std::string& text, std::vector<LineHeat> heat)
{
    heatText_ = text;
    heat_ = std::move(heat);
    showHeat();
}

void CodeView::showHeat()
{
    std::string_view shown = listing_->listing().text, wanted = heatText_;
    for (auto* text : {&shown, &wanted})
        while (text->ends_with('\n'))
            text->remove_suffix(1);
    listing_->pane().setHeat(!wanted.empty() && shown == wanted ? heat_ : std::vector<LineHeat>());
}

void CodeView::showProblems(const std::vector<Diagnostic>& diagnostics, bool busy)
{
    if (busy)
        return showEmpty(tr("Making code…"), tr("The runner compiles the kernel %1.").arg(targetText()));
    for (const auto& d : diagnostics) {
        if (d.severity == Severity::kError)
            return showEmpty(d.code == Code::kNotSupported ? tr("Not available") : tr("No code for this kernel"),
                             QString::fromStdString(d.message));
    }
    showEmpty(tr("No code yet"), tr("The kernel's code %1 appears here.").arg(targetText()));
}

}  // namespace tw::gui
