// The legend of a chart, in as many rows as its width needs: no name is cut as long as it fits into a row of its own.
#pragma once

#include <QColor>
#include <QList>
#include <QString>

class QPainter;
class QPalette;
class QRectF;

namespace tw::gui {

// The colour of the k-th of lines and points that may cross: the first eight differ in hue and lightness, the next eight are those again.
[[nodiscard]] QColor lineColor(int k, bool dark);

struct LegendEntry {
    enum class Shape { kLine, kDashed, kDot, kSquare };
    QString name;
    QColor color;
    Shape shape = Shape::kLine;
};

inline constexpr int kLegendMargin = 10;  // pixels at either side of it

// In pixels; 0 without entries.
[[nodiscard]] double legendHeight(const QList<LegendEntry>& entries, double width);
void drawLegend(QPainter& painter, const QList<LegendEntry>& entries, const QRectF& where, const QPalette& palette);

}  // namespace tw::gui
