#include "core/passes/pack_memory.h"

#include <algorithm>
#include <numeric>

namespace tw::passes {

namespace {

std::int64_t alignedUp(std::int64_t x, std::int64_t alignment)
{
    return (x + alignment - 1) / alignment * alignment;
}

bool meet(const MemoryBlock& a, const MemoryBlock& b)
{
    return a.first <= b.last && b.first <= a.last;
}

}  // namespace

std::int64_t packMemory(std::vector<MemoryBlock>& blocks)
{
    std::vector<std::size_t> order(blocks.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) { return blocks[a].bytes > blocks[b].bytes; });
    std::vector<const MemoryBlock*> placed;
    std::int64_t size = 0;
    for (const std::size_t index : order) {
        MemoryBlock& block = blocks[index];
        std::vector<const MemoryBlock*> near;
        std::ranges::copy_if(placed, std::back_inserter(near), [&](const MemoryBlock* p) { return meet(*p, block); });
        std::ranges::sort(near, {}, &MemoryBlock::offset);
        std::int64_t at = 0;
        for (const MemoryBlock* other : near)
            if (at < other->offset + other->bytes && other->offset < at + block.bytes)
                at = alignedUp(other->offset + other->bytes, block.alignment);
        block.offset = at;
        size = std::max(size, at + block.bytes);
        placed.push_back(&block);
    }
    return size;
}

}  // namespace tw::passes
