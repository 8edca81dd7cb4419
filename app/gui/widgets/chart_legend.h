// The legend of a chart, in as many rows as its width needs: no name is cut as long as it fits into a row of its own.
#pragma once

#include <QColor>
#include <QList>
#include <QString>

class QPainter;
class QPalette;
class QRectF;

namespace tw::gui {

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
