// What a painted widget shows, as a file: SVG or PNG by the name's ending.
#pragma once

#include <QSizeF>
#include <QString>

#include <functional>

class QPainter;
class QToolButton;
class QWidget;

namespace tw::gui {

struct Picture {
    QString name;  // suggested for the file, without an ending
    QSizeF size;
    std::function<void(QPainter&)> paint;
};

// False if the file cannot be written or the picture is too large for a raster (SVG has no bound).
[[nodiscard]] bool writePicture(const Picture& picture, const QString& path);
// Asks where, then writes; says so if that fails.
void askAndExport(const Picture& picture, QWidget* parent);

// A button for a view's bar.
[[nodiscard]] QToolButton* makeExportButton(std::function<Picture()> picture, QWidget* parent);

}  // namespace tw::gui
