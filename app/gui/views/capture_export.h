// A capture as a file: .twr to open elsewhere, HTML to read, CSV and JSON for scripts.
#pragma once

#include <QString>

#include "profiler/capture/capture.h"

class QWidget;

namespace tw::gui {

// By the ending of `path`. Empty, or what went wrong. `baseline`: of a page's deltas; may be null.
[[nodiscard]] QString exportCapture(const capture::Capture& capture, const capture::Capture* baseline, const QString& path);
// Asks where, then writes; says so if that fails.
void askAndExportCapture(const capture::Capture& capture, const capture::Capture* baseline, QWidget* parent);

}  // namespace tw::gui
