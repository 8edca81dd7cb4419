#include "app/gui/widgets/chart_legend.h"

#include <QFontMetricsF>
#include <QPainter>
#include <QPalette>

#include <algorithm>
#include <array>

#include "app/gui/widgets/theme.h"

namespace tw::gui {
namespace {

constexpr double kRow = 17, kMark = 16, kGap = 16, kPadding = 6;

QFont legendFont() { return uiFont(8.5); }

struct Placed {
    double x = 0, width = 0;
    int row = 0;
};

// Rows are filled from the left and then centred.
QList<Placed> placed(const QList<LegendEntry>& entries, double width)
{
    const QFontMetricsF metrics(legendFont());
    QList<Placed> places;
    double x = 0;
    int row = 0;
    qsizetype first = 0;
    const auto center = [&](qsizetype end) {
        const double free = std::max(0.0, width - (x - kGap));
        for (qsizetype i = first; i < end; ++i)
            places[i].x += free / 2;
        first = end;
    };
    for (const auto& entry : entries) {
        const double needed = std::min(width, kMark + 4 + metrics.horizontalAdvance(entry.name));
        if (x > 0 && x + needed > width) {
            center(places.size());
            x = 0;
            ++row;
        }
        places << Placed{x, needed, row};
        x += needed + kGap;
    }
    center(places.size());
    return places;
}

void drawMark(QPainter& painter, const LegendEntry& entry, QPointF middle)
{
    switch (entry.shape) {
    case LegendEntry::Shape::kLine:
    case LegendEntry::Shape::kDashed:
        painter.setPen(QPen(entry.color, 2, entry.shape == LegendEntry::Shape::kDashed ? Qt::DashLine : Qt::SolidLine));
        painter.drawLine(middle - QPointF(kMark / 2, 0), middle + QPointF(kMark / 2, 0));
        break;
    case LegendEntry::Shape::kDot:
        painter.setPen(Qt::NoPen);
        painter.setBrush(entry.color);
        painter.drawEllipse(middle, 4.5, 4.5);
        break;
    case LegendEntry::Shape::kSquare:
        painter.setPen(Qt::NoPen);
        painter.setBrush(entry.color);
        painter.drawRect(QRectF(middle.x() - 4.5, middle.y() - 4.5, 9, 9));
        break;
    }
}

}  // namespace

QColor lineColor(int k, bool dark)
{
    static constexpr std::array<QRgb, 8> kOnLight{0xff2563d9, 0xffd9660f, 0xff15803d, 0xffc0263a, 0xff7c3aed, 0xff0e8f9c, 0xffa33a86, 0xff5c6675};
    static constexpr std::array<QRgb, 8> kOnDark{0xff6ea8ff, 0xffffa25c, 0xff5fd08f, 0xffff7a80, 0xffbb9bff, 0xff4ed2dc, 0xfff18fd2, 0xffb3bcc9};
    const auto& colors = dark ? kOnDark : kOnLight;
    return QColor(colors.at(static_cast<std::size_t>(k) % colors.size()));
}

double legendHeight(const QList<LegendEntry>& entries, double width)
{
    return entries.isEmpty() ? 0 : (placed(entries, width).back().row + 1) * kRow + kPadding;
}

void drawLegend(QPainter& painter, const QList<LegendEntry>& entries, const QRectF& where, const QPalette& palette)
{
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setFont(legendFont());
    const QFontMetricsF metrics(painter.font());
    const auto places = placed(entries, where.width());
    for (qsizetype i = 0; i < entries.size(); ++i) {
        const QPointF corner = where.topLeft() + QPointF(places[i].x, places[i].row * kRow + kPadding / 2);
        drawMark(painter, entries[i], corner + QPointF(kMark / 2, kRow / 2));
        painter.setPen(palette.color(QPalette::Text));
        const double room = places[i].width - kMark - 4;
        painter.drawText(QRectF(corner.x() + kMark + 4, corner.y(), room + 1, kRow), Qt::AlignLeft | Qt::AlignVCenter,
                         metrics.elidedText(entries[i].name, Qt::ElideRight, room + 1));
    }
    painter.restore();
}

}  // namespace tw::gui
