#include "core/passes/nest_traffic.h"

#include <algorithm>
#include <set>

#include "core/arith/facts.h"
#include "core/ir/build.h"
#include "core/ir/search.h"
#include "core/ir/visit.h"
#include "core/layout/access.h"
#include "core/passes/hardware.h"
#include "core/passes/plan_threads.h"
#include "core/passes/vector_loop.h"

namespace tw::passes {

namespace {

using I = std::int64_t;
using ir::Expr;

constexpr I kSector = 32, kLine = 128, kWidestBytes = 16;
constexpr I kRuntimeExtent = 1 << 12;  // stands for an extent that is known at run time only
constexpr std::size_t kSampledWarps = 2, kSampledRegisters = 8;

// Variables of an expression that are not among `known`.
std::vector<Expr> otherVariables(const Expr& e, std::span<const ir::ExprNode* const> known)
{
    std::vector<Expr> found;
    ir::forEachExpr(e, [&](const Expr& x) {
        if (x->kind == ir::ExprKind::kVar && std::find(known.begin(), known.end(), x.get()) == known.end())
            found.push_back(x);
    });
    return found;
}

// Distinct blocks of so many bytes.
I blocksOf(std::vector<I> addresses, I bytes)
{
    std::erase_if(addresses, [](I a) { return a < 0; });
    for (I& address : addresses)
        address /= bytes;
    std::ranges::sort(addresses);
    return static_cast<I>(std::unique(addresses.begin(), addresses.end()) - addresses.begin());
}

// `count` numbers below `all`, spread evenly, in steps of `step`.
std::vector<std::size_t> chosen(std::size_t all, std::size_t count, std::size_t step)
{
    std::vector<std::size_t> result;
    const std::size_t blocks = (all + step - 1) / step;
    count = std::min(count, blocks);
    for (std::size_t n = 0; n < count; ++n)
        result.push_back(n * blocks / count * step);
    return result;
}

}  // namespace

MemoryCost& MemoryCost::operator+=(const MemoryCost& other)
{
    passes += other.passes;
    best += other.best;
    sectors += other.sectors;
    lines += other.lines;
    requests += other.requests;
    return *this;
}

// What each thread and each register contribute to the coordinates of the nest.
struct NestTraffic::Threads {
    const std::vector<I>& extents;
    I threads = 0;
    std::vector<std::vector<I>> ofThread, ofRegister;
    std::vector<bool> writes, reads;  // whether a thread takes part
    I innermost = 1;                  // registers of the loop that vectors can be made of
    I innerTrips = 1;

