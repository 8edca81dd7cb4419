// Packed operands that blocks of a launch share: the first block that needs a panel packs it, all others read it.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

namespace tw::llvm_backend {

struct Freed {
    void operator()(void* memory) const { std::free(memory); }
};

// Memory for panels, kept from run to run: fresh pages cost as much as the packing.
class PanelMemory {
public:
    struct Part {
        std::unique_ptr<void, Freed> memory;
        std::size_t bytes = 0;
    };
    // At least `bytes`, at a multiple of 64; no memory if there is none.
    [[nodiscard]] Part take(std::size_t bytes);
    void giveBack(Part part);

private:
    std::vector<Part> parts_;
};

// The panels of one operation's operand. A panel's state goes from kNone over kBeingPacked to kPacked, by atomic steps.
struct PanelStore {
    enum State : std::uint8_t { kNone, kBeingPacked, kPacked };
    PanelMemory::Part memory;
    std::unique_ptr<std::atomic<std::uint8_t>[]> states;
    std::int64_t count = 0, bytes = 0;  // panels, and of each
};

// The stores of one launch, made when a worker first asks.
class PanelStores {
public:
    explicit PanelStores(PanelMemory& memory) : memory_(memory) {}
    ~PanelStores();
    PanelStores(const PanelStores&) = delete;
    PanelStores& operator=(const PanelStores&) = delete;

    // Of operand number `site`, from any thread. Stays where it is. A store that would be too large has no panels.
    [[nodiscard]] PanelStore* open(std::int64_t site, std::int64_t count, std::int64_t bytes);

private:
    PanelMemory& memory_;
    std::mutex mutex_;
    std::map<std::int64_t, std::unique_ptr<PanelStore>> stores_;
};

}  // namespace tw::llvm_backend
