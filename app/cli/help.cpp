// Help, completion and the manual page, all from the option table.
#include <fmt/core.h>

#include "app/cli/option_table.h"
#include "app/cli/verbs.h"
#include "app/cli/version.h"

namespace tw::cli {
namespace {

std::string spelling(const OptionInfo& option)
{
    std::string out = option.alias.empty() ? "" : fmt::format("{}, ", option.alias);
    out += option.name;
    return option.value.empty() ? out : fmt::format("{} {}", out, option.value);
}

std::string overview()
{
    std::string out = "usage: tilec VERB [FILE.py] [options]\n\n";
    for (const VerbInfo& verb : verbs())
        out += fmt::format("  {:11}{}\n", verb.name, verb.summary);
    return out + "\n`tilec help VERB` shows a verb's options. FILE.py may be - for standard input.\n"
                 "Exit status: 0 fine, 1 the program is wrong, 2 bad usage, 3 the answer is wrong, 4 this machine or device cannot.\n";
}

std::string helpOf(const VerbInfo& verb)
{
    std::string out = fmt::format("usage: tilec {} {}{}[options]\n\n{}\n", verb.name, verb.arguments, verb.arguments.empty() ? "" : " ", verb.summary);
    if (!verb.details.empty())
        out += fmt::format("{}\n", verb.details);
    out += "\noptions:\n";
    for (const OptionInfo& option : optionTable())
        if (option.verbs & verb.bit)
            out += fmt::format("  {:32} {}\n", spelling(option), option.help);
    return out + fmt::format("\nexample:\n  {}\n", verb.example);
}

std::string verbNames()
{
    std::string out;
    for (const VerbInfo& verb : verbs())
        out += (out.empty() ? "" : " ") + std::string(verb.name);
    return out;
}

std::string optionNames(const VerbInfo& verb)
{
    std::string out;
    for (const OptionInfo& option : optionTable())
        if (option.verbs & verb.bit)
            out += (out.empty() ? "" : " ") + std::string(option.name);
    return out;
}

bool hasWords(const OptionInfo& option) { return !option.choices.empty() && option.choices != "FILE" && option.choices != "DIR"; }

std::string bashCompletion()
{
    std::string out = "_tilec() {\n  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]}\n  COMPREPLY=()\n"
                      "  if [ \"$COMP_CWORD\" = 1 ]; then\n";
    out += fmt::format("    COMPREPLY=($(compgen -W '{}' -- \"$word\")); return\n  fi\n  case $before in\n", verbNames());
    for (const OptionInfo& option : optionTable())
        if (hasWords(option))
            out += fmt::format("    {}) COMPREPLY=($(compgen -W '{}' -- \"$word\")); return ;;\n", option.name, option.choices);
    out += fmt::format("    help) COMPREPLY=($(compgen -W '{}' -- \"$word\")); return ;;\n  esac\n  case $word in -*)\n    case ${{COMP_WORDS[1]}} in\n", verbNames());
    for (const VerbInfo& verb : verbs())
        out += fmt::format("      {}) COMPREPLY=($(compgen -W '{}' -- \"$word\")) ;;\n", verb.name, optionNames(verb));
    return out + "    esac\n    return ;;\n  esac\n  COMPREPLY=($(compgen -f -- \"$word\"))\n}\ncomplete -o filenames -F _tilec tilec\n";
}

// Quotes for a zsh single-quoted description.
std::string zshText(std::string_view text)
{
    std::string out;
    for (const char c : text) {
        if (c == '\'')
            out += "'\\''";
        else if (c == '[' || c == ']' || c == ':')
            out += fmt::format("\\{}", c);
        else
            out += c;
    }
    return out;
}

std::string zshCompletion()
{
    std::string out = "#compdef tilec\nlocal -a verbs\nverbs=(\n";
    for (const VerbInfo& verb : verbs())
        out += fmt::format("  '{}:{}'\n", verb.name, zshText(verb.summary));
    out += ")\nif (( CURRENT == 2 )); then _describe verb verbs; return; fi\ncase $words[2] in\n";
    for (const VerbInfo& verb : verbs()) {
        out += fmt::format("  {}) _arguments", verb.name);
        for (const OptionInfo& option : optionTable()) {
            if ((option.verbs & verb.bit) == 0)
                continue;
            const std::string words = hasWords(option) ? fmt::format(":value:({})", zshText(option.choices))
                                      : option.choices == "FILE" ? ":file:_files" : option.choices == "DIR" ? ":folder:_files -/" : ":value:";
            out += fmt::format(" '{}{}[{}]{}'", option.isRepeatable ? "*" : "", option.name, zshText(option.help), option.value.empty() ? "" : words);
        }
        out += " '*:file:_files' ;;\n";
    }
    return out + "esac\n";
}

std::string fishCompletion()
{
    std::string out;
    for (const VerbInfo& verb : verbs())
        out += fmt::format("complete -c tilec -n __fish_use_subcommand -a {} -d \"{}\"\n", verb.name, verb.summary);
    for (const OptionInfo& option : optionTable()) {
        std::string names;
        for (const VerbInfo& verb : verbs())
            if (option.verbs & verb.bit)
                names += " " + std::string(verb.name);
        out += fmt::format("complete -c tilec -n '__fish_seen_subcommand_from{}' -l {}{}{} -d \"{}\"\n", names, option.name.substr(2),
                           option.value.empty() ? "" : " -r", hasWords(option) ? fmt::format(" -a \"{}\"", option.choices) : "", option.help);
    }
    return out;
}

std::string roff(std::string_view text)
{
    std::string out;
    for (const char c : text)
        out += c == '-' ? "\\-" : c == '\\' ? "\\e" : std::string(1, c);
    return out.starts_with('.') ? "\\&" + out : out;
}

std::string manpage()
{
    std::string out = fmt::format(".TH TILEC 1 \"\" \"tilec {}\" \"Tilewright\"\n.SH NAME\ntilec \\- compiles, checks, runs and verifies GPU tile "
                                  "kernels written in TileLang\n.SH SYNOPSIS\n.B tilec\n.I VERB FILE.py\n[options]\n.SH VERBS\n", kVersion);
    for (const VerbInfo& verb : verbs())
        out += fmt::format(".TP\n.B {} \\fI{}\\fR\n{}. {}\n.br\nExample: {}\n", verb.name, roff(verb.arguments), roff(verb.summary),
                           roff(verb.details), roff(verb.example));
    out += ".SH OPTIONS\n";
    for (const OptionInfo& option : optionTable()) {
        std::string names;
        for (const VerbInfo& verb : verbs())
            if (option.verbs & verb.bit)
                names += (names.empty() ? "" : ", ") + std::string(verb.name);
        out += fmt::format(".TP\n.B {}\n{}. {}\n", roff(spelling(option)), roff(option.help),
                           option.verbs == kEvery ? "For every verb." : fmt::format("For {}.", names));
    }
    return out + ".SH EXIT STATUS\n0 fine; 1 the program is wrong; 2 bad usage; 3 the answer is wrong; 4 this machine, device or target cannot.\n";
}

}  // namespace

int runHelp(const Options& options, Report& report, std::stop_token)
{
    const std::string verb = options.files.empty() ? std::string() : options.files.front();
    const VerbInfo* info = options.help && options.verb->bit != VerbBit::kHelp ? options.verb : findVerb(verb);
    if (!info && !verb.empty()) {
        report.fail(Code::kUsage, fmt::format("\"{}\" is no verb; there are {}", verb, verbNames()));
        return kUsage;
    }
    report.text() = info ? helpOf(*info) : overview();
    report.json()["text"] = report.text();
    return kFine;
}

int runCompletion(const Options& options, Report& report, std::stop_token)
{
    const std::string& shell = options.files.front();
    if (shell == "bash")
        report.text() = bashCompletion();
    else if (shell == "zsh")
        report.text() = zshCompletion();
    else if (shell == "fish")
        report.text() = fishCompletion();
    else {
        report.fail(Code::kUsage, fmt::format("completion knows bash, zsh and fish, not {}", shell));
        return kUsage;
    }
    report.json()["text"] = report.text();
    return kFine;
}

int runManpage(const Options&, Report& report, std::stop_token)
{
    report.text() = manpage();
    report.json()["text"] = report.text();
    return kFine;
}

}  // namespace tw::cli
