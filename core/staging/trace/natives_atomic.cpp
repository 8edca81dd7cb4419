// Atomics (language.md d.10).
#include <fmt/format.h>

#include "core/ir/print.h"
#include "core/staging/trace/copy_extents.h"
#include "core/staging/trace/native.h"

namespace tw::staging {

using ir::Expr;
using ir::OpId;
using Form = TileOperand::Form;

namespace {

void addOrder(const Native& n, ir::OpCall& call, std::initializer_list<const char*> allowed, const char* usual)
{
    if (!n.args.has("memory_order") || n["memory_order"].isNone())
        return;
    const std::string order = n.text("memory_order");
    if (std::find(allowed.begin(), allowed.end(), order) == allowed.end()) {
        std::string list;
        for (const char* name : allowed)
            list += (list.empty() ? "" : ", ") + std::string(name);
        n.ev.fail(Code::kOption, n.range("memory_order"), fmt::format("'{}' is no memory order of {}; there are {}", order, n.name, list));
    }
    if (order != usual)
        addAttr(call, "memory_order", order);
}

void checkType(const Native& n, const ir::Buffer& buffer)
{
    const ir::DType type = buffer->dtype.element();
    const bool isAdd = n.row.tag != static_cast<int>(OpId::kAtomicMax) && n.row.tag != static_cast<int>(OpId::kAtomicMin);
    const bool ok = type == ir::kInt32 || type == ir::kUInt32 || type == ir::kInt64 || type == ir::kUInt64 || type == ir::kFloat32 ||
                    type == ir::kFloat64 || type == ir::kFloat16 || type == ir::kBFloat16;
    const bool isOr = n.row.tag == static_cast<int>(OpId::kAtomicOr);
    if (!ok || (isOr && type.isFloating()))
        n.fail(Code::kDtypeUnsupported, fmt::format("{} does not support {} ({}); it exists for int32, uint32, int64, uint64{}", n.name, type.name(), buffer->name,
                                                    isOr ? "" : isAdd ? ", float16, bfloat16, float32 and float64" : " and the floating types"));
}

constexpr std::initializer_list<const char*> kOrders = {"relaxed", "consume", "acquire", "release", "acq_rel", "seq_cst"};

Value readModifyWrite(const Native& n)
{
    Tracer& t = n.launch();
    const auto dst = n.tile("dst");
    const auto& buffer = dst.region.buffer;
    checkType(n, buffer);
    const auto src = tileOperand(n.ev, n["value"], n.range("value"));
    const bool returnsOld = n.flag("return_prev");
    const bool isTile = dst.form != Form::kAnchor || (src && src->form != Form::kAnchor);
    ir::OpCall call{static_cast<OpId>(n.row.tag), {}, {}};
    addOrder(n, call, kOrders, "relaxed");
    ignoreAnnotations(n);
    if (n.args.has("use_tma") && n.flag("use_tma"))
        addAttr(call, "use_tma", true);
    if (!isTile) {
        call.operands = {dst.region, toType(n.ev, buffer->dtype, n["value"], n.range("value"), fmt::format("the value of {}", n.name))};
        if (returnsOld) {
            addAttr(call, "return_prev", true);
            return ir::call(buffer->dtype, std::move(call), n.where());
        }
        t.emitOp(std::move(call), n.range());
        return Value();
    }
    if (returnsOld)
        n.ev.fail(Code::kNotSupported, n.range("return_prev"), fmt::format("not supported: return_prev of {} on a whole tile; update single elements inside T.Parallel", n.name));
    if (!src) {  // one value for every element of a region
        call.operands = {dst.region, toType(n.ev, buffer->dtype, n["value"], n.range("value"), fmt::format("the value of {}", n.name))};
        t.emitOp(std::move(call), n.range());
        return Value();
    }
    auto [from, to] = inferCopyRegions(n.ev, *src, dst, n.name, n.range());
    call.operands = {std::move(to), Expr{}, std::move(from)};
    t.emitOp(std::move(call), n.range());
    return Value();
}

Value scalarOr(const Native& n)
{
    const auto dst = n.tile("dst");
    checkType(n, dst.region.buffer);
    ir::OpCall call{OpId::kAtomicOr, {dst.region, toType(n.ev, dst.region.buffer->dtype, n["value"], n.range("value"), "the value of T.atomic_or")}, {}};
    addOrder(n, call, kOrders, "relaxed");
    n.launch().emitOp(std::move(call), n.range());
    return Value();
}

// `count` neighbouring elements from an anchor on; a region must have as many.
ir::Region neighbours(const Native& n, const char* argument, std::int64_t count)
{
    auto operand = n.tile(argument);
    ir::Region region = operand.region;
    if (region.buffer->dtype.lanes == count) {
        region.extents.assign(region.mins.size(), ir::intImm(1));
        return region;
    }
    if (operand.form == Form::kAnchor) {
        region.extents.assign(region.mins.size(), ir::intImm(1));
        region.extents.back() = ir::intImm(count);
        return region;
    }
    if (elementCount(region.extents) != count)
        n.ev.fail(Code::kShapeMismatch, n.range(argument), fmt::format("{} takes {} elements, but {} has extents {}", n.name, count, ir::print(region), shapeText(region.extents)));
    return region;
}

Value wideAdd(const Native& n)
{
    const std::int64_t count = n.row.tag == static_cast<int>(OpId::kAtomicAddX2) ? 2 : 4;
    ir::Region dst = neighbours(n, "dst", count);
    const auto type = dst.buffer->dtype.element();
    const bool ok = count == 2 ? (type == ir::kFloat16 || type == ir::kBFloat16 || type == ir::kFloat32) : type == ir::kFloat32;
    if (!ok)
        n.fail(Code::kDtypeUnsupported, fmt::format("{} does not support {}; it exists for {}", n.name, type.name(), count == 2 ? "float16, bfloat16 and float32" : "float32"));
    ir::Region src = neighbours(n, "value", count);
    ir::OpCall call{static_cast<OpId>(n.row.tag), {dst, std::move(src)}, {}};
    if (n.flag("return_prev")) {
        addAttr(call, "return_prev", true);
        return ir::call(dst.buffer->dtype.element().withLanes(static_cast<int>(count)), std::move(call), n.where());
    }
    n.launch().emitOp(std::move(call), n.range());
    return Value();
}

Value atomicLoad(const Native& n)
{
    const auto src = n.tile("src");
    ir::OpCall call{OpId::kAtomicLoad, {src.region}, {}};
    addOrder(n, call, {"relaxed", "consume", "acquire", "seq_cst"}, "seq_cst");
    (void)n.launch();
    return ir::call(src.region.buffer->dtype, std::move(call), n.where());
}

Value atomicStore(const Native& n)
{
    const auto dst = n.tile("dst");
    ir::OpCall call{OpId::kAtomicStore, {dst.region, toType(n.ev, dst.region.buffer->dtype, n["value"], n.range("value"), "the value of T.atomic_store")}, {}};
    addOrder(n, call, {"relaxed", "release", "seq_cst"}, "seq_cst");
    n.launch().emitOp(std::move(call), n.range());
    return Value();
}

constexpr NativeRow kAtomicRows[] = {
    {"atomic_add", "dst, value, memory_order=None, return_prev=False, use_tma=False, annotations=None", readModifyWrite, static_cast<int>(OpId::kAtomicAdd)},
    {"atomic_max", "dst, value, memory_order=None, return_prev=False, annotations=None", readModifyWrite, static_cast<int>(OpId::kAtomicMax)},
    {"atomic_min", "dst, value, memory_order=None, return_prev=False, annotations=None", readModifyWrite, static_cast<int>(OpId::kAtomicMin)},
    {"atomic_or", "dst, value, memory_order=None", scalarOr, static_cast<int>(OpId::kAtomicOr)},
    {"atomic_addx2", "dst, value, return_prev=False, memory_order=None", wideAdd, static_cast<int>(OpId::kAtomicAddX2)},
    {"atomic_addx4", "dst, value, return_prev=False, memory_order=None", wideAdd, static_cast<int>(OpId::kAtomicAddX4)},
    {"atomic_load", "src, memory_order='seq_cst'", atomicLoad},
    {"atomic_store", "dst, value, memory_order='seq_cst'", atomicStore},
};

}  // namespace

Rows atomicRows() { return kAtomicRows; }

}  // namespace tw::staging
