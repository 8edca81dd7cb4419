// Whether two runs of different code gave the same answer.
#pragma once

#include <string>
#include <vector>

#include "profiler/protocol/messages.h"

namespace tw::tune {

// Empty where the outputs agree, else a sentence with the first place. Integers must be equal. Floating-point elements may differ by
// `rtol` of the larger of the element and the root mean square of its tensor: another order of summation moves small elements by what
// the large ones round. NaN equals NaN. Outputs without data are not compared.
[[nodiscard]] std::string disagreement(const std::vector<protocol::Output>& reference, const std::vector<protocol::Output>& outputs);

}  // namespace tw::tune
