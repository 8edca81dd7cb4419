#include "core/layout/access.h"

#include <random>

#include <gtest/gtest.h>

#include "core/ir/build.h"
#include "core/layout/shared.h"
#include "core/layout/table.h"

namespace tw::layout {
namespace {

using I = std::int64_t;

Ref<const ir::LayoutMap> padded(const std::vector<I>& shape, I pad)
{
    auto map = std::make_shared<ir::LayoutMap>(*rowMajor(shape));
    map->index = {ir::add(ir::mul(map->vars[0], ir::intImm(shape[1] + pad)), map->vars[1])};
    return map;
}

TEST(Access, RunsOfALayout)
{
    EXPECT_EQ(alignedRun(*rowMajor({8, 64}), 1), 64);
    EXPECT_EQ(alignedRun(*rowMajor({8, 64}), 0), 1);
    EXPECT_EQ(alignedRun(*rowMajor({8, 24}), 1), 8);  // rows begin at multiples of 24
    EXPECT_EQ(alignedRun(*swizzled({8, 64}, 16), 1), 8);
    EXPECT_EQ(alignedRun(*swizzled({8, 64}, 8), 1), 16);
    EXPECT_EQ(alignedRun(*padded({8, 64}, 8), 1), 8);
    EXPECT_EQ(alignedRun(*padded({8, 64}, 1), 1), 1);
    EXPECT_TRUE(hasMatrixRows(*padded({8, 64}, 8), 16));
    EXPECT_FALSE(hasMatrixRows(*padded({8, 64}, 4), 16));
}

TEST(Access, TwoElementsInOnePlace)
{
    EXPECT_TRUE(isInjective(*swizzled({16, 64}, 16)));
    EXPECT_TRUE(isInjective(*panels({16, 64}, 16, 64)));
    EXPECT_FALSE(isInjective(*padded({16, 64}, -1)));
}

// Eight rows of 16 bytes, as one matrix of ldmatrix reads them.
BankUse matrixRead(const ir::LayoutMap& map, int bits, I row, I column)
{
    const auto table = tabulate(map);
    std::vector<I> addresses;
    for (I r = 0; r < 8; ++r)
        addresses.push_back(table->physical[static_cast<std::size_t>((row + r) * map.shape[1] + column)] * bits / 8);
    return bankUse(addresses, 16);
}

TEST(Access, ConflictsOfMatrixRows)
{
    // compiler.md 3.4: pitches of 64 bytes are 4-way (two rows share 128 bytes), 128 and 256 are 8-way, 16 bytes more are free.
    EXPECT_EQ(matrixRead(*rowMajor({16, 32}), 16, 0, 0), (BankUse{4, 1}));
    EXPECT_EQ(matrixRead(*rowMajor({16, 64}), 16, 0, 0), (BankUse{8, 1}));
    EXPECT_EQ(matrixRead(*rowMajor({16, 128}), 16, 8, 8), (BankUse{8, 1}));
    EXPECT_EQ(matrixRead(*padded({16, 64}, 8), 16, 0, 0), (BankUse{1, 1}));
    for (const I columns : {16, 32, 64, 96, 128})
        for (I row = 0; row < 16; row += 8)
            for (I column = 0; column < columns; column += 8) {
                EXPECT_EQ(matrixRead(*swizzled({16, columns}, 16), 16, row, column).passes, 1) << columns;
                const I width = columns % 64 == 0 ? 128 : 32;
                EXPECT_EQ(matrixRead(*panels({16, columns}, 16, width), 16, row, column).passes, 1);
            }
}

TEST(Access, ConflictsOfWordsAndSharedWords)
{
    std::vector<I> addresses;
    for (I lane = 0; lane < 32; ++lane)
        addresses.push_back(lane * 8);
    EXPECT_EQ(bankUse(addresses, 4), (BankUse{2, 1}));
    EXPECT_EQ(bankUse(addresses, 8), (BankUse{2, 2}));
    EXPECT_EQ(bankUse(std::vector<I>(32, 64), 4), (BankUse{1, 1}));
    addresses.assign(32, -1);
    EXPECT_EQ(bankUse(addresses, 4), (BankUse{0, 0}));
    addresses[3] = 0;
    addresses[9] = 4096;
    EXPECT_EQ(bankUse(addresses, 2), (BankUse{2, 1}));
}

TEST(Access, BoxesOfBulkCopies)
{
    const auto plain = tmaBoxes(*rowMajor({64, 64}), 16);
    ASSERT_TRUE(plain);
    EXPECT_EQ(plain->swizzle, 0);
    EXPECT_EQ(plain->box, (std::vector<I>{64, 64}));
    const auto wide = tmaBoxes(*panels({2, 64, 512}, 16, 128), 16);  // compiler.md 3.6: 8 boxes of 64 x 64
    ASSERT_TRUE(wide);
    EXPECT_EQ(wide->swizzle, 128);
    EXPECT_EQ(wide->box, (std::vector<I>{1, 64, 64}));
    EXPECT_EQ(wide->counts, (std::vector<I>{2, 1, 8}));
    EXPECT_FALSE(tmaBoxes(*padded({64, 64}, 8), 16));
    EXPECT_FALSE(tmaBoxes(*swizzled({64, 128}, 16), 16));  // panels are not side by side
    EXPECT_FALSE(tmaBoxes(*rowMajor({8, 4}), 16));
    EXPECT_TRUE(tmaBoxes(*swizzled({64, 64}, 16), 16));  // one panel
}

}  // namespace
}  // namespace tw::layout
