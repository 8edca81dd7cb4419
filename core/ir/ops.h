// The operations of the language, each with operand roles, effects, proxies, legality and documentation.
//
// ops.def is the only place that knows them: analyses read effects from here and nowhere else; the editor's completion and
// hover help read the documentation.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tw::ir {

enum class OpId : std::uint16_t {
#define TW_OP(id, name, cls, effect, proxy, stage, operands, attrs, doc) id,
#include "core/ir/ops.def"
#undef TW_OP
};

enum class OpClass : std::uint8_t {
    kCopy,        // regions of equal extents, element by element
    kProduct,     // matrix products
    kFill,
    kReduce,      // one axis away
    kScan,
    kReducer,     // deferred reductions
    kAtomic,
    kMath,        // scalar to scalar, pure
    kMemory,      // wide loads and stores, addresses
    kWarp,        // shuffles, votes, warp reductions
    kThread,      // indices of thread, lane, warp, block
    kBarrier,     // block, named, cluster, grid and transaction barriers, fences
    kAsync,       // waits and commits of asynchronous engines
    kAnnotation,  // hints and facts: no effect on values
    kDebug,
    kExtern,
    kRandom
};

enum class Effect : std::uint8_t {
    kNone,      // depends on the operands only
    kOperands,  // reads and writes what the operand roles say, nothing else
    kSync,      // orders other accesses
    kOther      // anything: printing, extern code, control
};

// The path by which shared memory is accessed. Crossing from one to the other needs a proxy fence.
enum class Proxy : std::uint8_t { kGeneric, kAsync };

enum class StageMask : std::uint8_t { kTile = 1, kThread = 2, kBoth = 3 };

enum class Role : std::uint8_t {
    kValue,      // a scalar expression
    kRead,       // a region that is read
    kWrite,      // a region that is written, all of it
    kReadWrite,  // read and written
    kAddress,    // a region whose address is taken (access_ptr): effects are the user's
    kBarrier,    // an element of a barrier array
    kLayout
};
struct OperandInfo {
    std::string_view name;
    Role role{};
    bool optional = false;
    bool variadic = false;  // the last one: zero or more
};
struct OpInfo {
    OpId id{};
    std::string_view name;  // as after "T."
    OpClass cls{};
    Effect effect{};
    Proxy proxy{};
    StageMask stage{};
    std::vector<OperandInfo> operands;
    std::vector<std::string_view> attrs;  // allowed options
    std::string_view doc;                 // "signature — what it does"
};

[[nodiscard]] const OpInfo& info(OpId op);
[[nodiscard]] std::optional<OpId> findOp(std::string_view name);  // by the name after "T."
[[nodiscard]] const std::vector<OpInfo>& allOps();

// How a reduction, scan, reducer or atomic combines.
enum class Combiner : std::uint8_t { kSum, kMax, kMin, kAbsSum, kAbsMax, kBitAnd, kBitOr, kBitXor, kProduct };
[[nodiscard]] std::optional<Combiner> combiner(OpId op);
[[nodiscard]] std::optional<Combiner> parseCombiner(std::string_view name);  // "sum", "max", "bitand", …

}  // namespace tw::ir
