#include "app/gui/widgets/metric_cards.h"

#include <QHelpEvent>
#include <QPainter>
#include <QToolTip>

#include "app/gui/widgets/theme.h"

namespace tw::gui {
namespace {

constexpr double kLeastWidth = 148, kHeight = 92, kGap = 8, kMargin = 10, kPadding = 10;

int columnsFor(double width) { return std::max(1, static_cast<int>((width - 2 * kMargin + kGap) / (kLeastWidth + kGap))); }

}  // namespace

MetricCards::MetricCards(QWidget* parent) : QWidget(parent)
{
    QSizePolicy policy(QSizePolicy::Expanding, QSizePolicy::Preferred);
    policy.setHeightForWidth(true);
    setSizePolicy(policy);
    setAccessibleName(tr("Headline numbers"));
}

void MetricCards::setCards(QList<MetricCard> cards)
{
    cards_ = std::move(cards);
    QStringList spoken;
    for (const auto& c : cards_)
        spoken << QStringLiteral("%1: %2, %3 %4").arg(c.title, c.value, c.badge, c.delta);
    setAccessibleDescription(spoken.join(QStringLiteral("; ")));
    updateGeometry();
    update();
}

int MetricCards::heightForWidth(int width) const
{
    const int columns = columnsFor(width);
    const auto rows = (static_cast<int>(cards_.size()) + columns - 1) / columns;
    return static_cast<int>(2 * kMargin + rows * kHeight + std::max(0, rows - 1) * kGap);
}

QRectF MetricCards::rectOf(int index, double width) const
{
    const int columns = columnsFor(width);
    const double w = (width - 2 * kMargin - (columns - 1) * kGap) / columns;
    return {kMargin + (index % columns) * (w + kGap), kMargin + (index / columns) * (kHeight + kGap), w, kHeight};
}

void MetricCards::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    for (int i = 0; i < cards_.size(); ++i)
        drawCard(painter, cards_[i], rectOf(i, width()));
}

void MetricCards::paintAll(QPainter& painter, QSizeF size) const
{
    painter.fillRect(QRectF({0, 0}, size), palette().color(QPalette::Base));
    for (int i = 0; i < cards_.size(); ++i)
        drawCard(painter, cards_[i], rectOf(i, size.width()));
}

void MetricCards::drawCard(QPainter& painter, const MetricCard& card, const QRectF& rect) const
{
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(palette().color(QPalette::Mid));
    painter.setBrush(palette().color(QPalette::Window));
    painter.drawRoundedRect(rect.adjusted(0.5, 0.5, -0.5, -0.5), 6, 6);
    const QRectF in = rect.adjusted(kPadding, 8, -kPadding, -8);
    const QColor ink = palette().color(QPalette::Text);
    QColor soft = ink;
    soft.setAlphaF(0.66F);
    const QFont small = uiFont(8.5);
    const QFontMetricsF metrics(small);
    painter.setFont(small);
    painter.setPen(soft);
    painter.drawText(QRectF(in.left(), in.top(), in.width(), 16), Qt::AlignLeft | Qt::AlignVCenter,
                     metrics.elidedText(card.title, Qt::ElideRight, in.width()));
    QFont large = uiFont(15);
    large.setWeight(QFont::DemiBold);
    painter.setFont(large);
    painter.setPen(ink);
    const double valueWidth = QFontMetricsF(large).horizontalAdvance(card.value);
    painter.drawText(QRectF(in.left(), in.top() + 17, in.width(), 26), Qt::AlignLeft | Qt::AlignVCenter, card.value);
    painter.setFont(small);
    if (const double room = in.width() - valueWidth - 8; room > 20) {
        painter.setPen(card.deltaColor.isValid() ? card.deltaColor : soft);
        painter.drawText(QRectF(in.right() - room, in.top() + 20, room, 22), Qt::AlignRight | Qt::AlignVCenter,
                         metrics.elidedText(card.delta, Qt::ElideRight, room));
    }
    if (card.fraction >= 0) {
        const QRectF track(in.left(), in.top() + 48, in.width(), 5);
        painter.setPen(Qt::NoPen);
        painter.setBrush(palette().color(QPalette::Mid));
        painter.drawRoundedRect(track, 2.5, 2.5);
        QRectF filled = track;
        filled.setWidth(track.width() * std::clamp(card.fraction, 0.0, 1.0));
        painter.setBrush(palette().color(QPalette::Highlight));
        painter.drawRoundedRect(filled, 2.5, 2.5);
    }
    const double y = in.bottom() - 15;
    painter.setPen(Qt::NoPen);
    painter.setBrush(card.badgeColor);
    painter.drawEllipse(QRectF(in.left(), y + 4.5, 7, 7));
    painter.setPen(soft);
    const QString foot = card.note.isEmpty() ? card.badge : card.badge + QStringLiteral(", ") + card.note;
    painter.drawText(QRectF(in.left() + 12, y, in.width() - 12, 16), Qt::AlignLeft | Qt::AlignVCenter,
                     metrics.elidedText(foot, Qt::ElideRight, in.width() - 12));
    painter.restore();
}

bool MetricCards::event(QEvent* event)
{
    if (event->type() != QEvent::ToolTip)
        return QWidget::event(event);
    const auto* help = static_cast<QHelpEvent*>(event);
    for (int i = 0; i < cards_.size(); ++i)
        if (rectOf(i, width()).contains(help->pos())) {
            const auto& c = cards_[i];
            QToolTip::showText(help->globalPos(), c.toolTip, this);
            return true;
        }
    QToolTip::hideText();
    return true;
}

}  // namespace tw::gui
