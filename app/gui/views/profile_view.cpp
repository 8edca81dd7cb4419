#include "app/gui/views/profile_view.h"

#include <QLabel>
#include <QMenu>
#include <QProgressBar>
#include <QPushButton>
#include <QScrollArea>
#include <QStyle>
#include <QToolButton>
#include <QWidgetAction>

#include "app/gui/models/metric_text.h"
#include "app/gui/views/capture_export.h"
#include "app/gui/views/device_picker.h"
#include "app/gui/views/metric_dialog.h"
#include "app/gui/views/twin_panel.h"
#include "app/gui/widgets/empty_state.h"
#include "app/gui/widgets/icon_button.h"
#include "app/gui/widgets/metric_cards.h"

namespace tw::gui {
namespace {

constexpr double kProfileWidth = 840;

QString phaseText(const QString& phase)
{
    return phase == QLatin1String("compile")    ? ProfileView::tr("Compiling…")
           : phase == QLatin1String("inputs")   ? ProfileView::tr("Making inputs…")
           : phase == QLatin1String("timeline") ? ProfileView::tr("Recording the stages…")
           : phase == QLatin1String("counters") ? ProfileView::tr("Counting…")
           : phase == QLatin1String("stalls")   ? ProfileView::tr("Sampling stalls…")
                                                : ProfileView::tr("Running…");
}

void setRole(QLabel* label, const char* role)
{
    label->setProperty("role", role);
    label->style()->unpolish(label);
    label->style()->polish(label);
}

}  // namespace

ProfileView::ProfileView(ProfileSession& session, RunSetup& setup, ViewContext context, QWidget* parent)
    : View(QStringLiteral("profile"), tr("Profile"), QStringLiteral("profile"), context, parent), session_(session), setup_(setup),
      rows_(new RowModel(metricHeaders(), {1}, this))
{
    connect(&session, &ProfileSession::changed, this, [this] { invalidate(); });
    connect(&session, &ProfileSession::busyChanged, this, [this] { invalidate(); });
    connect(&context.workbench, &Workbench::snapshotChanged, this, [this] { invalidate(); });
}

void ProfileView::makeContent()
{
    auto* page = new QWidget(frame());
    auto* scroll = new QScrollArea(page);
    scroll->setWidgetResizable(true);
    scroll->setFrameShape(QFrame::NoFrame);
    auto* inside = new QWidget(scroll);
    inside->setProperty("role", "panel");
    inside->setAttribute(Qt::WA_StyledBackground);
    cards_ = new MetricCards(inside);
    details_ = new QLabel(inside);
    details_->setProperty("role", "muted");
    details_->setWordWrap(true);
    details_->setContentsMargins(12, 0, 12, 10);
    details_->setTextInteractionFlags(Qt::TextSelectableByMouse);
    auto* column = new QVBoxLayout(inside);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(cards_);
    column->addWidget(details_);
    column->addStretch(1);
    scroll->setWidget(inside);
    panel_ = new TwinPanel(scroll, rows_, [this] {
        const QSizeF size(kProfileWidth, cards_->heightForWidth(static_cast<int>(kProfileWidth)));
        return Picture{QStringLiteral("profile"), size, [this, size](QPainter& painter) { cards_->paintAll(painter, size); }};
    }, page);
    panel_->setStretchedColumn(0);
    pin_ = panel_->addButton(QStringLiteral("pin"), tr("Pin as the baseline: later profiles show their change against it"),
                             [this] { session_.pin(session_.baseline() == session_.shown() ? nullptr : session_.shown()); });
    pin_->setCheckable(true);
    nothing_ = new EmptyState(QStringLiteral("profile"), page);
    auto* layout = new QVBoxLayout(page);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(makeControls(page));
    layout->addWidget(panel_, 1);
    layout->addWidget(nothing_, 1);
    setContent(page);
    setFocusProxy(profile_);
    connect(&session_, &ProfileSession::progress, this, [this](const QString& phase, double fraction) {
        progress_->setValue(static_cast<int>(fraction * 1000));
        state_->setText(phaseText(phase));
    });
}

QWidget* ProfileView::makeControls(QWidget* parent)
{
    auto* bar = barWidget(parent);
    device_ = new DevicePicker(setup_, DevicePicker::Use::kMeasure, bar);
    profile_ = new QPushButton(tr("Profile"), bar);
    profile_->setProperty("primary", true);
    profile_->setToolTip(tr("Measure the kernel on the device (F6)"));
    cancel_ = new QPushButton(tr("Cancel"), bar);
    state_ = new QLabel(bar);
    state_->setWordWrap(true);
    state_->setProperty("role", "muted");
    progress_ = new QProgressBar(bar);
    progress_->setTextVisible(false);
    progress_->setRange(0, 1000);
    auto* counters = iconButton(QStringLiteral("counters"), tr("Choose counters: search what the chip can count"), bar);
    connect(counters, &QToolButton::clicked, this, &ProfileView::chooseCounters);
    auto* row = new QHBoxLayout;
    row->setSpacing(6);
    row->addWidget(device_, 1);
    row->addWidget(makeOptions(bar));
    row->addWidget(counters);
    row->addWidget(profile_);
    row->addWidget(cancel_);
    auto* layout = new QVBoxLayout(bar);
    layout->setContentsMargins(10, 7, 10, 7);
    layout->setSpacing(5);
    layout->addLayout(row);
    layout->addWidget(progress_);
    layout->addWidget(state_);
    connect(profile_, &QPushButton::clicked, this, &ProfileView::profile);
    connect(cancel_, &QPushButton::clicked, &session_, &ProfileSession::cancel);
    return bar;
}

QToolButton* ProfileView::makeOptions(QWidget* parent)
{
    auto* button = iconButton(QStringLiteral("options"), tr("What to record"), parent);
    button->setPopupMode(QToolButton::InstantPopup);
    auto* menu = new QMenu(button);
    const auto option = [&](const QString& text, bool ProfileOptions::* field) {
        auto* action = menu->addAction(text);
        action->setCheckable(true);
        action->setChecked(session_.wanted().*field);
        connect(action, &QAction::toggled, this, [this, field](bool on) { session_.wanted().*field = on; });
    };
    option(tr("Stall reasons, line by line"), &ProfileOptions::stalls);
    option(tr("Counters over time"), &ProfileOptions::overTime);
    option(tr("Timeline of the stages (a second run)"), &ProfileOptions::timeline);
    option(tr("Flush the L2 cache before each sample"), &ProfileOptions::coldL2);
    menu->addSeparator();
    auto* samples = menu->addMenu(tr("Timed samples"));
    auto* group = new QActionGroup(samples);
    for (const int count : {1, 5, 10, 30, 100}) {
        auto* action = samples->addAction(QString::number(count));
        action->setCheckable(true);
        action->setChecked(count == session_.wanted().repeat);
        group->addAction(action);
        connect(action, &QAction::triggered, this, [this, count] { session_.wanted().repeat = count; });
    }
    menu->addSeparator();
    menu->addAction(icon(QStringLiteral("open")), tr("Open a capture…"), this, &ProfileView::openRequested);
    menu->addAction(icon(QStringLiteral("export")), tr("Export this profile…"), this, [this] {
        if (const auto capture = session_.shown())
            askAndExportCapture(*capture, session_.baseline().get(), this);
    });
    button->setMenu(menu);
    return button;
}

void ProfileView::applyTheme() { colors_ = meaningColors(theme()); }

void ProfileView::profile()
{
    prepare();
    ProfileOptions options = session_.wanted();
    const auto newest = context_.workbench.newest();
    options.device = device_->device();
    options.seed = setup_.seed();
    options.inputs = setup_.inputsOf(newest ? newest->function.get() : nullptr);
    session_.profile(options);
    refresh();
}

void ProfileView::chooseCounters()
{
    prepare();
    const auto newest = context_.workbench.newest();
    auto* dialog = new MetricDialog(session_, device_->device(), newest && newest->target.isCuda() ? newest->target.name : std::string(), this);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->open();
}

void ProfileView::refresh()
{
    const auto newest = context_.workbench.newest();
    const auto capture = session_.shown();
    if (!newest && !capture && !session_.isBusy() && session_.problem().isEmpty())
        return showEmpty(tr("Nothing to profile yet"), tr("Open a kernel file, or a capture (.twr) that was made elsewhere."));
    const bool ready = newest && newest->ok() && newest->function, busy = session_.isBusy();
    profile_->setEnabled(ready && !busy);
    cancel_->setVisible(busy);
    progress_->setVisible(busy);
    if (!busy)
        progress_->setValue(0);
    panel_->setVisible(capture != nullptr);
    nothing_->setVisible(capture == nullptr);
    nothing_->setMessage(busy ? tr("Profiling…") : tr("Not profiled yet"),
                         tr("Profile counts what the kernel does and where its time goes. The simulator needs no GPU; its numbers are "
                            "called simulated, those of a model modelled."));
    showState();
    showCapture(capture.get());
    showContent();
}

void ProfileView::showState()
{
    if (session_.isBusy()) {
        if (progress_->value() == 0)
            state_->setText(tr("Starting…"));
        setRole(state_, "muted");
    } else {
        state_->setText(session_.problem());
        setRole(state_, "error");
    }
    state_->setVisible(!state_->text().isEmpty());
}

void ProfileView::showCapture(const capture::Capture* capture)
{
    if (!capture)
        return;
    const auto baseline = session_.baseline();
    const bool isBaseline = baseline.get() == capture;
    const auto* against = isBaseline ? nullptr : baseline.get();
    cards_->setCards(metricCards(*capture, against, colors_));
    rows_->setRows(metricRows(*capture, against));
    pin_->setChecked(isBaseline);
    QStringList words{captureTitle(*capture)};
    if (session_.isStale())
        words.prepend(tr("older than the text"));
    panel_->setCaption(words.join(QStringLiteral(" \u00b7 ")));
    QStringList details{originsText(*capture), captureDetail(*capture)};
    if (isBaseline)
        details.prepend(tr("The baseline: later profiles show their change against it."));
    else if (against)
        details.prepend(tr("Changes are against %1, %2.").arg(captureTitle(*against), captureDetail(*against)));
    details << absenceTexts(*capture);
    details.removeAll(QString());
    details_->setText(details.join(QLatin1Char('\n')));
    panel_->setStale(session_.isStale() || session_.isBusy());
}

}  // namespace tw::gui
