// tilec compare, without a GPU: every number is modelled.
#include <gtest/gtest.h>

#include "profiler/store/store.h"
#include "profiler/store/twr.h"
#include "tests/cli/call.h"
#include "tests/temporary_folder.h"
#include "tests/unit/store/sample.h"

namespace tw::cli::test {
namespace {

const Json* row(const Json& document, const std::string& name)
{
    for (const Json& r : document["rows"])
        if (r["name"] == name)
            return &r;
    return nullptr;
}

TEST(Compare, OneFileOverASpace)
{
    const TemporaryFile file("add.py", kAdd);
    const Answer answer = tilec("compare " + file.path() + " --space block=64,128 --json");
    EXPECT_EQ(answer.exitCode, 0) << answer.out;
    const Json j = answer.json();
    ASSERT_EQ(j["variants"].size(), 2U);
    EXPECT_EQ(j["variants"][1]["name"], "block=128");
    EXPECT_EQ(j["variants"][1]["params"]["block"], 128);
    EXPECT_EQ(j["variants"][0]["target"], "sm_90a");
    ASSERT_NE(row(j, "threads"), nullptr);
    EXPECT_EQ((*row(j, "threads"))["values"], Json({64, 128}));
    EXPECT_EQ((*row(j, "grid"))["values"], Json({"16", "8"}));  // of 1000 elements
    EXPECT_EQ((*row(j, "threads"))["differs"], true);
    ASSERT_NE(row(j, "duration_us"), nullptr);
    EXPECT_EQ((*row(j, "duration_us"))["source"], "modelled");
}

TEST(Compare, TargetsAndKeptRuns)
{
    const TemporaryFile file("add.py", kAdd);
    const tw::test::TemporaryFolder folder;
    ASSERT_TRUE(store::writeTwr(folder.file("old.twr"), store::test::sampleCapture()));
    const Json j = tilec("compare " + file.path() + " " + folder.file("old.twr") + " --target sm_80 --target sm_90 --json").json();
    ASSERT_EQ(j["variants"].size(), 3U);
    EXPECT_EQ(j["variants"][0]["target"], "sm_80");
    EXPECT_EQ(j["variants"][1]["target"], "sm_90a");
    EXPECT_EQ(j["variants"][2]["kernel"], "matmul");
}

TEST(Compare, WritesPagesAndTables)
{
    const TemporaryFile file("add.py", kAdd);
    const tw::test::TemporaryFolder folder;
    const std::string call = "compare " + file.path() + " --space block=64,128 -o ";
    EXPECT_EQ(tilec(call + folder.file("a.html")).exitCode, 0);
    EXPECT_NE(store::test::bytesOf(folder.file("a.html")).find("2 variants side by side"), std::string::npos);
    EXPECT_EQ(tilec(call + folder.file("a.csv")).exitCode, 0);
    EXPECT_NE(store::test::bytesOf(folder.file("a.csv")).find("resources,threads,count,,yes,64,128\r\n"), std::string::npos);
    EXPECT_EQ(tilec(call + folder.file("a.svg")).exitCode, 0);
    EXPECT_EQ(store::test::bytesOf(folder.file("a.svg")).substr(0, 4), "<svg");
    EXPECT_NE(tilec("compare " + file.path() + " --space block=64,128").out.find("same settings: "), std::string::npos);
}

TEST(Compare, SaysWhatIsWrong)
{
    const TemporaryFile file("add.py", kAdd);
    for (const auto& [arguments, words] : {std::pair<std::string, std::string>{file.path(), "2 to 8 variants"},
                                           {file.path() + " --space block=1,2,3,4,5,6,7,8,9", "2 to 8 variants, not 9"},
                                           {file.path() + " " + file.path() + "@call:9", "no instance call:9"},
                                           {file.path() + " none.py", "cannot read none.py"},
                                           {file.path() + " 7 --store /no/such.db", "there is no store"},
                                           {file.path() + " --space block=64,128 --format pdf", "--format takes"}}) {
        const Answer answer = tilec("compare --json " + arguments);
        EXPECT_EQ(answer.exitCode, 2) << arguments;
        EXPECT_NE(answer.out.find(words), std::string::npos) << arguments << "\n" << answer.out;
    }
    // One variant is wrong: the others are shown.
    const Answer answer = tilec("compare --json " + file.path() + " --space block=64,4096,128");
    EXPECT_EQ(answer.exitCode, 1);
    EXPECT_EQ(answer.json()["variants"].size(), 2U);
    EXPECT_NE(answer.out.find("block=4096: "), std::string::npos);
}

}  // namespace
}  // namespace tw::cli::test
