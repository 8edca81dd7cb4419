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

// The name of a buffer, variable or kernel as a C identifier; distinct ones get distinct names, in the order of asking.
class Names {
public:
    std::string make(const std::string& wanted);

private:
    std::set<std::string> used_;
};

// A text as a C string literal, with quotes.
[[nodiscard]] std::string quoted(const std::string& text);

}  // namespace tw::gpu
