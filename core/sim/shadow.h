// Who touched each piece of memory last.
#pragma once

#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

namespace tw::sim {

// One access; epoch 0: none.
struct Entry {
    std::uint32_t agent = 0, epoch = 0, site = 0, block = 0;
    std::uint32_t stamp = 0;  // number of the event, for order between clusters
};
// A granule of memory. Of many concurrent readers two are kept: those of different warps, where there are any.
struct Cell {
    Entry write;
    Entry reads[2];
    bool atomic = false;  // the write was atomic
};

// Cells of one storage, made where they are touched: one for each granule, two for each byte where there are elements of 4 bits.
class Shadow {
public:
    Shadow() = default;
    Shadow(std::int64_t bytes, int granule, bool halves)
        : granule_(halves ? 1 : granule), perByte_(halves ? 2 : 1), pages_(static_cast<std::size_t>((bytes * perByte_ / granule_ + kPage) / kPage))
    {
    }

    [[nodiscard]] int granule() const { return granule_; }
    [[nodiscard]] int perByte() const { return perByte_; }
    Cell& at(std::int64_t index)
    {
        std::unique_ptr<Cell[]>& page = pages_[static_cast<std::size_t>(index / kPage)];
        if (!page)
            page = std::make_unique<Cell[]>(kPage);
        return page[static_cast<std::size_t>(index % kPage)];
    }

private:
    static constexpr std::int64_t kPage = 256;
    int granule_ = 1, perByte_ = 1;
    std::vector<std::unique_ptr<Cell[]>> pages_;
};

}  // namespace tw::sim
