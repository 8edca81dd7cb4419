// Source text and places in it. Every later stage points back here by value, never by pointer.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace tw {

// A half-open byte range [begin, end) of one file of a SourceSet. An empty range (begin == end) is a point.
struct SourceRange {
    std::uint32_t file = 0;  // index into the SourceSet; 0 is the opened file
    std::uint32_t begin = 0;
    std::uint32_t end = 0;

    bool operator==(const SourceRange&) const = default;
    [[nodiscard]] bool isKnown() const { return end > begin || begin > 0; }
    [[nodiscard]] bool contains(std::uint32_t offset) const { return begin <= offset && offset < end; }
};

// The smallest range that covers both; `a` and `b` are in the same file.
[[nodiscard]] SourceRange cover(const SourceRange& a, const SourceRange& b);

// A place for people: both count from 1, columns in Unicode code points.
struct LineColumn {
    int line = 1;
    int column = 1;
    bool operator==(const LineColumn&) const = default;
};

// One file, immutable. `text` is UTF-8 with "\n" line ends as the file had them (a "\r\n" keeps its "\r").
class SourceText {
public:
    SourceText(std::string name, std::string text);

    [[nodiscard]] const std::string& name() const { return name_; }
    [[nodiscard]] std::string_view text() const { return text_; }
    [[nodiscard]] int lineCount() const { return static_cast<int>(lineStarts_.size()); }
    [[nodiscard]] LineColumn lineColumn(std::uint32_t offset) const;
    // Byte offset of a line's first byte; `line` counts from 1 and is clamped to the file.
    [[nodiscard]] std::uint32_t lineStart(int line) const;
    // The line without its line end; `line` counts from 1.
    [[nodiscard]] std::string_view lineText(int line) const;
    [[nodiscard]] std::string_view slice(const SourceRange& range) const;

private:
    std::string name_;
    std::string text_;
    std::vector<std::uint32_t> lineStarts_;
};

// The opened file (index 0) and the sibling modules that it imports, in the order in which they were read.
class SourceSet {
public:
    std::uint32_t add(std::shared_ptr<const SourceText> file);
    [[nodiscard]] const SourceText& file(std::uint32_t index) const { return *files_.at(index); }
    [[nodiscard]] std::uint32_t size() const { return static_cast<std::uint32_t>(files_.size()); }

private:
    std::vector<std::shared_ptr<const SourceText>> files_;
};

}  // namespace tw
