// What a statement of one thread's code is for: the stages that recordStages tells apart.
#pragma once

#include <compare>
#include <map>
#include <optional>
#include <set>

#include "core/ir/stmt.h"

namespace tw::passes {

enum class StageKind : std::uint8_t {
    kSetup,     // before the first stage, and from one tile of a loop around pipelined loops to the next
    kIssue,     // starts asynchronous copies: cp.async, bulk loads and stores
    kCopy,      // moves a tile by ordinary loads and stores
    kWait,      // for a barrier, for copies, for other blocks
    kTensor,    // products: starting them and waiting for them
    kReduce,    // combines values of several threads
    kCompute,   // element-wise work
    kStore,     // writes to global memory
    kEpilogue   // any of these behind the loop that multiplies, but waits and products
};
// "setup", "issue", "copy", "wait", "tensor", "reduce", "compute", "store", "epilogue".
[[nodiscard]] const char* stageKindName(StageKind kind);

// `op` is the tile operation, as in Provenance; 0 where a statement belongs to none.
struct StageEvent {
    StageKind kind{};
    std::uint32_t op = 0;
    auto operator<=>(const StageEvent&) const = default;
};

class StageEvents {
public:
    // `launch` is in the thread stage and outlives this.
    explicit StageEvents(const ir::Launch& launch);

    // The stages below a statement, itself included. What takes no time to speak of (bindings, allocations, arrivals, fences,
    // scalar variables) belongs to none.
    [[nodiscard]] const std::set<StageEvent>& below(const ir::Stmt& s);
    // Whether the tile operation writes to global memory.
    [[nodiscard]] bool writesGlobal(std::uint32_t op) const;

private:
    struct Traits {
        bool multiplies = false, startsCopies = false, combines = false, readsGlobal = false, writesGlobal = false, writesShared = false;
    };
    class Scan;

    [[nodiscard]] std::optional<StageEvent> ofLeaf(const ir::Stmt& s) const;
    [[nodiscard]] std::optional<StageKind> ofOperation(const ir::OpCall& call, std::uint32_t op) const;
    [[nodiscard]] StageKind kindOf(std::uint32_t op) const;

    std::map<std::uint32_t, Traits> traits_;
    std::map<const ir::StmtNode*, std::set<StageEvent>> below_;
};

}  // namespace tw::passes
