#include "profiler/compare/aligned_texts.h"

#include <fmt/format.h>

#include "profiler/compare/line_diff.h"

namespace tw::compare {
namespace {

using AlignedKind = AlignedLine::Kind;

constexpr int kLeastFold = 3;  // rows: a shorter fold would save nothing

// Where the lines of one text stand against the first: its own line for each line of the first (or none), and those that come before it.
struct Placed {
    std::vector<int> at;                    // by line of the first; -1: none
    std::vector<std::vector<int>> before;   // by line of the first, one more than there are
};

Placed place(std::string_view first, std::string_view other, std::size_t lines)
{
    Placed placed;
    placed.at.assign(lines, -1);
    placed.before.resize(lines + 1);
    std::size_t next = 0;  // line of the first that follows
    std::vector<int> removed;  // lines of the first without a counterpart so far: added lines take their rows
    for (const auto& d : diffLines(first, other)) {
        if (d.kind == DiffLine::Kind::kAdded) {
            if (!removed.empty()) {
                placed.at[static_cast<std::size_t>(removed.front())] = d.after;
                removed.erase(removed.begin());
            } else {
                placed.before[next].push_back(d.after);
            }
            continue;
        }
        next = static_cast<std::size_t>(d.before) + 1;
        if (d.kind == DiffLine::Kind::kRemoved) {
            removed.push_back(d.before);
        } else {
            removed.clear();
            placed.at[static_cast<std::size_t>(d.before)] = d.after;
        }
    }
    return placed;
}

class Aligner {
public:
    explicit Aligner(const std::vector<std::string_view>& texts)
    {
        for (const auto& text : texts)
            lines_.push_back(splitLines(text));
        for (const auto& text : texts)
            placed_.push_back(place(texts.front(), text, lines_.front().size()));
        rows_.resize(texts.size());
    }

    AlignedTexts make(int context)
    {
        const auto count = lines_.front().size();
        for (std::size_t line = 0; line <= count; ++line) {
            addInserted(line);
            if (line == count)
                break;
            std::vector<int> row;
            for (const auto& p : placed_)
                row.push_back(p.at[line]);
            addRow(row);
        }
        return context < 0 ? std::move(result()) : fold(context);
    }

private:
    void addInserted(std::size_t line)
    {
        std::size_t most = 0;
        for (const auto& p : placed_)
            most = std::max(most, p.before[line].size());
        for (std::size_t i = 0; i < most; ++i) {
            std::vector<int> row;
            for (const auto& p : placed_)
                row.push_back(i < p.before[line].size() ? p.before[line][i] : -1);
            addRow(row);
        }
    }

    void addRow(const std::vector<int>& row)
    {
        bool same = row.front() >= 0;
        for (std::size_t c = 0; c < row.size(); ++c)
            same = same && row[c] >= 0 && lineOf(c, row[c]) == lineOf(0, row[0]);
        for (std::size_t c = 0; c < row.size(); ++c)
            rows_[c].push_back({row[c] < 0 ? AlignedKind::kMissing : same ? AlignedKind::kSame : AlignedKind::kChanged, row[c], 0});
        changed_ += same ? 0 : 1;
    }
    [[nodiscard]] std::string_view lineOf(std::size_t column, int line) const { return lines_[column][static_cast<std::size_t>(line)]; }

    AlignedTexts& result()
    {
        result_.columns = std::move(rows_);
        result_.changedRows = changed_;
        return result_;
    }

    AlignedTexts fold(int context)
    {
        const auto& first = rows_.front();
        const auto count = static_cast<int>(first.size());
        std::vector<bool> kept(first.size(), false);
        for (int r = 0; r < count; ++r)
            if (first[static_cast<std::size_t>(r)].kind != AlignedKind::kSame)
                for (int k = std::max(0, r - context); k <= std::min(count - 1, r + context); ++k)
                    kept[static_cast<std::size_t>(k)] = true;
        AlignedTexts out;
        out.changedRows = changed_;
        out.columns.resize(rows_.size());
        for (int r = 0; r < count;) {
            int end = r;
            while (end < count && !kept[static_cast<std::size_t>(end)])
                ++end;
            const bool worth = end - r >= kLeastFold;
            for (std::size_t c = 0; c < rows_.size(); ++c) {
                if (worth)
                    out.columns[c].push_back({AlignedKind::kFold, -1, end - r});
                else if (end == r)
                    out.columns[c].push_back(rows_[c][static_cast<std::size_t>(r)]);
                else
                    out.columns[c].insert(out.columns[c].end(), rows_[c].begin() + r, rows_[c].begin() + end);
            }
            r = std::max(end, r + 1);
        }
        return out;
    }

    std::vector<std::vector<std::string_view>> lines_;
    std::vector<Placed> placed_;
    std::vector<std::vector<AlignedLine>> rows_;
    AlignedTexts result_;
    int changed_ = 0;
};

}  // namespace

std::string AlignedTexts::text(std::size_t column, std::string_view original) const
{
    const auto lines = splitLines(original);
    std::string text;
    for (const auto& line : columns[column]) {
        if (line.kind == AlignedKind::kFold)
            text += fmt::format("\u22ef {} equal lines", line.folded);
        else if (line.line >= 0)
            text += lines[static_cast<std::size_t>(line.line)];
        text += '\n';
    }
    return text;
}

AlignedTexts alignTexts(const std::vector<std::string_view>& texts, int context)
{
    return texts.empty() ? AlignedTexts() : Aligner(texts).make(context);
}

}  // namespace tw::compare
