// --shot: waits until every live result is on screen, then saves a picture.
#pragma once

#include <QString>

namespace tw::gui {

class MainWindow;

// Returns the exit code: 0, or 1 if the results did not settle in time or the picture could not be written.
[[nodiscard]] int takeShot(MainWindow& window, const QString& path);

}  // namespace tw::gui
