// Stored runs as rows of a table.
#pragma once

#include "app/gui/models/row_model.h"
#include "profiler/store/store.h"

namespace tw::gui {

[[nodiscard]] QStringList historyHeaders();
[[nodiscard]] std::vector<TableRow> historyRows(const std::vector<store::RunRow>& runs);
[[nodiscard]] QString paramsText(const std::map<std::string, std::string>& params);  // "block_M=128, num_stages=3"

}  // namespace tw::gui
