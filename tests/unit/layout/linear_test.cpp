// Every operation against trying all inputs.
#include "core/layout/linear.h"

#include <map>
#include <random>
#include <set>

#include <gtest/gtest.h>

#include "core/layout/mma.h"
#include "core/layout/shared.h"
#include "core/layout/table.h"

namespace tw::layout {
namespace {

using I = std::int64_t;
using Bits = std::uint64_t;

Linear randomLinear(std::mt19937& random, int inputs, int outputs)
{
    Linear f{outputs, {}};
    for (int k = 0; k < inputs; ++k)
        f.columns.push_back(random() % (Bits{1} << outputs));
    return f;
}

bool determines(const Linear& g, const Linear& f)
{
    std::map<Bits, Bits> seen;
    for (Bits x = 0; x < Bits{1} << g.inputs(); ++x)
        if (const auto [at, fresh] = seen.emplace(g(x), f(x)); !fresh && at->second != f(x))
            return false;
    return true;
}

TEST(Linear, AgainstAllInputs)
{
    std::mt19937 random(5);
    int bijections = 0, quotients = 0;
    for (int trial = 0; trial < 500; ++trial) {
        const int inputs = 1 + static_cast<int>(random() % 6), outputs = 1 + static_cast<int>(random() % 6);
        const Linear g = randomLinear(random, inputs, outputs);
        const Linear f = trial % 2 ? compose(randomLinear(random, outputs, 4), g) : randomLinear(random, inputs, 3);
        std::set<Bits> images;
        for (Bits x = 0; x < Bits{1} << inputs; ++x)
            images.insert(g(x));
        EXPECT_EQ(images.size(), std::size_t{1} << g.rank());
        const auto h = divide(f, g);
        ASSERT_EQ(h.has_value(), determines(g, f)) << trial;
        EXPECT_EQ(contains(g, f), h.has_value());
        if (h) {
            ++quotients;
            EXPECT_EQ(compose(*h, g), f);
        }
        const auto back = inverse(g);
        EXPECT_EQ(back.has_value(), inputs == outputs && images.size() == std::size_t{1} << inputs);
        if (back) {
            ++bijections;
            EXPECT_EQ(compose(*back, g), identity(inputs));
            EXPECT_EQ(compose(g, *back), identity(inputs));
        }
    }
    EXPECT_GT(bijections, 20);
    EXPECT_GT(quotients, 200);
}

TEST(Linear, SwizzlesAreLinearAndPaddingIsNot)
{
    for (const auto& map : {rowMajor({16, 64}), swizzled({16, 64}, 16), panels({2, 32, 128}, 16, 64)}) {
        const auto f = linearOf(*map);
        ASSERT_TRUE(f);
        const auto table = tabulate(*map);
        for (std::size_t x = 0; x < table->physical.size(); ++x)
            ASSERT_EQ((*f)(x), static_cast<Bits>(table->physical[x]));
        EXPECT_TRUE(inverse(*f));
    }
    EXPECT_FALSE(linearOf(*swizzled({16, 96}, 16)));
}

TEST(Linear, FragmentsAsTheyStandInRegisters)
{
    for (const Fragment& f : {mmaA({16, 8, 16, 16}), blockC({16, 8, 16, 16}, 64, 64, {2, 2}), blockA({16, 8, 32, 8}, 64, 64, {2, 2}, true), dealt({8, 16}, 256, 2)}) {
        const auto linear = linearOf(f);
        ASSERT_TRUE(linear);
        const I registers = f.registers();
        for (I thread = 0; thread < f.threads; ++thread)
            for (I reg = 0; reg < registers; ++reg) {
                const std::vector<I> at = f.at(thread, reg);
                ASSERT_EQ((*linear)(static_cast<Bits>(thread * registers + reg)), static_cast<Bits>(at[0] * f.shape[1] + at[1]));
            }
        EXPECT_TRUE(linear->isSurjective());
        EXPECT_EQ(linear->isInjective(), f.copies() == 1);
    }
    EXPECT_FALSE(linearOf(dealt({8, 12}, 32, 1)));
}

TEST(Linear, InWords)
{
    // PTX ISA, "Matrix Fragments for mma.m16n8k16 with floating point type": C's row is lane / 4 + 8 (register / 2), its column lane % 4 * 2 + register % 2.
    EXPECT_EQ(describe(*linearOf(mmaC({16, 8, 16, 16})), {{"r", 2}, {"t", 5}}, {{"j", 3}, {"i", 4}}), "j = r0 t0 t1; i = t2 t3 t4 r1");
    // Chunks of 8 halves, permuted by the row: chunk c of row i lies at c ^ i.
    EXPECT_EQ(describe(*linearOf(*swizzled({8, 64}, 16)), {{"j", 6}, {"i", 3}}, {{"element", 9}}), "element = j0 j1 j2 j3^i0 j4^i1 j5^i2 i0 i1 i2");
    EXPECT_EQ(describe({2, {1}}, {{"x", 1}}, {{"y", 2}}), "y = x0 0");
}

}  // namespace
}  // namespace tw::layout
