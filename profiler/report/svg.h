// Pictures as SVG text, the same for a page and for a file of their own.
//
// Colours stand on every element as light-theme attributes, so that any reader shows them; classes let style.h turn them dark.
#pragma once

#include <string>
#include <string_view>

namespace tw::report {

// The text with everything that markup could mistake replaced; control characters other than line ends and tabs are dropped.
[[nodiscard]] std::string escaped(std::string_view text);

// At most `characters` of the text, the last of them "…" where something is cut off.
[[nodiscard]] std::string shortened(std::string_view text, std::size_t characters);

// Fixed colours that read well on light and on dark; by number for categories.
[[nodiscard]] const char* categoryColor(std::size_t index);

enum class Anchor { kStart, kMiddle, kEnd };
enum class Ink { kText, kMuted };

class Svg {
public:
    Svg(double width, double height, std::string_view title);

    // `tip` is shown by browsers while the pointer rests; may be empty.
    void rect(double x, double y, double width, double height, std::string_view color, std::string_view tip = {}, double opacity = 1);
    void track(double x, double y, double width, double height);  // the empty part of a bar
    void rule(double x1, double y1, double x2, double y2);        // axes and grid
    void line(double x1, double y1, double x2, double y2, std::string_view color, bool isDashed = false);
    void path(std::string_view data, std::string_view color);     // "M0 0L1 1"
    void circle(double x, double y, double radius, std::string_view color, bool isFilled, std::string_view tip);
    void text(double x, double y, std::string_view text, Anchor anchor = Anchor::kStart, Ink ink = Ink::kText, int size = 12);

    [[nodiscard]] std::string finish() &&;

private:
    std::string out_;
};

}  // namespace tw::report
