#include "core/target/target.h"

#include <algorithm>
#include <initializer_list>

#include "core/support/check.h"
#include "core/target/names.h"

namespace tw::target {

namespace {

std::vector<Target> makeTable()
{
    std::vector<Target> table;
#define TW_TARGET(text, family, cc, warp, sms, sharedBlock, sharedSm, registersSm, threadsSm)                     \
    table.push_back({.name = text, .kind = Kind::family, .compute = cc, .warpSize = warp, .multiprocessors = sms, \
                     .maxThreadsPerBlock = 1024, .sharedBytesPerBlock = sharedBlock,                              \
                     .sharedBytesPerMultiprocessor = sharedSm, .registersPerMultiprocessor = registersSm,         \
                     .maxThreadsPerMultiprocessor = threadsSm});
#include "core/target/targets.def"
#undef TW_TARGET
    return table;
}

const Target* byName(std::string_view name)
{
    for (const Target& target : all())
        if (target.name == name)
            return &target;
    return nullptr;
}

// What the text says: "cuda -arch=sm_80" is kind and arch, "sm_80" a kind alone.
struct Words {
    std::string_view kind, arch;
};

// The value of 'key' in a dict as Python prints it; empty without one.
std::string_view entry(std::string_view dict, std::string_view key)
{
    for (const char quote : {'\'', '"'}) {
        const auto at = dict.find(quote + std::string(key) + quote);
        if (at == std::string_view::npos)
            continue;
        const auto open = dict.find_first_of("'\"", at + key.size() + 2);
        const auto close = open == std::string_view::npos ? open : dict.find(dict[open], open + 1);
        if (close != std::string_view::npos)
            return dict.substr(open + 1, close - open - 1);
    }
    return {};
}

// Options are "-name=value", "-name value" or "-name"; all but the architecture are the device compiler's. Empty where a word is none.
std::optional<Words> split(std::string_view text)
{
    if (text.starts_with('{')) {
        const std::string_view arch = entry(text, "arch");
        return Words{entry(text, "kind"), arch.empty() ? entry(text, "mcpu") : arch};
    }
    Words words;
    std::string_view option;  // that has no value yet
    for (std::size_t at = text.find_first_not_of(' '); at < text.size(); at = text.find_first_not_of(' ', at)) {
        const std::string_view word = text.substr(at, text.find(' ', at) - at);
        at += word.size();
        const auto equals = word.find('=');
        if (words.kind.empty()) {
            words.kind = word;
        } else if (word.starts_with('-')) {
            option = word.substr(0, equals);
            if ((option == "-arch" || option == "-mcpu") && equals != std::string_view::npos)
                words.arch = word.substr(equals + 1);
            if (equals != std::string_view::npos)
                option = {};
        } else if (option.empty()) {
            return {};
        } else {
            if (option == "-arch" || option == "-mcpu")
                words.arch = word;
            option = {};
        }
    }
    return words;
}

// "sm_90" and "sm_100" mean the "a" variants; features behind a colon ("gfx942:xnack-") do not matter here.
const Target* byArchitecture(std::string_view name, Kind kind)
{
    name = name.substr(0, name.find(':'));
    for (const Target& target : all())
        if (target.kind == kind && (target.name == name || (kind == Kind::kCuda && target.name == std::string(name) + 'a')))
            return &target;
    return nullptr;
}

const Target* find(const Words& words)
{
    const auto isOneOf = [&](std::initializer_list<std::string_view> kinds) { return std::find(kinds.begin(), kinds.end(), words.kind) != kinds.end(); };
    if (isOneOf({"cpu", "llvm", "c"}))
        return byName("cpu");
    if (isOneOf({"apple", "metal"}))
        return byName("apple");
    if (isOneOf({"hip", "rocm"}))
        return byArchitecture(words.arch.empty() ? "gfx942" : words.arch, Kind::kHip);
    if (isOneOf({"auto", "cuda", "cutedsl"}))
        return words.arch.empty() ? &defaultTarget() : byArchitecture(words.arch, Kind::kCuda);
    const std::string_view name = words.kind.empty() ? words.arch : words.kind;
    const Target* cuda = byArchitecture(name, Kind::kCuda);
    return cuda ? cuda : byArchitecture(name, Kind::kHip);
}

}  // namespace

const std::vector<Target>& all()
{
    static const std::vector<Target> table = makeTable();
    return table;
}

const Target& defaultTarget()
{
    const Target* target = byName("sm_90a");
    TW_CHECK(target, "the default target is in the table");
    return *target;
}

std::optional<Target> parse(std::string_view text)
{
    const auto words = split(text);
    const Target* target = words ? find(*words) : nullptr;
    return target ? std::optional(*target) : std::nullopt;
}

std::string names()
{
    std::string list;
    for (const Target& target : all())
        list += (list.empty() ? "" : ", ") + target.name;
    return list;
}

}  // namespace tw::target
