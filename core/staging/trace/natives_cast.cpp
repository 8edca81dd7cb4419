// Casts, reinterpretation, vectors and views (language.md d.12).
#include <fmt/format.h>

#include "core/ir/print.h"
#include "core/staging/trace/native.h"
#include "core/staging/trace/shapes.h"

namespace tw::staging {

using ir::DType;
using ir::Expr;
using ir::OpId;

namespace {

Value castValue(const Native& n, const char* valueName, const char* typeArgument)
{
    const DType type = requireDType(n.ev, n[typeArgument], n.range(typeArgument));
    const std::string mode = n.args.has("round") ? n.text("round") : std::string();
    const bool saturate = !n.args.has("sat") || n.flag("sat", true);
    static const std::vector<std::string> kModes = {"", "rn", "rz", "rp", "rm", "rs"};
    if (std::find(kModes.begin(), kModes.end(), mode) == kModes.end())
        n.ev.fail(Code::kOption, n.range("round"), fmt::format("'{}' is no rounding of T.cast; there are '', rn, rz, rp, rm and rs", mode));
    if ((mode == "rs") != n.has("rbits"))
        n.fail(Code::kOption, "rbits belongs to round=\"rs\": give both or neither");
    if (mode.empty() && saturate)
        return toType(n.ev, type, n[valueName], n.range(valueName), fmt::format("the value of {}", n.name));
    ir::OpCall call{OpId::kCastRounded, {n.expr(valueName)}, {}};
    if (n.has("rbits"))
        call.operands.emplace_back(n.index("rbits"));
    if (!mode.empty())
        addAttr(call, "round", mode);
    if (!saturate)
        addAttr(call, "sat", false);
    return ir::call(type, std::move(call), n.where());
}

std::int64_t totalBits(DType type) { return static_cast<std::int64_t>(type.bits()) * type.lanes; }

// (value, dtype); the old order (dtype, value) is accepted.
Value reinterpret(const Native& n)
{
    const bool isOldOrder = !asDType(n["dtype"]).has_value() && asDType(n["value"]).has_value();
    const char* valueName = isOldOrder ? "dtype" : "value";
    const char* typeName = isOldOrder ? "value" : "dtype";
    const DType type = requireDType(n.ev, n[typeName], n.range(typeName));
    const Expr x = n.expr(valueName);
    if (totalBits(x->dtype) != totalBits(type) && !type.isHandle())
        n.fail(Code::kDtypeMismatch, fmt::format("{} keeps the bits, but {} has {} bits and {} has {}", n.name, x->dtype.name(), totalBits(x->dtype), type.name(), totalBits(type)));
    if (x->dtype == type)
        return x;
    return ir::call(type, {OpId::kReinterpret, {x}, {}}, n.where());
}

// ---- vectors ----

Value ramp(const Native& n)
{
    const std::int64_t lanes = n.integer("lanes", 1);
    auto [base, stride] = promoted(n.ev, n.index("base"), n.index("stride"), n.range(), n.name);
    return Expr(std::make_shared<ir::Ramp>(base, stride, static_cast<int>(lanes), n.where()));
}

Value broadcast(const Native& n)
{
    const std::int64_t lanes = n.integer("lanes", 1);
    if (lanes == 1)
        return n.expr("value");
    return Expr(std::make_shared<ir::Broadcast>(n.expr("value"), static_cast<int>(lanes), n.where()));
}

Value shuffleVectors(const Native& n)
{
    std::vector<Expr> lanes;
    for (const auto& vector : itemsOf(n["vectors"])) {
        const Expr e = toExpr(n.ev, vector, n.range("vectors"), "a vector of T.Shuffle");
        for (int k = 0; k < e->dtype.lanes; ++k)
            lanes.push_back(e->dtype.lanes == 1 ? e : Expr(std::make_shared<ir::Lane>(e, k, n.where())));
    }
    std::vector<Expr> chosen;
    for (const auto& index : itemsOf(n["indices"])) {
        const std::int64_t k = requireInt(n.ev, index, n.range("indices"), "a lane of T.Shuffle");
        if (k < 0 || k >= static_cast<std::int64_t>(lanes.size()))
            n.ev.fail(Code::kIndexRange, n.range("indices"), fmt::format("lane {} is out of range: there are {} lanes", k, lanes.size()));
        chosen.push_back(lanes[static_cast<std::size_t>(k)]);
    }
    return vectorOf(std::move(chosen), n.where());
}

Value extractLane(const Native& n)
{
    const Expr vector = n.expr("vector");
    const std::int64_t lane = n.integer("lane", 0);
    if (lane < 0 || lane >= vector->dtype.lanes)
        n.ev.fail(Code::kIndexRange, n.range("lane"), fmt::format("lane {} is out of range: {} has {} lanes", lane, ir::print(vector), vector->dtype.lanes));
    return Expr(std::make_shared<ir::Lane>(vector, static_cast<int>(lane), n.where()));
}

Value vectorHalf(const Native& n)
{
    const Expr vector = n.expr("vector");
    const int half = vector->dtype.lanes / 2;
    std::vector<Expr> lanes;
    for (int k = 0; k < half; ++k)
        lanes.push_back(std::make_shared<ir::Lane>(vector, k, n.where()));
    if (lanes.empty())
        n.fail(Code::kTypeMismatch, fmt::format("{} takes a vector, not {}", n.name, vector->dtype.name()));
    return vectorOf(std::move(lanes), n.where());
}

// ---- views ----

Expr bitsOf(const std::vector<Expr>& shape, DType type)
{
    Expr total = ir::intImm(totalBits(type), ir::kInt64);
    for (const auto& extent : shape)
        total = ir::mul(total, ir::cast(ir::kInt64, extent));
    return total;
}

Value view(const Native& n)
{
    const auto operand = n.tile("src");
    if (operand.form != TileOperand::Form::kBuffer)
        n.ev.fail(Code::kTypeMismatch, n.range("src"), fmt::format("{} takes a whole buffer, not a part of one", n.name));
    const ir::Buffer base = operand.region.buffer;
    ir::BufferNode node;
    node.name = base->name + "_view";
    node.scope = base->scope;
    node.dtype = n.args.has("dtype") && n.has("dtype") ? requireDType(n.ev, n["dtype"], n.range("dtype")) : base->dtype;
    node.shape = n.has("shape") ? globalShape(n, "shape") : base->shape;
    node.viewOf = base;
    // Passes lay tiles into a larger piece of memory: in their code a view may be its beginning.
    const bool isPart = n.tracer().function().stage == ir::Stage::kThread;
    if (!isPart && !provablyEqual(bitsOf(node.shape, node.dtype), bitsOf(base->shape, base->dtype)))
        n.fail(Code::kShapeMismatch, fmt::format("{} keeps the size, but {} is {} of {} and the view is {} of {}", n.name, base->name, shapeText(base->shape),
                                                 base->dtype.name(), shapeText(node.shape), node.dtype.name()));
    return n.tracer().allocate(std::move(node), n.range());
}

constexpr NativeRow kCastRows[] = {
    {"cast", "value, dtype, round=None, sat=True, rbits=None", [](const Native& n) { return castValue(n, "value", "dtype"); }},
    {"Cast", "dtype, value", [](const Native& n) { return castValue(n, "value", "dtype"); }},
    {"reinterpret", "value, dtype", reinterpret},
    {"Ramp", "base, stride, lanes", ramp},
    {"Broadcast", "value, lanes", broadcast},
    {"Shuffle", "vectors, indices", shuffleVectors},
    {"extract_lane", "vector, lane", extractLane},
    {"vectorlow", "dtype, vector", vectorHalf},
    {"view", "src, shape=None, dtype=None", view},
    {"reshape", "src, shape", view},
};

}  // namespace

Rows castRows() { return kCastRows; }

}  // namespace tw::staging
