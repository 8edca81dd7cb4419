// Colours of code: TileLang (Python), LLVM IR, assembly, CUDA, PTX and SASS, as styles a byte. No Qt: tested on its own.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace tw::gui {

enum class Language : std::uint8_t { kTileLang, kLlvm, kAssembly, kCuda, kPtx, kSass, kPlain };

enum class Style : std::uint8_t {
    kText,
    kKeyword,
    kTileOp,      // a name after T. or tl.
    kBuiltin,
    kDefinition,  // the name after def or class; an LLVM function or a label
    kDecorator,
    kString,
    kTripleSingle,  // inside '''…''': carried from line to line
    kTripleDouble,
    kNumber,
    kComment,
    kOperator,
    kType,
    kCount
};

// Styles of the bytes of `text`, which starts at the start of a line. `before`: the style of the byte in front of it (kText
// at the start of a file), which tells whether a triple-quoted string is open.
[[nodiscard]] std::vector<Style> highlight(Language language, std::string_view text, Style before);

}  // namespace tw::gui
