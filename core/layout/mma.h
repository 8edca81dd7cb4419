// The operand maps of the tensor-core instructions, as fragments of one warp or warp group, and the tiles of a block made of them.
//
// PTX ISA, "Matrix Fragments for mma.m16n8k…" and "wgmma … Register Fragments and Shared Memory Matrix Layouts".
#pragma once

#include <optional>
#include <string>

#include "core/ir/dtype.h"
#include "core/layout/fragment.h"
#include "core/layout/partition.h"
#include "core/target/target.h"

namespace tw::layout {

// One mma.sync: C[m, n] += A[m, k] * B[n, k].
struct MmaInstruction {
    std::int64_t m = 16, n = 8, k = 16;
    int bits = 16;  // of a multiplicand
    bool operator==(const MmaInstruction&) const = default;

    [[nodiscard]] std::string shape() const;  // "m16n8k16"
};
[[nodiscard]] std::optional<MmaInstruction> parseMma(const std::string& shape, int bits);

// The largest instruction of the target for these types whose k divides `k`; empty where the product has to be done by FMA:
// sm_75 has fp16 and int8, sm_80 adds bf16, tf32 (float32 operands), int4 and double, sm_89 fp8. `c` is the accumulator's type.
[[nodiscard]] std::optional<MmaInstruction> mmaFor(const target::Target& target, ir::DType a, ir::DType b, ir::DType c, std::int64_t k);

// Over 32 threads; shapes (m, k), (n, k), (m, n). Registers count elements.
[[nodiscard]] Fragment mmaA(const MmaInstruction& mma);
[[nodiscard]] Fragment mmaB(const MmaInstruction& mma);
[[nodiscard]] Fragment mmaC(const MmaInstruction& mma);

// Tiles of the block: warps of one column of the partition are neighbours (M fastest); each warp has contiguous rows and columns.
// A fragment's registers are those of whole instructions, one after the other. `transposed`: the tile is stored (k, m), or (k, n).
[[nodiscard]] Fragment blockA(const MmaInstruction& mma, std::int64_t m, std::int64_t k, const Partition& warps, bool transposed);
[[nodiscard]] Fragment blockB(const MmaInstruction& mma, std::int64_t n, std::int64_t k, const Partition& warps, bool transposed);
[[nodiscard]] Fragment blockC(const MmaInstruction& mma, std::int64_t m, std::int64_t n, const Partition& warps);

// wgmma m64nNk: the accumulator of `m` rows (a multiple of 64 for each row of warp groups) and `n` columns; `warps.rows` is a multiple of 4.
[[nodiscard]] Fragment wgmmaC(std::int64_t m, std::int64_t n, const Partition& warps);
// A in registers.
[[nodiscard]] Fragment wgmmaA(int bits, std::int64_t m, std::int64_t k, const Partition& warps);

// Without tensor cores: every thread has a small tile, `threads` in all.
[[nodiscard]] Fragment threadTiles(std::int64_t m, std::int64_t n, std::int64_t threads);

}  // namespace tw::layout
