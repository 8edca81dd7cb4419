// The configurations that a tuning run tries.
#pragma once

#include <map>
#include <string>
#include <vector>

#include <tl/expected.hpp>

#include "core/staging/program.h"

namespace tw::tune {

inline constexpr std::size_t kMostConfigs = 10'000;

using Values = std::map<std::string, std::vector<std::string>>;  // NAME -> Python literals

struct Space {
    Values values;                           // what each parameter takes
    std::vector<staging::Bindings> configs;  // without repetition, in the file's order or counted up from the last parameter
};

// With `given`: their product; parameters of the file's own configurations that are not given keep what the kernel has. Else the file's
// own list. Fails with one sentence: no list and nothing given, a parameter that the kernel does not have, too many.
[[nodiscard]] tl::expected<Space, std::string> spaceOf(const staging::Kernel& kernel, const Values& given);

// "a, (64, 128), 'x,y'" at the commas that stand in no bracket and no string. Words stay as they are.
[[nodiscard]] std::vector<std::string> splitValues(const std::string& text);

}  // namespace tw::tune
