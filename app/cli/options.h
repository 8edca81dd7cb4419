// A parsed command line.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include <tl/expected.hpp>

#include "app/cli/option_table.h"
#include "core/staging/program.h"

namespace tw::cli {

enum class Color { kAuto, kAlways, kNever };

struct Options {
    const VerbInfo* verb = nullptr;
    std::vector<std::string> files;
    bool json = false, quiet = false, help = false;
    Color color = Color::kAuto;

    std::string kernel, instance;  // empty: not given
    staging::Bindings params, dims;
    std::optional<std::string> target;
    std::vector<std::string> targets;  // of `compare`, which takes several
    std::string device = "cpu";
    bool deviceGiven = false;

    bool noLower = false;
    std::string after, stage;
    bool all = false, why = false;
    std::string format, output, view;
    std::string store;  // a file; empty: not given
    bool lines = false;

    std::map<std::string, std::string> inputs;  // NAME -> FILE.npy or VALUE
    std::uint64_t seed = 0;
    std::string outputDir;
    int repeat = 1, inputSets = 1;
    std::optional<double> rtol, atol;

    std::map<std::string, std::vector<std::string>> space;  // Python literals
    int top = 0;               // 0: not given
    double budgetSeconds = 0;  // 0: not given
    bool again = false, write = false, salvage = false, progress = false;
    std::vector<std::string> pin, unpin, notes, tags, remove;  // of `runs`, as given

    bool repeatGiven = false;
    std::string metrics, timeline, reportFile;
    bool listMetrics = false;
    std::string metricWords;  // to search for
};

// `arguments` without the program's name. Fails with one sentence.
[[nodiscard]] tl::expected<Options, std::string> parseOptions(const std::vector<std::string>& arguments);

// Whether --json stands among the arguments, however wrong the rest is.
[[nodiscard]] bool wantsJson(const std::vector<std::string>& arguments);

}  // namespace tw::cli
