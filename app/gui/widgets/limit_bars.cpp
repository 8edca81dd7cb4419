#include "app/gui/widgets/limit_bars.h"

#include <QPainter>

namespace tw::gui {
namespace {
constexpr int kRow = 26, kLabel = 134, kText = 76, kThickness = 10;
}

LimitBars::LimitBars(QWidget* parent) : QWidget(parent)
{
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
}

void LimitBars::setBars(QList<LimitBar> bars, double largest)
{
    const bool sameCount = bars.size() == bars_.size();
    bars_ = std::move(bars);
    largest_ = std::max(1.0, largest);
    QStringList spoken;
    for (const auto& b : bars_)
        spoken << b.label + QStringLiteral(": ") + b.text;
    setAccessibleDescription(spoken.join(QStringLiteral("; ")));
    if (!sameCount)
        updateGeometry();
    update();
}

void LimitBars::setColors(const QColor& bar, const QColor& least)
{
    bar_ = bar;
    least_ = least;
    update();
}

QSize LimitBars::sizeHint() const { return {320, static_cast<int>(bars_.size()) * kRow}; }

void LimitBars::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    draw(painter, width());
}

void LimitBars::paintAll(QPainter& painter, QSizeF size) const
{
    painter.fillRect(QRectF({0, 0}, size), palette().color(QPalette::Base));
    draw(painter, static_cast<int>(size.width()));
}

void LimitBars::draw(QPainter& painter, int across) const
{
    painter.setRenderHint(QPainter::Antialiasing);
    const auto least = std::min_element(bars_.begin(), bars_.end(), [](const LimitBar& a, const LimitBar& b) { return a.value < b.value; });
    const int room = std::max(20, across - kLabel - kText);
    for (qsizetype i = 0; i < bars_.size(); ++i) {
        const auto& bar = bars_[i];
        const bool isLeast = &bar == &*least;
        const int y = static_cast<int>(i) * kRow;
        QFont font = this->font();
        font.setBold(isLeast);
        painter.setFont(font);
        painter.setPen(palette().color(isLeast ? QPalette::Text : QPalette::WindowText));
        painter.drawText(QRect(0, y, kLabel - 8, kRow), Qt::AlignLeft | Qt::AlignVCenter, bar.label);
        const QRectF track(kLabel, y + (kRow - kThickness) / 2.0, room, kThickness);
        painter.setPen(Qt::NoPen);
        painter.setBrush(palette().color(QPalette::Mid));
        painter.drawRoundedRect(track, 3, 3);
        QRectF filled = track;
        filled.setWidth(std::max(bar.value > 0 ? 3.0 : 0.0, track.width() * std::min(1.0, bar.value / largest_)));
        painter.setBrush(isLeast ? least_ : bar_);
        painter.drawRoundedRect(filled, 3, 3);
        painter.setPen(palette().color(QPalette::Text));
        painter.drawText(QRect(kLabel + room + 8, y, kText - 8, kRow), Qt::AlignLeft | Qt::AlignVCenter, bar.text);
    }
}

}  // namespace tw::gui
