// Annotations and hints (language.md d.3).
#include <fmt/format.h>

#include "core/ir/print.h"
#include "core/staging/trace/layouts.h"
#include "core/staging/trace/native.h"
#include "core/support/hint.h"

namespace tw::staging {

using ir::Expr;
using ir::OpId;

namespace {

Value emit(const Native& n, OpId op, std::vector<ir::Operand> operands, ir::Attrs attrs = {})
{
    n.launch().emitOp({op, std::move(operands), std::move(attrs)}, n.range());
    return Value();
}

const DictValue& dictArgument(const Native& n, const char* argument)
{
    const auto* dict = n[argument].object<DictValue>();
    if (!dict)
        n.ev.fail(Code::kTypeMismatch, n.range(argument), fmt::format("{} takes a dict such as {{buffer: value}}, not {}", n.name, typeName(n[argument])));
    return *dict;
}

ir::Region keyBuffer(const Native& n, const char* argument, const Value& key)
{
    return requireTile(n.ev, key, n.range(argument), fmt::format("a key of {}", n.name)).region;
}

Value useSwizzle(const Native& n)
{
    if (!n.flag("enable", true))
        return Value();
    const std::string order = n.text("order", "row");
    if (order != "row" && order != "column" && order != "mlx")
        n.ev.fail(Code::kOption, n.range("order"), fmt::format("'{}' is no order of T.use_swizzle; there are row, column and mlx", order));
    const std::int64_t panel = n.integer("panel_size", 1);
    if (panel < 1)
        n.ev.fail(Code::kValueRange, n.range("panel_size"), fmt::format("panel_size must be positive, not {}", panel));
    ir::Attrs attrs{{"panel_size", panel}};
    if (order != "row")
        attrs["order"] = order;
    return emit(n, OpId::kUseSwizzle, {}, std::move(attrs));
}

Value annotateLayout(const Native& n)
{
    for (const auto& [key, value] : dictArgument(n, "layout_map").items) {
        const ir::Region region = keyBuffer(n, "layout_map", key);
        emit(n, OpId::kAnnotateLayout, {region, layoutFor(n, region.buffer, value)});
    }
    return Value();
}

Value annotateSafeValue(const Native& n)
{
    for (const auto& [key, value] : dictArgument(n, "safe_value_map").items) {
        const ir::Region region = keyBuffer(n, "safe_value_map", key);
        if (region.buffer->scope != ir::MemoryScope::kGlobal)
            n.ev.fail(Code::kScopeIllegal, n.range("safe_value_map"), fmt::format("{} concerns global tensors, but {} is a {} buffer", n.name, region.buffer->name, ir::scopeName(region.buffer->scope)));
        emit(n, OpId::kAnnotateSafeValue, {region, toType(n.ev, region.buffer->dtype, value, n.range("safe_value_map"), "a safe value")});
    }
    return Value();
}

Value annotateL2(const Native& n)
{
    for (const auto& [key, value] : dictArgument(n, "l2_hit_ratio_map").items) {
        const auto ratio = toAttr(value);
        const auto* d = ratio ? std::get_if<double>(&*ratio) : nullptr;
        const double r = d ? *d : static_cast<double>(constantInt(value).value_or(-1));
        if (r < 0 || r > 1)
            n.ev.fail(Code::kValueRange, n.range("l2_hit_ratio_map"), "an L2 hit ratio is between 0 and 1");
        emit(n, OpId::kAnnotateL2, {keyBuffer(n, "l2_hit_ratio_map", key)}, {{"ratio", r}});
    }
    return Value();
}

Value annotateRestrict(const Native& n)
{
    std::vector<ir::Operand> operands;
    for (const auto& buffer : n.args.rest())
        for (const auto& one : itemsOf(buffer))
            operands.emplace_back(requireTile(n.ev, one, n.range(), fmt::format("an argument of {}", n.name)).region);
    Tracer& t = n.tracer();
    if (!t.inLaunch())
        return Value();
    return emit(n, OpId::kAnnotateRestrict, std::move(operands));
}

Value number(const Native& n)  // one positive count
{
    const std::int64_t count = n.integer("n", n.row.tag == static_cast<int>(OpId::kProducerRegDealloc) ? 24 : 240);
    if (count < 1)
        n.ev.fail(Code::kValueRange, n.range("n"), fmt::format("{} takes a positive number, not {}", n.name, count));
    return emit(n, static_cast<OpId>(n.row.tag), {}, {{"n", count}});
}

Value setMaxNreg(const Native& n)
{
    const std::int64_t count = n.integer("reg_count", 0);
    if (count < 24 || count > 256 || count % 8 != 0)
        n.ev.fail(Code::kValueRange, n.range("reg_count"), fmt::format("a register budget is a multiple of 8 between 24 and 256, not {}", count));
    const bool increases = n.row.tag == 0 ? n.integer("is_inc", 0) != 0 : n.row.tag == 1;
    return emit(n, OpId::kSetMaxNreg, {}, {{"n", count}, {"is_inc", increases}});
}

Value assume(const Native& n)
{
    const Expr condition = toCondition(n.ev, n["condition"], n.range("condition"));
    if (const auto* known = ir::asInt(condition)) {
        if (*known == 0)
            n.fail(Code::kAssertFailed, "T.assume of a condition that is false");
        return Value();
    }
    Tracer& t = n.tracer();
    if (!t.inLaunch()) {
        t.emit(std::make_shared<ir::Assert>(condition, "an assumption does not hold", n.where()), n.range());
        return Value();
    }
    return emit(n, OpId::kAssume, {condition});
}

Value importSource(const Native& n)
{
    if (!n.has("source"))
        return Value();
    n.tracer().addSource({OpId::kImportSource, {}, {{"source", n.text("source")}}}, n.range());
    return Value();
}

Value passConfigs(const Native& n)
{
    auto& configs = n.tracer().function().passConfigs;
    for (const auto& [key, value] : dictArgument(n, "configs").items)
        if (auto attr = toAttr(value); attr && key.str())
            configs[*key.str()] = *std::move(attr);
    return Value();
}

Value compileFlags(const Native& n)
{
    auto& flags = n.tracer().function().compileFlags;
    for (const auto& flag : itemsOf(n["flags"]))
        flags.push_back(requireString(n.ev, flag, n.range("flags"), "a compile flag"));
    return Value();
}

Value nothing(const Native& n)
{
    (void)n.tracer();
    return Value();
}

Value pipelineDepth(const Native& n)
{
    tw::hintIgnored(n.ev.diagnostics(), n.range(), fmt::format("{} has no effect: num_stages of a T.Pipelined loop is its depth", n.name));
    return nothing(n);
}

constexpr NativeRow kAnnotationRows[] = {
    {"use_swizzle", "panel_size, order='row', enable=True", useSwizzle},
    {"annotate_layout", "layout_map, allow_reannotation=False", annotateLayout},
    {"annotate_safe_value", "safe_value_map", annotateSafeValue},
    {"annotate_padding", "safe_value_map", annotateSafeValue},
    {"annotate_l2_hit_ratio", "l2_hit_ratio_map", annotateL2},
    {"annotate_restrict_buffers", "*buffers", annotateRestrict},
    {"annotate_min_blocks_per_sm", "n", number, op(OpId::kMinBlocksPerSm)},
    {"annotate_producer_reg_dealloc", "n=24", number, op(OpId::kProducerRegDealloc)},
    {"annotate_consumer_reg_alloc", "n=240", number, op(OpId::kConsumerRegAlloc)},
    {"no_set_max_nreg", "", [](const Native& n) { return emit(n, OpId::kNoSetMaxNreg, {}); }},
    {"disable_warp_group_reg_alloc", "", [](const Native& n) { return emit(n, OpId::kNoSetMaxNreg, {}); }},
    {"set_max_nreg", "reg_count, is_inc", setMaxNreg, 0},
    {"inc_max_nreg", "reg_count", setMaxNreg, 1},
    {"dec_max_nreg", "reg_count", setMaxNreg, 2},
    {"assume", "condition", assume},
    {"import_source", "source=None", importSource},
    {"annotate_pass_configs", "configs", passConfigs},
    {"annotate_compile_flags", "flags", compileFlags},
    {"annotate_ws_pipeline_depth", "*args, **kwargs", pipelineDepth},
    {"func_attr", "attrs", nothing},
    {"sblock_attr", "attrs", nothing},
    {"reads", "*regions", nothing},
    {"writes", "*regions", nothing},
};

}  // namespace

Rows annotationRows() { return kAnnotationRows; }

}  // namespace tw::staging
