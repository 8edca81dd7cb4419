// Tables of what accesses cost and of what synchronisation is for.
#pragma once

#include "app/gui/models/row_model.h"
#include "app/gui/widgets/theme.h"
#include "codegen/driver/compile.h"

namespace tw::gui {

// Access, line, bytes a lane, verdict, how the verdict was found. Accesses that cost more than they need come first.
[[nodiscard]] QStringList accessHeaders();
[[nodiscard]] std::vector<TableRow> accessRows(const driver::CompileSnapshot& snapshot, const Theme& theme);

// Barriers and fences of the final code: line in front of which it stands, the hazard that it closes.
[[nodiscard]] QStringList syncHeaders();
[[nodiscard]] std::vector<TableRow> syncRows(const driver::CompileSnapshot& snapshot, const Theme& theme);

}  // namespace tw::gui
