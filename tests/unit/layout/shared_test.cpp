#include "core/layout/shared.h"

#include <set>

#include <gtest/gtest.h>

#include "core/arith/evaluate.h"
#include "core/ir/build.h"
#include "core/layout/access.h"
#include "core/layout/table.h"

namespace tw::layout {
namespace {

using I = std::int64_t;

I indexAt(const ir::LayoutMap& map, I i, I j)
{
    const auto* value = ir::asInt(physicalIndex(map, {ir::intImm(i), ir::intImm(j)}));
    EXPECT_NE(value, nullptr);
    return value ? *value : -1;
}

// Eight consecutive rows of one 16-byte column touch eight different groups of four banks, for every pitch; 16-byte runs stay whole.
TEST(Shared, SwizzledRowsOfAnyPitchAreFreeOfConflicts)
{
    for (const I columns : {16, 32, 48, 64, 80, 96, 128, 160, 256}) {
        const auto map = swizzled({16, columns}, 16);
        std::set<I> all;
        for (I i = 0; i < 16; ++i)
            for (I j = 0; j < columns; ++j) {
                const I index = indexAt(*map, i, j);
                EXPECT_TRUE(all.insert(index).second);
                EXPECT_EQ(index % 8, j % 8);
            }
        EXPECT_EQ(*all.rbegin(), 16 * columns - 1);
        for (I first : {0, 8})
            for (I j = 0; j < columns; j += 8) {
                std::set<I> banks;
                for (I i = first; i < first + 8; ++i)
                    banks.insert(indexAt(*map, i, j) * 2 / 16 % 8);
                EXPECT_EQ(banks.size(), 8U) << columns << " columns, column " << j;
            }
    }
}

// compiler.md 3.4: phys = lin ^ (((lin >> 7) & (2^b - 1)) << 4) on bytes.
TEST(Shared, PanelsAreTheSwizzleOfTheHardware)
{
    for (const I bytes : {32, 64, 128}) {
        const I columns = 128, rows = 16, width = bytes / 2;
        const auto map = panels({rows, columns}, 16, bytes);
        for (I i = 0; i < rows; ++i)
            for (I j = 0; j < columns; ++j) {
                const I lin = (j / width) * rows * bytes + i * bytes + j % width * 2;
                const I phys = lin ^ (((lin >> 7) & (bytes / 16 - 1)) << 4);
                EXPECT_EQ(indexAt(*map, i, j) * 2, phys);
            }
    }
}

TEST(Shared, UserLayoutsAreMeasured)
{
    const auto map = rowMajor({4, 24});
    EXPECT_EQ(physicalSize(*map), 96);
}

// Every form is a layout (no two elements share a place), and its map says what the form says.
TEST(Shared, RowFormsAreLayouts)
{
    for (const int bits : {8, 16, 32, 64})
        for (const std::vector<I>& shape : {std::vector<I>{8, 64}, {40, 48}, {2, 16, 24}, {16, 5}}) {
            const auto forms = rowForms(shape, bits);
            EXPECT_EQ(forms.front(), RowForm{});
            for (const RowForm& form : forms) {
                const auto map = toMap(form, shape);
                EXPECT_TRUE(isInjective(*map)) << describe(form, bits);
                const auto table = tabulate(*map);
                ASSERT_TRUE(table);
                for (I n = 0; n < static_cast<I>(table->physical.size()); ++n)
                    ASSERT_EQ(table->physical[static_cast<std::size_t>(n)], form.place(n / shape.back(), n % shape.back(), shape.back())) << describe(form, bits);
            }
        }
    EXPECT_EQ(describe({}, 32), "row-major");
    EXPECT_EQ(describe({0, 8, 4, 8}, 16), "chunk c of 16 bytes at c ^ (row / 4 % 8)");
    EXPECT_EQ(describe({1, 0, 1, 1}, 32), "rows with 4 bytes behind each");
}

}  // namespace
}  // namespace tw::layout
