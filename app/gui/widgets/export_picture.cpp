#include "app/gui/widgets/export_picture.h"

#include <QFileDialog>
#include <QMessageBox>
#include <QPainter>
#include <QSvgGenerator>
#include <QToolButton>

#include "app/gui/widgets/theme.h"

namespace tw::gui {
namespace {

constexpr double kPixelsAUnit = 2;  // sharp on dense screens and in print
constexpr double kMostPixels = 16384;

}  // namespace

bool writePicture(const Picture& picture, const QString& path)
{
    if (path.endsWith(QLatin1String(".svg"), Qt::CaseInsensitive)) {
        QSvgGenerator svg;
        svg.setFileName(path);
        svg.setSize(picture.size.toSize());
        svg.setViewBox(QRectF({0, 0}, picture.size));
        svg.setTitle(picture.name);
        QPainter painter;
        if (!painter.begin(&svg))
            return false;
        picture.paint(painter);
        return painter.end();
    }
    const QSizeF pixels = picture.size * kPixelsAUnit;
    if (pixels.width() > kMostPixels || pixels.height() > kMostPixels)
        return false;
    QImage image(pixels.toSize(), QImage::Format_ARGB32_Premultiplied);
    image.fill(Qt::transparent);
    QPainter painter(&image);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.scale(kPixelsAUnit, kPixelsAUnit);
    picture.paint(painter);
    painter.end();
    return image.save(path);
}

void askAndExport(const Picture& picture, QWidget* parent)
{
    QString chosen;
    QString path = QFileDialog::getSaveFileName(parent, QWidget::tr("Export the picture"), picture.name + QStringLiteral(".svg"),
                                                QWidget::tr("SVG (*.svg);;PNG (*.png)"), &chosen);
    if (path.isEmpty())
        return;
    if (!path.endsWith(QLatin1String(".svg")) && !path.endsWith(QLatin1String(".png")))
        path += chosen.startsWith(QLatin1String("PNG")) ? QStringLiteral(".png") : QStringLiteral(".svg");
    if (!writePicture(picture, path))
        QMessageBox::warning(parent, QWidget::tr("Export"), QWidget::tr("%1 cannot be written.").arg(path));
}

QToolButton* makeExportButton(std::function<Picture()> picture, QWidget* parent)
{
    auto* button = new QToolButton(parent);
    button->setIcon(icon(QStringLiteral("export")));
    button->setToolTip(QWidget::tr("Export as SVG or PNG"));
    button->setAccessibleName(button->toolTip());
    QObject::connect(button, &QToolButton::clicked, button, [button, picture = std::move(picture)] { askAndExport(picture(), button); });
    return button;
}

}  // namespace tw::gui
