// Operations that are not mathematics: threads, warps, barriers, memory, instructions, printing.
#include <fmt/format.h>

#include "codegen/gpu_c/printer.h"
#include "core/ir/build.h"
#include "core/ir/call.h"
#include "core/ir/visit.h"
#include "core/support/check.h"

namespace tw::gpu {

using ir::DType;
using ir::OpId;

std::string textAttr(const ir::OpCall& call, const char* name, const std::string& otherwise)
{
    const auto found = call.attrs.find(name);
    const auto* text = found == call.attrs.end() ? nullptr : std::get_if<std::string>(&found->second);
    return text ? *text : otherwise;
}

std::int64_t constantOf(const ir::Expr& e, std::int64_t otherwise)
{
    const std::int64_t* value = e ? ir::asInt(e) : nullptr;
    return value ? *value : otherwise;
}

std::string KernelPrinter::operand(const ir::OpCall& call, const char* name)
{
    const ir::Expr e = ir::exprOperand(call, name);
    return e ? value(e).s : std::string();
}

Text KernelPrinter::operation(const ir::OpCall& call, DType type, const ir::Provenance& where)
{
    if (const auto reason = spelling_.missing(call)) {
        notSupported(where, *reason);
        return {type.isVoid() ? "" : typeName(type) + "{}"};
    }
    const ir::OpInfo& op = ir::info(call.op);
    switch (op.cls) {
    case ir::OpClass::kMath: return math(call, type, where);
    case ir::OpClass::kAtomic: return atomic(call, type, true, where);
    case ir::OpClass::kWarp: case ir::OpClass::kThread: return warp(call, where);
    case ir::OpClass::kBarrier: return barrier(call, where);
    case ir::OpClass::kMemory: return memory(call, type, where);
    case ir::OpClass::kAsync: return asynchronous(call, where);
    default: break;
    }
    switch (call.op) {
    case OpId::kMma: case OpId::kWgmma: return instruction(call);
    case OpId::kSetMaxNreg:
        return {fmt::format("tw_set_max_registers<{}, {}>()", ir::intAttr(call.attrs, "n", 24), ir::boolAttr(call.attrs, "is_inc", ir::intAttr(call.attrs, "is_inc", 0) != 0))};
    case OpId::kDp4a: {
        const ir::Region* sum = ir::regionOperand(call, "C");
        return {elementStore(sum->buffer, sum->mins, fmt::format("tw_dp4a({}, {}, {})", address(*ir::regionOperand(call, "A")), address(*ir::regionOperand(call, "B")),
                                                                 element(sum->buffer, sum->mins).s))};
    }
    case OpId::kAnyOf: case OpId::kAllOf: {
        return anyOf(*ir::regionOperand(call, "src"), call.op == OpId::kAllOf);
    }
    case OpId::kDeviceAssert: {
        std::string place = "kernel";
        int line = 0;
        if (sources_ && where.range.isKnown() && where.range.file < sources_->size()) {
            place = sources_->file(where.range.file).name();
            line = sources_->file(where.range.file).lineColumn(where.range.begin).line;
        }
        const Text test = value(ir::exprOperand(call, "condition"));
        return {fmt::format("if (!{}) tw_assert_failed({}, {}, {})", parenthesized(test, 15), quoted(textAttr(call, "msg", "the assertion fails")), quoted(place), line)};
    }
    case OpId::kStageRecord: return record(call);
    case OpId::kCallExtern: {
        std::vector<std::string> arguments;
        for (const ir::Operand& o : call.operands) {
            const auto* e = std::get_if<ir::Expr>(&o);
            if (!e || !*e)
                continue;
            // Addresses keep their type: the author's C function names it.
            const auto* pointer = ir::as<ir::Call>(*e);
            const bool isAddress = pointer && (pointer->call.op == OpId::kAccessPtr || pointer->call.op == OpId::kAddressOf);
            arguments.push_back(isAddress ? address(*ir::regionOperand(pointer->call, "base")) : value(*e).s);
        }
        return {fmt::format("{}({})", textAttr(call, "name", ""), fmt::join(arguments, ", "))};
    }
    case OpId::kRngInit: {
        usesRandom_ = true;
        const ir::Expr sequence = ir::exprOperand(call, "seq"), offset = ir::exprOperand(call, "offset");
        const std::int64_t threads = launch_.threads[0] * launch_.threads[1] * launch_.threads[2];
        const std::string own = fmt::format("(blockIdx.x + (long long)gridDim.x * (blockIdx.y + (long long)gridDim.y * blockIdx.z)) * {} + {}", threads, threadNumber());
        return {fmt::format("tw_random_start(random_state, {}, {}, {})", operand(call, "seed"), sequence ? value(sequence).s : own, offset ? value(offset).s : "0")};
    }
    case OpId::kRngRand: case OpId::kRngRandFloat: {
        usesRandom_ = true;
        if (call.op == OpId::kRngRand)
            return {"tw_random_bits(random_state)"};
        const std::string drawn = fmt::format("tw_random_{}(random_state)", textAttr(call, "dist", "uniform") == "normal" ? "normal" : "uniform");
        return {type.bits() == 64 || type.isVoid() ? drawn : fmt::format("float({})", drawn)};
    }
    default: break;
    }
    notSupported(where, fmt::format("T.{} in the thread stage of this target", op.name));
    return {type.isVoid() ? "" : typeName(type) + "{}"};
}

// A function of no arguments, called where it stands: loops over the region.
Text KernelPrinter::anyOf(const ir::Region& region, bool all)
{
    const std::size_t named = names_.mark();
    const std::string result = names_.make("r");
    std::string loops;
    std::vector<ir::Expr> at;
    for (std::size_t axis = 0; axis < region.mins.size(); ++axis) {
        auto var = std::make_shared<ir::VarNode>(ir::kInt32, "i");
        const std::string name = names_.make("i");
        vars_[var.get()] = {name, false};
        if (const std::int64_t* extent = ir::asInt(region.extents[axis]))
            facts_.bound(var, {0, *extent - 1});
        loops += fmt::format("for (int {0} = 0; {0} < {1}; ++{0}) ", name, index(region.extents[axis]).s);
        at.push_back(ir::add(region.mins[axis], ir::cast(region.mins[axis]->dtype, var)));
    }
    const std::string item = value(ir::cast(ir::kBool, std::make_shared<ir::Load>(region.buffer->dtype, region.buffer, at))).s;
    names_.rewind(named);
    return {fmt::format("[&] {{ bool {0} = {1}; {2}{0} = {0} {3} ({4}); return {0}; }}()", result, all ? "true" : "false", loops, all ? "&&" : "||", item)};
}

Text KernelPrinter::warp(const ir::OpCall& call, const ir::Provenance& where)
{
    const auto number = [&](const char* name, std::int64_t otherwise) { return constantOf(ir::exprOperand(call, name), otherwise); };
    const auto mask = [&] { return ir::exprOperand(call, "mask") ? fmt::format("(unsigned){}", parenthesized(value(ir::exprOperand(call, "mask")), 15)) : std::string("0xffffffffu"); };
    const auto shuffle = [&](const char* name, const char* by) {
        std::string arguments = fmt::format("{}, {}", operand(call, "value"), operand(call, by));
        const ir::Expr width = ir::exprOperand(call, "width"), lanes = ir::exprOperand(call, "mask");
        if (width || lanes)
            arguments += ", " + (width ? value(width).s : std::string("32"));
        if (lanes)
            arguments += ", " + mask();
        return Text{fmt::format("{}({})", name, arguments)};
    };
    switch (call.op) {
    case OpId::kLaneIdx: return {fmt::format("{} % {}", threadNumber(), number("warp_size", 32)), 13};
    case OpId::kWarpIdx: return {fmt::format("{} / {}", threadNumber(), number("warp_size", 32)), 13};
    case OpId::kWarpIdxSync: return {fmt::format("tw_shfl({} / {}, 0)", threadNumber(), number("warp_size", 32))};
    case OpId::kWarpGroupIdx: return {fmt::format("{} / {}", threadNumber(), number("warp_size", 32) * number("warps_per_group", 4)), 13};
    case OpId::kBlockRank: return {"tw_cluster_rank()"};
    case OpId::kShuffleElect: {
        const std::int64_t n = number("n", 0);
        return n == 0 ? Text{fmt::format("{} == 0", threadNumber()), 9} : Text{fmt::format("tw_elect({}, {})", threadNumber(), n)};
    }
    case OpId::kShflSync: return shuffle("tw_shfl", "src_lane");
    case OpId::kShflXor: return shuffle("tw_shfl_xor", "delta");
    case OpId::kShflDown: return shuffle("tw_shfl_down", "delta");
    case OpId::kShflUp: return shuffle("tw_shfl_up", "delta");
    case OpId::kAnySync: return {fmt::format("__any_sync({}, {})", mask(), value(ir::cast(ir::kBool, ir::exprOperand(call, "predicate"))).s)};
    case OpId::kAllSync: return {fmt::format("__all_sync({}, {})", mask(), value(ir::cast(ir::kBool, ir::exprOperand(call, "predicate"))).s)};
    case OpId::kBallotSync:
        return {fmt::format("(unsigned long long)__ballot_sync({}, {})", mask(), value(ir::cast(ir::kBool, ir::exprOperand(call, "predicate"))).s), 15};
    case OpId::kBallot:
        return {fmt::format("(unsigned long long)__ballot_sync(__activemask(), {})", value(ir::cast(ir::kBool, ir::exprOperand(call, "predicate"))).s), 15};
    case OpId::kActiveMask: return {"(unsigned long long)__activemask()", 15};
    case OpId::kMatchAny: case OpId::kMatchAll: {
        const ir::Expr v = ir::exprOperand(call, "value");
        const std::string text = v->dtype.bits() < 32 && v->dtype.isFloating() ? fmt::format("float({})", value(v).s)
                                 : v->dtype.bits() < 32                        ? fmt::format("int({})", value(v).s)
                                                                               : value(v).s;
        return {fmt::format("tw_match_{}({}, {})", call.op == OpId::kMatchAny ? "any" : "all", text, mask())};
    }
    case OpId::kWarpReduceSum: return {fmt::format("tw_warp_sum({})", operand(call, "value"))};
    case OpId::kWarpReduceMax: return {fmt::format("tw_warp_max({})", operand(call, "value"))};
    case OpId::kWarpReduceMin: return {fmt::format("tw_warp_min({})", operand(call, "value"))};
    case OpId::kWarpReduceBitAnd: return {fmt::format("tw_warp_and({})", operand(call, "value"))};
    case OpId::kWarpReduceBitOr: return {fmt::format("tw_warp_or({})", operand(call, "value"))};
    default: break;
    }
    notSupported(where, fmt::format("T.{} as a value", ir::info(call.op).name));
    return {"0"};
}

Text KernelPrinter::barrier(const ir::OpCall& call, const ir::Provenance& where)
{
    const std::int64_t threads = launch_.threads[0] * launch_.threads[1] * launch_.threads[2];
    const auto predicate = [&] { return value(ir::cast(ir::kBool, ir::exprOperand(call, "predicate"))).s; };
    const auto place = [&] { return address(*ir::regionOperand(call, "barrier")); };
    switch (call.op) {
    case OpId::kSyncThreads: {
        const ir::Expr id = ir::exprOperand(call, "barrier_id"), count = ir::exprOperand(call, "arrive_count");
        if (!id && !count)
            return {"__syncthreads()"};
        return {fmt::format("tw_bar_sync({}, {})", id ? value(id).s : "0", count ? value(count).s : fmt::format("{}", threads))};
    }
    case OpId::kNamedBarrierArrive: return {fmt::format("tw_bar_arrive({}, {})", operand(call, "barrier_id"), operand(call, "arrive_count"))};
    case OpId::kSyncWarp: return {ir::exprOperand(call, "mask") ? fmt::format("__syncwarp((unsigned)({}))", operand(call, "mask")) : "__syncwarp()"};
    case OpId::kSyncCount: return {fmt::format("__syncthreads_count({})", predicate())};
    case OpId::kSyncAnd: return {fmt::format("__syncthreads_and({})", predicate())};
    case OpId::kSyncOr: return {fmt::format("__syncthreads_or({})", predicate())};
    case OpId::kSyncGrid: case OpId::kSyncGlobal:
        return {"tw_grid_sync(grid_barrier)"};
    case OpId::kBarrierInit: return {fmt::format("tw_mbarrier_init({}, {})", place(), operand(call, "count"))};
    case OpId::kBarrierWait: return {fmt::format("tw_mbarrier_wait({}, {})", place(), index(ir::exprOperand(call, "parity")).s)};
    case OpId::kBarrierArrive:
        if (const ir::Expr rank = ir::exprOperand(call, "cta_id"))
            return {fmt::format("tw_mbarrier_arrive_remote({}, {})", place(), value(rank).s)};
        return {fmt::format("tw_mbarrier_arrive({})", place())};
    case OpId::kBarrierExpectTx: return {fmt::format("tw_mbarrier_expect_tx({}, {})", place(), operand(call, "bytes"))};
    case OpId::kBarrierArriveExpectTx: return {fmt::format("tw_mbarrier_arrive_expect_tx({}, {})", place(), operand(call, "bytes"))};
    case OpId::kCpAsyncBarrier: return {fmt::format("tw_mbarrier_arrive_cp_async({})", place())};
    case OpId::kFenceBarrierInit: return {"tw_fence_barrier_init()"};
    case OpId::kFenceProxyAsync: return {"tw_fence_proxy_async()"};
    case OpId::kClusterSync: return {"tw_cluster_sync()"};
    case OpId::kClusterArrive: return {"tw_cluster_arrive()"};
    case OpId::kClusterArriveRelaxed: return {"tw_cluster_arrive_relaxed()"};
    case OpId::kClusterWait: return {"tw_cluster_wait()"};
    default: break;
    }
    notSupported(where, fmt::format("T.{} on a GPU", ir::info(call.op).name));
    return {"0"};
}

Text KernelPrinter::memory(const ir::OpCall& call, DType type, const ir::Provenance& where)
{
    switch (call.op) {
    case OpId::kAccessPtr: case OpId::kAddressOf: return {"(void*)(" + address(*ir::regionOperand(call, "base")) + ")", 15};
    case OpId::kRemoteAddress: return {fmt::format("(void*)tw_remote({}, {})", address(*ir::regionOperand(call, "base")), operand(call, "rank")), 15};
    case OpId::kLdg: case OpId::kLds: case OpId::kLdgReadOnly: {
        const ir::Region* src = ir::regionOperand(call, "src");
        if (call.op == OpId::kLdgReadOnly)
            return element(src->buffer, src->mins);
        const std::string loaded = fmt::format("tw_load<{}>({})", typeName(type), address(*src));
        const ir::Expr predicate = call.op == OpId::kLdg ? ir::exprOperand(call, "pred") : ir::Expr{};
        return predicate ? Text{fmt::format("{} ? {} : {}{{}}", parenthesized(value(ir::cast(ir::kBool, predicate)), 4), loaded, typeName(type)), 3} : Text{loaded};
    }
    case OpId::kStg: case OpId::kSts: {
        const ir::Expr stored = ir::exprOperand(call, "value");
        const std::string text = fmt::format("tw_store<{}>({}, {})", typeName(stored->dtype), address(*ir::regionOperand(call, "dst")), value(stored).s);
        const ir::Expr predicate = call.op == OpId::kStg ? ir::exprOperand(call, "pred") : ir::Expr{};
        return {predicate ? fmt::format("if ({}) {}", value(ir::cast(ir::kBool, predicate)).s, text) : text};
    }
    case OpId::kCpAsync: {
        const ir::Region* dst = ir::regionOperand(call, "dst");
        const std::int64_t bytes = dst->buffer->dtype.storageBytes(ir::intAttr(call.attrs, "count", 1) * dst->buffer->dtype.lanes);
        if (bytes != 4 && bytes != 8 && bytes != 16)
            notSupported(where, fmt::format("a cp.async of {} bytes: it moves 4, 8 or 16", bytes));
        const ir::Expr predicate = ir::exprOperand(call, "predicate");
        return {fmt::format("tw_cp_async<{}>({}, {}{})", bytes, address(*dst), address(*ir::regionOperand(call, "src")),
                            predicate ? ", " + value(ir::cast(ir::kBool, predicate)).s : "")};
    }
    case OpId::kLdMatrix: case OpId::kStMatrix: {
        const bool loads = call.op == OpId::kLdMatrix;
        return {fmt::format("tw_{}matrix_x{}{}({}, {})", loads ? "ld" : "st", ir::intAttr(call.attrs, "num", 4), ir::boolAttr(call.attrs, "trans", false) ? "_trans" : "",
                            address(*ir::regionOperand(call, "dst")), address(*ir::regionOperand(call, "src")))};
    }
    case OpId::kTmaLoad: case OpId::kTmaStore: return instruction(call);
    default: break;
    }
    notSupported(where, fmt::format("T.{} in the thread stage of this target", ir::info(call.op).name));
    return {"0"};
}

Text KernelPrinter::asynchronous(const ir::OpCall& call, const ir::Provenance& where)
{
    const auto count = [&](const char* name) {
        const ir::Expr e = ir::exprOperand(call, name);
        if (e && !ir::asInt(e))
            notSupported(where, "waiting for a number of groups that is no constant");
        return constantOf(e, 0);
    };
    switch (call.op) {
    case OpId::kWaitGroup: return {fmt::format("tw_cp_async_wait<{}>()", count("n"))};
    case OpId::kCommitGroup: return {"tw_cp_async_commit()"};
    case OpId::kTmaStoreArrive: return {"tw_tma_store_commit()"};
    case OpId::kTmaStoreWait: return {fmt::format("tw_tma_store_wait{}<{}>()", ir::boolAttr(call.attrs, "read", true) ? "_read" : "", count("count"))};
    case OpId::kWaitWgmma: case OpId::kWarpgroupWait: return {fmt::format("tw_wgmma_wait<{}>()", count("n"))};
    case OpId::kWarpgroupArrive: return {"tw_wgmma_arrive()"};
    case OpId::kWarpgroupCommit: return {"tw_wgmma_commit()"};
    case OpId::kWarpgroupFence: {
        const ir::Region* region = ir::regionOperand(call, "operand");
        std::int64_t elements = 1;
        for (const ir::Expr& extent : region->extents)
            elements *= constantOf(extent, 1);
        const std::int64_t registers = ir::intAttr(call.attrs, "num_regs", region->buffer->dtype.storageBytes(elements) / 4);
        return {fmt::format("tw_wgmma_keep<{}>({})", registers, address(*region))};
    }
    case OpId::kPdlTrigger: return {"tw_pdl_trigger()"};
    case OpId::kPdlSync: return {"tw_pdl_sync()"};
    default: break;
    }
    notSupported(where, fmt::format("T.{} on this target", ir::info(call.op).name));
    return {"0"};
}

}  // namespace tw::gpu
