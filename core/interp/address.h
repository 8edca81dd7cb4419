// Addresses as numbers: what `address_of`, `access_ptr` and `remote_address` give, and what a buffer made from an address follows.
#pragma once

#include <cstddef>
#include <cstdint>

namespace tw::interp {

// Storages lie far apart, so that a wrong address is seen. Global ones: 1 TiB apart, from 1 TiB on.
[[nodiscard]] inline std::int64_t addressOf(std::size_t storage) { return static_cast<std::int64_t>(storage + 1) << 40; }

// Shared memory, as a cluster sees it: bit 60, then the block's rank from bit 48 on, the storage from bit 32 on, the byte.
inline constexpr std::int64_t kSharedAddresses = std::int64_t{1} << 60;
inline constexpr int kRankBit = 48, kSharedStorageBit = 32;
[[nodiscard]] inline std::int64_t sharedAddressOf(int rank, int storage)
{
    return kSharedAddresses | std::int64_t{rank} << kRankBit | std::int64_t{storage} << kSharedStorageBit;
}
[[nodiscard]] inline bool isSharedAddress(std::int64_t address) { return (address >> 60) == 1; }

// Registers and barriers have addresses that differ, and that nothing can follow.
[[nodiscard]] inline std::int64_t opaqueAddressOf(int storage)
{
    return std::int64_t{1} << 61 | std::int64_t{storage} << kSharedStorageBit;
}

// The memory that an address lies in.
struct Reached {
    std::uint8_t* bytes = nullptr;
    std::uint8_t* valid = nullptr;  // null: no need to know
    std::int64_t size = 0;          // bytes
    std::int64_t origin = 0;        // the address of its first byte
    std::int64_t block = -1;        // shared memory: whose, by its linear number
    int storage = 0;                // number among the global storages, or the shared ones
    [[nodiscard]] bool isShared() const { return block >= 0; }
};

}  // namespace tw::interp
