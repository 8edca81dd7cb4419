#include "app/gui/widgets/color_scale.h"

#include <QPainter>

#include "app/gui/widgets/heat_map.h"

namespace tw::gui {

ColorScale::ColorScale(QWidget* parent) : QWidget(parent)
{
    setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Expanding);
}

void ColorScale::setRange(double min, double max)
{
    min_ = min;
    max_ = max;
    setAccessibleDescription(tr("from %1 to %2").arg(min).arg(max));
    update();
}

void ColorScale::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    const QRect bar(6, 12, 12, std::max(20, std::min(height() - 44, 260)));
    for (int y = 0; y < bar.height(); ++y) {
        painter.setPen(QColor(heatColor(1.0 - static_cast<double>(y) / std::max(1, bar.height() - 1))));
        painter.drawLine(bar.left(), bar.top() + y, bar.right(), bar.top() + y);
    }
    painter.setPen(palette().color(QPalette::Text));
    constexpr int kTicks = 4;
    for (int i = 0; i <= kTicks; ++i) {
        const double value = max_ + (min_ - max_) * i / kTicks;
        const int y = bar.top() + (bar.height() - 1) * i / kTicks;
        painter.drawLine(bar.right() + 2, y, bar.right() + 5, y);
        painter.drawText(QRect(bar.right() + 9, y - 8, width() - bar.right() - 10, 16), Qt::AlignLeft | Qt::AlignVCenter,
                         QString::number(value, 'g', 4));
    }
    painter.fillRect(QRect(6, bar.bottom() + 14, 12, 12), QColor(kNanColor));
    painter.drawText(QRect(27, bar.bottom() + 12, 60, 16), Qt::AlignLeft | Qt::AlignVCenter, tr("NaN, \u00b1\u221e"));
}

}  // namespace tw::gui
