// What a tuning run tries, as people write it: "block_M=64,128; num_stages=2,3".
#pragma once

#include <QString>

#include <map>
#include <string>
#include <vector>

#include <tl/expected.hpp>

#include "core/staging/program.h"

namespace tw::gui {

using TuneSpace = std::map<std::string, std::vector<std::string>>;  // NAME -> Python literals

[[nodiscard]] QString spaceText(const TuneSpace& space);
// Commas within brackets and quotes belong to the value. Fails with a sentence.
[[nodiscard]] tl::expected<TuneSpace, std::string> parseSpace(const QString& text);
// Empty where the kernel is autotuned by its file; else block sizes, stages and threads around what they are.
[[nodiscard]] TuneSpace proposedSpace(const staging::Kernel& kernel, const staging::Bindings& params);

}  // namespace tw::gui
