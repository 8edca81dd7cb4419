#include "core/support/source.h"

#include <algorithm>

#include "core/support/check.h"

namespace tw {

SourceRange cover(const SourceRange& a, const SourceRange& b)
{
    return {a.file, std::min(a.begin, b.begin), std::max(a.end, b.end)};
}

SourceText::SourceText(std::string name, std::string text) : name_(std::move(name)), text_(std::move(text))
{
    TW_CHECK(text_.size() < UINT32_MAX, "source text is larger than 4 GiB");
    lineStarts_.push_back(0);
    for (std::size_t i = 0; i < text_.size(); ++i)
        if (text_[i] == '\n')
            lineStarts_.push_back(static_cast<std::uint32_t>(i + 1));
}

LineColumn SourceText::lineColumn(std::uint32_t offset) const
{
    offset = std::min(offset, static_cast<std::uint32_t>(text_.size()));
    const auto next = std::upper_bound(lineStarts_.begin(), lineStarts_.end(), offset);
    const auto start = *(next - 1);
    // UTF-8 continuation bytes (10xxxxxx) do not begin a code point.
    const auto points = std::count_if(text_.begin() + start, text_.begin() + offset,
                                      [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; });
    return {static_cast<int>(next - lineStarts_.begin()), static_cast<int>(points) + 1};
}

std::uint32_t SourceText::lineStart(int line) const
{
    return lineStarts_[static_cast<std::size_t>(std::clamp(line, 1, lineCount()) - 1)];
}

std::string_view SourceText::lineText(int line) const
{
    if (line < 1 || line > lineCount())
        return {};
    const auto begin = lineStart(line);
    auto end = line < lineCount() ? lineStart(line + 1) : static_cast<std::uint32_t>(text_.size());
    while (end > begin && (text_[end - 1] == '\n' || text_[end - 1] == '\r'))
        --end;
    return std::string_view(text_).substr(begin, end - begin);
}

std::string_view SourceText::slice(const SourceRange& range) const
{
    if (range.begin >= text_.size())
        return {};
    return std::string_view(text_).substr(range.begin, range.end - range.begin);
}

std::uint32_t SourceSet::add(std::shared_ptr<const SourceText> file)
{
    files_.push_back(std::move(file));
    return size() - 1;
}

}  // namespace tw
