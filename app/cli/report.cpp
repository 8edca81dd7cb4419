#include "app/cli/report.h"

#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include <unistd.h>

#include <fmt/core.h>

#include "app/cli/version.h"

namespace tw::cli {
namespace {

const char* severityName(Severity severity)
{
    switch (severity) {
        case Severity::kError: return "error";
        case Severity::kWarning: return "warning";
        case Severity::kNote: return "note";
    }
    return "error";
}

// {file, line, column, endLine, endColumn} of a range.
void putPlace(Json& json, const SourceRange& range, const SourceSet* sources, const std::string& fallbackFile)
{
    const bool isKnown = sources && range.isKnown() && range.file < sources->size();
    LineColumn begin, end;
    if (isKnown) {
        begin = sources->file(range.file).lineColumn(range.begin);
        end = sources->file(range.file).lineColumn(range.end);
    }
    json["file"] = isKnown && range.file != 0 ? sources->file(range.file).name() : fallbackFile;
    json["line"] = begin.line;
    json["column"] = begin.column;
    json["endLine"] = end.line;
    json["endColumn"] = end.column;
}

std::string colored(std::string text)
{
    for (const auto& [word, code] : {std::pair{"error:", "\x1b[1;31m"}, {"warning:", "\x1b[1;35m"}, {"note:", "\x1b[1;36m"}}) {
        const std::string mark = fmt::format(": {}", word);
        for (std::size_t at = 0; (at = text.find(mark, at)) != std::string::npos;) {
            const std::string painted = fmt::format(": {}{}\x1b[0m", code, word);
            text.replace(at, mark.size(), painted);
            at += painted.size();
        }
    }
    return text;
}

bool wantsColor(Color color, int descriptor)
{
    if (color != Color::kAuto)
        return color == Color::kAlways;
    return ::isatty(descriptor) && !std::getenv("NO_COLOR");
}

}  // namespace

Json toJson(const Diagnostic& d, const SourceSet* sources, const std::string& fallbackFile)
{
    Json json = {{"code", codeText(d.code)}, {"severity", severityName(d.severity)}, {"message", d.message}};
    putPlace(json, d.range, sources, fallbackFile);
    if (!d.kernel.empty())
        json["kernel"] = d.kernel;
    json["notes"] = Json::array();
    for (const Note& note : d.notes) {
        Json n = {{"message", note.message}};
        putPlace(n, note.range, sources, fallbackFile);
        json["notes"].push_back(std::move(n));
    }
    json["fixits"] = Json::array();
    for (const FixIt& fix : d.fixits) {
        Json f = Json::object();
        putPlace(f, fix.range, sources, fallbackFile);
        f["replacement"] = fix.replacement;
        json["fixits"].push_back(std::move(f));
    }
    return json;
}

Json number(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }
Json number(const std::optional<double>& value) { return value ? number(*value) : Json(nullptr); }

Report::Report(const Options& options, std::string file) : options_(options), file_(std::move(file)) {}

void Report::setSources(std::shared_ptr<const void> owner, const SourceSet& sources)
{
    owner_ = std::move(owner);
    sources_ = &sources;
}

void Report::add(const Diagnostic& d)
{
    for (const Diagnostic& known : diagnostics_) {
        const bool isSameCause = known.code == d.code && known.severity == d.severity && known.range == d.range &&
                                 (d.range.isKnown() || known.message == d.message);
        if (isSameCause)
            return;
    }
    diagnostics_.push_back(d);
}

void Report::addAll(const std::vector<Diagnostic>& diagnostics)
{
    for (const Diagnostic& d : diagnostics)
        add(d);
}

void Report::fail(Code code, std::string message) { add({code, Severity::kError, {}, std::move(message), {}, {}, {}}); }

void Report::note(std::string message) { add({Code::kUsage, Severity::kNote, {}, std::move(message), {}, {}, {}}); }

bool Report::hasErrors() const
{
    return std::any_of(diagnostics_.begin(), diagnostics_.end(), [](const Diagnostic& d) { return d.severity == Severity::kError; });
}

int Report::lineOf(const SourceRange& range) const
{
    const bool isKnown = sources_ && range.isKnown() && range.file < sources_->size();
    return isKnown ? static_cast<int>(sources_->file(range.file).lineColumn(range.begin).line) : 0;
}

std::string Report::renderAll(bool isColored) const
{
    std::string out;
    for (const Diagnostic& d : diagnostics_) {
        if (options_.quiet && d.severity != Severity::kError)
            continue;
        if (sources_ && d.range.isKnown() && d.range.file < sources_->size())
            out += render(d, *sources_);
        else
            out += fmt::format("tilec: {}: {}\n", severityName(d.severity), d.message);
        if (!out.ends_with('\n'))
            out += '\n';
    }
    return isColored ? colored(std::move(out)) : out;
}

bool Report::print(int exitCode) const
{
    if (options_.json) {
        Json document = {{"tilec", kVersion}, {"verb", options_.verb ? options_.verb->name : ""}, {"file", file_}, {"ok", exitCode == kFine}};
        document["diagnostics"] = Json::array();
        for (const Diagnostic& d : diagnostics_)
            document["diagnostics"].push_back(toJson(d, sources_, file_));
        document.update(json_);
        return writeAll(STDOUT_FILENO, document.dump(1, ' ', false, Json::error_handler_t::replace) + "\n");
    }
    const bool isCheck = options_.verb && options_.verb->bit == VerbBit::kCheck;
    const int stream = isCheck && exitCode != kUsage ? STDOUT_FILENO : STDERR_FILENO;
    const bool isSaid = writeAll(stream, renderAll(wantsColor(options_.color, stream))) || !isCheck;
    const bool hasText = !options_.quiet || (options_.verb && options_.verb->bit == VerbBit::kEmit);
    return (!hasText || writeAll(STDOUT_FILENO, text_)) && isSaid;
}

int Report::finish(int exitCode)
{
    if (print(exitCode))
        return exitCode;
    writeAll(STDERR_FILENO, fmt::format("tilec: cannot write standard output: {}\n", std::strerror(errno)));
    return exitCode == kFine ? static_cast<int>(kUsage) : exitCode;
}

bool writeAll(int descriptor, std::string_view text)
{
    while (!text.empty()) {
        const ssize_t n = ::write(descriptor, text.data(), text.size());
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return errno == EPIPE;
        text.remove_prefix(static_cast<std::size_t>(n));
    }
    return true;
}

}  // namespace tw::cli
