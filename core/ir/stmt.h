// Statements, buffers and functions of the IR.
#pragma once

#include <array>
#include <optional>

#include "core/ir/expr.h"

namespace tw::ir {

enum class MemoryScope : std::uint8_t {
    kGlobal,          // parameters, workspaces; shapes may be symbolic
    kShared,          // one copy a block
    kFragment,        // one logical tile spread over the block's threads
    kLocal,           // every thread has its own full copy
    kVar,             // one mutable scalar a thread, shape (1,)
    kReducer,         // deferred reduction handle
    kBarrier,         // array of mbarriers
    kClusterBarrier,  // the same, visible to the cluster
    kDescriptor,
    kTensorMemory
};

// A typed multi-dimensional storage object; a buffer is its node.
struct BufferNode {
    std::string name;
    DType dtype;
    std::vector<Expr> shape;    // rank ≥ 1; constants unless global
    MemoryScope scope = MemoryScope::kGlobal;
    std::vector<Expr> strides;  // in elements, one an axis; empty: contiguous row-major
    bool staticShared = false;  // scope="shared" instead of "shared.dyn"

    // A view of other storage (T.view, T.reshape, T.make_tensor, T.Tensor(shape, dtype, buf.data)): either another buffer
    // from its element 0, or a run-time address.
    Buffer viewOf;
    Expr address;
    std::int64_t viewOffset = 0;  // bytes from the start of viewOf (places in a shared-memory arena)

    std::vector<std::int64_t> arrivals;  // barriers: arrival count of each
    std::string reducer;                 // reducers: "sum", "max", …
    std::string replication;             // legacy reducers: "all" or "none"; such a buffer is used like a fragment
    Provenance where;
};

enum class StmtKind : std::uint8_t {
    kSeq, kFor, kWhile, kBreak, kContinue, kIf, kBind, kStore, kAllocate, kOp, kReturn, kLaunch, kAssert
};

struct StmtNode {
    StmtKind kind;
    Provenance where;

