#include "profiler/report/svg.h"

#include <array>
#include <iterator>

#include <fmt/format.h>

namespace tw::report {
namespace {

std::string tipOf(std::string_view tip) { return tip.empty() ? std::string() : fmt::format("<title>{}</title>", escaped(tip)); }

const char* word(Anchor anchor) { return anchor == Anchor::kStart ? "start" : anchor == Anchor::kMiddle ? "middle" : "end"; }

}  // namespace

std::string escaped(std::string_view text)
{
    std::string out;
    out.reserve(text.size());
    for (const char c : text) {
        switch (c) {
            case '&': out += "&amp;"; break;
            case '<': out += "&lt;"; break;
            case '>': out += "&gt;"; break;
            case '"': out += "&quot;"; break;
            case '\'': out += "&#39;"; break;
            default:
                if (static_cast<unsigned char>(c) >= 0x20 || c == '\n' || c == '\t')
                    out += c;
        }
    }
    return out;
}

std::string shortened(std::string_view text, std::size_t characters)
{
    std::size_t count = 0, cut = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if ((static_cast<unsigned char>(text[i]) & 0xc0) == 0x80)
            continue;  // inside a character
        if (++count == characters)
            cut = i;
    }
    if (count <= characters)
        return std::string(text);
    return fmt::format("{}…", text.substr(0, cut));
}

const char* categoryColor(std::size_t index)
{
    static constexpr std::array kColors = {"#4c7fe0", "#e0873a", "#3fa266", "#d45454", "#9069d6", "#2f9fb0", "#c2a02a", "#d367a6", "#7f8b9d", "#6f8f3a"};
    return kColors[index % kColors.size()];
}

Svg::Svg(double width, double height, std::string_view title)
    : out_(fmt::format("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {:.0f} {:.0f}\" width=\"{:.0f}\" height=\"{:.0f}\" role=\"img\" "
                       "font-family=\"system-ui, sans-serif\"><title>{}</title>\n", width, height, width, height, escaped(title)))
{
}

void Svg::rect(double x, double y, double width, double height, std::string_view color, std::string_view tip, double opacity)
{
    fmt::format_to(std::back_inserter(out_), "<rect x=\"{:.2f}\" y=\"{:.2f}\" width=\"{:.2f}\" height=\"{:.2f}\" rx=\"2\" fill=\"{}\"{}>{}</rect>\n", x, y,
                   width, height, color, opacity < 1 ? fmt::format(" opacity=\"{:.2f}\"", opacity) : "", tipOf(tip));
}

void Svg::track(double x, double y, double width, double height)
{
    fmt::format_to(std::back_inserter(out_), "<rect class=\"k\" x=\"{:.2f}\" y=\"{:.2f}\" width=\"{:.2f}\" height=\"{:.2f}\" rx=\"2\" fill=\"#e9edf3\"/>\n", x,
                   y, width, height);
}

void Svg::rule(double x1, double y1, double x2, double y2)
{
    fmt::format_to(std::back_inserter(out_), "<line class=\"g\" x1=\"{:.2f}\" y1=\"{:.2f}\" x2=\"{:.2f}\" y2=\"{:.2f}\" stroke=\"#d5dae3\"/>\n", x1, y1, x2, y2);
}

void Svg::line(double x1, double y1, double x2, double y2, std::string_view color, bool isDashed)
{
    fmt::format_to(std::back_inserter(out_), "<line x1=\"{:.2f}\" y1=\"{:.2f}\" x2=\"{:.2f}\" y2=\"{:.2f}\" stroke=\"{}\" stroke-width=\"2\"{}/>\n", x1, y1, x2,
                   y2, color, isDashed ? " stroke-dasharray=\"6 4\"" : "");
}

void Svg::path(std::string_view data, std::string_view color)
{
    fmt::format_to(std::back_inserter(out_), "<path d=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"1.5\"/>\n", data, color);
}

void Svg::circle(double x, double y, double radius, std::string_view color, bool isFilled, std::string_view tip)
{
    fmt::format_to(std::back_inserter(out_), "<circle cx=\"{:.2f}\" cy=\"{:.2f}\" r=\"{:.2f}\" fill=\"{}\" stroke=\"{}\" stroke-width=\"2\">{}</circle>\n", x, y,
                   radius, isFilled ? color : "none", color, tipOf(tip));
}

void Svg::text(double x, double y, std::string_view text, Anchor anchor, Ink ink, int size)
{
    fmt::format_to(std::back_inserter(out_), "<text class=\"{}\" x=\"{:.2f}\" y=\"{:.2f}\" font-size=\"{}\" text-anchor=\"{}\" fill=\"{}\">{}</text>\n",
                   ink == Ink::kText ? "t" : "m", x, y, size, word(anchor), ink == Ink::kText ? "#1c2230" : "#667085", escaped(text));
}

std::string Svg::finish() &&
{
    out_ += "</svg>\n";
    return std::move(out_);
}

}  // namespace tw::report
