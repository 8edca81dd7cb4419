#include "profiler/report/code_diff.h"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>

#include "profiler/compare/aligned_texts.h"
#include "profiler/compare/line_diff.h"
#include "profiler/report/svg.h"

namespace tw::report {
namespace {

using compare::AlignedLine;
using Kind = AlignedLine::Kind;
using Lines = std::vector<std::string_view>;

constexpr int kContext = 3;        // equal lines around a difference
constexpr int kLeastColumn = 300;  // pixels of a column, before the page scrolls
constexpr std::size_t kLeastFold = 4;

bool isContinuation(char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; }

// The line with what is not in `other` marked: all between their common beginning and their common end.
std::string marked(std::string_view line, std::string_view other)
{
    const auto most = std::min(line.size(), other.size());
    auto begin = static_cast<std::size_t>(std::mismatch(line.begin(), line.begin() + static_cast<std::ptrdiff_t>(most), other.begin()).first - line.begin());
    while (begin > 0 && begin < line.size() && isContinuation(line[begin]))
        --begin;
    std::size_t end = 0;
    while (end < most - begin && line[line.size() - 1 - end] == other[other.size() - 1 - end])
        ++end;
    while (end > 0 && isContinuation(line[line.size() - end]))
        --end;
    const auto middle = line.substr(begin, line.size() - begin - end);
    return escaped(line.substr(0, begin)) + (middle.empty() ? std::string() : "<mark>" + escaped(middle) + "</mark>") + escaped(line.substr(line.size() - end));
}

class Page {
public:
    Page(const std::vector<std::string>& names, const std::vector<std::string_view>& texts) : names_(names), rows_(compare::alignTexts(texts, -1))
    {
        for (const auto& text : texts)
            lines_.push_back(compare::splitLines(text));
    }

    std::string make()
    {
        const auto count = rows_.columns.front().size();
        if (rows_.changedRows == 0)
            return "<p class=\"sub\">the same in every variant</p>" + fold(0, count);
        std::string out = fmt::format("<div class=\"scroll\"><div class=\"cmp\" style=\"min-width:{}px\">", static_cast<int>(names_.size()) * kLeastColumn) + heads();
        const std::vector<bool> kept = keptRows(count);
        for (std::size_t r = 0; r < count;) {
            const auto end = static_cast<std::size_t>(std::find(kept.begin() + static_cast<std::ptrdiff_t>(r), kept.end(), !kept[r]) - kept.begin());
            out += kept[r] || end - r < kLeastFold ? table(r, end) : fold(r, end);
            r = end;
        }
        return out + "</div></div>\n";
    }

private:
    [[nodiscard]] bool differs(std::size_t row) const { return rows_.columns.front()[row].kind != Kind::kSame; }

    [[nodiscard]] std::vector<bool> keptRows(std::size_t count) const
    {
        std::vector<bool> kept(count, false);
        for (std::size_t r = 0; r < count; ++r)
            if (differs(r))
                for (std::size_t k = r < kContext ? 0 : r - kContext; k <= std::min(count - 1, r + kContext); ++k)
                    kept[k] = true;
        return kept;
    }

    [[nodiscard]] std::string heads() const
    {
        std::string out = "<table><tr>";
        for (const std::string& name : names_)
            out += fmt::format("<th class=\"l\"></th><th>{}</th>", escaped(name));
        return out + "</tr></table>";
    }

    [[nodiscard]] std::string_view lineAt(std::size_t column, std::size_t row) const
    {
        const int line = rows_.columns[column][row].line;
        return line < 0 ? std::string_view() : lines_[column][static_cast<std::size_t>(line)];
    }

    // What a line is read against: the first text's; for the first, the first other that differs.
    [[nodiscard]] std::string_view counterpart(std::size_t column, std::size_t row) const
    {
        if (column > 0)
            return lineAt(0, row);
        for (std::size_t c = 1; c < names_.size(); ++c)
            if (rows_.columns[c][row].line >= 0 && lineAt(c, row) != lineAt(0, row))
                return lineAt(c, row);
        return {};
    }

    [[nodiscard]] std::string cell(std::size_t column, std::size_t row) const
    {
        const AlignedLine& at = rows_.columns[column][row];
        if (at.line < 0)
            return "<td class=\"l\"></td><td class=\"x\"></td>";
        const std::string_view line = lineAt(column, row), other = counterpart(column, row);
        const bool isOther = differs(row) && line != other;
        return fmt::format("<td class=\"l\">{}</td><td{}>{}</td>", at.line + 1, isOther ? " class=\"c\"" : "",
                           isOther && !other.empty() ? marked(line, other) : escaped(line));
    }

    [[nodiscard]] std::string table(std::size_t begin, std::size_t end) const
    {
        std::string out = "<table>";
        for (std::size_t r = begin; r < end; ++r) {
            out += "<tr>";
            for (std::size_t c = 0; c < names_.size(); ++c)
                out += cell(c, r);
            out += "</tr>\n";
        }
        return out + "</table>";
    }

    // Equal in all, so it is written once.
    [[nodiscard]] std::string fold(std::size_t begin, std::size_t end) const
    {
        std::string out = fmt::format("<details class=\"fold\"><summary>⋯ {} equal line{}</summary><table>", end - begin, end - begin == 1 ? "" : "s");
        for (std::size_t r = begin; r < end; ++r)
            fmt::format_to(std::back_inserter(out), "<tr><td class=\"l\">{}</td><td>{}</td></tr>\n", rows_.columns.front()[r].line + 1, escaped(lineAt(0, r)));
        return out + "</table></details>\n";
    }

    const std::vector<std::string>& names_;
    compare::AlignedTexts rows_;
    std::vector<Lines> lines_;
};

}  // namespace

std::string codeDiff(const std::vector<std::string>& names, const std::vector<std::string_view>& texts)
{
    std::vector<std::string> shownNames;
    std::vector<std::string_view> shown;
    for (std::size_t i = 0; i < texts.size(); ++i)
        if (!texts[i].empty()) {
            shownNames.push_back(names[i]);
            shown.push_back(texts[i]);
        }
    return shown.empty() ? std::string() : Page(shownNames, shown).make();
}

}  // namespace tw::report