    virtual ~StmtNode() = default;

protected:
    StmtNode(StmtKind k, Provenance p) : kind(k), where(p) {}
};
using Stmt = Ref<const StmtNode>;

// In order. A Bind's variable and an Allocate's buffer live to the end of the Seq that holds it. Seqs are flat: no Seq
// directly inside a Seq, and a body of one statement is that statement itself.
struct Seq final : StmtNode {
    static constexpr auto kKind = StmtKind::kSeq;
    std::vector<Stmt> stmts;
    explicit Seq(std::vector<Stmt> s, Provenance p = {}) : StmtNode(kKind, p), stmts(std::move(s)) {}
};

enum class ForKind : std::uint8_t {
    kSerial,      // one axis
    kUnrolled,    // one axis, a request
    kVectorized,  // one axis, static extent
    kParallel,    // one or more axes: independent iterations, spread over the block's threads
    kPipelined,   // one axis; attrs num_stages, order, stage, group
    kPersistent   // one or more axes; attr-like expressions in `persistent`
};
// The visible variable takes begin, begin + step, … while before `end`. step is 1 unless kSerial or kUnrolled.
struct Axis {
    Var var;
    Expr begin, end, step;
};
struct Persistent {  // T.Persistent(domain, wave_size, index, group_size)
    Expr waveSize, index, groupSize;
};
struct For final : StmtNode {
    static constexpr auto kKind = StmtKind::kFor;
    ForKind loop;
    std::vector<Axis> axes;
    Stmt body;
    Attrs attrs;  // the loop's options, by their TileLang names
    std::optional<Persistent> persistent;
    Ref<const LayoutMap> layout;  // loop_layout= of a parallel loop
    For(ForKind k, std::vector<Axis> a, Stmt b, Attrs t = {}, Provenance p = {})
        : StmtNode(kKind, p), loop(k), axes(std::move(a)), body(std::move(b)), attrs(std::move(t)) {}
};

struct While final : StmtNode {
    static constexpr auto kKind = StmtKind::kWhile;
    Expr condition;
    Stmt body;
    While(Expr c, Stmt b, Provenance p = {}) : StmtNode(kKind, p), condition(std::move(c)), body(std::move(b)) {}
};

struct Break final : StmtNode {
    static constexpr auto kKind = StmtKind::kBreak;
    explicit Break(Provenance p = {}) : StmtNode(kKind, p) {}
};
struct Continue final : StmtNode {
    static constexpr auto kKind = StmtKind::kContinue;
    explicit Continue(Provenance p = {}) : StmtNode(kKind, p) {}
};

// `otherwise` may be empty. `with T.ws(...)` is an If on the thread index with attr-free condition.
struct If final : StmtNode {
    static constexpr auto kKind = StmtKind::kIf;
    Expr condition;
    Stmt then, otherwise;
    If(Expr c, Stmt a, Stmt b = {}, Provenance p = {})
        : StmtNode(kKind, p), condition(std::move(c)), then(std::move(a)), otherwise(std::move(b)) {}
};

// An immutable value, evaluated here once.
struct Bind final : StmtNode {
    static constexpr auto kKind = StmtKind::kBind;
    Var var;
    Expr value;
    Bind(Var v, Expr e, Provenance p = {}) : StmtNode(kKind, p), var(std::move(v)), value(std::move(e)) {}
};

// buffer[indices] = value; value has the buffer's dtype (the builder casts).
struct Store final : StmtNode {
    static constexpr auto kKind = StmtKind::kStore;
    Buffer buffer;
    std::vector<Expr> indices;
    Expr value;
    Store(Buffer b, std::vector<Expr> i, Expr v, Provenance p = {})
        : StmtNode(kKind, p), buffer(std::move(b)), indices(std::move(i)), value(std::move(v)) {}
};

struct Allocate final : StmtNode {
    static constexpr auto kKind = StmtKind::kAllocate;
    Buffer buffer;
    explicit Allocate(Buffer b, Provenance p = {}) : StmtNode(kKind, p), buffer(std::move(b)) {}
};

// A tile operation, a synchronisation, an annotation, or a scalar operation evaluated for its effect.
struct OpStmt final : StmtNode {
    static constexpr auto kKind = StmtKind::kOp;
    OpCall call;
    explicit OpStmt(OpCall c, Provenance p = {}) : StmtNode(kKind, p), call(std::move(c)) {}
};

// T.thread_return(): this thread is done with the launch.
struct Return final : StmtNode {
    static constexpr auto kKind = StmtKind::kReturn;
    explicit Return(Provenance p = {}) : StmtNode(kKind, p) {}
};

// One device launch. grid, block indices and thread indices: x, y, z; unused grid axes are absent, unused thread axes have
// extent 1 and a variable all the same.
struct Launch final : StmtNode {
    static constexpr auto kKind = StmtKind::kLaunch;
    std::vector<Expr> grid;
    std::vector<Var> blockVars;
    std::array<std::int64_t, 3> threads{128, 1, 1};
    std::array<Var, 3> threadVars;
    std::vector<std::int64_t> cluster;  // empty: no cluster
    Stmt body;
    Attrs attrs;  // prelude, source, entry_name
    Launch(std::vector<Expr> g, std::vector<Var> bv, std::array<std::int64_t, 3> t, std::array<Var, 3> tv, Stmt b,
           Provenance p = {})
        : StmtNode(kKind, p), grid(std::move(g)), blockVars(std::move(bv)), threads(t), threadVars(std::move(tv)),
          body(std::move(b)) {}
};

// A run-time assertion of the host part, before any launch.
struct Assert final : StmtNode {
    static constexpr auto kKind = StmtKind::kAssert;
    Expr condition;
    std::string message;
    Assert(Expr c, std::string m, Provenance p = {}) : StmtNode(kKind, p), condition(std::move(c)), message(std::move(m)) {}
};

template <class T>
[[nodiscard]] const T* as(const Stmt& s)
{
    return s && s->kind == T::kKind ? static_cast<const T*>(s.get()) : nullptr;
}

enum class Stage : std::uint8_t { kTile, kThread };
enum class Dialect : std::uint8_t { kTile, kArray };

// One kernel as the host calls it: parameters, then a body that allocates workspaces and launches.
struct Param {
    std::variant<Var, Buffer> value;  // a scalar or a tensor
    [[nodiscard]] const std::string& name() const
    {
        if (const auto* var = std::get_if<Var>(&value))
            return (*var)->name;
        return std::get<Buffer>(value)->name;
    }
};
struct Function {
    std::string name;
    std::vector<Param> params;
    std::vector<int> returned;  // indices into params: what a call returns, in order (out_idx, or T.empty tensors)
    std::vector<Var> symbols;   // symbolic extents and strides, in order of first appearance; bound from the tensors
    Stmt body;
    Stage stage = Stage::kTile;
    Dialect dialect = Dialect::kTile;
    std::map<std::string, Attr> passConfigs;  // by string key ("tl.enable_fast_math")
    std::vector<std::string> compileFlags;
    std::string target;  // the file's own, empty if it names none
    SourceRange range;
};

}  // namespace tw::ir
