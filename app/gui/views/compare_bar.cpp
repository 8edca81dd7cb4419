#include "app/gui/views/compare_bar.h"

#include <QHBoxLayout>
#include <QInputDialog>
#include <QLabel>
#include <QMenu>
#include <QPushButton>
#include <QToolButton>
#include <QVBoxLayout>

#include "app/gui/models/profile_rows.h"
#include "app/gui/session/compare_session.h"
#include "app/gui/views/compare_dialogs.h"
#include "app/gui/views/device_picker.h"
#include "app/gui/widgets/chart_legend.h"
#include "app/gui/widgets/flow_layout.h"
#include "app/gui/widgets/icon_button.h"
#include "app/gui/widgets/theme.h"
#include "core/target/target.h"

namespace tw::gui {
namespace {
constexpr int kWidestLabel = 220;
}

CompareBar::CompareBar(CompareSession& session, ProfileSession& profiles, RunSetup& setup, Workbench& workbench, QWidget* parent)
    : QWidget(parent), session_(session), profiles_(profiles), setup_(setup), workbench_(workbench),
      device_(new DevicePicker(setup, DevicePicker::Use::kMeasure, this)),
      pin_(new QPushButton(icon(QStringLiteral("pin")), tr("Pin this state"), this)), profile_(new QPushButton(tr("Profile all"), this)),
      cancel_(makeButton("stop", tr("Cancel"), false)), export_(makeButton("export", tr("Export the comparison"), true)), chips_(new QWidget(this)),
      chipRow_(new FlowLayout(chips_)), state_(new QLabel(this))
{
    setProperty("role", "bar");
    setAttribute(Qt::WA_StyledBackground);
    pin_->setToolTip(tr("Adds the program as it is now, with its parameters and its profile"));
    profile_->setToolTip(tr("Profiles the variants that have no profile yet, one after the other, with the inputs and the seed of the Run view"));
    auto* add = makeButton("add", tr("Add a variant"), true);
    fillAddMenu(add);
    for (const char* format : {"html", "csv", "json", "svg"})
        export_->menu()->addAction(tr("As %1…").arg(QString::fromLatin1(format).toUpper()), this, [this, format] { Q_EMIT exportRequested(QString::fromLatin1(format)); });
    chipRow_->setContentsMargins(0, 0, 0, 0);
    chipRow_->setSpacing(4);
    state_->setProperty("role", "muted");
    state_->setWordWrap(true);
    auto* row = new QHBoxLayout;
    row->setSpacing(4);
    row->addWidget(pin_);
    row->addWidget(add);
    row->addStretch(1);
    for (QWidget* w : std::initializer_list<QWidget*>{device_, profile_, cancel_, export_})
        row->addWidget(w);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(8, 4, 6, 4);
    layout->setSpacing(4);
    layout->addLayout(row);
    layout->addWidget(chips_);
    layout->addWidget(state_);
    connect(pin_, &QPushButton::clicked, &session_, &CompareSession::pinCurrent);
    connect(profile_, &QPushButton::clicked, this, &CompareBar::profileAll);
    connect(cancel_, &QToolButton::clicked, &session_, &CompareSession::cancel);
}

QToolButton* CompareBar::makeButton(const char* iconName, const QString& tip, bool hasMenu)
{
    auto* button = iconButton(QString::fromLatin1(iconName), tip, this);
    if (hasMenu) {
        button->setPopupMode(QToolButton::InstantPopup);
        button->setMenu(new QMenu(button));
    }
    return button;
}

void CompareBar::fillAddMenu(QToolButton* button)
{
    auto* menu = button->menu();
    menu->addAction(tr("With other parameters…"), this, [this] { askForParameters(session_, workbench_, this); });
    auto* targets = menu->addMenu(tr("For another target"));
    for (const auto& target : target::all())
        targets->addAction(QString::fromStdString(target.name), this, [this, name = target.name] { session_.addTarget(name); });
    menu->addAction(tr("Another file…"), this, [this] { askForFile(session_, this); });
    menu->addAction(tr("The shown profile"), this, [this] {
        if (profiles_.shown())
            session_.addCapture(profiles_.shown(), captureTitle(*profiles_.shown()));
    });
    menu->addSeparator();
    menu->addAction(tr("Sweep over a parameter…"), this, [this] { askForSweep(session_, workbench_, this); });
    menu->addSeparator();
    menu->addAction(tr("Remove all"), &session_, &CompareSession::clear);
}

void CompareBar::profileAll()
{
    ProfileOptions options = profiles_.wanted();
    options.device = device_->device();
    options.seed = setup_.seed();
    session_.profileAll(options, setup_);
}

void CompareBar::refresh(bool isDark)
{
    const auto& variants = session_.variants();
    const auto newest = workbench_.newest();
    pin_->setEnabled(!session_.isFull() && newest && newest->function);
    profile_->setEnabled(!session_.isBusy() && std::any_of(variants.begin(), variants.end(), [](const auto& v) { return !v.capture && !v.job.text.empty(); }));
    cancel_->setVisible(session_.isBusy());
    export_->setEnabled(std::any_of(variants.begin(), variants.end(), [](const auto& v) { return v.shown() != nullptr; }));
    while (auto* item = chipRow_->takeAt(0)) {
        item->widget()->deleteLater();
        delete item;
    }
    for (int i = 0; i < static_cast<int>(variants.size()); ++i)
        makeChip(i, isDark);
    chips_->setVisible(!variants.empty());
    showState();
}

void CompareBar::makeChip(int index, bool isDark)
{
    const Variant& v = session_.variants()[static_cast<std::size_t>(index)];
    auto* chip = new QToolButton(chips_);
    QPixmap dot(10, 10);
    dot.fill(lineColor(index, isDark));
    chip->setIcon(dot);
    chip->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    chip->setText(QFontMetrics(chip->font()).elidedText(v.label, Qt::ElideMiddle, kWidestLabel));  // ends tell labels apart
    chip->setToolTip(v.state.isEmpty() ? v.label : tr("%1\n%2").arg(v.label, v.state));
    chip->setPopupMode(QToolButton::InstantPopup);
    auto* menu = new QMenu(chip);
    menu->addAction(tr("Rename…"), this, [this, id = v.id, label = v.label] {
        const QString name = QInputDialog::getText(this, tr("Rename"), tr("Name of the variant:"), QLineEdit::Normal, label);
        if (!name.isEmpty())
            session_.rename(id, name);
    });
    if (index > 0)
        menu->addAction(tr("Compare the others with this"), this, [this, id = v.id] { session_.moveToFront(id); });
    menu->addAction(tr("Remove"), this, [this, id = v.id] { session_.remove(id); });
    chip->setMenu(menu);
    chipRow_->addWidget(chip);
    chip->show();
}

void CompareBar::showState()
{
    QStringList states;
    for (const auto& v : session_.variants())
        if (!v.state.isEmpty())
            states << tr("%1: %2").arg(v.label, v.state);
    if (!session_.problem().isEmpty())
        states.prepend(session_.problem());
    state_->setText(states.join(QStringLiteral(" \u00b7 ")));
    state_->setVisible(!states.isEmpty());
}

}  // namespace tw::gui
