#include <gtest/gtest.h>

#include "profiler/compare/aligned_texts.h"
#include "profiler/compare/line_diff.h"

namespace tw::compare {
namespace {

TEST(LineDiff, MarksChangedLines)
{
    using Kind = DiffLine::Kind;
    const std::vector<DiffLine> wanted = {{Kind::kSame, 0, 0}, {Kind::kRemoved, 1, -1}, {Kind::kAdded, -1, 1},
                                          {Kind::kSame, 2, 2}, {Kind::kSame, 3, 3},     {Kind::kAdded, -1, 4}};
    EXPECT_EQ(diffLines("a\nb\nc\nd\n", "a\nx\nc\nd\ne\n"), wanted);
    EXPECT_EQ(diffLines("a\nb\n", "c\nd\n", 1).size(), 4U);  // past the bound: all removed, all added
}

// Every pair of short texts over two lines: the kept and removed lines give the first text, the kept and added ones the second.
TEST(LineDiff, RebuildsBothTexts)
{
    std::vector<std::string> texts;
    for (int bits = 0; bits < 16; ++bits)
        for (int length = 0; length <= 4; ++length) {
            std::string text;
            for (int i = 0; i < length; ++i)
                text += (bits >> i) & 1 ? "p\n" : "q\n";
            texts.push_back(text);
        }
    for (const auto& a : texts)
        for (const auto& b : texts) {
            std::string before, after;
            for (const auto& line : diffLines(a, b)) {
                if (line.kind != DiffLine::Kind::kAdded)
                    before += std::string(splitLines(a)[static_cast<std::size_t>(line.before)]) + "\n";
                if (line.kind != DiffLine::Kind::kRemoved)
                    after += std::string(splitLines(b)[static_cast<std::size_t>(line.after)]) + "\n";
            }
            ASSERT_EQ(before, a);
            ASSERT_EQ(after, b);
        }
}

// The lines of a column in order: the text that it was made from.
std::string readBack(const AlignedTexts& aligned, std::size_t column, std::string_view original)
{
    const auto lines = splitLines(original);
    std::string text;
    for (const auto& line : aligned.columns[column])
        if (line.line >= 0)
            text += std::string(lines[static_cast<std::size_t>(line.line)]) + "\n";
    return text;
}

TEST(AlignedTexts, KeepEveryLineAndPairWhatIsEqual)
{
    const std::vector<std::string> texts = {"a\nb\nc\nd\n", "a\nx\nc\nd\ne\n", "p\na\nc\nd\n", ""};
    const auto aligned = alignTexts({texts.begin(), texts.end()}, -1);
    const auto rows = aligned.columns[0].size();
    for (std::size_t c = 0; c < texts.size(); ++c) {
        ASSERT_EQ(aligned.columns[c].size(), rows);
        EXPECT_EQ(readBack(aligned, c, texts[c]), texts[c]);
    }
    // Wherever the first text's line "c" stands, the others show theirs in the same row.
    for (std::size_t r = 0; r < rows; ++r)
        if (aligned.columns[0][r].line == 2) {
            EXPECT_EQ(aligned.columns[1][r].line, 2);
            EXPECT_EQ(aligned.columns[2][r].line, 2);
            EXPECT_EQ(aligned.columns[3][r].kind, AlignedLine::Kind::kMissing);
        }
}

TEST(AlignedTexts, EqualPartsFoldAndCountTheirRows)
{
    std::string a, b;
    for (int i = 0; i < 50; ++i) {
        a += "line " + std::to_string(i) + "\n";
        b += i == 25 ? "other\n" : "line " + std::to_string(i) + "\n";
    }
    const auto aligned = alignTexts({a, b}, 3);
    EXPECT_EQ(aligned.changedRows, 1);
    ASSERT_EQ(aligned.columns[0].size(), 9U);  // a fold, three lines, the difference, three lines, a fold
    EXPECT_EQ(aligned.columns[0].front().folded, 22);
    EXPECT_EQ(aligned.columns[0].back().folded, 21);
    EXPECT_NE(aligned.text(1, b).find("other"), std::string::npos);
    EXPECT_TRUE(aligned.text(0, a).starts_with("⋯ 22 equal lines"));
    EXPECT_EQ(alignTexts({a, a}, 3).columns[0].size(), 1U);
}

}  // namespace
}  // namespace tw::compare
