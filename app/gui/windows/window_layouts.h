// The layouts as shipped: where each view stands and which are shown.
#pragma once

#include <QString>

namespace tw::gui {

class MainWindow;

// "author": kernels left, passes right, problems below. "profile": running and machine code. "teach": few views, large.
void arrangeViews(MainWindow& window, const QString& layout);
// Their sizes alone: docks take a size only once the window has its own.
void resizeViews(MainWindow& window, const QString& layout);

}  // namespace tw::gui
