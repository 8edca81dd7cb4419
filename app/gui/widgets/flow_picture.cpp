#include "app/gui/widgets/flow_picture.h"

#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QToolTip>

#include "app/gui/widgets/theme.h"

namespace tw::gui {
namespace {

constexpr double kMargin = 20, kTop = 34, kBoxShare = 0.42;  // of a column: the rest is for the arrows
constexpr double kThinnest = 2, kThickest = 13, kMostHeight = 190;

QColor mixed(const QColor& a, const QColor& b, double t)
{
    const auto part = [t](int from, int to) { return static_cast<int>(from + (to - from) * t); };
    return {part(a.red(), b.red()), part(a.green(), b.green()), part(a.blue(), b.blue())};
}

// The title's font, as small as its longest word needs.
QFont fitting(const QString& title, double width)
{
    QFont font = uiFont(9.5);
    font.setWeight(QFont::DemiBold);
    double longest = 0;
    for (const auto& word : title.split(QLatin1Char(' ')))
        longest = std::max(longest, QFontMetricsF(font).horizontalAdvance(word));
    if (longest > width)
        font.setPointSizeF(std::max(6.0, font.pointSizeF() * width / longest));
    return font;
}

}  // namespace

FlowPicture::FlowPicture(QWidget* parent) : QWidget(parent)
{
    setFocusPolicy(Qt::StrongFocus);
    setAccessibleName(tr("Memory flow"));
}

void FlowPicture::setData(FlowData shown)
{
    data_ = std::move(shown);
    if (current_ >= static_cast<int>(data_.arrows.size()))
        current_ = -1;
    QStringList spoken;
    for (const auto& a : data_.arrows)
        spoken << QStringLiteral("%1 \u2192 %2: %3 %4").arg(data_.boxes[static_cast<std::size_t>(a.from)].title,
                                                            data_.boxes[static_cast<std::size_t>(a.to)].title, a.amount, a.share);
    setAccessibleDescription(spoken.join(QStringLiteral("; ")));
    update();
}

void FlowPicture::setColors(const QColor& calm, const QColor& busy)
{
    calm_ = calm;
    busy_ = busy;
    update();
}

QRectF FlowPicture::boxRect(std::size_t index, QSizeF size) const
{
    const auto count = static_cast<double>(std::max<std::size_t>(1, data_.boxes.size()));
    const double column = (size.width() - 2 * kMargin) / (count - 1 + kBoxShare);
    const double height = std::min(kMostHeight, size.height() - kTop - kMargin - 8);
    const double y = kTop + std::max(0.0, (size.height() - kTop - kMargin - height) / 2);
    return {kMargin + static_cast<double>(index) * column, y, column * kBoxShare, height};
}

QRectF FlowPicture::arrowRect(const FlowArrow& arrow, QSizeF size) const
{
    const auto left = static_cast<std::size_t>(std::min(arrow.from, arrow.to));
    const QRectF a = boxRect(left, size), b = boxRect(left + 1, size);
    const bool forth = arrow.to > arrow.from;
    const double half = a.height() / 2;
    return {a.right() + 6, forth ? a.top() + 4 : a.top() + half + 4, b.left() - a.right() - 12, half - 8};
}

void FlowPicture::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    painter.fillRect(rect(), palette().color(QPalette::Base));
    paintAll(painter, size());
    if (hasFocus()) {
        painter.setPen(palette().color(QPalette::Highlight));
        painter.setBrush(Qt::NoBrush);
        painter.drawRect(rect().adjusted(0, 0, -1, -1));
    }
}

void FlowPicture::paintAll(QPainter& painter, QSizeF size) const
{
    painter.fillRect(QRectF({0, 0}, size), palette().color(QPalette::Base));
    painter.setRenderHint(QPainter::Antialiasing);
    drawGroups(painter, size);
    for (std::size_t i = 0; i < data_.boxes.size(); ++i)
        drawBox(painter, data_.boxes[i], boxRect(i, size));
    for (std::size_t i = 0; i < data_.arrows.size(); ++i)
        drawArrow(painter, data_.arrows[i], arrowRect(data_.arrows[i], size), static_cast<int>(i) == current_);
}

void FlowPicture::drawGroups(QPainter& painter, QSizeF size) const
{
    for (int g = 0; g < data_.groups.size(); ++g) {
        QRectF frame;
        for (std::size_t i = 0; i < data_.boxes.size(); ++i)
            if (data_.boxes[i].group == g)
                frame = frame.united(boxRect(i, size));
        if (frame.isNull())
            continue;
        frame.adjust(-5, -24, 5, 8);
        painter.setPen(QPen(palette().color(QPalette::Mid), 1, Qt::DashLine));
        painter.setBrush(Qt::NoBrush);
        painter.drawRoundedRect(frame, 8, 8);
        QColor soft = palette().color(QPalette::Text);
        soft.setAlphaF(0.66F);
        painter.setPen(soft);
        painter.setFont(uiFont(8.5));
        painter.drawText(QRectF(frame.left() + 12, frame.top() + 3, frame.width() - 24, 18), Qt::AlignLeft | Qt::AlignVCenter, data_.groups[g]);
    }
}

