#include "profiler/compare/line_diff.h"

#include <algorithm>

namespace tw::compare {
namespace {

using Lines = std::vector<std::string_view>;
using DiffKind = DiffLine::Kind;

// One span of both texts that differs at its first and last line.
struct Middle {
    const Lines& a;
    const Lines& b;
    int aBegin, aEnd, bBegin, bEnd;

    [[nodiscard]] int n() const { return aEnd - aBegin; }
    [[nodiscard]] int m() const { return bEnd - bBegin; }
};

void appendAll(const Middle& s, std::vector<DiffLine>& out)
{
    for (int i = s.aBegin; i < s.aEnd; ++i)
        out.push_back({DiffKind::kRemoved, i, -1});
    for (int j = s.bBegin; j < s.bEnd; ++j)
        out.push_back({DiffKind::kAdded, -1, j});
}

// furthest[d][k + d]: how far in `a` diagonal k reaches with d edits. Empty if more than maxEdits are needed.
std::vector<std::vector<int>> searchForward(const Middle& s, int maxEdits)
{
    const int limit = std::min(maxEdits, s.n() + s.m());
    std::vector<std::vector<int>> trace;
    std::vector<int> v(static_cast<std::size_t>(2 * limit + 3), 0);
    const auto at = [&](int k) -> int& { return v[static_cast<std::size_t>(k + limit + 1)]; };
    for (int d = 0; d <= limit; ++d) {
        for (int k = -d; k <= d; k += 2) {
            int x = k == -d || (k != d && at(k - 1) < at(k + 1)) ? at(k + 1) : at(k - 1) + 1;
            while (x < s.n() && x - k < s.m() &&
                   s.a[static_cast<std::size_t>(s.aBegin + x)] == s.b[static_cast<std::size_t>(s.bBegin + x - k)])
                ++x;
            at(k) = x;
            if (x >= s.n() && x - k >= s.m()) {
                trace.emplace_back(v.begin() + (limit + 1 - d), v.begin() + (limit + 2 + d));
                return trace;
            }
        }
        trace.emplace_back(v.begin() + (limit + 1 - d), v.begin() + (limit + 2 + d));
    }
    return {};
}

std::vector<DiffLine> backtrack(const Middle& s, const std::vector<std::vector<int>>& trace)
{
    std::vector<DiffLine> reversed;
    int x = s.n(), y = s.m();
    for (int d = static_cast<int>(trace.size()) - 1; d >= 0; --d) {
        const int k = x - y;
        int previousX = 0, previousY = 0;
        if (d > 0) {
            const auto& before = trace[static_cast<std::size_t>(d - 1)];
            const auto reach = [&](int diagonal) {
                const int i = diagonal + d - 1;
                return i < 0 || i >= static_cast<int>(before.size()) ? -1 : before[static_cast<std::size_t>(i)];
            };
            const int previousK = k == -d || (k != d && reach(k - 1) < reach(k + 1)) ? k + 1 : k - 1;
            previousX = reach(previousK);
            previousY = previousX - previousK;
        }
        while (x > previousX && y > previousY) {
            --x, --y;
            reversed.push_back({DiffKind::kSame, s.aBegin + x, s.bBegin + y});
        }
        if (d == 0)
            break;
        if (x == previousX) {
            --y;
            reversed.push_back({DiffKind::kAdded, -1, s.bBegin + y});
        } else {
            --x;
            reversed.push_back({DiffKind::kRemoved, s.aBegin + x, -1});
        }
    }
    std::reverse(reversed.begin(), reversed.end());
    return reversed;
}

// Within each run of changes: removed lines first.
void orderChanges(std::vector<DiffLine>& lines)
{
    for (auto it = lines.begin(); it != lines.end();) {
        const auto end = std::find_if(it, lines.end(), [](const DiffLine& l) { return l.kind == DiffKind::kSame; });
        std::stable_partition(it, end, [](const DiffLine& l) { return l.kind == DiffKind::kRemoved; });
        it = std::find_if(end, lines.end(), [](const DiffLine& l) { return l.kind != DiffKind::kSame; });
    }
}

}  // namespace

std::vector<std::string_view> splitLines(std::string_view text)
{
    Lines lines;
    while (!text.empty()) {
        const auto end = text.find('\n');
        lines.push_back(text.substr(0, end));
        text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
    }
    return lines;
}

std::vector<DiffLine> diffLines(std::string_view before, std::string_view after, int maxEdits)
{
    const Lines a = splitLines(before), b = splitLines(after);
    int aEnd = static_cast<int>(a.size()), bEnd = static_cast<int>(b.size()), start = 0;
    std::vector<DiffLine> out;
    while (start < aEnd && start < bEnd && a[static_cast<std::size_t>(start)] == b[static_cast<std::size_t>(start)]) {
        out.push_back({DiffKind::kSame, start, start});
        ++start;
    }
    while (aEnd > start && bEnd > start && a[static_cast<std::size_t>(aEnd - 1)] == b[static_cast<std::size_t>(bEnd - 1)])
        --aEnd, --bEnd;
    const Middle middle{a, b, start, aEnd, start, bEnd};
    if (middle.n() + middle.m() > 0) {
        const auto trace = searchForward(middle, maxEdits);
        if (trace.empty()) {
            appendAll(middle, out);
        } else {
            auto lines = backtrack(middle, trace);
            orderChanges(lines);
            out.insert(out.end(), lines.begin(), lines.end());
        }
    }
    for (int i = aEnd, j = bEnd; i < static_cast<int>(a.size()); ++i, ++j)
        out.push_back({DiffKind::kSame, i, j});
    return out;
}

}  // namespace tw::compare
