#include <QApplication>
#include <QFile>
#include <QIcon>
#include <QIconEngine>
#include <QPainter>
#include <QPalette>
#include <QPixmapCache>
#include <QSvgRenderer>

#include "app/gui/widgets/theme.h"

namespace tw::gui {
namespace {

QByteArray readSvg(const QString& name)
{
    QFile file(QStringLiteral(":/icons/%1.svg").arg(name));
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

// Draws a stroke icon in the colour that the palette has when it is painted.
class StrokeIconEngine final : public QIconEngine {
public:
    StrokeIconEngine(QString name, QColor fixed) : name_(std::move(name)), fixed_(fixed) {}

    void paint(QPainter* painter, const QRect& rect, QIcon::Mode mode, QIcon::State state) override
    {
        const qreal ratio = painter->device() ? painter->device()->devicePixelRatioF() : 1.0;
        QPixmap image = scaledPixmap(rect.size() * ratio, mode, state, ratio);
        painter->drawPixmap(rect, image);
    }
    QPixmap pixmap(const QSize& size, QIcon::Mode mode, QIcon::State state) override
    {
        return scaledPixmap(size, mode, state, 1.0);
    }
    QPixmap scaledPixmap(const QSize& size, QIcon::Mode mode, QIcon::State, qreal ratio) override
    {
        const QColor color = colorFor(mode);
        const QString key = QStringLiteral("tw-%1-%2-%3-%4").arg(name_, color.name()).arg(size.width()).arg(ratio);
        QPixmap image;
        if (QPixmapCache::find(key, &image))
            return image;
        QByteArray svg = readSvg(name_);
        svg.replace("currentColor", color.name().toLatin1());
        image = QPixmap(size);
        image.fill(Qt::transparent);
        QPainter painter(&image);
        QSvgRenderer(svg).render(&painter, QRectF(QPointF(0, 0), QSizeF(size)));
        painter.end();
        QPixmapCache::insert(key, image);
        return image;
    }
    [[nodiscard]] QIconEngine* clone() const override { return new StrokeIconEngine(name_, fixed_); }

private:
    [[nodiscard]] QColor colorFor(QIcon::Mode mode) const
    {
        if (mode == QIcon::Disabled)
            return QApplication::palette().color(QPalette::Disabled, QPalette::ButtonText);
        return fixed_.isValid() ? fixed_ : QApplication::palette().color(QPalette::ButtonText);
    }

    QString name_;
    QColor fixed_;
};

}  // namespace

QIcon icon(const QString& name) { return QIcon(new StrokeIconEngine(name, QColor())); }
QIcon icon(const QString& name, const QColor& color) { return QIcon(new StrokeIconEngine(name, color)); }

}  // namespace tw::gui
