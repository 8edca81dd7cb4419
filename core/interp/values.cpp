// Instructions that compute: element functions, conversions, vectors.
#include <cmath>

#include "core/interp/machine.h"
#include "core/ir/number.h"
#include "core/support/check.h"

namespace tw::interp {

using ir::DType;

// The slot's lanes as width x n, spread over the lanes and components where it is narrower.
const Lane* Machine::full(Fiber& f, const Slot& s, int width, std::vector<Lane>& scratch) const
{
    const auto n = static_cast<std::size_t>(f.n);
    if (!s.uniform && s.width == width)
        return s.lanes.data();
    scratch.resize(static_cast<std::size_t>(width) * n);
    for (int k = 0; k < width; ++k) {
        const Lane* from = s.component(s.width == width ? k : 0, f.n);
        Lane* to = scratch.data() + static_cast<std::size_t>(k) * n;
        if (s.uniform)
            std::fill_n(to, n, *from);
        else
            std::copy_n(from, n, to);
    }
    return scratch.data();
}

void Machine::element(Fiber& f, const Instr& in)
{
    const int operands[3] = {in.a, in.b, in.c};
    int width = 1;
    bool uniform = true;
    for (const int index : operands)
        if (index >= 0) {
            width = std::max(width, slot(f, index).width);
            uniform &= slot(f, index).uniform;
        }
    const std::size_t n = uniform ? 1 : static_cast<std::size_t>(f.n);
    Slot& dst = slot(f, in.dst);
    ElementArgs args;
    args.n = n * static_cast<std::size_t>(width);
    args.out = dst.prepare(args.n);
    args.type = in.from.element();
    for (int k = 0; k < 3; ++k) {
        if (operands[k] < 0)
            continue;
        const Slot& s = slot(f, operands[k]);
        if (width == 1) {
            args.in[k] = s.lanes.data();
            args.stride[k] = s.uniform && !uniform ? 0 : 1;
        } else if (s.width == width && s.uniform == uniform) {
            args.in[k] = s.lanes.data();
            args.stride[k] = 1;
        } else if (uniform) {  // a scalar beside a vector
            args.in[k] = s.lanes.data();
            args.stride[k] = 0;
        } else {
            args.in[k] = full(f, s, width, scratch_[k]);
            args.stride[k] = 1;
        }
    }
    in.element.fn(args);
    dst.uniform = uniform;
    dst.width = width;
    finish(in, args.out, args.n);
}

void Machine::finish(const Instr& in, Lane* lanes, std::size_t n)
{
    switch (in.element.finish) {
    case Finish::kNone: return;
    case Finish::kWrap: wrapLanes(in.type, lanes, n); return;
    case Finish::kRound: break;
    }
    if (!options_.perturb) {
        roundLanes(in.type, lanes, n);
        return;
    }
    scratch_[3].assign(lanes, lanes + n);
    roundLanes(in.type, lanes, n);
    perturbLanes(in.type.element(), scratch_[3].data(), lanes, n, in.element.inexact);
}

namespace {

// A float64 result is computed in float64, so what it lost is not known: whole numbers that float64 holds exactly lost nothing.
bool mayBeInexact(DType type, double exact, double rounded)
{
    constexpr double kWhole = 9007199254740992.0;  // 2^53
    if (type.bits() < 64)
        return exact != rounded;
    return std::abs(rounded) > kWhole || rounded != std::floor(rounded);
}

}  // namespace

// Moves every inexact result by up to one unit in the last place, always the same way for one run.
void Machine::perturbLanes(DType type, const Lane* exact, Lane* rounded, std::size_t n, bool always)
{
    for (std::size_t k = 0; k < n; ++k) {
        if (!always && !mayBeInexact(type, exact[k].f, rounded[k].f))
            continue;
        randomState_ ^= randomState_ << 13U;
        randomState_ ^= randomState_ >> 7U;
        randomState_ ^= randomState_ << 17U;
        const double moved = rounded[k].f + (static_cast<double>(randomState_ % 3U) - 1.0) * ulpOf(type, rounded[k].f);
        if (std::isfinite(moved) && rounded[k].f != 0.0)
            rounded[k].f = ir::roundTo(type, moved);
    }
}

void Machine::castValue(Fiber& f, const Instr& in)
{
    if (in.extra >= kStochastic)
        return castStochastic(f, in);
    const Slot& from = slot(f, in.a);
    Slot& to = slot(f, in.dst);
    const std::size_t count = static_cast<std::size_t>(from.width) * (from.uniform ? 1U : static_cast<std::size_t>(f.n));
    Lane* out = to.prepare(count);
    const Lane* source = slot(f, in.a).lanes.data();
    castLanes(in.from.element(), in.type.element(), source, out, count, in.extra != kUnsaturated);
    if (options_.perturb && in.from.isFloating() && in.type.isFloating() && in.type.element().bits() < 64)
        perturbLanes(in.type.element(), source, out, count, false);
    to.uniform = slot(f, in.a).uniform;
    to.width = slot(f, in.a).width;
}

void Machine::castStochastic(Fiber& f, const Instr& in)
{
    const Slot& from = slot(f, in.a);
    const Slot& random = slot(f, in.b);
    const bool uniform = from.uniform && random.uniform;
    const int lanes = uniform ? 1 : f.n, width = from.width;
    std::vector<Lane> out(static_cast<std::size_t>(width) * static_cast<std::size_t>(lanes));
    for (int k = 0; k < width; ++k)
        for (int lane = 0; lane < lanes; ++lane) {
            Lane& one = out[static_cast<std::size_t>(k * lanes + lane)];
            castLanes(in.from.element(), ir::kFloat32, from.component(k, f.n) + (from.uniform ? 0 : lane), &one, 1, true);
            one.f = ir::roundStochastic(in.type, one.f, static_cast<std::uint32_t>(random.lanes[random.uniform ? 0 : static_cast<std::size_t>(lane)].i));
        }
    castLanes(ir::kFloat64, in.type.element(), out.data(), out.data(), out.size(), (in.extra & kUnsaturated) == 0);
    Slot& to = slot(f, in.dst);
    to.lanes = std::move(out);
    to.uniform = uniform;
    to.width = width;
}

void Machine::vectorValue(Fiber& f, const Instr& in)
{
    Slot& to = slot(f, in.dst);
    std::vector<int> sources;
    if (in.op == Op::kPack)
        sources = program_.lists[static_cast<std::size_t>(in.extra)];
    else
        sources = in.op == Op::kRamp ? std::vector<int>{in.a, in.b} : std::vector<int>{in.a};
    bool uniform = true;
    for (const int index : sources)
        uniform &= slot(f, index).uniform;
    const std::size_t n = uniform ? 1 : static_cast<std::size_t>(f.n);
    const auto at = [&](int index, int component, std::size_t k) {
        const Slot& s = slot(f, index);
        return s.component(component, f.n)[s.uniform ? 0 : k];
    };
    const int width = in.op == Op::kLane ? 1 : in.op == Op::kPack ? static_cast<int>(sources.size()) : in.extra;
    Lane* out = to.prepare(n * static_cast<std::size_t>(width));
    for (int c = 0; c < width; ++c)
        for (std::size_t k = 0; k < n; ++k) {
            Lane& lane = out[static_cast<std::size_t>(c) * n + k];
            switch (in.op) {
            case Op::kRamp: lane.i = at(in.a, 0, k).i + at(in.b, 0, k).i * c; break;
            case Op::kBroadcast: lane = at(in.a, 0, k); break;
            case Op::kLane: lane = at(in.a, in.extra, k); break;
            default: lane = at(sources[static_cast<std::size_t>(c)], 0, k); break;
            }
        }
    if (in.op == Op::kRamp)
        wrapLanes(in.type.element(), out, n * static_cast<std::size_t>(width));
    to.uniform = uniform;
    to.width = width;
}

// The same bits as another type, possibly another number of lanes.
void Machine::reinterpret(Fiber& f, const Instr& in)
{
    const Slot& from = slot(f, in.a);
    const std::size_t n = from.uniform ? 1 : static_cast<std::size_t>(f.n);
    Slot& to = slot(f, in.dst);
    const int width = std::max<int>(1, in.type.lanes);
    Lane* out = to.prepare(n * static_cast<std::size_t>(width));
    const Slot& source = slot(f, in.a);
    const DType fromType = in.from.element();
    const DType toType = in.type.element();
    std::vector<std::uint8_t> bits(static_cast<std::size_t>(
        std::max(in.from.storageBytes(1) * std::max(1, source.width), in.type.storageBytes(1)) + 8));
    for (std::size_t k = 0; k < n; ++k) {
        std::fill(bits.begin(), bits.end(), std::uint8_t{0});
        for (int c = 0; c < source.width; ++c)
            storeElement(fromType, bits.data(), c, source.component(c, f.n)[source.uniform ? 0 : k]);
        for (int c = 0; c < width; ++c)
            out[static_cast<std::size_t>(c) * n + k] = loadElement(toType, bits.data(), c);
    }
    to.uniform = source.uniform;
    to.width = width;
}

// A value that all active lanes share becomes uniform: loops and operands of tile operations ask for that.
void Machine::makeUniformIfEqual(Fiber& f, Slot& s) const
{
    if (s.uniform || s.width != 1 || s.lanes.size() < static_cast<std::size_t>(f.n))
        return;
    const int first = f.mask.first(f.n);
    if (first < 0)
        return;
    const Lane value = s.lanes[static_cast<std::size_t>(first)];
    for (int lane = first + 1; lane < f.n; ++lane)
        if (f.mask.on(lane) && s.lanes[static_cast<std::size_t>(lane)].i != value.i)
            return;
    s.setUniform(value);
}

}  // namespace tw::interp
