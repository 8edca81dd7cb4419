// Tables of what accesses cost and of what synchronisation is for.
#pragma once

#include "core/sim/sim.h"
#include "app/gui/models/row_model.h"
#include "app/gui/widgets/theme.h"
#include "codegen/driver/compile.h"

namespace tw::gui {

// Access, line, bytes a lane, verdict, how the verdict was found. Accesses that cost more than they need come first.
[[nodiscard]] QStringList accessHeaders();
[[nodiscard]] std::vector<TableRow> accessRows(const driver::CompileSnapshot& snapshot, const Theme& theme);
// The same from a run on the simulator: bytes and costs are those of the whole run. `snapshot`: what ran.
[[nodiscard]] std::vector<TableRow> simulatedAccessRows(const driver::CompileSnapshot& snapshot, const sim::Report& simulation, const Theme& theme);

// Barriers and fences of the final code: line in front of which it stands, the hazard that it closes.
[[nodiscard]] QStringList syncHeaders();
[[nodiscard]] std::vector<TableRow> syncRows(const driver::CompileSnapshot& snapshot, const Theme& theme);

}  // namespace tw::gui
