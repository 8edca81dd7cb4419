// Who may include whom: app -> profiler -> codegen -> core, and inside core the order of the chapters.
#include <map>
#include <set>

#include <gtest/gtest.h>

#include "tests/hygiene/tree.h"

namespace tw::hygiene {
namespace {

const std::vector<std::string> kLayers = {"core", "codegen", "profiler", "app"};

// What a folder of core may include besides itself. A folder that is not listed may not exist.
const std::map<std::string, std::set<std::string>> kCore = {
    {"core/support", {}},
    {"core/syntax", {"core/support"}},
    {"core/target", {"core/support"}},
    {"core/ir", {"core/support"}},
    {"core/arith", {"core/support", "core/ir"}},
    {"core/layout", {"core/support", "core/ir", "core/arith", "core/target"}},
    {"core/staging", {"core/support", "core/syntax", "core/ir", "core/target", "core/arith"}},
    {"core/analysis", {"core/support", "core/ir", "core/arith", "core/layout", "core/target"}},
    {"core/schedule", {"core/support", "core/ir", "core/arith", "core/layout", "core/target", "core/analysis"}},
    {"core/passes", {"core/support", "core/ir", "core/arith", "core/layout", "core/target", "core/analysis", "core/schedule"}},
    {"core/interp", {"core/support", "core/ir", "core/arith", "core/layout", "core/target"}},
    {"core/sim", {"core/support", "core/ir", "core/arith", "core/layout", "core/target", "core/interp"}},
};

struct Include {
    std::string from, to;  // files
    bool isSystem = false;
};

std::vector<Include> includes()
{
    std::vector<Include> out;
    for (const SourceFile& file : sources(kLayers)) {
        for (std::size_t at = 0; (at = file.text.find("#include ", at)) != std::string::npos; ++at) {
            if (at > 0 && file.text[at - 1] != '\n')
                continue;
            const std::size_t open = at + 9;
            const char close = file.text[open] == '<' ? '>' : '"';
            const std::size_t end = file.text.find(close, open + 1);
            if (end != std::string::npos)
                out.push_back({file.path, file.text.substr(open + 1, end - open - 1), close == '>'});
        }
    }
    return out;
}

int layerOf(const std::string& path)
{
    const std::string top = path.substr(0, path.find('/'));
    const auto found = std::find(kLayers.begin(), kLayers.end(), top);
    return found == kLayers.end() ? -1 : static_cast<int>(found - kLayers.begin());
}

TEST(Layering, IncludesPointDown)
{
    for (const Include& i : includes())
        if (!i.isSystem && layerOf(i.to) >= 0) {
            EXPECT_LE(layerOf(i.to), layerOf(i.from)) << i.from << " includes " << i.to;
        }
}

TEST(Layering, CoreKeepsItsOrder)
{
    for (const Include& i : includes()) {
        const std::string from = folderOf(i.from), to = folderOf(i.to);
        if (i.isSystem || layerOf(i.from) != 0 || layerOf(i.to) != 0 || from == to)
            continue;
        ASSERT_TRUE(kCore.contains(from)) << from << " is no chapter of core";
        EXPECT_TRUE(kCore.at(from).contains(to)) << i.from << " includes " << i.to;
    }
}

TEST(Layering, BackEndsDoNotKnowEachOther)
{
    for (const Include& i : includes()) {
        const std::string from = folderOf(i.from), to = folderOf(i.to);
        const bool isBetween = from.starts_with("codegen/") && to.starts_with("codegen/") && from != to;
        if (isBetween && from != "codegen/driver") {
            EXPECT_EQ(to, "codegen/gpu_c") << i.from << " includes " << i.to;
        }
    }
}

// A cycle between folders, written as a path; empty if there is none.
std::string findCycle(const std::map<std::string, std::set<std::string>>& edges, const std::string& at, std::vector<std::string>& path,
                      std::set<std::string>& done)
{
    const auto open = std::find(path.begin(), path.end(), at);
    if (open != path.end()) {
        std::string out;
        for (auto it = open; it != path.end(); ++it)
            out += *it + " -> ";
        return out + at;
    }
    if (!done.insert(at).second)
        return {};
    path.push_back(at);
    if (const auto next = edges.find(at); next != edges.end()) {
        for (const std::string& to : next->second) {
            if (std::string cycle = findCycle(edges, to, path, done); !cycle.empty())
                return cycle;
        }
    }
    path.pop_back();
    return {};
}

TEST(Layering, NoCycleBetweenFolders)
{
    std::map<std::string, std::set<std::string>> edges;
    for (const Include& i : includes())
        if (!i.isSystem && layerOf(i.to) >= 0 && folderOf(i.from) != folderOf(i.to))
            edges[folderOf(i.from)].insert(folderOf(i.to));
    std::set<std::string> done;
    for (const auto& [folder, to] : edges) {
        std::vector<std::string> path;
        EXPECT_EQ(findCycle(edges, folder, path, done), "");
    }
}

TEST(Layering, LibrariesStayWhereTheyBelong)
{
    for (const Include& i : includes()) {
        const std::string& from = i.from;
        if (i.to.starts_with("llvm/") || i.to.starts_with("llvm-c/")) {
            EXPECT_TRUE(from.starts_with("codegen/llvm/")) << from << " includes " << i.to;
        }
        if (i.isSystem && i.to.starts_with("Q") && i.to.size() > 1 && (std::isupper(i.to[1]) != 0 || std::islower(i.to[1]) != 0)) {
            EXPECT_TRUE(from.starts_with("app/gui/")) << from << " includes " << i.to;
        }
        if (i.to.starts_with("Qsci/")) {
            EXPECT_TRUE(from.starts_with("app/gui/editor/")) << from << " includes " << i.to;
        }
        if (i.to.starts_with("nlohmann/") || i.to.starts_with("CLI/")) {
            EXPECT_GE(layerOf(from), 2) << from << " includes " << i.to;
        }
        if (i.to == "cuda.h" || i.to == "nvrtc.h" || i.to == "cupti.h") {
            EXPECT_TRUE(from.starts_with("profiler/cuda/") || from.starts_with("profiler/cupti/")) << from << " includes " << i.to;
        }
    }
}

}  // namespace
}  // namespace tw::hygiene
