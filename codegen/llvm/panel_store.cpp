#include "codegen/llvm/panel_store.h"

#include <algorithm>
#ifdef __linux__
#include <sys/mman.h>
#endif

namespace tw::llvm_backend {

namespace {

constexpr std::int64_t kMostBytes = 256 << 20;  // of one operand's panels: a float32 matrix of 8192 x 8192
constexpr std::size_t kHugePage = 2 << 20;

}  // namespace

PanelMemory::Part PanelMemory::take(std::size_t bytes)
{
    const auto fits = std::ranges::find_if(parts_, [&](const Part& part) { return part.bytes >= bytes && part.bytes <= 2 * bytes; });
    if (fits != parts_.end()) {
        Part part = std::move(*fits);
        parts_.erase(fits);
        return part;
    }
    const std::size_t page = bytes >= kHugePage ? kHugePage : 64;
    const std::size_t whole = (bytes + page - 1) / page * page;
    Part part{std::unique_ptr<void, Freed>(std::aligned_alloc(page, whole)), whole};
#ifdef __linux__
    if (part.memory && page == kHugePage)  // fewer faults, and fewer pages than the first level of translation holds
        madvise(part.memory.get(), whole, MADV_HUGEPAGE);
#endif
    return part;
}

void PanelMemory::giveBack(Part part)
{
    if (part.memory)
        parts_.push_back(std::move(part));
}

PanelStores::~PanelStores()
{
    for (auto& [site, store] : stores_)
        memory_.giveBack(std::move(store->memory));
}

PanelStore* PanelStores::open(std::int64_t site, std::int64_t count, std::int64_t bytes)
{
    const std::lock_guard lock(mutex_);
    auto& store = stores_[site];
    if (store)
        return store.get();
    store = std::make_unique<PanelStore>();
    if (count <= 0 || count > kMostBytes / bytes)
        return store.get();
    store->memory = memory_.take(static_cast<std::size_t>(count * bytes));
    if (!store->memory.memory)
        return store.get();
    store->states = std::make_unique<std::atomic<std::uint8_t>[]>(static_cast<std::size_t>(count));
    store->count = count;
    store->bytes = bytes;
    return store.get();
}

}  // namespace tw::llvm_backend
