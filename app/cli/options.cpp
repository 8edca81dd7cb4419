#include "app/cli/options.h"

#include <charconv>

#include <CLI/CLI.hpp>
#include <fmt/ranges.h>

#include "app/cli/literal.h"
#include "core/support/diagnostic.h"
#include "profiler/tune/space.h"

namespace tw::cli {
namespace {

using Given = std::map<std::string, std::vector<std::string>>;

std::string nearestOption(const VerbInfo& verb, const std::string& given)
{
    std::vector<std::string> names;
    for (const OptionInfo& option : optionTable())
        if (option.verbs & verb.bit)
            names.emplace_back(option.name);
    return nearestName(given.substr(0, given.find('=')), names);
}

// What stands on the command line, by option; positional words under "".
tl::expected<Given, std::string> collect(const VerbInfo& verb, std::vector<std::string> arguments)
{
    CLI::App app;
    app.set_help_flag();
    app.allow_extras();
    std::map<std::string, std::vector<std::string>> values;
    std::map<std::string, bool> flags;
    std::vector<std::string> files;
    for (const OptionInfo& option : optionTable()) {
        if ((option.verbs & verb.bit) == 0)
            continue;
        const std::string name(option.name);
        const std::string spelling = option.alias.empty() ? name : std::string(option.alias) + "," + name;
        if (option.value.empty())
            app.add_flag(spelling, flags[name]);
        else
            app.add_option(spelling, values[name])->expected(1)->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)->allow_extra_args(false);
    }
    app.add_option("files", files);
    try {
        std::reverse(arguments.begin(), arguments.end());  // CLI11 takes them from the back
        app.parse(std::move(arguments));
    } catch (const CLI::ParseError& e) {
        return tl::unexpected(std::string(e.what()));
    }
    Given given;
    for (const std::string& word : app.remaining()) {
        if (!word.starts_with('-') || word == "-") {
            files.push_back(word);
            continue;
        }
        const std::string near = nearestOption(verb, word);
        return tl::unexpected(fmt::format("{} has no option {}{}", verb.name, word, near.empty() ? "" : fmt::format(", did you mean {}", near)));
    }
    for (auto& [name, list] : values) {
        if (list.empty())
            continue;
        const auto info = std::find_if(optionTable().begin(), optionTable().end(), [&](const OptionInfo& o) { return o.name == name && (o.verbs & verb.bit) != 0; });
        if (list.size() > 1 && !info->isRepeatable)
            return tl::unexpected(fmt::format("{} is given {} times", name, list.size()));
        given[name] = std::move(list);
    }
    for (const auto& [name, isSet] : flags)
        if (isSet)
            given[name] = {};
    given[""] = std::move(files);
    return given;
}

template <class T>
bool parseNumber(const std::string& text, T& value)
{
    const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    return error == std::errc() && rest == text.data() + text.size();
}

bool isOneOf(const std::string& word, std::string_view choices)
{
    return !word.empty() && (" " + std::string(choices) + " ").find(" " + word + " ") != std::string::npos;
}

// Fills `Options` from what was given; the first mistake is kept.
class Filler {
public:
    Filler(const Given& given, Options& out) : given_(given), out_(out) {}

