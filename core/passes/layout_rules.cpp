#include "core/passes/layout_rules.h"

#include <algorithm>

#include "core/arith/facts.h"
#include "core/ir/build.h"
#include "core/ir/call.h"
#include "core/passes/hardware.h"

namespace tw::passes {

using I = std::int64_t;
using ir::BufferNode;
using layout::Fragment;

namespace {


}  // namespace

std::vector<I> shapeOf(const BufferNode& buffer)
{
    std::vector<I> shape;
    for (const ir::Expr& extent : buffer.shape) {
        const auto* value = ir::asInt(extent);
        shape.push_back(value ? *value : 1);
    }
    return shape;
}

int reducedAxis(const ir::OpCall& call)
{
    const auto rank = static_cast<I>(ir::regionOperand(call, "src")->mins.size());
    const I dim = ir::intAttr(call.attrs, "dim", -1);
    return static_cast<int>(((dim % rank) + rank) % rank);
}

Fragment reducedLayout(const Fragment& source, int axis, std::size_t rank)
{
    std::vector<int> from;
    for (int k = 0; k < static_cast<int>(source.shape.size()); ++k)
        if (k != axis)
            from.push_back(k);
        else if (rank == source.shape.size())
            from.push_back(-1);
    if (from.empty())
        from.push_back(-1);
    return layout::select(source, from);
}

namespace {

// For a nest that stores elements of less than a byte along one of its axes: threads that own whole bytes. Empty for other nests, and where
// the axis does not come out even.
std::optional<Fragment> wholeBytes(const Nest& nest, I threads, I vector)
{
    for (const NestAccess& access : nest.accesses) {
        if (!access.write || isSpread(access.buffer) || access.buffer->scope == ir::MemoryScope::kLocal || access.buffer->dtype.bits() >= 8)
            continue;
        const arith::Affine last = arith::Facts{}.normalize(access.indices.back());
        const auto axis = std::ranges::find_if(nest.vars, [&](const ir::Var& v) { return last.coefficientOf(v.get()) == 1; });
        if (axis == nest.vars.end())
            continue;
        const int fast = static_cast<int>(axis - nest.vars.begin());
        if (fast + 1 == static_cast<int>(nest.vars.size()) && nest.extents.back() % vector == 0)
            return layout::dealt(nest.extents, threads, vector);
        for (I width = vector; width >= 2; width /= 2)
            for (I lanes = 32; lanes >= 1; lanes /= 2)
                if (const auto f = layout::dealtInPatches(nest.extents, threads, {fast, width, lanes}))
                    return f;
    }
    return std::nullopt;
}

}  // namespace

Fragment freeNestLayout(const Nest& nest, const ThreadGroup& group)
{
    Fragment f;
    I bits = 8;
    for (const NestAccess& access : nest.accesses)
        if (!isSpread(access.buffer) && access.buffer->scope != ir::MemoryScope::kVar)
            bits = std::max<I>(bits, access.buffer->dtype.bits() * access.buffer->dtype.lanes);
    const I width = ir::intAttr(nest.loop->attrs, "coalesced_width", std::max<I>(1, kAccessBits / bits));
    I points = 1;
    for (const I extent : nest.extents)
        points *= extent;
    // All threads at work come before wide accesses.
    I vector = nest.byThread ? 1 : width;
    while (vector > 1 && points / vector < group.count)
        vector /= 2;
    if (const auto whole = wholeBytes(nest, group.count, std::max<I>(vector, 2)))
        f = *whole;
    else
        f = nest.writesPrivate && !nest.writesMemory ? layout::replicated(nest.extents, group.count) : layout::dealt(nest.extents, group.count, vector);
    f.firstThread = group.first;
    return f;
}

}  // namespace tw::passes
