// What a parallel nest costs in memory under given layouts, counted warp by warp.
#pragma once

#include <optional>
#include <unordered_map>
#include <vector>

#include "core/arith/evaluate.h"
#include "core/layout/shared.h"
#include "core/layout/table.h"
#include "core/passes/nest.h"

namespace tw::passes {

struct MemoryCost {
    std::int64_t passes = 0, best = 0;  // of shared memory: needed, and needed without bank conflicts (layout/access.h)
    std::int64_t sectors = 0, lines = 0;  // of 32 and of 128 bytes of global memory that each warp's instruction touches
    std::int64_t requests = 0;            // memory instructions of warps
    // One number to compare by. A sector weighs as much as a pass: memory is slower than shared memory by more than the four sectors
    // that a pass could serve; a line is one look-up of the cache. An instruction weighs a quarter: 4 schedulers share the unit that
    // serves them.
    [[nodiscard]] std::int64_t score() const { return 4 * (passes + sectors + lines) + requests; }
    MemoryCost& operator+=(const MemoryCost& other);
};

// How a buffer in shared memory lies.
struct SharedPlace {
    layout::RowForm form;
    const layout::Table* table = nullptr;  // instead, for maps of any other form
};
using SharedPlaces = std::unordered_map<const ir::BufferNode*, SharedPlace>;

// Whether every warp is counted, or a few of them that stand for all.
enum class Count : std::uint8_t { kAll, kSample };

class NestTraffic {
public:
    explicit NestTraffic(const Nest& nest);

    // Whether every access of `buffer` in the nest can be counted: its indices follow from the variables of the nest and from
    // values that are the same for all threads.
    [[nodiscard]] bool isCountable(const ir::BufferNode* buffer) const;

    // The cost of the nest, run by threads and registers as `by` says. Accesses get the width that vectorizeAccesses gives them. Other
    // variables are taken to be 0, extents that are known at run time only to be multiples of every width. `places` has every shared buffer
    // of the nest; conditions in the nest are taken to hold.
    [[nodiscard]] MemoryCost cost(const layout::Fragment& by, const SharedPlaces& places, Count count);

private:
    // c + Σ coefficient · variable, or a program.
    struct Index {
        std::int64_t constant = 0;
        std::vector<std::int64_t> coefficients;
        std::optional<arith::Evaluation> program;
    };
    struct Access {
        const ir::BufferNode* buffer = nullptr;
        bool isShared = false, isWrite = false;
        std::int64_t bytes = 0;
        std::vector<Index> indices;  // global: one, of the element in memory
    };
    struct Threads;
    struct Form;

    bool addIndex(const ir::Expr& e, Access& access);
    std::int64_t addressOf(Access& access, std::span<const std::int64_t> at, const SharedPlaces& places);
    std::vector<std::int64_t> warpAddresses(Access& access, const Threads& threads, std::size_t warp, std::size_t reg, const SharedPlaces& places);
    bool isRun(Access& access, const Threads& threads, std::int64_t width, const SharedPlaces& places);
    Form formOf(const Threads& threads, const SharedPlaces& places);

    const Nest& nest_;
    std::vector<Access> accesses_;
    std::vector<const ir::BufferNode*> opaque_;
};

}  // namespace tw::passes
