// The layouts as shipped: where each view stands and which are shown.
#pragma once

#include <QString>

namespace tw::gui {

class MainWindow;
class View;

// "author": kernels left, passes right, problems below. "profile": running and machine code. "teach": few views, large.
void arrangeViews(MainWindow& window, const QString& layout);
// Puts a view that the layout has no place for to the others at the bottom.
void placeView(MainWindow& window, View* view);
// Their sizes alone: docks take a size only once the window has its own.
void resizeViews(MainWindow& window, const QString& layout);

}  // namespace tw::gui
