// Packing of blocks with lifetimes into one arena.
#pragma once

#include <cstdint>
#include <vector>

namespace tw::passes {

// In use from position `first` to `last`, both inclusive. An alignment is a power of two.
struct MemoryBlock {
    int first = 0, last = 0;
    std::int64_t bytes = 0;
    std::int64_t alignment = 1;
    std::int64_t offset = 0;  // the answer
    std::vector<std::size_t> apart{};  // blocks, by index, that share no byte with this one whenever they are in use; one of two may say so
};

// Gives every block an offset such that blocks in use at one time, or kept apart, are apart; returns the size of the arena.
// Large blocks first, each at its lowest place: the same input gives the same answer.
std::int64_t packMemory(std::vector<MemoryBlock>& blocks);

}  // namespace tw::passes
