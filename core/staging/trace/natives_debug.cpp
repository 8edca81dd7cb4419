// Printing, assertions, random numbers, statements of expressions (language.md d.15).
#include <fmt/format.h>

#include "core/ir/print.h"
#include "core/staging/trace/native.h"

namespace tw::staging {

using ir::Expr;
using ir::OpId;

namespace {

Value print(const Native& n)
{
    ir::OpCall call{OpId::kPrint, {}, {}};
    const Value& object = n["obj"];
    if (object.buffer() || object.object<const ir::Region>())
        call.operands = {Expr{}, n.tile("obj").region};
    else if (const auto* text = object.str())
        addAttr(call, "msg", *text);
    else if (!object.isNone())
        call.operands.emplace_back(n.expr("obj"));
    if (n.has("msg") && !n.text("msg").empty())
        addAttr(call, "msg", n.text("msg"));
    for (const char* name : {"warp_group_id", "warp_id"})
        if (n.integer(name, 0) != 0)
            addAttr(call, name, n.integer(name, 0));
    n.launch().emitOp(std::move(call), n.range());
    return Value();
}

Value deviceAssert(const Native& n)
{
    if (const auto known = constantInt(n["condition"]); known && *known != 0)
        return Value();
    ir::OpCall call{OpId::kDeviceAssert, {toCondition(n.ev, n["condition"], n.range("condition"))}, {}};
    if (!n.text("msg").empty())
        addAttr(call, "msg", n.text("msg"));
    if (n.flag("no_stack_info"))
        addAttr(call, "no_stack_info", true);
    n.launch().emitOp(std::move(call), n.range());
    return Value();
}

Value evaluate(const Native& n)
{
    n.tracer().expressionStatement(n["value"], n.range());
    return Value();
}

Value rngInit(const Native& n)
{
    ir::OpCall call{OpId::kRngInit, {n.index("seed")}, {}};
    if (n.has("seq") || n.has("off"))
        call.operands.emplace_back(n.has("seq") ? n.index("seq") : ir::Expr{});
    if (n.has("off"))
        call.operands.emplace_back(n.index("off"));
    static const std::vector<std::string> kGenerators = {"curandStatePhilox4_32_10_t", "curandStateMRG32k3a_t", "curandStateXORWOW_t"};
    const std::string generator = n.text("generator", kGenerators.front());
    if (std::find(kGenerators.begin(), kGenerators.end(), generator) == kGenerators.end())
        n.ev.fail(Code::kOption, n.range("generator"), fmt::format("'{}' is no generator; did you mean '{}'?", generator, nearestName(generator, kGenerators)));
    if (generator != kGenerators.front())
        addAttr(call, "generator", generator);
    n.launch().emitOp(std::move(call), n.range());
    return Value();
}

Value rngRand(const Native& n)
{
    (void)n.launch();
    return ir::call(ir::kUInt32, {OpId::kRngRand, {}, {}}, n.where());
}

Value rngFloat(const Native& n)
{
    const std::int64_t bits = n.integer("bit", 32);
    const std::string dist = n.text("dist", "uniform");
    if (bits != 32 && bits != 64)
        n.ev.fail(Code::kValueRange, n.range("bit"), fmt::format("T.rng_rand_float gives 32 or 64 bits, not {}", bits));
    if (dist != "uniform" && dist != "normal")
        n.ev.fail(Code::kOption, n.range("dist"), fmt::format("'{}' is no distribution; there are uniform and normal", dist));
    ir::OpCall call{OpId::kRngRandFloat, {}, {}};
    if (bits != 32)
        addAttr(call, "bit", bits);
    if (dist != "uniform")
        addAttr(call, "dist", dist);
    (void)n.launch();
    return ir::call(bits == 64 ? ir::kFloat64 : ir::kFloat32, std::move(call), n.where());
}

constexpr NativeRow kDebugRows[] = {
    {"print", "obj=None, msg='', warp_group_id=0, warp_id=0", print},
    {"device_assert", "condition, msg='', no_stack_info=False", deviceAssert},
    {"evaluate", "value", evaluate},
    {"rng_init", "seed, seq=None, off=None, generator='curandStatePhilox4_32_10_t'", rngInit},
    {"rng_rand", "", rngRand},
    {"rng_rand_float", "bit=32, dist='uniform'", rngFloat},
};

}  // namespace

Rows debugRows() { return kDebugRows; }

}  // namespace tw::staging
