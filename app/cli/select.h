// Which kernels and instances a verb works on.
#pragma once

#include <vector>

#include "app/cli/opened_file.h"

namespace tw::cli {

// One kernel in one instance, overlays of the command line applied by the trace.
struct Selected {
    const staging::Kernel* kernel = nullptr;
    staging::TraceRequest request;
};

enum class Scope {
    kEverything,  // list, check, verify: every kernel and instance unless --kernel says otherwise
    kOne          // ir, emit, run: the first instance of the first kernel
};

// Fails (exit code, errors in the report) for a name that the file does not have and, in kOne, for a kernel that lacks
// parameters. In kEverything a kernel without instance is left out with a note "NAME needs --param …".
struct Selection {
    int exitCode = kFine;
    std::vector<Selected> items;
};
[[nodiscard]] Selection select(const OpenedFile& file, const Options& options, Scope scope, Report& report);

// A note "NAME@INSTANCE needs --param …": a call gives values that nobody knows before the program runs.
void noteMissing(const Selected& selected, const std::vector<std::string>& names, Report& report);

// The diagnostics of a snapshot that no chosen extent fits: its error is a note, as nothing is wrong with the file.
void noteNothingFits(std::vector<Diagnostic> diagnostics, Report& report);

// The opened file and the one kernel that a verb works on (Scope::kOne), or the exit code with errors in the report.
struct OpenedKernel {
    std::unique_ptr<OpenedFile> file;
    Selected selected;
};
[[nodiscard]] tl::expected<OpenedKernel, int> openKernel(const Options& options, Report& report, std::stop_token stop);

}  // namespace tw::cli
