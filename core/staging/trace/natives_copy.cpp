// Copies and fills (language.md d.6, d.8).
#include <fmt/format.h>

#include "core/ir/print.h"
#include "core/staging/trace/copy_extents.h"
#include "core/staging/trace/native.h"

namespace tw::staging {

using ir::Expr;
using ir::OpId;
using Form = TileOperand::Form;

namespace {

void copyOptions(const Native& n, ir::OpCall& call)
{
    for (const char* name : {"coalesced_width", "cluster_mask", "leader_scope_threads"})
        if (n.has(name))
            addAttr(call, name, n.integer(name, 0));
    if (n.flag("disable_tma"))
        addAttr(call, "disable_tma", true);
    if (n.has("eviction_policy")) {
        const std::string policy = n.text("eviction_policy");
        if (policy != "evict_normal" && policy != "evict_first" && policy != "evict_last")
            n.ev.fail(Code::kOption, n.range("eviction_policy"),
                      fmt::format("'{}' is no eviction policy; there are evict_normal, evict_first and evict_last", policy));
        addAttr(call, "eviction_policy", policy);
    }
    if (n.has("prefer_instruction")) {
        const std::string instruction = n.text("prefer_instruction");
        if (instruction != "tma" && instruction != "cp_async" && instruction != "sync")
            n.ev.fail(Code::kOption, n.range("prefer_instruction"),
                      fmt::format("'{}' is no copy instruction; there are tma, cp_async and sync", instruction));
        addAttr(call, "prefer_instruction", instruction);
    }
    if (n.has("loop_layout")) {  // how the threads share the work: no effect on values, so it is checked and not kept
        const auto* layout = n["loop_layout"].get<LayoutValue>();
        if (!layout || !layout->map->thread)
            n.ev.fail(Code::kLayout, n.range("loop_layout"), fmt::format("loop_layout must be a T.Fragment, not {}", typeName(n["loop_layout"])));
        hintIgnored(n, "loop_layout", "a T.Parallel loop with loop_layout shares the work in that way");
    }
    addAnnotations(n, call);
}

// T.copy, T.async_copy, T.tma_copy, T.copy_cluster: regions first, then what the operation adds.
ir::OpCall copyCall(const Native& n, OpId op)
{
    auto [src, dst] = inferCopyRegions(n.ev, n.tile("src"), n.tile("dst"), n.name, n.range());
    return {op, {std::move(src), std::move(dst)}, {}};
}

Value copy(const Native& n)
{
    Tracer& t = n.launch();
    const auto src = n.tile("src");
    const auto dst = n.tile("dst");
    if (src.form == Form::kAnchor && dst.form == Form::kAnchor) {
        t.emitStore(dst.region.buffer, dst.region.mins, loadElement(n.ev, src.region.buffer, src.region.mins, n.range()), n.range());
        return Value();
    }
    ir::OpCall call = copyCall(n, OpId::kCopy);
    copyOptions(n, call);
    t.emitOp(std::move(call), n.range());
    return Value();
}

void requireScopes(const Native& n, const ir::OpCall& call, ir::MemoryScope from, ir::MemoryScope to)
{
    const auto& src = std::get<ir::Region>(call.operands[0]).buffer;
    const auto& dst = std::get<ir::Region>(call.operands[1]).buffer;
    if (src->scope != from || dst->scope != to)
        n.fail(Code::kScopeIllegal, fmt::format("{} copies from {} to {} memory, but {} is {} and {} is {}", n.name, ir::scopeName(from),
                                                ir::scopeName(to), src->name, ir::scopeName(src->scope), dst->name, ir::scopeName(dst->scope)));
}

void requireEqualTypes(const Native& n, const ir::OpCall& call)
{
    const auto& src = std::get<ir::Region>(call.operands[0]).buffer;
    const auto& dst = std::get<ir::Region>(call.operands[1]).buffer;
    if (src->dtype != dst->dtype)
        n.fail(Code::kDtypeMismatch, fmt::format("{} does not convert: {} is {} and {} is {}", n.name, src->name, src->dtype.name(), dst->name, dst->dtype.name()));
}

Value asyncCopy(const Native& n)
{
    ir::OpCall call = copyCall(n, OpId::kAsyncCopy);
    requireScopes(n, call, ir::MemoryScope::kGlobal, ir::MemoryScope::kShared);
    requireEqualTypes(n, call);
    copyOptions(n, call);
    n.launch().emitOp(std::move(call), n.range());
    return Value();
}

Value tmaCopy(const Native& n)
{
    ir::OpCall call = copyCall(n, OpId::kTmaCopy);
    const auto from = std::get<ir::Region>(call.operands[0]).buffer->scope;
    if (from == ir::MemoryScope::kGlobal)
        requireScopes(n, call, ir::MemoryScope::kGlobal, ir::MemoryScope::kShared);
    else
        requireScopes(n, call, ir::MemoryScope::kShared, ir::MemoryScope::kGlobal);
    requireEqualTypes(n, call);
    if (n.has("barrier"))
        call.operands.emplace_back(n.barrier("barrier"));
    else if (from == ir::MemoryScope::kGlobal)
        n.fail(Code::kCallArguments, "T.tma_copy from global to shared memory needs barrier=…, which is told when the data has arrived");
    copyOptions(n, call);
    n.launch().emitOp(std::move(call), n.range());
    return Value();
}

Value copyCluster(const Native& n)
{
    ir::OpCall call = copyCall(n, OpId::kCopyCluster);
    if (n.has("dst_block") && n.has("cluster_mask"))
        n.fail(Code::kOption, "T.copy_cluster takes dst_block or cluster_mask, not both");
    if (!n.has("dst_block") && !n.has("cluster_mask"))
        n.fail(Code::kCallArguments, "T.copy_cluster needs dst_block (the rank to copy to) or cluster_mask (the blocks that receive a load)");
    if (n.has("dst_block") || n.has("remote_barrier"))
        call.operands.emplace_back(n.has("dst_block") ? n.index("dst_block") : Expr{});
    if (n.has("remote_barrier"))
        call.operands.emplace_back(n.barrier("remote_barrier"));
    copyOptions(n, call);
    n.launch().emitOp(std::move(call), n.range());
    return Value();
}

Value transpose(const Native& n)
{
    const auto src = n.tile("src");
    const auto dst = n.tile("dst");
    const auto& a = src.region.extents;
    const auto& b = dst.region.extents;
    const bool fits = a.size() >= 2 && b.size() >= 2 && provablyEqual(a[a.size() - 1], b[b.size() - 2]) &&
                      provablyEqual(a[a.size() - 2], b[b.size() - 1]);
    if (!fits)
        n.fail(Code::kShapeMismatch, fmt::format("T.transpose swaps the last two axes, but {} has shape {} and {} has shape {}",
                                                 src.region.buffer->name, shapeText(a), dst.region.buffer->name, shapeText(b)));
    ignoreAnnotations(n);
    n.launch().emitOp({OpId::kTranspose, {src.region, dst.region}, {}}, n.range());
    return Value();
}

Value im2col(const Native& n)
{
    const auto img = n.tile("img");
    const auto col = n.tile("col");
    if (img.region.buffer->shape.size() != 4)
        n.ev.fail(Code::kShapeMismatch, n.range("img"), fmt::format("the image of {} has four axes (N, H, W, C), but {} has shape {}", n.name,
                                                                  img.region.buffer->name, shapeText(img.region.buffer->shape)));
    if (img.region.buffer->dtype != col.region.buffer->dtype)
        n.fail(Code::kDtypeMismatch, fmt::format("{} does not convert: {} is {} and {} is {}", n.name, img.region.buffer->name,
                                                 img.region.buffer->dtype.name(), col.region.buffer->name, col.region.buffer->dtype.name()));
    ir::OpCall call{OpId::kIm2col, {img.region, col.region, n.index("nhw_step"), n.index("c_step")}, {}};
    for (const char* name : {"kernel", "stride", "dilation", "pad"})
        addAttr(call, name, n.integer(name, 1));
    copyOptions(n, call);
    n.launch().emitOp(std::move(call), n.range());
    return Value();
}

// ---- fills ----

Value fill(const Native& n)
{
    Tracer& t = n.launch();
    ignoreAnnotations(n);
    const auto dst = n.tile("dst");
    const auto& buffer = dst.region.buffer;
    if (auto* node = t.editable(buffer); node && node->scope == ir::MemoryScope::kReducer && node->replication.empty())
        node->replication = "none";
    if (n.row.tag == static_cast<int>(OpId::kClear)) {
        t.emitOp({OpId::kClear, {dst.region}, {}}, n.range());
        return Value();
    }
    checkLiteral(n.ev, buffer->dtype, n["value"], n.range("value"));
    const Expr value = toType(n.ev, buffer->dtype, n["value"], n.range("value"), fmt::format("the value of {}", n.name));
    t.emitOp({OpId::kFill, {dst.region, value}, {}}, n.range());
    return Value();
}

constexpr NativeRow kCopyRows[] = {
    {"copy", "src, dst, coalesced_width=None, disable_tma=False, eviction_policy=None, prefer_instruction=None, annotations=None, loop_layout=None", copy},
    {"async_copy", "src, dst, coalesced_width=None, annotations=None, loop_layout=None", asyncCopy},
    {"tma_copy", "src, dst, barrier=None, cluster_mask=None, leader_scope_threads=None, eviction_policy=None, annotations=None", tmaCopy},
    {"copy_cluster", "src, dst, dst_block=None, cluster_mask=None, remote_barrier=None, eviction_policy=None, coalesced_width=None, annotations=None, loop_layout=None", copyCluster},
    {"transpose", "src, dst, annotations=None", transpose},
    {"im2col", "img, col, nhw_step, c_step, kernel, stride, dilation, pad, eviction_policy=None, annotations=None", im2col},
    {"c2d_im2col", "img, col, nhw_step, c_step, kernel, stride, dilation, pad, eviction_policy=None, annotations=None", im2col},
    {"fill", "dst, value, annotations=None", fill, static_cast<int>(OpId::kFill)},
    {"clear", "dst, annotations=None", fill, static_cast<int>(OpId::kClear)},
};

}  // namespace

Rows copyRows() { return kCopyRows; }

}  // namespace tw::staging
