// The answer of one call of tilec, as text and as one JSON document.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "app/cli/options.h"
#include "core/support/diagnostic.h"

namespace tw::cli {

using Json = nlohmann::ordered_json;

// Exit codes. Anything else is a bug of ours, except 128 + a signal after a cancellation.
enum Exit { kFine = 0, kProgramWrong = 1, kUsage = 2, kAnswerWrong = 3, kCannot = 4, kInterrupted = 130 };

// D of the JSON contract. Without a known place: line 1, column 1 of `fallbackFile`.
[[nodiscard]] Json toJson(const Diagnostic& diagnostic, const SourceSet* sources, const std::string& fallbackFile);
// Not finite, or none: null.
[[nodiscard]] Json number(double value);
[[nodiscard]] Json number(const std::optional<double>& value);

class Report {
public:
    Report(const Options& options, std::string file);

    // Where ranges point; without it diagnostics are shown without their place. `sources` outlives the report.
    void setSources(std::shared_ptr<const void> owner, const SourceSet& sources);
    // Says one thing once, even when several instances say it: an error of the same code at the same place is one cause.
    void add(const Diagnostic& diagnostic);
    void addAll(const std::vector<Diagnostic>& diagnostics);
    void fail(Code code, std::string message);
    void note(std::string message);

    Json& json() { return json_; }          // fields of the verb
    std::string& text() { return text_; }   // text output of the verb
    std::string& binary() { return text_; }
    [[nodiscard]] bool hasErrors() const;
    [[nodiscard]] int lineOf(const SourceRange& range) const;  // from 1; 0: not known
    [[nodiscard]] const std::vector<Diagnostic>& diagnostics() const { return diagnostics_; }

    // Writes everything and gives the exit code back, or kUsage where standard output cannot be written (a full disk).
    // Diagnostics go to standard error, for `check` to standard output.
    int finish(int exitCode);

private:
    [[nodiscard]] bool print(int exitCode) const;
    [[nodiscard]] std::string renderAll(bool colored) const;

    const Options& options_;
    std::string file_;
    Json json_ = Json::object();
    std::string text_;
    std::vector<Diagnostic> diagnostics_;
    std::shared_ptr<const void> owner_;
    const SourceSet* sources_ = nullptr;
};

// The whole text to a file descriptor. A closed pipe is no error; false for any other failure.
bool writeAll(int descriptor, std::string_view text);

}  // namespace tw::cli
