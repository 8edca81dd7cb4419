// The names of all targets as one line of text, for messages.
#pragma once

#include <string>

namespace tw::target {

[[nodiscard]] std::string names();  // "sm_60, sm_70, …", in the table's order

}  // namespace tw::target
