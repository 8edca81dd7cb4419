// How one logical tile is spread over the threads of a block and their registers.
//
// A coordinate is written in digits of mixed radix; every digit is a digit of the thread number or of the register number.
// With digits of extent 2 this is a bit-linear map (design.md §5); other extents cover rows of 96 or 25 threads. All
// operand maps of the tensor cores are of this form.
//   m16n8 accumulator: row = digit 8 on threads (stride 4) and digit 2 in registers (stride 2), …
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/ir/expr.h"

namespace tw::layout {

// (coordinate[axis] / lower) % extent is the digit at `stride` of the thread or register number, which is written in mixed radix, too: a
// digit reaches up to the next stride. Values from `extent` on occur in idle threads only (a row over 25 of 32 lanes).
struct Digit {
    int axis = 0;
    std::int64_t lower = 1, extent = 1;
    bool onThread = false;
    std::int64_t stride = 1;
    bool operator==(const Digit&) const = default;
};
// A digit of the thread number that no coordinate drives: threads that differ in it hold the same elements.
struct Replica {
    std::int64_t extent = 1, stride = 1;
    bool operator==(const Replica&) const = default;
};

// The digits of an axis stand in order of `lower`, each at the product of those before it; together they cover the extent of
// the axis, maybe more: then the last elements do not exist and accesses need a condition.
struct Fragment {
    std::vector<std::int64_t> shape;
    std::int64_t threads = 1;      // of the group that holds the tile, numbered from 0 in everything here
    std::int64_t firstThread = 0;  // the group's first thread in the block: maps and expressions count from the block's
    std::vector<Digit> digits;
    std::vector<Replica> replicas;

    [[nodiscard]] std::int64_t registers() const;    // of each thread
    [[nodiscard]] std::int64_t usedThreads() const;  // those from here on hold nothing
    [[nodiscard]] bool holds(std::int64_t thread) const;  // false for idle threads
    [[nodiscard]] std::int64_t threadSpan(std::int64_t stride) const;  // values of the thread's digit there, idle ones included
    [[nodiscard]] std::int64_t copies() const;       // of each element
    [[nodiscard]] std::int64_t covered(int axis) const;  // product of the axis' extents, at least its shape

    [[nodiscard]] std::int64_t threadOf(std::span<const std::int64_t> at) const;    // of the first copy
    [[nodiscard]] std::int64_t registerOf(std::span<const std::int64_t> at) const;
    [[nodiscard]] bool owns(std::int64_t thread, std::span<const std::int64_t> at) const;
    // The coordinates that a thread holds in a register; may lie outside of the shape.
    [[nodiscard]] std::vector<std::int64_t> at(std::int64_t thread, std::int64_t reg) const;

    bool operator==(const Fragment&) const = default;
};

// Digits in canonical order, neighbours that continue each other merged, those of extent 1 dropped. Equal maps with equal
// coverage are then equal values.
[[nodiscard]] Fragment normalized(Fragment f);

// ---- makers ----

// Every thread holds everything, registers in row-major order.
[[nodiscard]] Fragment replicated(std::vector<std::int64_t> shape, std::int64_t threads);
// Row-major order dealt out to the threads, `vector` neighbours of the last axis at a time; where there are more threads than
// elements, copies fill them.
[[nodiscard]] Fragment dealt(const std::vector<std::int64_t>& shape, std::int64_t threads, std::int64_t vector);
// Like `dealt`, with warps that cover patches: `vector` neighbours of axis `fast` in a thread, `lanes` threads of a warp of 32 along it, the
// rest of the warp along the last other axis; warps and then registers along `fast` first. Empty where that does not come out
// even.
struct Patches {
    int fast = 0;
    std::int64_t vector = 1, lanes = 32;
};
[[nodiscard]] std::optional<Fragment> dealtInPatches(const std::vector<std::int64_t>& shape, std::int64_t threads, const Patches& patches);
// Rows (all axes but `axis`) over groups of `lanes` threads, `vector` neighbours of `axis` at a time in a thread: a reduction along
// `axis` stays within a group. `lanes` divides `threads`.
[[nodiscard]] Fragment rowwise(const std::vector<std::int64_t>& shape, int axis, std::int64_t threads, std::int64_t lanes, std::int64_t vector);

// In words: each axis as its digits from the highest to the lowest, "8 threads × 2 registers"; the copies if there are any.
[[nodiscard]] std::string describe(const Fragment& f);

// ---- derived layouts ----

// The layout of a tile whose axis k is axis `from[k]` of `f` (each used at most once; -1: an axis of extent 1). Axes of `f` that are
// not named are dropped: threads that held different elements of them hold copies.
[[nodiscard]] Fragment select(const Fragment& f, const std::vector<int>& from);

// ---- LayoutMaps: the form in which the IR carries layouts ----

[[nodiscard]] Ref<const ir::LayoutMap> toMap(const Fragment& f);
// Empty where the map is not of this form (XOR of coordinates, several elements in one register, …).
// `blockThreads`: the group is taken to reach from its first thread to the block's last.
[[nodiscard]] std::optional<Fragment> fromMap(const ir::LayoutMap& map, std::int64_t blockThreads);

// ---- expressions ----

// A piece of a coordinate: value in [0, extent), worth value * lower.
struct DigitValue {
    ir::Expr value;
    std::int64_t lower = 1, extent = 1;
    bool onThread = false;
};
// In what follows `thread` is the block's flat thread index.

// The digits of a coordinate as a thread sees it. `registers` has one expression a register digit of `f`, in the order of
// `registerDigits(f)`.
[[nodiscard]] std::vector<DigitValue> coordinate(const Fragment& f, int axis, const ir::Expr& thread, const std::vector<ir::Expr>& registers);
// Indices into f.digits of the digits in registers, the one with the largest stride first.
[[nodiscard]] std::vector<int> registerDigits(const Fragment& f);
// The sum of the digits.
[[nodiscard]] ir::Expr valueOf(const std::vector<DigitValue>& digits);
// (sum of digits / lower) % extent, by digits where they align.
[[nodiscard]] ir::Expr slice(const std::vector<DigitValue>& digits, std::int64_t lower, std::int64_t extent);
// The register number of an element, whose coordinates are given by their digits, one list an axis.
[[nodiscard]] ir::Expr registerExpr(const Fragment& f, const std::vector<std::vector<DigitValue>>& at);
// Whether the thread is the one that holds the first copy: empty where there is one copy only.
[[nodiscard]] ir::Expr firstCopy(const Fragment& f, const ir::Expr& thread);
// Whether the thread holds anything: empty where all do.
[[nodiscard]] ir::Expr holdsAny(const Fragment& f, const ir::Expr& thread);
// Whether the thread holds the element: empty where it certainly does.
[[nodiscard]] ir::Expr holdsElement(const Fragment& f, const ir::Expr& thread, const std::vector<std::vector<DigitValue>>& at);
// (thread / stride) % span: the thread's digit that a digit or replica with this stride is.
[[nodiscard]] ir::Expr threadDigit(const Fragment& f, const ir::Expr& thread, std::int64_t stride);

}  // namespace tw::layout