    std::string run()
    {
        out_.files = given_.at("");
        out_.json = has("--json");
        out_.quiet = has("--quiet");
        out_.help = has("--help");
        out_.noLower = has("--no-lower");
        out_.all = has("--all");
        out_.why = has("--why");
        out_.lines = has("--lines");
        color();
        kernel();
        pairs("--param", [&](const std::string& name, const std::string& value) { param(name, value); });
        pairs("--dim", [&](const std::string& name, const std::string& value) { dim(name, value); });
        pairs("--input", [&](const std::string& name, const std::string& value) { out_.inputs[name] = value; });
        targets();
        device();
        space();
        for (const auto& [name, list] : {std::pair{"--pin", &out_.pin}, {"--unpin", &out_.unpin}, {"--note", &out_.notes}, {"--tags", &out_.tags}, {"--remove", &out_.remove}})
            if (has(name))
                *list = given_.at(name);
        out_.again = has("--again");
        out_.progress = has("--progress");
        out_.salvage = has("--salvage");
        out_.write = has("--write");
        if (has("--top"))
            count("--top", out_.top);
        budget();
        text("--after", out_.after);
        text("--stage", out_.stage);
        text("--format", out_.format);
        text("--output", out_.output);
        text("--view", out_.view);
        text("--output-dir", out_.outputDir);
        text("--metrics", out_.metrics);
        listMetrics();
        text("--timeline", out_.timeline);
        text("--store", out_.store);
        text("--report", out_.reportFile);
        number("--seed", out_.seed);
        count("--repeat", out_.repeat);
        out_.repeatGiven = has("--repeat");
        count("--inputs", out_.inputSets);
        tolerance("--rtol", out_.rtol);
        tolerance("--atol", out_.atol);
        if (!out_.stage.empty() && !isOneOf(out_.stage, "tile thread"))
            fail("--stage takes tile or thread, not {}", out_.stage);
        files();
        return error_;
    }

private:
    bool has(const char* name) const { return given_.contains(name); }
    const std::string* one(const char* name) const
    {
        const auto found = given_.find(name);
        return found == given_.end() ? nullptr : &found->second.front();
    }
    template <class... Args>
    void fail(fmt::format_string<Args...> format, Args&&... args)
    {
        if (error_.empty())
            error_ = fmt::format(format, std::forward<Args>(args)...);
    }
    void device()
    {
        text("--device", out_.device);
        out_.deviceGiven = has("--device");
        if (out_.device == "ssh:" || out_.device.starts_with("ssh:/"))
            fail("--device {} names no host: it takes ssh:HOST or ssh:HOST/DEVICE", out_.device);
        if (out_.device.starts_with("cmd:") && out_.device.find_first_not_of(' ', 4) == std::string::npos)
            fail("--device cmd: names no command, such as cmd:srun tilec serve/cuda:0");
    }
    void text(const char* name, std::string& out)
    {
        const std::string* value = one(name);
        if (value && value->empty())
            fail("{} needs a value", name);
        if (value)
            out = *value;
    }
    template <class T>
    void number(const char* name, T& out)
    {
        const std::string* value = one(name);
        if (value && !parseNumber(*value, out))
            fail("{} takes a whole number, not {}", name, *value);
    }
    void count(const char* name, int& out)
    {
        number(name, out);
        if (out < 1 || out > 1'000'000)
            fail("{} takes a number from 1 to 1000000, not {}", name, out);
    }
    void tolerance(const char* name, std::optional<double>& out)
    {
        const std::string* value = one(name);
        double parsed = 0;
        if (!value)
            return;
        if (!parseNumber(*value, parsed) || !(parsed >= 0))
            fail("{} takes a number that is not negative, not {}", name, *value);
        out = parsed;
    }
    template <class F>
    void pairs(const char* name, F&& take)
    {
        const auto found = given_.find(name);
        if (found == given_.end())
            return;
        for (const std::string& word : found->second) {
            const std::size_t equals = word.find('=');
            if (equals == 0 || equals == std::string::npos)
                fail("{} takes NAME=VALUE, not {}", name, word);
            else
                take(word.substr(0, equals), word.substr(equals + 1));
        }
    }
    void param(const std::string& name, const std::string& value)
    {
        const auto literal = toLiteral(value);
        if (!literal)
            fail("--param {}: {}", name, literal.error());
        else
            out_.params[name] = *literal;
    }
    void dim(const std::string& name, const std::string& value)
    {
        std::int64_t extent = 0;
        if (!parseNumber(value, extent) || extent < 0)
            fail("--dim {} takes a whole number that is not negative, not {}", name, value);
        out_.dims[name] = std::to_string(extent);
    }
    void targets()
    {
        const auto found = given_.find("--target");
        if (found == given_.end())
            return;
        if (out_.verb->bit == VerbBit::kCompare)
            out_.targets = found->second;
        out_.target = found->second.front();
    }
    void space()
    {
        pairs("--space", [&](const std::string& name, const std::string& values) {
            for (const std::string& value : tune::splitValues(values)) {
                const auto literal = toLiteral(value);
                if (!literal || value.empty())
                    fail("--space {}: {}", name, literal ? "a value is empty" : literal.error());
                else
                    out_.space[name].push_back(*literal);
            }
        });
    }
    // Words stand where the file would.
    void listMetrics()
    {
        out_.listMetrics = has("--list-metrics");
        if (!out_.listMetrics)
            return;
        for (const std::string& word : std::exchange(out_.files, {}))
            out_.metricWords += (out_.metricWords.empty() ? "" : " ") + word;
        if (!out_.deviceGiven)
            out_.device = "cuda:0";
    }
    void budget()
    {
        std::optional<double> seconds;
        tolerance("--budget", seconds);
        out_.budgetSeconds = seconds.value_or(0);
    }
    void color()
    {
        const std::string* value = one("--color");
        if (!value)
            return;
        if (!isOneOf(*value, "auto always never"))
            fail("--color takes auto, always or never, not {}", *value);
        out_.color = *value == "always" ? Color::kAlways : *value == "never" ? Color::kNever : Color::kAuto;
    }
    void kernel()
    {
        const std::string* value = one("--kernel");
        if (!value)
            return;
        const std::size_t at = value->find('@');
        out_.kernel = value->substr(0, at);
        if (at != std::string::npos)
            out_.instance = value->substr(at + 1);
        if (out_.kernel.empty() || (at != std::string::npos && out_.instance.empty()))
            fail("--kernel takes NAME or NAME@INSTANCE, not {}", *value);
    }
    void files()
    {
        const VerbInfo& verb = *out_.verb;
        const int n = static_cast<int>(out_.files.size());
        if (out_.help || out_.listMetrics)
            return;
        if (n < verb.minFiles)
            fail("{} needs {}", verb.name, verb.arguments);
        if (n > verb.maxFiles)
            fail("{} takes {}, not also {}", verb.name, verb.maxFiles == 0 ? std::string_view("no file") : verb.arguments,
                 out_.files[static_cast<std::size_t>(verb.maxFiles)]);
    }

    const Given& given_;
    Options& out_;
    std::string error_;
};

}  // namespace

bool wantsJson(const std::vector<std::string>& arguments)
{
    return std::find(arguments.begin(), arguments.end(), "--json") != arguments.end();
}

tl::expected<Options, std::string> parseOptions(const std::vector<std::string>& arguments)
{
    Options out;
    if (arguments.empty())
        return tl::unexpected(std::string("a verb is missing; `tilec help` lists them"));
    const std::string first = arguments.front() == "--help" || arguments.front() == "-h" ? "help" : arguments.front();
    out.verb = findVerb(first);
    if (!out.verb) {
        std::vector<std::string> names;
        for (const VerbInfo& verb : verbs())
            names.emplace_back(verb.name);
        const std::string near = nearestName(first, names);
        return tl::unexpected(fmt::format("\"{}\" is no verb{}; `tilec help` lists them", first, near.empty() ? "" : fmt::format(", did you mean {}", near)));
    }
    const auto given = collect(*out.verb, {arguments.begin() + 1, arguments.end()});
    if (!given)
        return tl::unexpected(given.error());
    if (std::string error = Filler(*given, out).run(); !error.empty())
        return tl::unexpected(std::move(error));
    return out;
}

}  // namespace tw::cli
