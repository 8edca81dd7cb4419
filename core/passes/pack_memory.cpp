#include "core/passes/pack_memory.h"

#include <algorithm>
#include <numeric>

namespace tw::passes {

namespace {

std::int64_t alignedUp(std::int64_t x, std::int64_t alignment)
{
    return (x + alignment - 1) / alignment * alignment;
}

bool meet(const std::vector<MemoryBlock>& blocks, std::size_t i, std::size_t j)
{
    const MemoryBlock &a = blocks[i], &b = blocks[j];
    return (a.first <= b.last && b.first <= a.last) || std::ranges::count(a.apart, j) > 0 || std::ranges::count(b.apart, i) > 0;
}

}  // namespace

std::int64_t packMemory(std::vector<MemoryBlock>& blocks)
{
    std::vector<std::size_t> order(blocks.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) { return blocks[a].bytes > blocks[b].bytes; });
    std::vector<std::size_t> placed;
    std::int64_t size = 0;
    for (const std::size_t index : order) {
        MemoryBlock& block = blocks[index];
        std::vector<const MemoryBlock*> near;
        for (const std::size_t other : placed)
            if (meet(blocks, other, index))
                near.push_back(&blocks[other]);
        std::ranges::sort(near, {}, &MemoryBlock::offset);
        std::int64_t at = 0;
        for (const MemoryBlock* other : near)
            if (at < other->offset + other->bytes && other->offset < at + block.bytes)
                at = alignedUp(other->offset + other->bytes, block.alignment);
        block.offset = at;
        size = std::max(size, at + block.bytes);
        placed.push_back(index);
    }
    return size;
}

}  // namespace tw::passes
