// Expressions of the IR: immutable, shared, a closed set of kinds.
//
// Make them with core/ir/build.h, whose constructors fold constants. Equality (core/ir/equal.h) ignores provenance and the
// names of bound variables.
#pragma once

#include <map>
#include <string>
#include <variant>
#include <vector>

#include "core/ir/dtype.h"
#include "core/ir/ops.h"
#include "core/support/ref.h"
#include "core/support/source.h"

namespace tw::ir {

// Where a node came from: the user's text and the tile operation that it belongs to (0: none). Time, bytes and registers
// are charged to tile operations, because that is what the author wrote.
struct Provenance {
    SourceRange range;
    std::uint32_t op = 0;
};

enum class ExprKind : std::uint8_t {
    kIntImm, kFloatImm, kStringImm, kVar, kLoad, kUnary, kBinary, kSelect, kCast, kCall, kRamp, kBroadcast, kLane
};

struct ExprNode {
    ExprKind kind;
    DType dtype;
    Provenance where;

    virtual ~ExprNode() = default;

protected:
    ExprNode(ExprKind k, DType t, Provenance p) : kind(k), dtype(t), where(p) {}
};
using Expr = Ref<const ExprNode>;

struct BufferNode;
using Buffer = Ref<const BufferNode>;

// Integers and bools. uint64 values above INT64_MAX are stored as their two's complement bits.
struct IntImm final : ExprNode {
    static constexpr auto kKind = ExprKind::kIntImm;
    std::int64_t value;
    IntImm(DType t, std::int64_t v, Provenance p = {}) : ExprNode(kKind, t, p), value(v) {}
};

// Already rounded to `dtype`; a NaN keeps its payload.
struct FloatImm final : ExprNode {
    static constexpr auto kKind = ExprKind::kFloatImm;
    double value;
    FloatImm(DType t, double v, Provenance p = {}) : ExprNode(kKind, t, p), value(v) {}
};

// Messages and names of extern functions; has dtype handle.
struct StringImm final : ExprNode {
    static constexpr auto kKind = ExprKind::kStringImm;
    std::string value;
    explicit StringImm(std::string v, Provenance p = {}) : ExprNode(kKind, ir::kHandle, p), value(std::move(v)) {}
};

// A variable is its node: two variables of one name are different. Bound by a Bind, a loop, a launch, a parameter, or a
// symbolic extent of a parameter.
struct VarNode final : ExprNode {
    static constexpr auto kKind = ExprKind::kVar;
    std::string name;
    VarNode(DType t, std::string n, Provenance p = {}) : ExprNode(kKind, t, p), name(std::move(n)) {}
};
using Var = Ref<const VarNode>;

// One element: exactly one index per axis of the buffer, each a scalar integer. dtype is the buffer's.
struct Load final : ExprNode {
    static constexpr auto kKind = ExprKind::kLoad;
    Buffer buffer;
    std::vector<Expr> indices;
    Load(DType t, Buffer b, std::vector<Expr> i, Provenance p = {})
        : ExprNode(kKind, t, p), buffer(std::move(b)), indices(std::move(i)) {}
};

enum class UnaryOp : std::uint8_t { kNegate, kNot, kInvert };
struct Unary final : ExprNode {
    static constexpr auto kKind = ExprKind::kUnary;
    UnaryOp op;
    Expr a;
    Unary(DType t, UnaryOp o, Expr x, Provenance p = {}) : ExprNode(kKind, t, p), op(o), a(std::move(x)) {}
};

// Operands have equal types (shifts too); comparisons give bool. kDiv is float division. kFloorDiv and kFloorMod have
// Python's signs, kTruncDiv and kTruncMod C's. kAnd and kOr are on bools and evaluate both sides unless the right side has
// an access that the left side guards (then lazily, as in C).
enum class BinaryOp : std::uint8_t {
    kAdd, kSub, kMul, kDiv, kFloorDiv, kFloorMod, kTruncDiv, kTruncMod, kMin, kMax,
    kShl, kShr, kBitAnd, kBitOr, kBitXor, kAnd, kOr, kEq, kNe, kLt, kLe, kGt, kGe
};
struct Binary final : ExprNode {
    static constexpr auto kKind = ExprKind::kBinary;
    BinaryOp op;
    Expr a, b;
    Binary(DType t, BinaryOp o, Expr x, Expr y, Provenance p = {})
        : ExprNode(kKind, t, p), op(o), a(std::move(x)), b(std::move(y)) {}
};

// Lazy (T.if_then_else, x if c else y): only the chosen arm is evaluated, so the condition guards its accesses.
// Otherwise (T.Select): both are.
struct Select final : ExprNode {
    static constexpr auto kKind = ExprKind::kSelect;
    Expr condition, then, otherwise;
    bool lazy;
    Select(Expr c, Expr a, Expr b, bool l, Provenance p = {})
        : ExprNode(kKind, a->dtype, p), condition(std::move(c)), then(std::move(a)), otherwise(std::move(b)), lazy(l) {}
};

struct Cast final : ExprNode {
    static constexpr auto kKind = ExprKind::kCast;
    Expr value;
    Cast(DType t, Expr v, Provenance p = {}) : ExprNode(kKind, t, p), value(std::move(v)) {}
};

// base, base + stride, … (`lanes` of them).
struct Ramp final : ExprNode {
    static constexpr auto kKind = ExprKind::kRamp;
    Expr base, stride;
    Ramp(Expr b, Expr s, int lanes, Provenance p = {})
        : ExprNode(kKind, b->dtype.withLanes(lanes), p), base(std::move(b)), stride(std::move(s)) {}
};
struct Broadcast final : ExprNode {
    static constexpr auto kKind = ExprKind::kBroadcast;
    Expr value;
    Broadcast(Expr v, int lanes, Provenance p = {})
        : ExprNode(kKind, v->dtype.withLanes(lanes), p), value(std::move(v)) {}
};
// One lane of a vector.
struct Lane final : ExprNode {
    static constexpr auto kKind = ExprKind::kLane;
    Expr vector;
    int index;
    Lane(Expr v, int i, Provenance p = {}) : ExprNode(kKind, v->dtype.element(), p), vector(std::move(v)), index(i) {}
};

// buffer[min : min + extent, …]: one pair per axis. A point has every extent 1. An operation's whole-buffer operand is a
// region too: mins 0, extents = shape.
struct Region {
    Buffer buffer;
    std::vector<Expr> mins;
    std::vector<Expr> extents;
};

// A user layout: variables stand for the logical coordinates. `thread` is empty for a memory layout (T.Layout): then
// `index` holds the physical coordinates. A fragment (T.Fragment) has `thread` and one register index; `replicate` copies.
struct LayoutMap {
    std::vector<std::int64_t> shape;
    std::vector<Var> vars;
    Var replicateVar;  // fragments with replicate > 1 only
    std::vector<Expr> index;
    Expr thread;
    std::int64_t replicate = 1;
};

using Operand = std::variant<Expr, Region, Ref<const LayoutMap>>;
using Attr = std::variant<bool, std::int64_t, double, std::string, std::vector<std::int64_t>, std::vector<std::string>>;
using Attrs = std::map<std::string, Attr>;

// An operation of ops.def with its operands in the order and roles that ops.def lists, and its options by name. Options
// that have their default value are absent.
struct OpCall {
    OpId op{};
    std::vector<Operand> operands;
    Attrs attrs;
};

// An operation used as a value (T.exp(x), T.atomic_add(…, return_prev=True), T.shfl_sync(…)).
struct Call final : ExprNode {
    static constexpr auto kKind = ExprKind::kCall;
    OpCall call;
    Call(DType t, OpCall c, Provenance p = {}) : ExprNode(kKind, t, p), call(std::move(c)) {}
};

template <class T>
[[nodiscard]] const T* as(const Expr& e)
{
    return e && e->kind == T::kKind ? static_cast<const T*>(e.get()) : nullptr;
}

// The value of an integer or bool constant.
[[nodiscard]] inline const std::int64_t* asInt(const Expr& e)
{
    const auto* imm = as<IntImm>(e);
    return imm ? &imm->value : nullptr;
}

}  // namespace tw::ir
