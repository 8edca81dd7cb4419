#include "profiler/protocol/runner_end.h"

#include <algorithm>
#include <csignal>
#include <cstring>
#include <string_view>

#include <sys/wait.h>

#include <fmt/core.h>
#include <fmt/ranges.h>

namespace tw::protocol {
namespace {

// What ssh says, in any release since 8.4, and what helps. {0}: the host. The first that fits counts.
struct Remedy {
    const char *says, *helps;
};
constexpr Remedy kSshRemedies[] = {
    {"IDENTIFICATION HAS CHANGED", "its key is not the one in known_hosts: `ssh-keygen -R {0}` if the machine was set up anew, else do not connect"},
    {"Host key verification failed", "connect once with `ssh {0}` in a terminal and accept its key"},
    {"Permission denied", "`ssh-copy-id {0}` or an ssh agent lets you in without a question; with SSH_ASKPASS set, ssh asks for a password in that program's window"},
    {"Could not resolve hostname", "check the name, or give the host a section in ~/.ssh/config"},
    {"Connection refused", "no ssh server answers there"},
    {"No route to host", "the machine cannot be reached from here"},
    {"timed out", "is the machine on, and reachable from here?"},
    {"not responding", "the next request connects again"},
    {"closed by", "the next request connects again"},
    {"Broken pipe", "the next request connects again"},
    {"Connection reset", "the next request connects again"},
};

std::string hostOf(const std::vector<std::string>& command)
{
    if (command.empty() || command[0] != "ssh")
        return {};
    const auto dashes = std::find(command.begin(), command.end(), "--");
    return dashes == command.end() || dashes + 1 == command.end() ? std::string() : dashes[1];
}

std::string remedy(const std::string& said, const std::string& host)
{
    for (const Remedy& r : kSshRemedies)
        if (said.find(r.says) != std::string::npos)
            return "; " + fmt::format(fmt::runtime(r.helps), host);
    return {};
}

// ssh's own failures end with 255; so does a program there that a signal ended.
std::string describeSsh(const std::string& host, int status, const RunnerEnd& end)
{
    const std::string words = lastWords(end.said, 1);
    const std::string because = words.empty() ? "" : ": " + words;
    if (status == 126 || status == 127)
        return fmt::format("{} does not start tilec{}; install it on the path that `ssh {} tilec` has, or name it: --device 'cmd:ssh {} /PATH/tilec serve'",
                           host, because, host, host);
    if (status == 255 && !end.hasGreeted)
        return fmt::format("cannot reach {} by ssh{}{}", host, because, remedy(end.said, host));
    if (status == 255 && words.empty())
        return fmt::format("the runner on {} was killed; the next request starts another", host);
    if (status == 255)
        return fmt::format("the line to {} was lost{}{}", host, because, remedy(end.said, host));
    return fmt::format("the runner on {} ended with exit status {}{}", host, status, because);
}

}  // namespace

std::string lastWords(const std::string& text, std::size_t lines, std::size_t limit)
{
    std::vector<std::string> found;  // the last first
    for (std::size_t end = text.size(); end > 0 && found.size() < lines;) {
        const std::size_t newline = text.rfind('\n', end - 1);
        const std::size_t begin = newline == std::string::npos ? 0 : newline + 1;
        std::string line = text.substr(begin, end - begin);
        std::erase_if(line, [](char c) { return static_cast<unsigned char>(c) < 32 || c == 127; });
        if (const std::size_t first = line.find_first_not_of("@ "); first != std::string::npos)
            found.push_back(line.substr(first, line.find_last_not_of(" .") + 1 - first));
        end = newline == std::string::npos ? 0 : newline;
    }
    std::string all = fmt::format("{}", fmt::join(found.rbegin(), found.rend(), ". "));
    if (all.size() <= limit)
        return all;
    std::size_t cut = limit;
    while (cut > 0 && (static_cast<unsigned char>(all[cut]) & 0xC0) == 0x80)
        --cut;
    return all.substr(0, cut) + "…";
}

std::string describeEnd(const std::vector<std::string>& command, const RunnerEnd& end)
{
    const std::string words = lastWords(end.said, end.hasGreeted ? 1 : 3);
    const std::string because = words.empty() ? "" : ": " + words;
    if (WIFSIGNALED(end.status))
        return fmt::format("the runner ended with signal {} ({}){}", WTERMSIG(end.status), ::strsignal(WTERMSIG(end.status)), because);
    const int status = WEXITSTATUS(end.status);
    if (const std::string host = hostOf(command); !host.empty())
        return describeSsh(host, status, end);
    return fmt::format("the runner ended with exit status {}{}", status, because);
}

}  // namespace tw::protocol
