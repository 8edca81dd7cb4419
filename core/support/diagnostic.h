// What is wrong with the user's program, in one sentence at one place.
//
// Wording: lower-case start, no full stop, what is wrong and what would be right, in the user's words.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/support/source.h"

namespace tw {

enum class Severity { kError, kWarning, kNote };

// Every code stands once in diagnostic_codes.def.
enum class Code {
#define TW_CODE(name, text, summary) name,
#include "core/support/diagnostic_codes.def"
#undef TW_CODE
};

// The code as scripts see it, for example "name-undefined".
[[nodiscard]] std::string_view codeText(Code code);
[[nodiscard]] std::string_view codeSummary(Code code);

struct Note {
    SourceRange range;
    std::string message;
    bool operator==(const Note&) const = default;
};

// Replaces the text of `range`. Offered only when certain.
struct FixIt {
    SourceRange range;
    std::string replacement;
    bool operator==(const FixIt&) const = default;
};

struct Diagnostic {
    Code code{};
    Severity severity = Severity::kError;
    SourceRange range;
    std::string message;
    std::vector<Note> notes;
    std::vector<FixIt> fixits;
    std::string kernel;  // the kernel it was found in, empty if none
    bool operator==(const Diagnostic&) const = default;
};

// Collects diagnostics. The same code at the same range with the same message is kept once: one diagnostic per cause.
class DiagnosticSink {
public:
    Diagnostic& report(Diagnostic diagnostic);
    Diagnostic& error(Code code, const SourceRange& range, std::string message);
    Diagnostic& warning(Code code, const SourceRange& range, std::string message);

    [[nodiscard]] bool hasErrors() const { return errorCount_ > 0; }
    [[nodiscard]] int errorCount() const { return errorCount_; }
    [[nodiscard]] const std::vector<Diagnostic>& all() const { return all_; }
    [[nodiscard]] std::vector<Diagnostic> take();

private:
    std::vector<Diagnostic> all_;
    int errorCount_ = 0;
};

// "file.py:12:5: error: message [code]", the source line, a caret line, then the notes.
[[nodiscard]] std::string render(const Diagnostic& diagnostic, const SourceSet& sources);

// The nearest of `candidates` to `name` by edit distance, or empty if none is near enough to be meant.
[[nodiscard]] std::string nearestName(std::string_view name, const std::vector<std::string>& candidates);

}  // namespace tw
