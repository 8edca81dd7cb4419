#include "app/gui/views/code_view.h"

#include <QClipboard>
#include <QComboBox>
#include <QGuiApplication>
#include <QHBoxLayout>
#include <QToolButton>

#include "app/gui/models/line_costs.h"
#include "app/gui/views/heat.h"
#include "app/gui/views/listing_panel.h"
#include "app/gui/widgets/elided_label.h"
#include "app/gui/widgets/icon_button.h"
#include "app/gui/widgets/theme.h"

namespace tw::gui {

namespace {
constexpr auto kLlvmStages = driver::StageWanted::kLlvmIr | driver::StageWanted::kLlvmOptimized;
constexpr auto kAssemblyStages = static_cast<unsigned>(driver::StageWanted::kAssembly);
constexpr auto kPtxStages = static_cast<unsigned>(driver::StageWanted::kPtx);
constexpr auto kSassStages = static_cast<unsigned>(driver::StageWanted::kSass);

// Under a title that says the rest.
QString hintText(const std::string& message)
{
    const QString text = QString::fromStdString(message), prefix = QStringLiteral("not supported: ");
    return text.startsWith(prefix) ? text.mid(prefix.size()) : text;
}
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

CodeView::CodeView(Kind kind, FarStages& stages, ProfileSession& profiles, ViewContext context, QWidget* parent)
    : View(kind.name, kind.title, kind.iconName, context, parent), kind_(std::move(kind)), stages_(stages), profiles_(profiles)
{
    connect(&stages, &FarStages::changed, this, [this] { invalidate(); });
    connect(&profiles, &ProfileSession::changed, this, [this] { invalidate(); });
    connect(&context.workbench, &Workbench::snapshotChanged, this, [this] { invalidate(); });
}

void CodeView::makeContent()
{
    auto* page = new QWidget(frame());
    listing_ = new ListingPanel(kind_.language, context_.selection, page);
    auto* layout = new QVBoxLayout(page);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(makeBar(page));
    layout->addWidget(listing_, 1);
    setContent(page);
    setFocusProxy(listing_);
}

QWidget* CodeView::makeBar(QWidget* parent)
{
    auto* bar = barWidget(parent);
    auto* layout = new QHBoxLayout(bar);
    layout->setContentsMargins(8, 3, 6, 3);
    layout->setSpacing(4);
    variant_ = new QComboBox(bar);
    for (const auto& v : kind_.variants)
        variant_->addItem(v.title);
    variant_->setVisible(kind_.variants.size() > 1);
    caption_ = new ElidedLabel(bar);
    caption_->setProperty("role", "muted");
    const auto button = [&](const char* iconName, const QString& tip, auto slot) {
        auto* b = iconButton(QString::fromLatin1(iconName), tip, bar);
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

void CodeView::applyTheme() { listing_->setTheme(theme(), codeSize()); }
bool CodeView::isSettled() const { return !isShown() || kind_.stages == 0 || !stages_.isBusy(); }
const Listing& CodeView::listing() const { return listing_->listing(); }

QString CodeView::targetText() const
{
    const auto shown = context_.workbench.shown();
    return kind_.forGpu && shown ? tr("for %1").arg(QString::fromStdString(shown->target.name)) : tr("for this machine's processor");
}

void CodeView::refresh()
{
    if (awaitsFirstResult())
        return;
    const auto shown = context_.workbench.shown();
    if (!shown)
        return showEmpty(tr("No code yet"), tr("The kernel's code appears here as soon as it compiles."));
    if (const auto* profiled = profiledCode())
        return showProfiled(*profiled);
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
    showHeat(!stale && !profiles_.isStale());
    showCaption(stale && busy ? tr("making newer code…") : stale ? tr("older than the text") : targetText());
    showContent();
}

// The profile carries it, so it is shown where this machine cannot make it, or would make it otherwise.
const driver::TargetCode* CodeView::profiledCode() const
{
    const auto capture = profiles_.shown();
    if (!capture || profiles_.isStale() || !context_.workbench.newest())
        return nullptr;
    const auto* code = kind_.name == QLatin1String("cuda") ? &capture->cuda : kind_.name == QLatin1String("sass") ? &capture->sass : nullptr;
    return code && !code->text.empty() ? code : nullptr;
}

void CodeView::showProfiled(const driver::TargetCode& code)
{
    const auto capture = profiles_.shown();
    listing_->setListing(makeListing(code), context_.workbench.newest()->source);
    listing_->setStale(false);
    showHeat(true);
    showCaption(tr("for %1, as profiled on %2").arg(QString::fromStdString(capture->target), QString::fromStdString(capture->environment.device)));
    showContent();
}

void CodeView::showCaption(const QString& what)
{
    caption_->setText(heatNote_.isEmpty() ? what : what + QStringLiteral(" \u00b7 ") + heatNote_);
}

void CodeView::showHeat(bool fits)
{
    heatNote_ = showListingHeat(profiles_, kind_.name.toStdString(), *listing_, fits);
}

void CodeView::showProblems(const std::vector<Diagnostic>& diagnostics, bool busy)
{
    if (busy)
        return showEmpty(tr("Making code…"), tr("The runner compiles the kernel %1.").arg(targetText()));
    for (const auto& d : diagnostics) {
        if (d.severity == Severity::kError)
            return showEmpty(d.code == Code::kNotSupported ? tr("Not available") : tr("No code for this kernel"), hintText(d.message));
    }
    showEmpty(tr("No code yet"), tr("The kernel's code %1 appears here.").arg(targetText()));
}

}  // namespace tw::gui
