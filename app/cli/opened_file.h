// The file a verb works on, surveyed.
#pragma once

#include <map>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>

#include <tl/expected.hpp>

#include "app/cli/options.h"
#include "app/cli/report.h"
#include "codegen/driver/compile.h"
#include "profiler/protocol/messages.h"

namespace tw::cli {

class OpenedFile {
public:
    // Reads ("-": standard input), parses and surveys. Null with an error in the report (exit code 2) if it cannot be read.
    [[nodiscard]] static std::unique_ptr<OpenedFile> open(const Options& options, Report& report, std::stop_token stop);

    [[nodiscard]] const staging::Program* program() const { return survey_->program.get(); }
    [[nodiscard]] const driver::CompileSnapshot& survey() const { return *survey_; }

    // A compile of this file: reuses the survey.
    [[nodiscard]] driver::CompileRequest request(const staging::TraceRequest& kernel, unsigned stages) const;
    // The same for the runner: the text and every sibling module that the survey read.
    [[nodiscard]] protocol::Job job(const staging::TraceRequest& kernel) const;

private:
    const Options* options_ = nullptr;
    std::shared_ptr<const SourceText> source_;
    std::string folder_;  // of the file; empty for standard input
    std::shared_ptr<std::map<std::string, std::string>> siblings_;
    std::shared_ptr<const driver::CompileSnapshot> survey_;
};

// The bytes of a file ("-": of standard input), or a reason; of more than `most` bytes only the first of them and some.
[[nodiscard]] tl::expected<std::string, std::string> readFile(const std::string& path, std::size_t most = SIZE_MAX);

// Replaces what the file holds, as a shell's `>` does. Fails with "cannot write PATH: …"; store::writeWhole is for files that must never be
// seen half-written.
[[nodiscard]] tl::expected<void, std::string> writeFile(const std::string& path, std::string_view bytes);

}  // namespace tw::cli