void FlowPicture::drawBox(QPainter& painter, const FlowBox& box, const QRectF& rect) const
{
    painter.setPen(palette().color(QPalette::Mid));
    painter.setBrush(palette().color(QPalette::Window));
    painter.drawRoundedRect(rect.adjusted(0.5, 0.5, -0.5, -0.5), 6, 6);
    if (box.fill >= 0) {
        QRectF filled = rect.adjusted(3, 3, -3, -3);
        filled.setTop(filled.bottom() - filled.height() * std::clamp(box.fill, 0.0, 1.0));
        QColor color = mixed(calm_, busy_, box.fill);
        color.setAlphaF(0.28F);
        painter.setPen(Qt::NoPen);
        painter.setBrush(color);
        painter.drawRoundedRect(filled, 4, 4);
    }
    painter.setFont(fitting(box.title, rect.width() - 6));
    painter.setPen(palette().color(QPalette::Text));
    painter.drawText(rect.adjusted(3, 10, -3, -rect.height() / 2), Qt::AlignHCenter | Qt::AlignBottom | Qt::TextWordWrap, box.title);
    painter.setFont(uiFont(8.5));
    QColor soft = palette().color(QPalette::Text);
    soft.setAlphaF(0.72F);
    painter.setPen(soft);
    painter.drawText(rect.adjusted(3, rect.height() / 2 + 4, -3, -6), Qt::AlignHCenter | Qt::AlignTop | Qt::TextWordWrap, box.detail);
}

void FlowPicture::drawArrow(QPainter& painter, const FlowArrow& arrow, const QRectF& rect, bool isCurrent) const
{
    const bool forth = arrow.to > arrow.from;
    const double y = rect.center().y(), thickness = kThinnest + (kThickest - kThinnest) * std::clamp(arrow.weight, 0.0, 1.0);
    const double tip = forth ? rect.right() : rect.left(), tail = forth ? rect.left() : rect.right(), sign = forth ? 1 : -1;
    const QColor color = arrow.busy >= 0 ? mixed(calm_, busy_, std::clamp(arrow.busy, 0.0, 1.0)) : calm_;
    const double head = std::max(8.0, thickness * 0.9);
    QPolygonF shape;
    shape << QPointF(tail, y - thickness / 2) << QPointF(tip - sign * head, y - thickness / 2) << QPointF(tip - sign * head, y - thickness / 2 - 4)
          << QPointF(tip, y) << QPointF(tip - sign * head, y + thickness / 2 + 4) << QPointF(tip - sign * head, y + thickness / 2) << QPointF(tail, y + thickness / 2);
    painter.setPen(isCurrent ? QPen(palette().color(QPalette::Text), 2) : QPen(Qt::NoPen));
    painter.setBrush(color);
    painter.drawPolygon(shape);
    const double room = rect.height() / 2 - thickness / 2 - 3;
    QFont bold = uiFont(8.5);
    bold.setWeight(QFont::DemiBold);
    painter.setFont(bold);
    painter.setPen(palette().color(QPalette::Text));
    painter.drawText(QRectF(rect.left(), y - thickness / 2 - room - 2, rect.width(), room), Qt::AlignHCenter | Qt::AlignBottom,
                     QFontMetricsF(bold).elidedText(arrow.amount, Qt::ElideRight, rect.width()));
    painter.setFont(uiFont(8));
    QColor soft = palette().color(QPalette::Text);
    soft.setAlphaF(0.72F);
    painter.setPen(soft);
    QStringList lines{arrow.share.isEmpty() ? arrow.rate : arrow.share, arrow.origin, arrow.change};
    lines.removeAll(QString());
    painter.drawText(QRectF(rect.left() - 4, y + thickness / 2 + 5, rect.width() + 8, room + 8), Qt::AlignHCenter | Qt::AlignTop | Qt::TextWordWrap, lines.join(QLatin1Char('\n')));
}

int FlowPicture::arrowAt(QPointF position) const
{
    for (std::size_t i = 0; i < data_.arrows.size(); ++i)
        if (arrowRect(data_.arrows[i], size()).contains(position))
            return static_cast<int>(i);
    return -1;
}

void FlowPicture::setCurrent(int arrow)
{
    current_ = arrow >= 0 && arrow < static_cast<int>(data_.arrows.size()) ? arrow : -1;
    update();
    Q_EMIT currentChanged(current_);
}

void FlowPicture::mousePressEvent(QMouseEvent* event) { setCurrent(arrowAt(event->position())); }

void FlowPicture::keyPressEvent(QKeyEvent* event)
{
    const int count = static_cast<int>(data_.arrows.size());
    if (count > 0 && (event->key() == Qt::Key_Right || event->key() == Qt::Key_Down))
        return setCurrent((current_ + 1) % count);
    if (count > 0 && (event->key() == Qt::Key_Left || event->key() == Qt::Key_Up))
        return setCurrent((std::max(0, current_) + count - 1) % count);
    QWidget::keyPressEvent(event);
}

bool FlowPicture::event(QEvent* event)
{
    if (event->type() != QEvent::ToolTip)
        return QWidget::event(event);
    const auto* help = static_cast<QHelpEvent*>(event);
    if (const int arrow = arrowAt(help->pos()); arrow >= 0)
        QToolTip::showText(help->globalPos(), data_.arrows[static_cast<std::size_t>(arrow)].toolTip, this);
    else
        QToolTip::hideText();
    return true;
}

}  // namespace tw::gui
