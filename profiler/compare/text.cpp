#include <algorithm>

#include <fmt/core.h>

#include "profiler/compare/compare.h"

namespace tw::compare {
namespace {

std::string number(double value)
{
    if (value == static_cast<double>(static_cast<long long>(value)))
        return fmt::format("{}", static_cast<long long>(value));
    return fmt::format("{:.4g}", value);
}

// "12.4 (−8 %) *": the distance to the first variant's number; the star marks the best.
std::string cell(const Row& row, std::size_t i)
{
    const Value& value = row.values[i];
    if (!value.number)
        return value.text.empty() ? "-" : value.text;
    std::string out = number(*value.number);
    const std::optional<double>& first = row.values.front().number;
    if (i > 0 && first && *first != 0 && *first != *value.number)
        out += fmt::format(" ({:+.1f} %)", 100 * (*value.number / *first - 1));
    return row.best == static_cast<int>(i) ? out + " *" : out;
}

// Columns on a terminal, not bytes: continuation bytes of UTF-8 take no place.
std::size_t width(const std::string& text)
{
    return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }));
}

std::string padded(const std::string& text, std::size_t columns) { return text + std::string(columns > width(text) ? columns - width(text) : 0, ' '); }

std::string aligned(const std::vector<std::vector<std::string>>& table)
{
    std::vector<std::size_t> widths;
    for (const auto& line : table) {
        widths.resize(std::max(widths.size(), line.size()));
        for (std::size_t i = 0; i < line.size(); ++i)
            widths[i] = std::max(widths[i], width(line[i]));
    }
    std::string out;
    for (const auto& line : table) {
        std::string text;
        for (std::size_t i = 0; i < line.size(); ++i)
            text += i + 1 == line.size() ? line[i] : padded(line[i], widths[i] + 2);
        out += text.substr(0, text.find_last_not_of(' ') + 1) + "\n";
    }
    return out;
}

std::string label(const Row& row)
{
    std::string out = row.name;
    if (!row.unit.empty() && row.unit != "count" && row.name.find("_" + row.unit) == std::string::npos && !(row.unit == "%" && row.name.ends_with("_pct")))
        out += ", " + row.unit;
    return out;
}

}  // namespace

std::string toText(const std::vector<Variant>& variants, const std::vector<Row>& rows)
{
    std::vector<std::vector<std::string>> table{{"", ""}};
    for (const std::string& name : shortNames(variants, rows))
        table[0].push_back(name);
    std::string same;
    int folded = -1;
    for (const Row& row : rows) {
        if (!row.differs) {
            if (const int group = static_cast<int>(row.group); group != folded) {
                same += fmt::format("{}same {}: ", same.empty() ? "" : "\n", groupText(row.group));
                folded = group;
            } else {
                same += ", ";
            }
            same += fmt::format("{} {}", label(row), cell(row, 0));
            continue;
        }
        std::vector<std::string> line{label(row), saysOrigin(row) ? capture::originText(row.origin) : ""};
        for (std::size_t i = 0; i < row.values.size(); ++i)
            line.push_back(cell(row, i));
        table.push_back(std::move(line));
    }
    return aligned(table) + (same.empty() ? "" : same + "\n");
}

}  // namespace tw::compare
