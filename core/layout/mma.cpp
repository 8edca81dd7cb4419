#include "core/layout/mma.h"

#include <fmt/format.h>

#include "core/support/check.h"

namespace tw::layout {

namespace {

using I = std::int64_t;

// The instruction's operand repeated: `repeats` along its axes in registers (axis 1 first), then warps along axis 0.
struct Repeat {
    I rows, columns;  // in instructions, of one warp
    I warps, warpStride;
    int warpAxis = 0;
};

Fragment repeat(Fragment f, const Repeat& r)
{
    I reg = f.registers();
    const I rows = f.shape[0], columns = f.shape[1];
    f.digits.push_back({1, columns, r.columns, false, reg});
    reg *= r.columns;
    f.digits.push_back({0, rows, r.rows, false, reg});
    f.shape = {rows * r.rows, columns * r.columns};
    if (r.warps > 1) {
        const auto axis = static_cast<std::size_t>(r.warpAxis);
        f.digits.push_back({r.warpAxis, f.shape[axis], r.warps, true, r.warpStride});
        f.shape[axis] *= r.warps;
    }
    return f;
}

Fragment swapAxes(Fragment f)
{
    std::swap(f.shape[0], f.shape[1]);
    for (Digit& d : f.digits)
        d.axis = 1 - d.axis;
    return f;
}

Fragment finish(Fragment f, const Partition& warps, bool transposed)
{
    f.threads = 32 * warps.rows * warps.columns;
    return normalized(transposed ? swapAxes(std::move(f)) : std::move(f));
}

bool isHalf(ir::DType t) { return t == ir::kFloat16; }

bool isFp8(ir::DType t) { return t.scalar == ir::Scalar::kFloat8E4M3FN || t.scalar == ir::Scalar::kFloat8E5M2; }

}  // namespace

std::string MmaInstruction::shape() const { return fmt::format("m{}n{}k{}", m, n, k); }

std::optional<MmaInstruction> parseMma(const std::string& shape, int bits)
{
    MmaInstruction mma;
    mma.bits = bits;
    char rest = 0;
    long long m = 0, n = 0, k = 0;
    if (std::sscanf(shape.c_str(), "m%lldn%lldk%lld%c", &m, &n, &k, &rest) != 3)
        return std::nullopt;
    mma.m = m;
    mma.n = n;
    mma.k = k;
    return mma;
}

std::optional<MmaInstruction> mmaFor(const target::Target& target, ir::DType a, ir::DType b, ir::DType c, I k)
{
    if (!target.isCuda() || a.bits() != b.bits())
        return std::nullopt;
    const auto fits = [&](MmaInstruction mma) { return k % mma.k == 0 ? std::optional(mma) : std::nullopt; };
    const bool sm75 = target.compute >= 75, sm80 = target.compute >= 80;
    const bool floats = a.isFloating() && b.isFloating() && c.isFloating();
    if (a.bits() == 16 && floats && a == b && (c == ir::kFloat32 || (isHalf(a) && isHalf(c)))) {
        if (sm80)
            if (const auto wide = fits({16, 8, 16, 16}))
                return wide;
        return isHalf(a) ? (sm75 ? fits({16, 8, 8, 16}) : std::nullopt) : (sm80 ? fits({16, 8, 8, 16}) : std::nullopt);
    }
    if (a == ir::kFloat64 && b == ir::kFloat64 && c == ir::kFloat64)
        return sm80 ? fits({8, 8, 4, 64}) : std::nullopt;
    if (a.bits() == 32 && floats && c == ir::kFloat32)
        return sm80 ? fits({16, 8, 8, 32}) : std::nullopt;
    const bool integers = a.isInteger() && b.isInteger() && !a.isBool() && !b.isBool() && c == ir::kInt32;
    if (a.bits() == 8 && integers)
        return sm80 ? fits({16, 8, 32, 8}) : sm75 ? fits({8, 8, 16, 8}) : std::nullopt;
    if (a.bits() == 4 && integers)
        return sm80 ? fits({16, 8, 64, 4}) : std::nullopt;
    if (isFp8(a) && isFp8(b) && c == ir::kFloat32)
        return target.hasFp8() ? fits({16, 8, 32, 8}) : std::nullopt;
    return std::nullopt;
}

Fragment mmaA(const MmaInstruction& mma)
{
    const I perRegister = mma.bits >= 32 ? 1 : 32 / mma.bits;
    const I rowHalves = mma.m / 8, kHalves = mma.k / (4 * perRegister);
    Fragment f;
    f.shape = {mma.m, mma.k};
    f.threads = 32;
    f.digits = {{0, 1, 8, true, 4},
                {0, 8, rowHalves, false, perRegister},
                {1, 1, perRegister, false, 1},
                {1, perRegister, 4, true, 1},
                {1, 4 * perRegister, kHalves, false, perRegister * rowHalves}};
    return normalized(std::move(f));
}

Fragment mmaB(const MmaInstruction& mma)
{
    const I perRegister = mma.bits >= 32 ? 1 : 32 / mma.bits;
    const I kHalves = mma.k / (4 * perRegister);
    Fragment f;
    f.shape = {mma.n, mma.k};
    f.threads = 32;
    f.digits = {{0, 1, 8, true, 4},
                {1, 1, perRegister, false, 1},
                {1, perRegister, 4, true, 1},
                {1, 4 * perRegister, kHalves, false, perRegister}};
    return normalized(std::move(f));
}

Fragment mmaC(const MmaInstruction& mma)
{
    Fragment f;
    f.shape = {mma.m, mma.n};
    f.threads = 32;
    f.digits = {{0, 1, 8, true, 4}, {0, 8, mma.m / 8, false, 2}, {1, 1, 2, false, 1}, {1, 2, 4, true, 1}};
    return normalized(std::move(f));
}

Fragment blockA(const MmaInstruction& mma, I m, I k, const Partition& warps, bool transposed)
{
    Fragment f = repeat(mmaA(mma), {m / (mma.m * warps.rows), k / mma.k, warps.rows, 32});
    if (warps.columns > 1)
        f.replicas.push_back({warps.columns, 32 * warps.rows});
    return finish(std::move(f), warps, transposed);
}

Fragment blockB(const MmaInstruction& mma, I n, I k, const Partition& warps, bool transposed)
{
    Fragment f = repeat(mmaB(mma), {n / (mma.n * warps.columns), k / mma.k, warps.columns, 32 * warps.rows});
    if (warps.rows > 1)
        f.replicas.push_back({warps.rows, 32});
    return finish(std::move(f), warps, transposed);
}

Fragment blockC(const MmaInstruction& mma, I m, I n, const Partition& warps)
{
    Fragment f = repeat(mmaC(mma), {m / (mma.m * warps.rows), n / (mma.n * warps.columns), warps.rows, 32});
    if (warps.columns > 1) {
        f.digits.push_back({1, f.shape[1], warps.columns, true, 32 * warps.rows});
        f.shape[1] *= warps.columns;
    }
    return finish(std::move(f), warps, false);
}

Fragment wgmmaC(I m, I n, const Partition& warps)
{
    // Four warps of 16 rows make the 64 rows of an instruction; a warp group has contiguous rows, so its repeats come before the groups.
    const I groups = warps.rows / 4, atoms = m / (64 * groups), columns = n / warps.columns;
    Fragment f;
    f.shape = {m, n};
    f.digits = {{0, 1, 8, true, 4},       {0, 8, 2, false, 2},
                {0, 16, 4, true, 32},     {0, 64, atoms, false, columns / 2},
                {0, 64 * atoms, groups, true, 128},
                {1, 1, 2, false, 1},      {1, 2, 4, true, 1},
                {1, 8, columns / 8, false, 4}, {1, columns, warps.columns, true, 32 * warps.rows}};
    return finish(std::move(f), warps, false);
}

Fragment wgmmaA(int bits, I m, I k, const Partition& warps)
{
    const I e = bits >= 32 ? 1 : 32 / bits;
    const I groups = warps.rows / 4, atoms = m / (64 * groups), steps = k / (8 * e);
    Fragment f;
    f.shape = {m, k};
    f.digits = {{0, 1, 8, true, 4},   {0, 8, 2, false, e},
                {0, 16, 4, true, 32}, {0, 64, atoms, false, 4 * e * steps},
                {0, 64 * atoms, groups, true, 128},
                {1, 1, e, false, 1},  {1, e, 4, true, 1},
                {1, 4 * e, 2, false, 2 * e}, {1, 8 * e, steps, false, 4 * e}};
    if (warps.columns > 1)
        f.replicas.push_back({warps.columns, 32 * warps.rows});
    return finish(std::move(f), warps, false);
}

Fragment threadTiles(I m, I n, I threads)
{
    // Neighbouring threads have neighbouring groups of up to four columns, so that stores of rows are wide.
    I run = 1;
    while (run < 4 && n % (run * 2) == 0 && m * n / threads >= run * 2)
        run *= 2;
    I across = 1;
    while (across * 2 <= threads && threads % (across * 2) == 0 && n % (run * across * 2) == 0 && across < 16)
        across *= 2;
    const I down = threads / across;
    Fragment f;
    f.shape = {m, n};
    f.threads = threads;
    const I rows = (m + down - 1) / down, columns = n / (run * across);
    f.digits = {{1, 1, run, false, 1}, {1, run, across, true, 1}, {1, run * across, columns, false, run},
                {0, 1, std::min(down, m), true, across}, {0, std::min(down, m), rows, false, run * columns}};
    if (const I used = across * std::min(down, m); threads / used > 1)
        f.replicas.push_back({threads / used, used});
    return normalized(std::move(f));
}

}  // namespace tw::layout
