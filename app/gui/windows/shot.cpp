#include "app/gui/windows/shot.h"

#include <QApplication>
#include <QElapsedTimer>
#include <QFile>
#include <QPixmap>
#include <QSvgRenderer>
#include <QThread>

#include <cstdio>

#include "app/gui/widgets/export_picture.h"
#include "app/gui/windows/main_window.h"

namespace tw::gui {
namespace {

constexpr qint64 kLongestWaitMs = 60'000;
constexpr int kQuietRounds = 8;  // of 25 ms: nothing new began

bool waitUntilSettled(const MainWindow& window)
{
    QElapsedTimer timer;
    timer.start();
    for (int quiet = 0; quiet < kQuietRounds; quiet = window.isSettled() ? quiet + 1 : 0) {
        if (timer.elapsed() > kLongestWaitMs)
            return false;
        QApplication::processEvents(QEventLoop::AllEvents, 25);
        QThread::msleep(25);
    }
    return true;
}

}  // namespace

int takeShot(MainWindow& window, const QString& path)
{
    const bool settled = waitUntilSettled(window);
    if (!settled)
        std::fprintf(stderr, "tilewright: the results were not all there after a minute\n");
    if (!window.grab().save(path)) {
        std::fprintf(stderr, "tilewright: cannot write %s\n", qPrintable(path));
        return 1;
    }
    return settled ? 0 : 1;
}

int drawSvg(const QString& svg, const QString& path)
{
    QFile file(svg);
    QByteArray text = file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
    text.replace("system-ui, sans-serif", QApplication::font().family().toUtf8());  // names that mean nothing to Qt
    QSvgRenderer renderer(text);
    if (!renderer.isValid()) {
        std::fprintf(stderr, "tilewright: %s is no SVG picture\n", qPrintable(svg));
        return 1;
    }
    const QSizeF size = renderer.defaultSize();
    const auto draw = [&](QPainter& painter) {
        painter.fillRect(QRectF({0, 0}, size), Qt::white);
        renderer.render(&painter, QRectF({0, 0}, size));
    };
    if (!writePicture({svg, size, draw}, path)) {
        std::fprintf(stderr, "tilewright: cannot write %s\n", qPrintable(path));
        return 1;
    }
    return 0;
}

}  // namespace tw::gui
