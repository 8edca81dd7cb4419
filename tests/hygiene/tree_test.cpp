// What must stand in the tree, and what must not.
#include <gtest/gtest.h>

#include "core/support/diagnostic.h"
#include "tests/hygiene/tree.h"

namespace tw::hygiene {
namespace {

TEST(Tree, EveryFolderHasItsChapter)
{
    const fs::path root = TW_SOURCE_DIR;
    for (const char* top : {"core", "codegen", "profiler", "app", "resources", "samples", "tests"}) {
        EXPECT_TRUE(fs::exists(root / top / "README.md")) << top;
        for (const auto& entry : fs::directory_iterator(root / top))
            if (fs::exists(entry.path() / "CMakeLists.txt")) {
                EXPECT_TRUE(fs::exists(entry.path() / "README.md")) << entry.path();
            }
    }
}

TEST(Tree, EveryDiagnosticCodeIsUsed)
{
    std::string everything;
    for (const SourceFile& file : sources({"core", "codegen", "profiler", "app"}))
        if (!file.path.ends_with("diagnostic_codes.def"))
            everything += file.text;
#define TW_CODE(name, text, summary) \
    EXPECT_NE(everything.find("Code::" #name), std::string::npos) << "nothing reports " #name " (" summary ")";
#include "core/support/diagnostic_codes.def"
#undef TW_CODE
}

TEST(Tree, DiagnosticCodesReadWell)
{
    std::vector<std::string> texts;
#define TW_CODE(name, text, summary) texts.push_back(text);
#include "core/support/diagnostic_codes.def"
#undef TW_CODE
    for (const std::string& text : texts) {
        EXPECT_EQ(std::count(texts.begin(), texts.end(), text), 1) << text;
        EXPECT_EQ(text.find_first_not_of("abcdefghijklmnopqrstuvwxyz-"), std::string::npos) << text;
    }
}

TEST(Tree, NothingIsLeftForLater)
{
    for (const SourceFile& file : sources({"core", "codegen", "profiler", "app", "tests/unit"}))
        for (const char* word : {"TO" "DO", "FIX" "ME", "not imple" "mented"})
            EXPECT_EQ(file.text.find(word), std::string::npos) << file.path << " says " << word;
}

TEST(Tree, HeadersAreIncludedOnce)
{
    for (const SourceFile& file : sources({"core", "codegen", "profiler", "app"}))
        if (file.path.ends_with(".h")) {
            EXPECT_NE(file.text.find("#pragma once"), std::string::npos) << file.path;
        }
}

}  // namespace
}  // namespace tw::hygiene
