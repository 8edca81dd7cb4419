// T.gemm and its relatives (language.md d.7).
#include <fmt/format.h>

#include "core/ir/print.h"
#include "core/staging/trace/native.h"

namespace tw::staging {

using ir::Expr;
using ir::OpId;

namespace {

struct Matrix {
    TileOperand operand;
    std::int64_t rows = 0, columns = 0;  // as stored
    [[nodiscard]] const ir::Buffer& buffer() const { return operand.region.buffer; }
};

// The last two axes; the leading ones must be single.
Matrix matrix(const Native& n, const char* argument)
{
    Matrix m{n.tile(argument)};
    const auto& extents = m.operand.region.extents;
    if (extents.size() < 2)
        n.ev.fail(Code::kShapeMismatch, n.range(argument),
                  fmt::format("{} of {} needs two axes, but {} has shape {}", argument, n.name, m.buffer()->name, shapeText(extents)));
    for (std::size_t i = 0; i + 2 < extents.size(); ++i)
        if (!ir::isOne(extents[i]))
            n.ev.fail(Code::kShapeMismatch, n.range(argument),
                      fmt::format("{} of {} has extent {} on axis {}, but only its last two axes may be longer than 1; index the others", argument,
                                  n.name, ir::print(extents[i]), i));
    const auto* rows = ir::asInt(extents[extents.size() - 2]);
    const auto* columns = ir::asInt(extents.back());
    // The array dialect multiplies regions of global memory whose extents are known at run time only.
    if ((!rows || !columns) && m.buffer()->scope == ir::MemoryScope::kGlobal)
        return m;
    if (!rows || !columns)
        n.ev.fail(Code::kRuntimeShape, n.range(argument),
                  fmt::format("the extents of {} of {} must be constant, but they are {}", argument, n.name, shapeText(extents)));
    m.rows = *rows;
    m.columns = *columns;
    if (m.operand.form != TileOperand::Form::kBuffer && m.buffer()->scope == ir::MemoryScope::kFragment)
        for (std::size_t i = 0; i < extents.size(); ++i)
            if (!provablyEqual(extents[i], m.buffer()->shape[i]))
                n.ev.fail(Code::kScopeIllegal, n.range(argument),
                          fmt::format("a fragment takes part in {} as a whole, but {} is a part of {}", n.name, ir::print(m.operand.region), m.buffer()->name));
    return m;
}

std::string size(const Matrix& m) { return fmt::format("{} is {} x {}", m.buffer()->name, m.rows, m.columns); }

void checkShapes(const Native& n, const Matrix& a, const Matrix& b, const Matrix& c, bool transA, bool transB, std::int64_t kFactor)
{
    if (a.rows == 0 || b.rows == 0 || c.rows == 0)
        return;  // known at run time only
    const std::int64_t M = transA ? a.columns : a.rows, K = (transA ? a.rows : a.columns) * kFactor;
    const std::int64_t N = transB ? b.rows : b.columns, K2 = transB ? b.columns : b.rows;
    if (K != K2)
        n.fail(Code::kShapeMismatch, fmt::format("the inner extents (K) of {} differ: {} from A ({}) and {} from B ({}){}", n.name, K, size(a), K2, size(b),
                                                 transA || transB ? ", transposes counted" : "; transpose_A=True or transpose_B=True swaps the axes of one"));
    if (c.rows != M || c.columns != N)
        n.fail(Code::kShapeMismatch, fmt::format("the shape of C does not fit {}: {} but the product is {} x {} ({}, {})", n.name, size(c), M, N, size(a), size(b)));
}

// Operands and result are different buffers, of types that go together.
void checkTypes(const Native& n, const Matrix& a, const Matrix& b, const Matrix& c)
{
    for (const Matrix* operand : {&a, &b})
        if (operand->buffer() == c.buffer())
            n.fail(Code::kRace, fmt::format("{} would write {} while it reads it; the result needs a buffer of its own", n.name, c.buffer()->name));
    const auto x = a.buffer()->dtype, y = b.buffer()->dtype, z = c.buffer()->dtype;
    if (x != y && !(x.bits() <= 8 && y.bits() <= 8 && x.isFloating() && y.isFloating()))
        n.fail(Code::kDtypeMismatch, fmt::format("the operands of {} differ in type: {} is {} and {} is {}; convert one with T.copy", n.name,
                                                 a.buffer()->name, x.name(), b.buffer()->name, y.name()));
    if (x.isInteger() && (z.isFloating() || z.bits() < 32))
        n.fail(Code::kDtypeMismatch, fmt::format("{} of {} operands accumulates in int32, but {} is {}", n.name, x.name(), c.buffer()->name, z.name()));
    if (x.isFloating() && !z.isFloating())
        n.fail(Code::kDtypeMismatch, fmt::format("{} of {} operands accumulates in float32, but {} is {}", n.name, x.name(), c.buffer()->name, z.name()));
    const bool takesHalf = x == ir::kFloat16 || x.bits() <= 8;
    if (x.isFloating() && z.bits() < 32 && !(takesHalf && z == ir::kFloat16))
        n.fail(Code::kDtypeMismatch, fmt::format("{} of {} operands accumulates in float32{}, but {} is {}", n.name, x.name(),
                                                 takesHalf ? " or float16" : "", c.buffer()->name, z.name()));
    if (x == ir::kFloat64 && z != ir::kFloat64)
        n.fail(Code::kDtypeMismatch, fmt::format("{} of float64 operands accumulates in float64, but {} is {}", n.name, c.buffer()->name, z.name()));
}

void addClear(const Native& n, ir::OpCall& call)
{
    if (!n.has("clear_accum"))
        return;
    const Expr clear = toCondition(n.ev, n["clear_accum"], n.range("clear_accum"));
    const auto* known = ir::asInt(clear);
    if (!known || *known != 0)
        call.operands.emplace_back(clear);
}

void addPolicy(const Native& n, ir::OpCall& call)
{
    const std::int64_t policy = n.integer("policy", 0);
    if (policy < 0 || policy > 2)
        n.ev.fail(Code::kOption, n.range("policy"), fmt::format("policy must be T.GemmWarpPolicy.Square, FullRow or FullCol, not {}", policy));
    if (policy != 0)
        addAttr(call, "policy", policy);
}

void addPack(const Native& n, ir::OpCall& call)
{
    const std::int64_t pack = n.integer("k_pack", 1);
    if (pack != 1 && pack != 2)
        n.ev.fail(Code::kOption, n.range("k_pack"), fmt::format("k_pack must be 1 or 2, not {}", pack));
    if (pack != 1)
        addAttr(call, "k_pack", pack);
}

void addFlags(const Native& n, ir::OpCall& call, std::initializer_list<const char*> names)
{
    for (const char* name : names)
        if (n.flag(name))
            addAttr(call, name, true);
}

Value gemm(const Native& n)
{
    auto op = static_cast<OpId>(n.row.tag);
    if (n.args.has("wg_wait") && n.integer("wg_wait", 0) < 0)
        op = OpId::kWgmmaGemm;  // the old spelling of the asynchronous form
    else if (n.args.has("wg_wait") && n.integer("wg_wait", 0) > 0)
        hintIgnored(n, "wg_wait", "the product is complete when it returns; T.wgmma_gemm and T.wait_wgmma leave products running");
    ignoreAnnotations(n);
    if (n.has("mbar"))
        n.ev.fail(Code::kNotSupported, n.range("mbar"), fmt::format("not supported: mbar of {} (tcgen05, sm_100)", n.name));
    const Matrix a = matrix(n, "A"), b = matrix(n, "B"), c = matrix(n, "C");
    if (c.buffer()->scope == ir::MemoryScope::kTensorMemory)
        n.ev.fail(Code::kNotSupported, n.range("C"), "not supported: a product into tensor memory (tcgen05, sm_100)");
    checkTypes(n, a, b, c);
    checkShapes(n, a, b, c, n.flag("transpose_A"), n.flag("transpose_B"), 1);
    ir::OpCall call{op, {a.operand.region, b.operand.region, c.operand.region}, {}};
    addClear(n, call);
    addFlags(n, call, {"transpose_A", "transpose_B"});
    addPolicy(n, call);
    if (op == OpId::kGemm)
        addPack(n, call);
    n.launch().emitOp(std::move(call), n.range());
    return Value();
}

Value sparse(const Native& n)
{
    const Matrix a = matrix(n, "A_sparse"), e = matrix(n, "E"), b = matrix(n, "B"), c = matrix(n, "C");
    checkTypes(n, a, b, c);
    checkShapes(n, a, b, c, n.flag("transpose_A"), n.flag("transpose_B"), 2);
    ir::OpCall call{OpId::kGemmSp, {a.operand.region, e.operand.region, b.operand.region, c.operand.region}, {}};
    addClear(n, call);
    addFlags(n, call, {"transpose_A", "transpose_E", "transpose_B"});
    addPolicy(n, call);
    addPack(n, call);
    if (n.integer("wg_wait", 0) != 0)
        hintIgnored(n, "wg_wait", "a sparse product is complete when it returns");
    n.launch().emitOp(std::move(call), n.range());
    return Value();
}

// Four neighbouring int8 from an element on.
ir::Region four(const Native& n, const char* argument)
{
    auto operand = n.tile(argument);
    ir::Region region = operand.region;
    if (region.buffer->dtype.bits() != 8 || !region.buffer->dtype.isInteger())
        n.ev.fail(Code::kDtypeMismatch, n.range(argument),
                  fmt::format("{} of T.dp4a must be int8 or uint8, but {} is {}", argument, region.buffer->name, region.buffer->dtype.name()));
    region.extents.assign(region.mins.size(), ir::intImm(1));
    region.extents.back() = ir::intImm(region.buffer->dtype.lanes >= 4 ? 1 : 4);
    return region;
}

Value dp4a(const Native& n)
{
    auto c = n.tile("C").region;
    if (c.buffer->dtype != ir::kInt32 && c.buffer->dtype != ir::kUInt32)
        n.ev.fail(Code::kDtypeMismatch, n.range("C"), fmt::format("C of T.dp4a must be int32, but {} is {}", c.buffer->name, c.buffer->dtype.name()));
    c.extents.assign(c.mins.size(), ir::intImm(1));
    n.launch().emitOp({OpId::kDp4a, {four(n, "A"), four(n, "B"), std::move(c)}, {}}, n.range());
    return Value();
}

constexpr const char* kGemmSignature =
    "A, B, C, transpose_A=False, transpose_B=False, policy=0, clear_accum=False, k_pack=1, wg_wait=0, mbar=None, annotations=None";
constexpr const char* kWgmmaSignature = "A, B, C, transpose_A=False, transpose_B=False, policy=0, clear_accum=False, annotations=None";
constexpr NativeRow kProductRows[] = {
    {"gemm", kGemmSignature, gemm, static_cast<int>(OpId::kGemm)},
    {"gemm_v1", kGemmSignature, gemm, static_cast<int>(OpId::kGemm)},
    {"gemm_v2", kGemmSignature, gemm, static_cast<int>(OpId::kGemm)},
    {"wgmma_gemm", kWgmmaSignature, gemm, static_cast<int>(OpId::kWgmmaGemm)},
    {"wgmma_mma", kWgmmaSignature, gemm, static_cast<int>(OpId::kWgmmaGemm)},
    {"gemm_sp", "A_sparse, E, B, C, transpose_A=False, transpose_E=False, transpose_B=False, policy=0, clear_accum=False, k_pack=1, wg_wait=0", sparse},
    {"dp4a", "A, B, C", dp4a},
};

}  // namespace

Rows productRows() { return kProductRows; }

}  // namespace tw::staging
