// Barriers, clusters, asynchronous engines (language.md d.6, d.7, d.13, d.14).
#include <fmt/format.h>

#include "core/ir/print.h"
#include "core/staging/trace/native.h"

namespace tw::staging {

using ir::Expr;
using ir::OpId;

namespace {

Value emit(const Native& n, std::vector<ir::Operand> operands, ir::Attrs attrs = {})
{
    n.launch().emitOp({static_cast<OpId>(n.row.tag), std::move(operands), std::move(attrs)}, n.range());
    return Value();
}

Value plain(const Native& n) { return emit(n, {}); }

// PTX: a block has 16 named barriers; a count of threads is of whole warps.
void checkNamedBarrier(const Native& n)
{
    if (const auto id = n.has("barrier_id") ? constantInt(n["barrier_id"]) : std::nullopt; id && (*id < 0 || *id > 15))
        n.ev.fail(Code::kValueRange, n.range("barrier_id"), fmt::format("a block has the named barriers 0 to 15, so there is no barrier {}", *id));
    const auto count = n.has("arrive_count") ? constantInt(n["arrive_count"]) : std::nullopt;
    if (count && (*count < 32 || *count > 1024 || *count % 32 != 0))
        n.ev.fail(Code::kThreadCount, n.range("arrive_count"),
                  fmt::format("a named barrier counts whole warps: its threads are a multiple of 32 up to 1024, not {}", *count));
}

Value syncThreads(const Native& n)
{
    std::vector<ir::Operand> operands;
    checkNamedBarrier(n);
    if (n.has("arrive_count") && !n.has("barrier_id"))
        n.fail(Code::kCallArguments, "arrive_count belongs to a named barrier: give barrier_id too");
    for (const char* name : {"barrier_id", "arrive_count"})
        if (n.has(name))
            operands.emplace_back(n.index(name));
    return emit(n, std::move(operands));
}

Value storageSync(const Native& n)
{
    const std::string scope = n.text("storage_scope", "shared");
    n.launch().emitOp({scope == "warp" ? OpId::kSyncWarp : OpId::kSyncThreads, {}, {}}, n.range());
    return Value();
}

Value syncWarp(const Native& n)
{
    if (!n.has("mask"))
        return emit(n, {});
    return emit(n, {toType(n.ev, ir::kUInt32, n["mask"], n.range("mask"))});
}

Value syncVote(const Native& n)
{
    (void)n.launch();
    return ir::call(ir::kInt32, {static_cast<OpId>(n.row.tag), {toCondition(n.ev, n["predicate"], n.range("predicate"))}, {}}, n.where());
}

// ---- mbarriers ----

Value wait(const Native& n)
{
    if (const auto parity = constantInt(n["parity"]); parity && *parity != 0 && *parity != 1)
        n.ev.fail(Code::kValueRange, n.range("parity"), fmt::format("a parity is 0 or 1, not {}; phase k of a barrier has parity k % 2", *parity));
    return emit(n, {n.barrier("mbarrier"), n.index("parity")});
}

Value arrive(const Native& n)
{
    std::vector<ir::Operand> operands{n.barrier("mbarrier")};
    if (n.args.has("cta_id") && n.has("cta_id")) {
        if (std::get<ir::Region>(operands.front()).buffer->scope != ir::MemoryScope::kClusterBarrier)
            n.ev.fail(Code::kScopeIllegal, n.range("cta_id"), "cta_id belongs to cluster barriers (T.alloc_cluster_barrier) only");
        operands.emplace_back(n.index("cta_id"));
    }
    return emit(n, std::move(operands));
}

Value expect(const Native& n) { return emit(n, {n.barrier("mbarrier"), n.index("tx")}); }

Value barrierOnly(const Native& n) { return emit(n, {n.barrier("mbarrier")}); }

// T.ptx_init_barrier_thread_count(bar, n): what T.alloc_barrier says already.
Value initBarrier(const Native& n)
{
    const auto region = n.barrier("mbarrier");
    const std::int64_t count = n.integer("thread_count", 1);
    auto* node = n.launch().editable(region.buffer);
    const auto* index = ir::asInt(region.mins.front());
    if (!node || !index)
        n.fail(Code::kNotSupported, fmt::format("not supported: {} with an index known at run time only", n.name));
    node->arrivals[static_cast<std::size_t>(*index)] = count;
    return Value();
}

// ---- asynchronous engines ----

Value waitFor(const Native& n)
{
    const Expr count = n.has("n") ? n.index("n") : ir::intImm(0);
    if (const auto* k = ir::asInt(count); k && *k < 0)
        n.fail(Code::kValueRange, fmt::format("{} waits until at most n groups are pending; n cannot be {}", n.name, *k));
    return emit(n, {count});
}

Value storeWait(const Native& n)
{
    std::vector<ir::Operand> operands;
    if (n.has("count") && constantInt(n["count"]) != 0)
        operands.emplace_back(n.index("count"));
    ir::Attrs attrs;
    if (!n.flag("read", true))
        attrs["read"] = false;
    return emit(n, std::move(operands), std::move(attrs));
}

Value fenceOperand(const Native& n)
{
    ir::Attrs attrs;
    for (const char* name : {"offset", "num_regs"})
        if (n.has(name) && constantInt(n[name]).value_or(0) != 0)
            attrs[name] = n.integer(name, 0);
    if (n.has("dtype"))
        attrs["dtype"] = requireDType(n.ev, n["dtype"], n.range("dtype")).name();
    return emit(n, {n.tile("buffer").region}, std::move(attrs));
}

Value blockRank(const Native& n)
{
    (void)n.launch();
    return ir::call(ir::kInt32, {OpId::kBlockRank, {}, {}}, n.where());
}

// The place of a block in its cluster along one axis.
Value clusterAxis(const Native& n)
{
    const auto* launch = n.launch().launch();
    const auto axis = static_cast<std::size_t>(n.integer("dim", 0));
    const std::int64_t extent = axis < launch->cluster.size() ? launch->cluster[axis] : 1;
    if (axis >= launch->blockVars.size() || extent == 1)
        return Value(0);
    return ir::floorMod(launch->blockVars[axis], ir::intImm(extent));
}

Value clusterSize(const Native& n)
{
    const auto* launch = n.launch().launch();
    const auto axis = static_cast<std::size_t>(n.integer("dim", 0));
    return Value(axis < launch->cluster.size() ? launch->cluster[axis] : std::int64_t{1});
}

constexpr const char* kBarrier = "mbarrier";

constexpr NativeRow kBarrierRows[] = {
    {"sync_threads", "barrier_id=None, arrive_count=None", syncThreads, op(OpId::kSyncThreads)},
    {"syncthreads", "barrier_id=None, arrive_count=None", syncThreads, op(OpId::kSyncThreads)},
    {"tvm_storage_sync", "storage_scope='shared', is_leading=None, thread_extent=None", storageSync},
    {"named_barrier_arrive", "barrier_id, arrive_count", syncThreads, op(OpId::kNamedBarrierArrive)},
    {"sync_warp", "mask=None", syncWarp, op(OpId::kSyncWarp)},
    {"syncthreads_count", "predicate", syncVote, op(OpId::kSyncCount)},
    {"syncthreads_and", "predicate", syncVote, op(OpId::kSyncAnd)},
    {"syncthreads_or", "predicate", syncVote, op(OpId::kSyncOr)},
    {"sync_grid", "", plain, op(OpId::kSyncGrid)},
    {"sync_global", "", plain, op(OpId::kSyncGlobal)},
    {"barrier_wait", "mbarrier, parity", wait, op(OpId::kBarrierWait)},
    {"mbarrier_wait_parity", "mbarrier, parity", wait, op(OpId::kBarrierWait)},
    {"barrier_arrive", "mbarrier, cta_id=None", arrive, op(OpId::kBarrierArrive)},
    {"mbarrier_arrive", "mbarrier, cta_id=None", arrive, op(OpId::kBarrierArrive)},
    {"ptx_arrive_barrier", kBarrier, arrive, op(OpId::kBarrierArrive)},
    {"ptx_arrive_cluster_barrier", "mbarrier, cta_id=None", arrive, op(OpId::kBarrierArrive)},
    {"mbarrier_expect_tx", "mbarrier, tx", expect, op(OpId::kBarrierExpectTx)},
    {"mbarrier_arrive_expect_tx", "mbarrier, tx", expect, op(OpId::kBarrierArriveExpectTx)},
    {"cp_async_barrier_noinc", kBarrier, barrierOnly, op(OpId::kCpAsyncBarrier)},
    {"ptx_init_barrier_thread_count", "mbarrier, thread_count", initBarrier},
    {"ptx_fence_barrier_init", "", plain, op(OpId::kFenceBarrierInit)},
    {"fence_proxy_async", "*space", plain, op(OpId::kFenceProxyAsync)},
    {"block_rank_in_cluster", "", blockRank},
    {"get_cluster_block_rank", "", blockRank},
    {"get_cluster_block_idx", "dim=0", clusterAxis},
    {"get_cluster_size", "dim=0", clusterSize},
    {"get_cluster_extent", "dim=0", clusterSize},
    {"cluster_sync", "", plain, op(OpId::kClusterSync)},
    {"cluster_arrive", "", plain, op(OpId::kClusterArrive)},
    {"cluster_arrive_relaxed", "", plain, op(OpId::kClusterArriveRelaxed)},
    {"cluster_wait", "", plain, op(OpId::kClusterWait)},
    {"ptx_wait_group", "n=0", waitFor, op(OpId::kWaitGroup)},
    {"ptx_commit_group", "", plain, op(OpId::kCommitGroup)},
    {"tma_store_arrive", "", plain, op(OpId::kTmaStoreArrive)},
    {"tma_store_wait", "count=0, read=True", storeWait, op(OpId::kTmaStoreWait)},
    {"wait_wgmma", "n=0", waitFor, op(OpId::kWaitWgmma)},
    {"warpgroup_arrive", "", plain, op(OpId::kWarpgroupArrive)},
    {"warpgroup_commit_batch", "", plain, op(OpId::kWarpgroupCommit)},
    {"warpgroup_wait", "n=0", waitFor, op(OpId::kWarpgroupWait)},
    {"warpgroup_fence_operand", "buffer, offset=0, num_regs=None, dtype=None", fenceOperand, op(OpId::kWarpgroupFence)},
    {"pdl_trigger", "", plain, op(OpId::kPdlTrigger)},
    {"pdl_sync", "", plain, op(OpId::kPdlSync)},
};

}  // namespace

Rows barrierRows() { return kBarrierRows; }

}  // namespace tw::staging
