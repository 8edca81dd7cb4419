// When a search may end: no configuration that is left can be expected to win.
#pragma once

#include <vector>

namespace tw::tune {

struct Measured {
    double modelUs = 0, medianUs = 0;  // both above 0
};

// At least so many are measured: fewer say too little of how far the model is off.
inline constexpr std::size_t kLeastMeasured = 4;

// `measured`: right answers so far. `nextModelUs`: the smallest modelled time of those left. How measured and modelled times differ in
// `measured` (mean and standard deviation of the ratio's logarithm) says how fast the next one may turn out: if it is slower than the best
// so far even where the model overrates it by two standard deviations more than usual, so are those behind it.
[[nodiscard]] bool isEnough(const std::vector<Measured>& measured, double nextModelUs);

}  // namespace tw::tune
