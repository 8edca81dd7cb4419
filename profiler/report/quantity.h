// Numbers for people: a few digits and a unit of fitting size.
#pragma once

#include <string>
#include <string_view>

namespace tw::report {

// "12.5 µs", "1.24 GB", "3.9 TB/s", "61.5 %", "168". Units as in capture::Metric; "flop/s" and "flop/byte" beside them. Sizes are
// decimal (1 kB = 1000 bytes), as data sheets give them.
[[nodiscard]] std::string quantity(double value, std::string_view unit);

// Three significant digits, no exponent between 0.001 and 99999.
[[nodiscard]] std::string digits(double value);

}  // namespace tw::report
