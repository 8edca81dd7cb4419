// Which threads of a block reach a place, as far as the conditions around it can be computed from the thread index alone.
#pragma once

#include <vector>

#include "core/analysis/walk.h"

namespace tw::analysis {

class ThreadSet {
public:
    // All threads of the launch.
    explicit ThreadSet(const ir::Launch& launch);

    // Keeps the threads for which the guard holds; what depends on more than the thread index keeps them all. `condition`
    // has its immutable variables expanded.
    void restrictTo(const ir::Expr& condition, bool holds);
    // The values of an expression in the active threads; empty where it depends on more than the thread index.
    [[nodiscard]] std::vector<std::int64_t> values(const ir::Expr& e) const;

    [[nodiscard]] bool contains(std::int64_t thread) const { return active_[static_cast<std::size_t>(thread)] != 0; }
    // Whether no thread is in both.
    [[nodiscard]] bool isDisjoint(const ThreadSet& other) const;
    [[nodiscard]] std::int64_t count() const;
    [[nodiscard]] std::int64_t total() const { return static_cast<std::int64_t>(active_.size()); }
    bool operator==(const ThreadSet& other) const { return active_ == other.active_; }

private:
    const ir::Launch* launch_;
    std::vector<char> active_;  // by linear thread index
};

}  // namespace tw::analysis
