#include "core/support/diagnostic.h"

#include <algorithm>
#include <numeric>

#include <fmt/format.h>

namespace tw {

namespace {

struct CodeRow {
    std::string_view text;
    std::string_view summary;
};

constexpr CodeRow kCodes[] = {
#define TW_CODE(name, text, summary) {text, summary},
#include "core/support/diagnostic_codes.def"
#undef TW_CODE
};

std::string_view severityText(Severity severity)
{
    switch (severity) {
    case Severity::kError: return "error";
    case Severity::kWarning: return "warning";
    case Severity::kNote: return "note";
    }
    return "";
}

// What stands around byte `at` of a line that is too long to be shown whole.
std::string shortened(std::string_view line, std::size_t at, std::size_t most)
{
    const auto isInside = [&](std::size_t i) { return i < line.size() && (static_cast<unsigned char>(line[i]) & 0xC0) == 0x80; };
    std::size_t begin = at > most / 2 ? at - most / 2 : 0;
    std::size_t end = std::min(line.size(), begin + most);
    while (isInside(begin))
        --begin;
    while (isInside(end))
        ++end;
    return fmt::format("{}{}{}", begin > 0 ? "…" : "", line.substr(begin, end - begin), end < line.size() ? "…" : "");
}

std::string renderPlace(const SourceRange& range, const SourceSet& sources, std::string_view severity,
                        std::string_view message)
{
    if (range.file >= sources.size())
        return fmt::format("{}: {}\n", severity, message);
    const SourceText& file = sources.file(range.file);
    const LineColumn at = file.lineColumn(range.begin);
    const LineColumn to = file.lineColumn(range.end);
    constexpr std::size_t kWidest = 400;  // characters of a line that are shown
    const std::string_view line = file.lineText(at.line);
    if (line.size() > kWidest)
        return fmt::format("{}:{}:{}: {}: {}\n    {}\n", file.name(), at.line, at.column, severity, message, shortened(line, range.begin - file.lineStart(at.line), kWidest));
    const int width = to.line == at.line ? std::max(1, to.column - at.column) : 1;
    std::string lead;  // tabs stay tabs, so that the caret lines up
    for (int i = 0; i + 1 < at.column; ++i)
        lead += static_cast<std::size_t>(i) < line.size() && line[static_cast<std::size_t>(i)] == '\t' ? '\t' : ' ';
    return fmt::format("{}:{}:{}: {}: {}\n    {}\n    {}{}\n", file.name(), at.line, at.column, severity, message, line,
                       lead, std::string(static_cast<std::size_t>(width), '^'));
}

std::size_t editDistance(std::string_view a, std::string_view b)
{
    // Damerau-Levenshtein with adjacent swaps; three rows suffice.
    std::vector<std::size_t> before(b.size() + 1), previous(b.size() + 1), current(b.size() + 1);
    std::iota(previous.begin(), previous.end(), 0U);
    for (std::size_t i = 1; i <= a.size(); ++i) {
        current[0] = i;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const std::size_t change = a[i - 1] == b[j - 1] ? 0 : 1;
            current[j] = std::min({previous[j] + 1, current[j - 1] + 1, previous[j - 1] + change});
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                current[j] = std::min(current[j], before[j - 2] + 1);
        }
        before.swap(previous);
        previous.swap(current);
    }
    return previous[b.size()];
}

}  // namespace

std::string_view codeText(Code code)
{
    return kCodes[static_cast<std::size_t>(code)].text;
}

std::string_view codeSummary(Code code)
{
    return kCodes[static_cast<std::size_t>(code)].summary;
}

Diagnostic& DiagnosticSink::report(Diagnostic diagnostic)
{
    for (Diagnostic& known : all_) {
        if (known.code != diagnostic.code || known.message != diagnostic.message)
            continue;
        if (known.range == diagnostic.range)
            return known;
        // What is not supported is one cause wherever a kernel asks for it: further places become notes of the first.
        if (known.code != Code::kNotSupported || known.kernel != diagnostic.kernel)
            continue;
        const Note again{diagnostic.range, "also here"};
        if (std::find(known.notes.begin(), known.notes.end(), again) == known.notes.end())
            known.notes.push_back(again);
        return known;
    }
    if (diagnostic.severity == Severity::kError)
        ++errorCount_;
    return all_.emplace_back(std::move(diagnostic));
}

Diagnostic& DiagnosticSink::error(Code code, const SourceRange& range, std::string message)
{
    return report({.code = code, .severity = Severity::kError, .range = range, .message = std::move(message), .notes = {}, .fixits = {}, .kernel = {}});
}

Diagnostic& DiagnosticSink::warning(Code code, const SourceRange& range, std::string message)
{
    return report({.code = code, .severity = Severity::kWarning, .range = range, .message = std::move(message), .notes = {}, .fixits = {}, .kernel = {}});
}

std::vector<Diagnostic> DiagnosticSink::take()
{
    errorCount_ = 0;
    return std::exchange(all_, {});
}

std::string render(const Diagnostic& diagnostic, const SourceSet& sources)
{
    std::string text = renderPlace(diagnostic.range, sources, severityText(diagnostic.severity),
                                   fmt::format("{} [{}]", diagnostic.message, codeText(diagnostic.code)));
    for (const Note& note : diagnostic.notes)
        text += renderPlace(note.range, sources, "note", note.message);
    return text;
}

// One that differs in upper and lower case only is meant more than any other.
static bool equalsIgnoringCase(std::string_view a, std::string_view b)
{
    const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; };
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), [&](char x, char y) { return lower(x) == lower(y); });
}

// The one candidate that begins with `name`: dyn for dynamic.
static std::string onlyCompletion(std::string_view name, const std::vector<std::string>& candidates)
{
    constexpr std::size_t kShortest = 3;
    std::string found;
    for (const std::string& candidate : candidates) {
        if (name.size() < kShortest || candidate.size() <= name.size() || !candidate.starts_with(name))
            continue;
        if (!found.empty())
            return "";
        found = candidate;
    }
    return found;
}

std::string nearestName(std::string_view name, const std::vector<std::string>& candidates)
{
    constexpr std::size_t kLongest = 200;  // nobody misspells by a letter or two what is longer
    std::string best;
    if (name.size() > kLongest)
        return best;
    std::size_t bestDistance = std::max<std::size_t>(1, name.size() / 3) + 1;
    for (const std::string& candidate : candidates) {
        if (candidate == name)
            continue;
        if (equalsIgnoringCase(candidate, name))
            return candidate;
        if (name.size() == 1)
            continue;  // every other letter is as near as this one
        const std::size_t gap = candidate.size() > name.size() ? candidate.size() - name.size() : name.size() - candidate.size();
        if (gap >= bestDistance)
            continue;
        const std::size_t distance = editDistance(name, candidate);
        // Letters swapped are likelier than a letter too many: tahn is tanh, not tan.
        const bool isSwapped = distance == bestDistance && !best.empty() && std::is_permutation(name.begin(), name.end(), candidate.begin(), candidate.end());
        if (distance < bestDistance || isSwapped) {
            bestDistance = distance;
            best = candidate;
        }
    }
    return best.empty() ? onlyCompletion(name, candidates) : best;
}

}  // namespace tw
