#include "core/support/source.h"

#include <gtest/gtest.h>

namespace tw {

TEST(SourceText, CountsColumnsInCodePoints)
{
    const SourceText text("a.py", "x = 'ä'\ny = 1");
    EXPECT_EQ(text.lineColumn(5), (LineColumn{1, 6}));
    EXPECT_EQ(text.lineColumn(7), (LineColumn{1, 7}));  // behind the two bytes of ä
    EXPECT_EQ(text.lineColumn(9), (LineColumn{2, 1}));
    EXPECT_EQ(text.lineColumn(1000), (LineColumn{2, 6}));
}

TEST(SourceText, LinesAreWithoutTheirEnds)
{
    const SourceText text("a.py", "one\r\ntwo\n");
    EXPECT_EQ(text.lineCount(), 3);
    EXPECT_EQ(text.lineText(1), "one");
    EXPECT_EQ(text.lineText(2), "two");
    EXPECT_EQ(text.lineText(3), "");
    EXPECT_EQ(text.lineText(4), "");
}

}  // namespace tw
