// Which storage the statements of the tile stage read and write, in program order; and how values flow around them.
#pragma once

#include <vector>

#include "core/ir/stmt.h"

namespace tw::passes {

struct Arm {
    const ir::If* branch = nullptr;
    bool then = true;
    bool operator==(const Arm&) const = default;
};

struct TileAccess {
    const ir::BufferNode* buffer = nullptr;   // as it is named there
    const ir::BufferNode* storage = nullptr;  // what it is a view of, or itself
    std::vector<ir::Expr> mins, extents;      // empty: some elements, which ones is not known
    bool reads = false, writes = false;
    const ir::StmtNode* statement = nullptr;  // the innermost one that holds the access
    ir::OpId op{};                            // if the statement is an operation's operand
    bool isOperand = false;
    std::vector<Arm> arms;                    // conditions around it, outermost first
};

struct TileAccesses {
    std::vector<TileAccess> all;
    bool jumps = false;       // a break or continue of the statements' own loop, or a return
    bool meetsOthers = false; // waits or fences by which other blocks' or roles' writes may become visible
    bool groups = false;      // cp.async groups that the author counts
    bool loopsPipelined = false;

    [[nodiscard]] bool writes(const ir::BufferNode* storage) const;
    [[nodiscard]] bool touches(const ir::BufferNode* storage) const;
};

// Of everything below `s`, conditions, bounds and indices included. Arms count from `s`.
[[nodiscard]] TileAccesses accessesOf(const ir::Stmt& s);

// How one storage fares in a statement: whether what it held before may be read, whether all of it is certainly overwritten.
struct Flow {
    bool exposed = false;
    bool killed = false;
};
[[nodiscard]] Flow flowOf(const ir::Stmt& s, const ir::BufferNode* storage);

// Whether what `storage` holds when `loop` ends may be read later: behind it, or in the next iteration of a loop around it.
[[nodiscard]] bool isLiveAfter(const ir::Stmt& root, const ir::StmtNode* loop, const ir::BufferNode* storage);

}  // namespace tw::passes
