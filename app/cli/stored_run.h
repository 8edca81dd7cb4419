// Captures by the words that name them on the command line.
#pragma once

#include <optional>
#include <string>

#include <tl/expected.hpp>

#include "app/cli/options.h"
#include "profiler/capture/capture.h"
#include "profiler/store/store.h"

namespace tw::cli {

// Whether the word names a kept capture: a run's number, "last", or a path that ends in ".twr".
[[nodiscard]] bool namesRun(const std::string& word);

// Fails with one sentence. Numbers and "last" are of --store, else of the user's store.
[[nodiscard]] tl::expected<capture::Capture, std::string> openRun(const std::string& word, const Options& options);

// The pinned baseline of the kernel of a stored run, if it is another run; absent for .twr files.
[[nodiscard]] std::optional<capture::Capture> openBaseline(const std::string& word, const capture::Capture& capture, const Options& options);

// The path of --store, else of the user's store.
[[nodiscard]] std::string storePath(const Options& options);

}  // namespace tw::cli
