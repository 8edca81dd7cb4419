// The device prelude is embedded at build time; a kernel gets the sections that it needs.
#include <map>
#include <set>
#include <sstream>
#include <vector>

#include "codegen/cuda/cuda.h"

namespace tw::cuda_backend {

extern const char* const kDevicePrelude;  // generated from resources/device/cuda

namespace {

struct Section {
    std::vector<std::string> defines;
    std::string text;
    std::set<std::string> words;
};

bool isWordChar(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_'; }

std::set<std::string> wordsOf(const std::string& text)
{
    std::set<std::string> words;
    for (std::size_t at = 0; at < text.size();) {
        if (!isWordChar(text[at])) {
            ++at;
            continue;
        }
        std::size_t end = at;
        while (end < text.size() && isWordChar(text[end]))
            ++end;
        words.insert(text.substr(at, end - at));
        at = end;
    }
    return words;
}

std::vector<Section> readSections()
{
    std::vector<Section> sections;
    std::istringstream in(devicePrelude());
    for (std::string line; std::getline(in, line);) {
        if (line.rfind("//@ ", 0) == 0) {
            sections.emplace_back();
            std::istringstream names(line.substr(4));
            for (std::string name; names >> name;)
                sections.back().defines.push_back(name);
        } else if (!sections.empty()) {
            sections.back().text += line + "\n";
        }
    }
    for (Section& s : sections) {
        while (s.text.size() > 1 && s.text[s.text.size() - 2] == '\n')
            s.text.pop_back();
        s.words = wordsOf(s.text);
    }
    return sections;
}

// Sections that add overloads to functions of another one, where both words are in use.
struct Overload {
    const char *section, *function, *type;
};
constexpr Overload kOverloads[] = {{"tw_atomic_add_half", "tw_atomic_add", "half"},
                                   {"tw_atomic_add_bf16", "tw_atomic_add", "bf16"},
                                   {"tw_atomic_add_vec_half", "tw_atomic_add_vec", "half"},
                                   {"tw_atomic_add_vec_bf16", "tw_atomic_add_vec", "bf16"}};

}  // namespace

const std::string& devicePrelude()
{
    static const std::string text = kDevicePrelude;
    return text;
}

std::string preludeFor(const std::string& text)
{
    static const std::vector<Section> sections = readSections();
    static const std::map<std::string, std::size_t> definers = [] {
        std::map<std::string, std::size_t> map;
        for (std::size_t i = 0; i < sections.size(); ++i)
            for (const std::string& name : sections[i].defines)
                map[name] = i;
        return map;
    }();
    std::set<std::size_t> needed;
    std::set<std::string> known;
    std::vector<std::set<std::string>> open{wordsOf(text)};
    while (!open.empty()) {
        std::set<std::string> words = std::move(open.back());
        open.pop_back();
        known.insert(words.begin(), words.end());
        for (const Overload& o : kOverloads)
            if (known.contains(o.function) && known.contains(o.type))
                words.insert(o.section);
        for (const std::string& word : words)
            if (const auto found = definers.find(word); found != definers.end() && needed.insert(found->second).second)
                open.push_back(sections[found->second].words);
    }
    std::string out;
    for (const std::size_t i : needed)
        out += sections[i].text + "\n";
    return out;
}

}  // namespace tw::cuda_backend
