#include "app/gui/views/finding_view.h"

#include "app/gui/models/metric_text.h"
#include "app/gui/views/twin_panel.h"
#include "app/gui/widgets/finding_list.h"

namespace tw::gui {
namespace {
constexpr double kFindingsWidth = 720;
constexpr double kLeastGain = 1.005;  // less is not worth a word

QString againstBaseline(const QString& change)
{
    return change == QLatin1String("same") ? FindingView::tr("same as the baseline") : FindingView::tr("%1 against the baseline").arg(change);
}

// The same rule at the same line; null: the baseline, if there is one, has none.
const capture::Finding* sameFinding(const capture::Capture* baseline, const capture::Finding& finding)
{
    if (!baseline)
        return nullptr;
    const auto found = std::find_if(baseline->findings.begin(), baseline->findings.end(), [&](const auto& f) { return f.code == finding.code && f.line == finding.line; });
    return found == baseline->findings.end() ? nullptr : &*found;
}
}

FindingView::FindingView(ProfileSession& session, ViewContext context, QWidget* parent)
    : CaptureView(QStringLiteral("findings"), tr("Findings"), QStringLiteral("findings"), tr("What costs the kernel its time"), session, context,
                  parent),
      rows_(new RowModel(findingHeaders(), {1, 2, 3}, this))
{
}

TwinPanel* FindingView::makePanel()
{
    list_ = new FindingList(this);
    auto* panel = new TwinPanel(list_, rows_, [this] {
        const QSizeF size(kFindingsWidth, list_->heightFor(kFindingsWidth));
        return Picture{QStringLiteral("findings"), size, [this, size](QPainter& painter) { list_->paintAll(painter, size); }};
    }, this);
    panel->setStretchedColumn(0);
    const auto go = [this](int index) {
        const auto capture = session_.shown();
        if (capture && index >= 0 && static_cast<std::size_t>(index) < capture->findings.size()) {
            const auto& f = capture->findings[static_cast<std::size_t>(index)];
            reveal(f.where, f.line, f.op);
        }
    };
    connect(list_, &FindingList::activated, this, go);
    connect(panel, &TwinPanel::rowActivated, this, go);
    connect(list_, &FindingList::applyRequested, this, &FindingView::apply);
    return panel;
}

QString FindingView::missing(const capture::Capture& capture) const
{
    return capture.findings.empty() ? absence(capture, "findings", tr("Nothing stands out: no rule found a cost that could be saved.")) : QString();
}

void FindingView::apply(int index)
{
    const auto capture = session_.shown();
    if (!capture || !session_.isOfActiveText() || index < 0 || static_cast<std::size_t>(index) >= capture->findings.size())
        return;
    const auto& edit = capture->findings[static_cast<std::size_t>(index)].edit;
    Q_EMIT editRequested(edit.changes, QString::fromStdString(edit.label));
}

void FindingView::showCapture(const capture::Capture& capture)
{
    const bool canApply = session_.isOfActiveText();
    QList<FindingItem> items;
    for (const auto& f : capture.findings) {
        FindingItem item;
        item.number = valueText(f.value, f.unit);
        item.reason = QString::fromStdString(f.reason);
        item.gain = f.gain > kLeastGain ? tr("up to %1\u00d7").arg(f.gain, 0, 'f', 2) : QString();
        item.place = f.line > 0 ? tr("line %1").arg(f.line) : QString();
        if (const auto* before = sameFinding(baseline(), f))
            item.place += (item.place.isEmpty() ? QString() : QStringLiteral(" \u00b7 ")) + againstBaseline(deltaText(f.value, before->value, f.unit));
        else if (baseline())
            item.place += (item.place.isEmpty() ? QString() : QStringLiteral(" \u00b7 ")) + tr("not in the baseline");
        item.badge = originName(f.origin);
        item.badgeColor = colors_.of(f.origin);
        if (f.edit.isPossible()) {
            item.remedy = QString::fromStdString(f.edit.label);
            item.canApply = canApply;
        }
        items << item;
    }
    list_->setItems(std::move(items));
    rows_->setRows(findingRows(capture));
    const auto count = capture.findings.size();
    const bool anyGain = capture.findings.front().gain > kLeastGain;  // they stand by their gain
    setCaption(count == 1 ? tr("1 finding") : anyGain ? tr("%1 findings, the largest gain first").arg(count) : tr("%1 findings, gains unknown").arg(count));
}

}  // namespace tw::gui
