// Layouts whose extents are powers of two, as matrices over GF(2): each bit of the input contributes a pattern of output bits, and
// patterns add by XOR. Swizzles are of this form, which digits (fragment.h) cannot say.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/layout/fragment.h"

namespace tw::layout {

// f(x) = XOR of columns[k] over the bits k of x. At most 63 bits on either side.
struct Linear {
    int outputs = 0;                     // bits
    std::vector<std::uint64_t> columns;  // one an input bit

    [[nodiscard]] int inputs() const { return static_cast<int>(columns.size()); }
    [[nodiscard]] std::uint64_t operator()(std::uint64_t x) const;
    [[nodiscard]] int rank() const;
    [[nodiscard]] bool isInjective() const { return rank() == inputs(); }
    [[nodiscard]] bool isSurjective() const { return rank() == outputs; }
    bool operator==(const Linear&) const = default;
};

[[nodiscard]] Linear identity(int bits);
// x -> outer(inner(x)).
[[nodiscard]] Linear compose(const Linear& outer, const Linear& inner);
// Of a bijection.
[[nodiscard]] std::optional<Linear> inverse(const Linear& f);
// The h with f = compose(h, g), 0 where g reaches nothing; empty where g throws away what f needs.
[[nodiscard]] std::optional<Linear> divide(const Linear& f, const Linear& g);
// Whether g(x) determines f(x).
[[nodiscard]] bool contains(const Linear& g, const Linear& f);

// Coordinates -> physical index. Coordinates are packed with the last axis in the low bits. Empty where an extent is no power of two or the
// map is not linear (padding).
[[nodiscard]] std::optional<Linear> linearOf(const ir::LayoutMap& map);
// (register in the low bits, thread) -> coordinates packed as above. Empty where an extent or the number of threads is no power of two.
[[nodiscard]] std::optional<Linear> linearOf(const Fragment& f);

// Neighbouring bits of one side of a layout, the lowest ones first.
struct BitField {
    std::string name;
    int bits = 0;
};
// In words: of each field of the output its bits from the lowest on, each as the input bits that it is the XOR of: "i = t2 t3 r1; j = r0 t0^t4".
// A bit that nothing reaches is 0. The fields are listed from the lowest bits on and named in the order given.
[[nodiscard]] std::string describe(const Linear& f, const std::vector<BitField>& inputs, const std::vector<BitField>& outputs);

}  // namespace tw::layout
