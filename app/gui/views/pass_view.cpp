#include "app/gui/views/pass_view.h"

#include <QClipboard>
#include <QGuiApplication>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QSplitter>
#include <QToolButton>
#include <QTreeView>

#include "app/gui/session/profile_session.h"
#include "app/gui/session/workbench.h"
#include "app/gui/views/heat.h"
#include "app/gui/views/listing_panel.h"
#include "app/gui/widgets/elided_label.h"
#include "app/gui/widgets/icon_button.h"
#include "app/gui/widgets/theme.h"

namespace tw::gui {

PassView::PassView(ProfileSession& profiles, ViewContext context, QWidget* parent)
    : View(QStringLiteral("passes"), tr("Passes"), QStringLiteral("passes"), context, parent),
      profiles_(profiles), model_(new PassModel(this))
{
    connect(&context.workbench, &Workbench::snapshotChanged, this, [this] { invalidate(); });
    connect(&profiles, &ProfileSession::changed, this, [this] { invalidate(); });
}

void PassView::makeContent()
{
    auto* splitter = new QSplitter(Qt::Horizontal, frame());
    list_ = new QTreeView(splitter);
    list_->setModel(model_);
    list_->setRootIsDecorated(false);
    list_->setUniformRowHeights(true);
    list_->header()->setStretchLastSection(false);
    list_->header()->setSectionResizeMode(PassModel::kName, QHeaderView::Stretch);
    list_->header()->setSectionResizeMode(PassModel::kTime, QHeaderView::ResizeToContents);
    splitter->setChildrenCollapsible(false);
    splitter->addWidget(list_);
    splitter->addWidget(makeListingSide(splitter));
    splitter->setStretchFactor(0, 0);
    splitter->setStretchFactor(1, 1);
    splitter->setSizes({220, 600});
    setContent(splitter);
    connect(list_->selectionModel(), &QItemSelectionModel::currentRowChanged, this, [this](const QModelIndex& current) {
        if (!current.isValid())
            return;
        chosen_ = current.siblingAtColumn(PassModel::kName).data().toString();
        showPass();
    });
}

QWidget* PassView::makeListingSide(QWidget* parent)
{
    auto* side = new QWidget(parent);
    auto* bar = barWidget(side);
    caption_ = new ElidedLabel(bar);
    caption_->setProperty("role", "muted");
    diff_ = iconButton(QStringLiteral("diff"), tr("Mark what the pass changed"), bar);
    diff_->setCheckable(true);
    diff_->setChecked(true);
    auto* previous = iconButton(QStringLiteral("previous"), tr("Previous change"), bar);
    auto* next = iconButton(QStringLiteral("next"), tr("Next change"), bar);
    auto* find = iconButton(QStringLiteral("search"), tr("Find (Ctrl+F)"), bar);
    auto* copy = iconButton(QStringLiteral("copy"), tr("Copy the whole text"), bar);
    auto* barLayout = new QHBoxLayout(bar);
    barLayout->setContentsMargins(10, 2, 6, 2);
    barLayout->setSpacing(2);
    barLayout->addWidget(caption_, 1);
    for (auto* button : {diff_, previous, next, find, copy})
        barLayout->addWidget(button);
    listing_ = new ListingPanel(Language::kTileLang, context_.selection, side);
    auto* layout = new QVBoxLayout(side);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(bar);
    layout->addWidget(listing_, 1);
    connect(diff_, &QToolButton::toggled, this, [this] { showPass(); });
    connect(previous, &QToolButton::clicked, this, [this] { listing_->goToChange(false); });
    connect(next, &QToolButton::clicked, this, [this] { listing_->goToChange(true); });
    connect(find, &QToolButton::clicked, listing_, &ListingPanel::openFind);
    connect(copy, &QToolButton::clicked, this, [this] {
        if (const int row = list_->currentIndex().row(); row >= 0)
            QGuiApplication::clipboard()->setText(QString::fromStdString(model_->listing(row).text));
    });
    return side;
}

void PassView::applyTheme()
{
    model_->setTheme(theme());
    listing_->setTheme(theme(), codeSize());
}

void PassView::refresh()
{
    if (awaitsFirstResult())
        return;
    const auto shown = context_.workbench.shown();
    if (!shown) {
        model_->setSnapshot(nullptr);
        if (const auto newest = context_.workbench.newest(); newest && !newest->missing.empty()) {
            QStringList names;
            for (const auto& name : newest->missing)
                names << QString::fromStdString(name);
            return showEmpty(tr("The kernel needs values"),
                             tr("Give %1 in the Kernels view.").arg(names.join(QStringLiteral(", "))));
        }
        return showEmpty(tr("No IR yet"), context_.workbench.newest()
                                              ? tr("The IR after every pass appears here as soon as the kernel compiles.")
                                              : tr("Open a kernel file to see what every pass does to it."));
    }
    const QString keep = chosen_;
    model_->setSnapshot(shown);
    int row = model_->rowOf(keep);
    if (row < 0)
        row = model_->rowCount() - 1;
    {
        const QSignalBlocker blocker(list_->selectionModel());
        list_->setCurrentIndex(model_->index(row, 0));
    }
    list_->viewport()->update();
    showPass();
    showContent();
}

void PassView::showPass()
{
    const int row = list_->currentIndex().row();
    const auto shown = context_.workbench.shown();
    if (row < 0 || row >= model_->rowCount() || !shown)
        return;
    listing_->setListing(diff_->isChecked() ? model_->difference(row) : model_->listing(row), shown->source);
    listing_->setStale(context_.workbench.isStale());
    const QString note = showListingHeat(profiles_, "ir", *listing_, !context_.workbench.isStale() && !profiles_.isStale());
    QStringList words{model_->purpose(row)};
    if (context_.workbench.isStale())
        words.prepend(tr("older than the text"));
    if (!note.isEmpty())
        words << note;
    caption_->setText(words.join(QStringLiteral(" \u00b7 ")));
}

}  // namespace tw::gui
