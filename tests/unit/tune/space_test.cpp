#include "profiler/tune/space.h"

#include <gtest/gtest.h>

namespace tw::tune {
namespace {

staging::Kernel kernel()
{
    staging::Kernel k;
    k.name = "matmul";
    for (const char* name : {"M", "block", "stages"}) {
        staging::KernelParameter p;
        p.name = name;
        k.parameters.push_back(p);
    }
    return k;
}

TEST(Space, TheProductOfWhatIsGiven)
{
    const auto space = spaceOf(kernel(), {{"block", {"64", "128", "64"}}, {"stages", {"2", "3"}}});
    ASSERT_TRUE(space) << space.error();
    ASSERT_EQ(space->configs.size(), 4U);  // 64 counts once
    EXPECT_EQ(space->configs[0], (staging::Bindings{{"block", "64"}, {"stages", "2"}}));
    EXPECT_EQ(space->configs[3], (staging::Bindings{{"block", "128"}, {"stages", "3"}}));
}

TEST(Space, TheFilesOwnList)
{
    auto k = kernel();
    k.configs = {{{"block", "64"}}, {{"block", "128"}}, {{"block", "64"}}};
    k.tunable = {{"block", {"64", "128"}}};
    EXPECT_EQ(spaceOf(k, {})->configs.size(), 2U);
    EXPECT_EQ(spaceOf(k, {{"stages", {"2"}}})->configs.size(), 1U);
}

TEST(Space, SaysWhatIsWrong)
{
    EXPECT_EQ(spaceOf(kernel(), {}).error(), "matmul lists no configurations; give --space NAME=VALUE,VALUE,… for one of its parameters M, block, stages");
    EXPECT_EQ(spaceOf(kernel(), {{"blocks", {"1"}}}).error(), "matmul has no parameter blocks, did you mean block; it has M, block, stages");
    std::vector<std::string> many;
    for (int i = 0; i < 200; ++i)
        many.push_back(std::to_string(i));
    EXPECT_NE(spaceOf(kernel(), {{"M", many}, {"block", many}}).error().find("more than 10000"), std::string::npos);
}

TEST(Space, SplitsAtTheCommasBetweenValues)
{
    EXPECT_EQ(splitValues("64, 128"), (std::vector<std::string>{"64", "128"}));
    EXPECT_EQ(splitValues("(64, 32),[1,2],'a,b',None"), (std::vector<std::string>{"(64, 32)", "[1,2]", "'a,b'", "None"}));
    EXPECT_EQ(splitValues(""), std::vector<std::string>{""});
    EXPECT_EQ(splitValues("1,"), (std::vector<std::string>{"1", ""}));
}

}  // namespace
}  // namespace tw::tune
