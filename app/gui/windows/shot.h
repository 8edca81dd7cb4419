// --shot: pictures without anybody who looks.
#pragma once

#include <QString>

namespace tw::gui {

class MainWindow;

// Waits until every live result is on screen, then saves a picture. Returns the exit code: 0, or 1 if the results did not settle in
// time or the picture could not be written.
[[nodiscard]] int takeShot(MainWindow& window, const QString& path);

// Saves an SVG file (of `tilec export`) at twice its size, on white. Returns the exit code: 0, or 1 with a message if the file is none or
// the picture could not be written.
[[nodiscard]] int drawSvg(const QString& svg, const QString& path);

}  // namespace tw::gui
