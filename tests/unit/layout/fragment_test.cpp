#include "core/layout/fragment.h"

#include <random>
#include <set>

#include <gtest/gtest.h>

#include "core/ir/build.h"

namespace tw::layout {
namespace {

using I = std::int64_t;

// Every element is held, in one register of each holder, no two in one place; every thread that holds anything holds what `at` says.
void expectSound(const Fragment& f)
{
    std::set<std::pair<I, I>> taken;
    std::vector<I> at(f.shape.size(), 0);
    I elements = 1;
    for (const I extent : f.shape)
        elements *= extent;
    for (I n = 0; n < elements; ++n) {
        I rest = n;
        for (std::size_t k = at.size(); k-- > 0;) {
            at[k] = rest % f.shape[k];
            rest /= f.shape[k];
        }
        I holders = 0;
        const I reg = f.registerOf(at);
        ASSERT_LT(reg, f.registers());
        for (I t = 0; t < f.threads; ++t) {
            if (!f.owns(t, at))
                continue;
            ++holders;
            EXPECT_TRUE(taken.emplace(t, reg).second) << "thread " << t << " register " << reg;
            EXPECT_EQ(f.at(t, reg), at);
        }
        EXPECT_EQ(holders, f.copies());
        EXPECT_TRUE(f.owns(f.threadOf(at), at));
    }
}

TEST(Fragment, DealtOutInRowMajorOrder)
{
    const Fragment f = dealt({4, 64}, 32, 4);
    expectSound(f);
    EXPECT_EQ(f.registers(), 8);
    EXPECT_EQ(f.threadOf(std::vector<I>{0, 4}), 1);
    EXPECT_EQ(f.threadOf(std::vector<I>{1, 0}), 16);
    EXPECT_EQ(f.registerOf(std::vector<I>{0, 3}), 3);
    EXPECT_EQ(f.threadOf(std::vector<I>{2, 0}), 0);
    EXPECT_EQ(f.copies(), 1);
}

TEST(Fragment, FewElementsAreCopied)
{
    const Fragment f = dealt({16}, 64, 1);
    expectSound(f);
    EXPECT_EQ(f.registers(), 1);
    EXPECT_EQ(f.copies(), 4);
}

TEST(Fragment, AnyShapeAndThreadCount)
{
    std::mt19937 random(7);
    for (int trial = 0; trial < 300; ++trial) {
        std::vector<I> shape;
        for (int k = static_cast<int>(random() % 3); k >= 0; --k)
            shape.push_back(1 + static_cast<I>(random() % (shape.empty() ? 70 : 12)));
        static constexpr I kThreads[] = {1, 25, 32, 96, 128, 384};
        const I threads = kThreads[random() % 6];
        SCOPED_TRACE(testing::Message() << "trial " << trial);
        expectSound(dealt(shape, threads, I{1} << random() % 4));
        const int axis = static_cast<int>(random() % shape.size());
        const I lanes = threads % 32 == 0 ? 32 : threads;
        expectSound(rowwise(shape, axis, threads, lanes, I{1} << random() % 3));
        if (shape.size() > 1) {
            std::vector<int> others;
            for (int k = 0; k < static_cast<int>(shape.size()); ++k)
                if (k != axis)
                    others.push_back(k);
            expectSound(select(dealt(shape, threads, 2), others));
        }
    }
}

TEST(Fragment, DroppingAnAxisMakesCopies)
{
    const Fragment f = select(rowwise({8, 128}, 1, 128, 32, 4), {0});
    expectSound(f);
    EXPECT_EQ(f.copies(), 32);
    EXPECT_EQ(f.registers(), 2);
}

TEST(Fragment, MapsComeBack)
{
    std::mt19937 random(11);
    for (int trial = 0; trial < 100; ++trial) {
        const std::vector<I> shape{1 + static_cast<I>(random() % 40), 1 + static_cast<I>(random() % 40)};
        const Fragment f = dealt(shape, 128, 1 << random() % 3);
        const auto back = fromMap(*toMap(f), 128);
        ASSERT_TRUE(back.has_value()) << trial;
        std::vector<I> at(2);
        for (at[0] = 0; at[0] < shape[0]; ++at[0])
            for (at[1] = 0; at[1] < shape[1]; ++at[1]) {
                EXPECT_EQ(back->threadOf(at), f.threadOf(at));
                EXPECT_EQ(back->registerOf(at), f.registerOf(at));
            }
        EXPECT_EQ(back->copies(), f.copies());
    }
}

TEST(Fragment, CopiesComeBack)
{
    const Fragment f = dealt({256}, 128, 8);
    EXPECT_EQ(f.copies(), 4);
    EXPECT_EQ(fromMap(*toMap(f), 128), f);
}

// The author's number of a copy need not go up with the thread.
TEST(Fragment, CopiesInAnyOrder)
{
    auto map = std::make_shared<ir::LayoutMap>(*toMap(dealt({16}, 64, 1)));
    const ir::Expr rep = map->replicateVar;
    map->thread = ir::add(map->vars[0], ir::add(ir::mul(ir::floorMod(rep, ir::intImm(2)), ir::intImm(32)), ir::mul(ir::floorDiv(rep, ir::intImm(2)), ir::intImm(16))));
    EXPECT_EQ(fromMap(*map, 64), dealt({16}, 64, 1));
}

TEST(Fragment, IdleThreadsHoldNothing)
{
    const Fragment f = rowwise({4, 25}, 1, 128, 32, 1);
    expectSound(f);
    EXPECT_TRUE(f.holds(24));
    EXPECT_FALSE(f.holds(25));
    EXPECT_TRUE(f.holds(32));
}

// A warp covers a patch: 8 threads with 4 elements each along the last axis, 4 rows; every element is with one thread once.
TEST(Fragment, PatchesOfWarps)
{
    const auto f = dealtInPatches({64, 64}, 256, {1, 4, 8});
    ASSERT_TRUE(f);
    EXPECT_EQ(f->registers(), 16);
    EXPECT_EQ(f->copies(), 1);
    for (I t = 0; t < 32; ++t)
        for (I r = 0; r < 4; ++r)
            EXPECT_EQ(f->at(t, r), (std::vector<I>{t / 8, t % 8 * 4 + r}));
    std::set<std::pair<I, I>> taken;
    for (I i = 0; i < 64; ++i)
        for (I j = 0; j < 64; ++j) {
            const std::vector<I> at = {i, j};
            taken.insert({f->threadOf(at), f->registerOf(at)});
            EXPECT_EQ(f->at(f->threadOf(at), f->registerOf(at)), at);
        }
    EXPECT_EQ(taken.size(), 64U * 64U);
    EXPECT_FALSE(dealtInPatches({64, 60}, 256, {1, 4, 8}));
    EXPECT_FALSE(dealtInPatches({64}, 32, {0, 1, 32}));
    EXPECT_EQ(describe(*dealtInPatches({8, 32}, 32, {1, 4, 8})), "axis 0: 2 registers × 4 threads; axis 1: 8 threads × 4 registers");
}

}  // namespace
}  // namespace tw::layout
