#include "profiler/tune/write_back.h"

#include <gtest/gtest.h>

namespace tw::tune {
namespace {

const std::string kText = "def f(block=64, stages=2 + 1, name='x'): pass\n";

SourceSet sources()
{
    SourceSet set;
    set.add(std::make_shared<const SourceText>("f.py", kText));
    return set;
}

staging::KernelParameter parameter(const std::string& name, const std::string& value, const std::string& stands)
{
    staging::KernelParameter p;
    p.name = name;
    p.defaultText = value;
    const auto begin = static_cast<std::uint32_t>(kText.find(name + "=") + name.size() + 1);
    p.range = {0, begin, begin + static_cast<std::uint32_t>(stands.size())};
    return p;
}

staging::Kernel kernel()
{
    staging::Kernel k;
    k.name = "f";
    k.parameters = {parameter("block", "64", "64"), parameter("stages", "3", "2 + 1"), parameter("name", "'x'", "'x'")};
    return k;
}

TEST(WriteBack, ReplacesLiterals)
{
    const auto edits = editsFor(kernel(), nullptr, {{"block", "128"}, {"name", "'yy'"}}, sources());
    ASSERT_TRUE(edits) << edits.error();
    EXPECT_EQ(applied(kText, *edits), "def f(block=128, stages=2 + 1, name='yy'): pass\n");
    EXPECT_TRUE(editsFor(kernel(), nullptr, {{"block", "64"}}, sources())->empty());
}

TEST(WriteBack, RefusesWhatIsNotCertain)
{
    EXPECT_EQ(editsFor(kernel(), nullptr, {{"stages", "4"}}, sources()).error(), "the default of stages is computed; it is 3 now");
    EXPECT_EQ(editsFor(kernel(), nullptr, {{"threads", "4"}}, sources()).error(), "threads has no default to write to");
    staging::Instance call;
    call.params = {{"block", "32"}};
    EXPECT_EQ(editsFor(kernel(), &call, {{"block", "128"}}, sources()).error(), "block is given by the call itself: 32");
    auto tuned = kernel();
    tuned.tunable = {{"block", {"64", "128"}}};
    EXPECT_NE(editsFor(tuned, nullptr, {{"block", "128"}}, sources()).error().find("list of configurations"), std::string::npos);
}

}  // namespace
}  // namespace tw::tune
