#include <cmath>

#include <gtest/gtest.h>

#include "profiler/device/arguments.h"
#include "profiler/device/index_ranges.h"
#include "profiler/device/random.h"
#include "tests/unit/device/functions.h"

namespace tw::device {
namespace {

using namespace test;

// Y[i] = X[Index[i]] for the first 64 i; X has 10 elements.
ir::Function gather()
{
    ir::Function f;
    const ir::Buffer x = tensor("X", ir::kFloat32, {ir::intImm(10)}), index = tensor("Index", ir::kInt32, {ir::intImm(64)}),
                     y = tensor("Y", ir::kFloat32, {ir::intImm(64)});
    f.params = {{x}, {index}, {y}};
    f.body = loop(ir::intImm(0), ir::intImm(64), [&](const ir::Var& i) { return store(y, i, load(x, load(index, i))); });
    return f;
}

TEST(IndexRanges, AnIndexStaysInsideWhatItIndexes)
{
    const auto ranges = indexRanges(gather(), {});
    ASSERT_EQ(ranges.count("Index"), 1U);
    EXPECT_EQ(ranges.at("Index").largest, 9);
    EXPECT_FALSE(ranges.at("Index").isOrdered);
}

TEST(IndexRanges, OffsetsOfRowsAscendUpToTheExtent)
{
    // for i in range(Offset[0], Offset[1]): Y[i] = 0, Y has 100 elements.
    ir::Function f;
    const ir::Buffer offset = tensor("Offset", ir::kInt32, {ir::intImm(2)}), y = tensor("Y", ir::kFloat32, {ir::intImm(100)});
    f.params = {{offset}, {y}};
    f.body = loop(load(offset, ir::intImm(0)), load(offset, ir::intImm(1)),
                  [&](const ir::Var& i) { return store(y, i, ir::floatImm(0)); });
    const auto ranges = indexRanges(f, {});
    ASSERT_EQ(ranges.count("Offset"), 1U);
    EXPECT_EQ(ranges.at("Offset").largest, 100);
    EXPECT_TRUE(ranges.at("Offset").isOrdered);
}

TEST(Arguments, GeneratedInputsAreReproducibleAndOutputsPoisoned)
{
    const ir::Function f = gather();
    const auto a = prepareArguments(f, {}, {}, {.seed = 3}), b = prepareArguments(f, {}, {}, {.seed = 3}), c = prepareArguments(f, {}, {}, {.seed = 4});
    ASSERT_TRUE(a.has_value()) << a.error();
    EXPECT_EQ(a->arguments.tensors.at("X").bytes, b->arguments.tensors.at("X").bytes);
    EXPECT_NE(a->arguments.tensors.at("X").bytes, c->arguments.tensors.at("X").bytes);
    EXPECT_TRUE(std::isnan(a->arguments.tensors.at("Y").floatAt(63)));
    for (int i = 0; i < 64; ++i) {
        EXPECT_GE(a->arguments.tensors.at("Index").intAt(i), 0);
        EXPECT_LE(a->arguments.tensors.at("Index").intAt(i), 9);
    }
    EXPECT_EQ(a->generated, std::vector<std::string>{"Index"});
}

// What the seed stands for does not depend on how many threads make it: the values of one stream, in order.
TEST(Arguments, LargeInputsAreOneStream)
{
    constexpr std::int64_t kCount = 200'001;
    for (const Fill fill : {Fill::kNormal, Fill::kSmallIntegers}) {
        ir::Function f;
        const ir::Buffer x = tensor("X", ir::kFloat32, {ir::intImm(kCount)}), y = tensor("Y", ir::kFloat32, {ir::intImm(kCount)});
        f.params = {{x}, {y}};
        f.body = loop(ir::intImm(0), ir::intImm(kCount), [&](const ir::Var& i) { return store(y, i, load(x, i)); });
        const auto made = prepareArguments(f, {}, {}, {.seed = 5, .fill = fill});
        ASSERT_TRUE(made.has_value());
        Random random(5, "X");
        for (std::int64_t i = 0; i < kCount; ++i) {
            const double value = fill == Fill::kNormal ? random.normal() : static_cast<double>(random.integer(-2, 2));
            ASSERT_EQ(made->arguments.tensors.at("X").floatAt(i), static_cast<double>(static_cast<float>(value))) << i;
        }
    }
}

TEST(Arguments, AnInputThatNobodyAskedForIsAnError)
{
    GivenInputs given;
    given.literals = {{"Z", "1"}};
    const auto arguments = prepareArguments(gather(), {}, given, {});
    ASSERT_FALSE(arguments.has_value());
    EXPECT_EQ(arguments.error(), "the kernel has no parameter Z; it has X, Index, Y");
}

TEST(Arguments, ScalarsAreCheckedAgainstTheirType)
{
    ir::Function f = gather();
    f.params.push_back({std::make_shared<const ir::VarNode>(ir::kInt8, "n")});
    GivenInputs given;
    given.literals = {{"n", "128"}};
    EXPECT_EQ(prepareArguments(f, {}, given, {}).error(), "n is an int8, which cannot hold 128");
    given.literals = {{"n", "1.5"}};
    EXPECT_EQ(prepareArguments(f, {}, given, {}).error(), "n is an int8 and \"1.5\" is no whole number");
    given.literals = {{"n", "-7"}};
    EXPECT_EQ(std::get<std::int64_t>(prepareArguments(f, {}, given, {})->arguments.scalars.at("n")), -7);
}

TEST(Arguments, OutputsComeInOrderOfParametersThenOfTheReturn)
{
    ir::Function f;
    for (const char* name : {"A", "B", "C", "D"})
        f.params.push_back({tensor(name, ir::kFloat32, {ir::intImm(1)})});
    f.returned = {3, 2};
    using analysis::TensorRole;
    const std::vector<TensorRole> roles = {TensorRole::kInOut, TensorRole::kIn, TensorRole::kOut, TensorRole::kOut};
    EXPECT_EQ(outputOrder(f, roles, true), (std::vector<std::size_t>{0, 3, 2}));
    EXPECT_EQ(outputOrder(f, roles, false), (std::vector<std::size_t>{0, 2, 3}));
}

}  // namespace
}  // namespace tw::device
