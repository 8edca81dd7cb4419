// A unit of a multiprocessor that works for one instruction at a time.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace tw::sim {

// Time in slices of kSlice clocks, so that a request for later does not keep an earlier one waiting.
class Unit {
public:
    static constexpr double kSlice = 32;

    // `amount` clocks of work from `from` on, where the unit is free: when they are done.
    double reserve(double from, double amount)
    {
        total_ += amount;
        auto slice = static_cast<std::size_t>(from / kSlice);
        double end = from;
        while (amount > 1e-9) {
            if (used_.size() <= slice)
                used_.resize(slice + 256);
            const double begin = static_cast<double>(slice) * kSlice;
            const double earliest = std::max(from, begin);
            const double room = std::min(kSlice - used_[slice], begin + kSlice - earliest);
            const double taken = std::clamp(amount, 0.0, std::max(0.0, room));
            if (taken > 0) {
                used_[slice] += taken;
                amount -= taken;
                end = std::max(earliest + taken, std::min(begin + kSlice, begin + used_[slice]));
            }
            ++slice;
        }
        return end;
    }
    [[nodiscard]] double total() const { return total_; }

private:
    std::vector<double> used_;  // of each slice
    double total_ = 0;
};

}  // namespace tw::sim
