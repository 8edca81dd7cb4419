// Lines of target text with the place each came from, and names that C accepts.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "codegen/gpu_c/gpu_program.h"

namespace tw::gpu {

// Text that grows line by line. A change of the source line is marked with a #line directive.
class Writer {
public:
    explicit Writer(const SourceSet* sources) : sources_(sources) {}

    void at(const ir::Provenance& where) { where_ = where; }
    [[nodiscard]] const ir::Provenance& where() const { return where_; }
    void line(const std::string& text);       // of the current place
    void plain(const std::string& text);      // of no place
    void directive(const std::string& text);  // "#pragma …": not indented
    // A comment with the source text of a tile operation, when another one begins, and the #line directive.
    void announce();
    void indent() { ++depth_; }
    void outdent() { --depth_; }
    void append(Writer&& other);

    [[nodiscard]] std::string text() const;
    [[nodiscard]] int lineCount() const { return static_cast<int>(lines_.size()); }
    [[nodiscard]] const std::vector<LineSource>& places() const { return places_; }

private:
    const SourceSet* sources_;
    std::vector<std::string> lines_;
    std::vector<LineSource> places_;
    ir::Provenance where_;
    std::uint32_t announcedOp_ = 0;
    std::pair<std::uint32_t, int> markedLine_{0, 0};  // file, line
    int depth_ = 0;
};

// The name of a buffer, variable or kernel as a C identifier; those alive at one time are distinct.
class Names {
public:
    std::string make(const std::string& wanted);
    // Names made after `mark` may be given again after `rewind`: their block has ended.
    [[nodiscard]] std::size_t mark() const { return order_.size(); }
    void rewind(std::size_t mark);

private:
    std::set<std::string> used_;
    std::vector<std::string> order_;
};

// A text as a C string literal, with quotes.
[[nodiscard]] std::string quoted(const std::string& text);

}  // namespace tw::gpu
