// The layouts as shipped: where each view stands and which are shown.
#pragma once

#include <QByteArray>
#include <QString>

namespace tw::gui {

class MainWindow;
class View;

// "author": kernels left, passes right, problems below. "profile": running and machine code. "teach": few views, large.
void arrangeViews(MainWindow& window, const QString& layout);
// As the user left it: `state` is what QMainWindow::saveState(version) gave. False where it is of another version or broken;
// then no view has a place.
[[nodiscard]] bool restoreViews(MainWindow& window, const QString& layout, const QByteArray& state, int version);
// Puts a view that the layout has no place for to the others at the bottom.
void placeView(MainWindow& window, View* view);
// Their sizes alone: docks take a size only once the window has its own.
void resizeViews(MainWindow& window, const QString& layout);

}  // namespace tw::gui