    Threads(const Nest& nest, const layout::Fragment& by) : extents(nest.extents), threads(by.threads)
    {
        const bool holdsResults = nest.writesPrivate || std::any_of(nest.accesses.begin(), nest.accesses.end(), [](const NestAccess& a) { return a.write && isSpread(a.buffer); });
        for (I t = 0; t < by.threads; ++t) {
            ofThread.push_back(by.at(t, 0));
            bool first = true;
            for (const layout::Replica& r : by.replicas)
                first = first && t / r.stride % by.threadSpan(r.stride) == 0;
            const bool holds = by.holds(t);
            writes.push_back(holds && first);
            reads.push_back(holds && (first || holdsResults));
        }
        for (I r = 0; r < by.registers(); ++r)
            ofRegister.push_back(by.at(0, r));
        const auto digits = layout::registerDigits(by);
        for (const I extent : nest.innerExtents)
            innerTrips *= extent;
        if (!digits.empty() && nest.innerVars.empty())
            innermost = by.digits[static_cast<std::size_t>(digits.back())].extent;
    }
    // False if the point does not exist.
    bool at(I thread, std::size_t reg, std::vector<I>& point) const
    {
        const auto& own = ofThread[static_cast<std::size_t>(thread)];
        const auto& more = ofRegister[reg];
        for (std::size_t k = 0; k < own.size(); ++k) {
            point[k] = own[k] + more[k];
            if (point[k] >= extents[k])
                return false;
        }
        return true;
    }
};

// The vectors of the innermost loop, as vectorizeAccesses makes them.
struct NestTraffic::Form {
    I width = 1;
    bool wideReads = true, wideWrites = true;
};

NestTraffic::NestTraffic(const Nest& nest) : nest_(nest)
{
    for (const NestAccess& from : nest.accesses) {
        const ir::BufferNode& buffer = *from.buffer;
        if (isSpread(from.buffer) || isPrivate(from.buffer))
            continue;
        Access access{&buffer, buffer.scope == ir::MemoryScope::kShared, from.write, buffer.dtype.bits() * buffer.dtype.lanes / 8, {}};
        bool fits = !nest.byThread && access.bytes > 0 && buffer.dtype.bits() % 8 == 0;
        const std::vector<Expr> indices = access.isShared ? from.indices : std::vector{linearOffset(from.buffer, from.indices)};
        for (const Expr& index : indices)
            fits = fits && addIndex(index, access);
        if (fits)
            accesses_.push_back(std::move(access));
        else
            opaque_.push_back(&buffer);
    }
}

bool NestTraffic::isCountable(const ir::BufferNode* buffer) const { return std::ranges::find(opaque_, buffer) == opaque_.end(); }

bool NestTraffic::addIndex(const Expr& e, Access& access)
{
    std::vector<const ir::ExprNode*> vars;
    for (const auto& list : {nest_.vars, nest_.innerVars})
        for (const ir::Var& v : list)
            vars.push_back(v.get());
    std::map<const ir::ExprNode*, Expr> constants;
    for (const Expr& other : otherVariables(e, vars))
        constants[other.get()] = ir::constant(other->dtype, access.isShared ? I{0} : I{kRuntimeExtent});
    const Expr index = ir::substitute(e, constants);
    Index form;
    form.coefficients.assign(vars.size(), 0);
    const arith::Affine affine = arith::Facts{}.normalize(index);
    bool isAffine = affine.valid;
    for (const arith::Term& term : affine.terms) {
        const auto var = std::find(vars.begin(), vars.end(), term.atom.get());
        isAffine = isAffine && var != vars.end();
        if (isAffine)
            form.coefficients[static_cast<std::size_t>(var - vars.begin())] = term.coefficient;
    }
    form.constant = affine.constant;
    if (!isAffine)
        form.program = arith::Evaluation::compile(index, vars);
    if (!isAffine && !form.program)
        return false;
    access.indices.push_back(std::move(form));
    return true;
}

I NestTraffic::addressOf(Access& access, std::span<const I> at, const SharedPlaces& places)
{
    I row = 0, last = 0;
    for (std::size_t k = 0; k < access.indices.size(); ++k) {
        Index& index = access.indices[k];
        I value = index.constant;
        if (index.program)
            value = index.program->run(at).value_or(0);
        else
            for (std::size_t v = 0; v < at.size(); ++v)
                value += index.coefficients[v] * at[v];
        if (!access.isShared)
            return std::max<I>(value, 0) * access.bytes;
        const I extent = *ir::asInt(access.buffer->shape[k]);
        value = std::clamp<I>(value, 0, extent - 1);
        if (k + 1 == access.indices.size())
            last = value;
        else
            row = row * extent + value;
    }
    const SharedPlace& place = places.at(access.buffer);
    const I columns = *ir::asInt(access.buffer->shape.back());
    const I element = place.table ? place.table->physical[static_cast<std::size_t>(row * columns + last)] : place.form.place(row, last, columns);
    return element * access.bytes;
}

std::vector<I> NestTraffic::warpAddresses(Access& access, const Threads& threads, std::size_t warp, std::size_t reg, const SharedPlaces& places)
{
    std::vector<I> addresses(static_cast<std::size_t>(kWarpSize), -1), point(nest_.vars.size() + nest_.innerVars.size(), 0);
    for (I lane = 0; lane < kWarpSize; ++lane) {
        const I thread = static_cast<I>(warp) * kWarpSize + lane;
        if (thread >= threads.threads || !(access.isWrite ? threads.writes : threads.reads)[static_cast<std::size_t>(thread)])
            continue;
        if (threads.at(thread, reg, point))
            addresses[static_cast<std::size_t>(lane)] = addressOf(access, point, places);
    }
    return addresses;
}

// Whether `width` registers of a thread are neighbours in memory, in order and aligned, or one and the same element.
bool NestTraffic::isRun(Access& access, const Threads& threads, I width, const SharedPlaces& places)
{
    if (width * access.bytes > kWidestBytes)
        return false;
    bool same = true, run = true;
    const std::size_t warps = static_cast<std::size_t>((threads.threads + kWarpSize - 1) / kWarpSize);
    for (const std::size_t warp : chosen(warps, kSampledWarps, 1))
        for (const std::size_t reg : chosen(threads.ofRegister.size(), kSampledRegisters, static_cast<std::size_t>(width))) {
            const auto first = warpAddresses(access, threads, warp, reg, places);
            for (I v = 1; v < width; ++v) {
                const auto next = warpAddresses(access, threads, warp, reg + static_cast<std::size_t>(v), places);
                for (std::size_t lane = 0; lane < first.size(); ++lane) {
                    if (first[lane] < 0 || next[lane] < 0)
                        continue;
                    same = same && next[lane] == first[lane];
                    run = run && next[lane] == first[lane] + v * access.bytes && first[lane] % (width * access.bytes) == 0;
                }
                if (!same && !run)
                    return false;
            }
        }
    return true;
}

NestTraffic::Form NestTraffic::formOf(const Threads& threads, const SharedPlaces& places)
{
    const auto allRun = [&](bool writes, I width) {
        return std::ranges::all_of(accesses_, [&](Access& a) { return a.isWrite != writes || isRun(a, threads, width, places); });
    };
    std::vector<I> widths;
    for (I width = kWidestBytes; width >= 2; width /= 2)
        if (threads.innermost % width == 0)
            widths.push_back(width);
    for (const I width : widths)
        if (allRun(true, width) && allRun(false, width))
            return {width, true, true};
    for (const I width : widths) {
        if (allRun(true, width))
            return {width, false, true};
        if (allRun(false, width))
            return {width, true, false};
    }
    return {};
}

MemoryCost NestTraffic::cost(const layout::Fragment& by, const SharedPlaces& places, Count count)
{
    const Threads threads(nest_, by);
    const Form form = formOf(threads, places);
    const auto all = [&](std::size_t n, std::size_t sample) { return count == Count::kAll ? n : std::min(n, sample); };
    const std::size_t warps = static_cast<std::size_t>((threads.threads + kWarpSize - 1) / kWarpSize), registers = threads.ofRegister.size();
    const std::size_t width = static_cast<std::size_t>(form.width);
    const auto someWarps = chosen(warps, all(warps, kSampledWarps), 1);
    const auto someRegisters = chosen(registers, all(registers, kSampledRegisters), width);
    MemoryCost sum;
    const auto add = [&](Access& access, std::size_t warp, std::size_t reg, I bytes) {
        const auto addresses = warpAddresses(access, threads, warp, reg, places);
        if (std::ranges::all_of(addresses, [](I a) { return a < 0; }))
            return;
        ++sum.requests;
        if (!access.isShared) {
            sum.sectors += blocksOf(addresses, kSector);
            sum.lines += blocksOf(addresses, kLine);
            return;
        }
        const layout::BankUse use = layout::bankUse(addresses, bytes);
        sum.passes += use.passes;
        sum.best += use.best;
    };
    for (Access& access : accesses_) {
        const bool wide = access.isWrite ? form.wideWrites : form.wideReads;
        const bool moves = wide && width > 1 && warpAddresses(access, threads, 0, 0, places) != warpAddresses(access, threads, 0, 1, places);
        for (const std::size_t warp : someWarps)
            for (const std::size_t reg : someRegisters)
                if (wide)
                    add(access, warp, reg, moves ? form.width * access.bytes : access.bytes);
                else
                    for (std::size_t v = 0; v < width; ++v)
                        add(access, warp, reg + v, access.bytes);
    }
    const I total = threads.innerTrips * static_cast<I>(warps * ((registers + width - 1) / width));
    const I counted = std::max<I>(1, static_cast<I>(someWarps.size() * someRegisters.size()));
    for (I* part : {&sum.passes, &sum.best, &sum.sectors, &sum.lines, &sum.requests})
        *part = *part * total / counted;
    return sum;
}

}  // namespace tw::passes
