#include "core/passes/cluster_copies.h"

#include "core/ir/build.h"
#include "core/ir/call.h"
#include "core/passes/hardware.h"
#include "core/passes/tile_regions.h"

namespace tw::passes {

namespace {

using I = std::int64_t;
using ir::Expr;
using ir::OpId;
using ir::Region;
using ir::Stmt;

constexpr I kMostBlocks = 32;      // bits of a mask

Stmt clusterOp(OpId id, std::vector<ir::Operand> operands, const ir::Provenance& where)
{
    return std::make_shared<ir::OpStmt>(ir::OpCall{id, std::move(operands), {}}, where);
}

class ClusterCopy {
public:
    ClusterCopy(const ir::OpCall& call, ThreadTiles& tiles, Meetings& meetings, const ThreadGroup& group, std::span<const ir::Var> threadVars, DiagnosticSink& diagnostics,
             const ir::Provenance& where)
        : call_(call), src_(*ir::regionOperand(call, "src")), dst_(*ir::regionOperand(call, "dst")), tiles_(tiles), meetings_(meetings), group_(group),
          threadVars_(threadVars), diagnostics_(diagnostics), where_(where)
    {
    }

    ~ClusterCopy()
    {
        for (const ir::Buffer& remote : remotes_)
            tiles_.shared.erase(remote.get());
    }
    ClusterCopy(const ClusterCopy&) = delete;
    ClusterCopy& operator=(const ClusterCopy&) = delete;

    std::variant<Stmt, std::string> run()
    {
        if (!tiles_.shared.contains(dst_.buffer.get()))
            return std::string("not supported: a copy into another block that does not end in shared memory");
        for (const CopyAxis& axis : matchAxes(src_, dst_))
            if (!ir::asInt(axis.extent))
                return std::string("not supported: a copy of run-time extents into another block");
        const Expr block = ir::exprOperand(call_, "dst_block");
        if (!block)
            return multicast(ir::intAttr(call_.attrs, "cluster_mask", 0));
        std::vector<Stmt> stmts = remoteCopy(block);
        if (const Region* barrier = ir::regionOperand(call_, "remote_barrier"); barrier && barrier->buffer) {
            const std::optional<Stmt> together = meeting();
            if (!together)
                return std::string("not supported: a copy into another block with a barrier by threads that cannot meet");
            const Stmt arrive = clusterOp(OpId::kBarrierArrive, {*barrier, block}, where_);
            const Expr first = ir::binary(ir::BinaryOp::kEq, tiles_.thread, ir::intImm(group_.first));
            stmts.push_back(*together);
            stmts.push_back(std::make_shared<ir::If>(first, arrive, Stmt{}, where_));
        }
        return ir::sequence(std::move(stmts));
    }

private:
    // All threads of the copy have stored. Empty: they cannot wait for each other.
    std::optional<Stmt> meeting()
    {
        const I last = group_.first + group_.count - 1;
        if (!group_.contiguous)
            return {};
        if (group_.count == 1)
            return ir::sequence({});
        if (group_.count == tiles_.threads)
            return clusterOp(OpId::kSyncThreads, {}, where_);
        if (group_.first / kWarpSize == last / kWarpSize) {
            const I lanes = ((I{1} << group_.count) - 1) << (group_.first % kWarpSize);
            return clusterOp(OpId::kSyncWarp, {ir::constant(ir::kUInt32, lanes)}, where_);
        }
        const bool wholeWarps = group_.first % kWarpSize == 0 && group_.count % kWarpSize == 0;
        const auto name = wholeWarps ? meetings_.nameFor(group_.first, last) : std::nullopt;
        if (!name)
            return {};
        return clusterOp(OpId::kSyncThreads, {ir::intImm(*name), ir::intImm(group_.count)}, where_);
    }

    Stmt multicast(I mask)
    {
        if (mask == 0)
            return copyTo(dst_.buffer);
        I leader = 0;
        while (((mask >> leader) & 1) == 0)
            ++leader;
        std::vector<Stmt> all;
        for (I rank = leader; rank < kMostBlocks; ++rank)
            if ((mask >> rank) & 1)
                for (Stmt& s : remoteCopy(ir::intImm(rank)))
                    all.push_back(std::move(s));
        const Expr rank = ir::call(ir::kInt32, ir::OpCall{OpId::kBlockRank, {}, {}}, where_);
        const Expr member = ir::binary(ir::BinaryOp::kBitAnd, ir::binary(ir::BinaryOp::kShr, ir::intImm(mask), rank), ir::intImm(1));
        const Stmt alone = std::make_shared<ir::If>(ir::binary(ir::BinaryOp::kEq, member, ir::intImm(0)), copyTo(dst_.buffer), Stmt{}, where_);
        return ir::sequence({std::make_shared<ir::If>(ir::binary(ir::BinaryOp::kEq, rank, ir::intImm(leader)), ir::sequence(std::move(all)), alone, where_),
                             clusterOp(OpId::kClusterSync, {}, where_)});
    }

    // The memory of block `rank` lies as this block's own.
    std::vector<Stmt> remoteCopy(const Expr& rank)
    {
        auto remote = std::make_shared<ir::BufferNode>(*dst_.buffer);  // as the nest names it
        remote->name += "_remote";
        const SharedTile own = tiles_.shared.at(dst_.buffer.get());
        auto memory = std::make_shared<ir::BufferNode>(*own.memory);
        memory->name = remote->name;
        memory->viewOf = {};
        memory->viewOffset = 0;
        const Region base{own.memory, {ir::intImm(0)}, {ir::intImm(1)}};
        memory->address = ir::call(ir::kInt64, ir::OpCall{OpId::kRemoteAddress, {base, rank}, {}}, where_);
        tiles_.shared[remote.get()] = {own.map, memory};
        remotes_.push_back(remote);
        return {std::make_shared<ir::Allocate>(memory, where_), copyTo(remote)};
    }

    // A nest over the elements, dealt to the threads so that each handles neighbours.
    Stmt copyTo(const ir::Buffer& target)
    {
        const Region dst{target, dst_.mins, dst_.extents};
        const auto axes = matchAxes(src_, dst);
        std::vector<ir::Axis> loops;
        std::vector<Expr> at;
        std::vector<I> extents;
        for (const CopyAxis& axis : axes) {
            const auto var = std::make_shared<const ir::VarNode>(ir::kInt32, "i");
            loops.push_back({var, ir::intImm(0), axis.extent, {}});
            at.push_back(var);
            extents.push_back(*ir::asInt(axis.extent));
        }
        if (loops.empty())
            return std::make_shared<ir::Store>(target, dst.mins, element(src_.mins), where_);
        const auto store = std::make_shared<ir::Store>(target, elementAt(dst, axes, at, false), element(elementAt(src_, axes, at, true)), where_);
        auto nest = std::make_shared<ir::For>(ir::ForKind::kParallel, std::move(loops), store, ir::Attrs{}, where_);
        layout::Fragment by = layout::dealt(extents, group_.count, std::max<I>(1, kAccessBits / (I{target->dtype.bits()} * target->dtype.lanes)));
        by.firstThread = group_.first;
        nest->layout = layout::toMap(by);
        return lowerNest(*nest, tiles_, threadVars_, diagnostics_);
    }

    // An element of the source as the target's type; 0 where a tensor has none.
    Expr element(const std::vector<Expr>& index) const
    {
        const ir::Buffer& from = src_.buffer;
        Expr value = std::make_shared<ir::Load>(from->dtype, from, index);
        if (from->scope == ir::MemoryScope::kGlobal) {
            Expr inside;
            for (std::size_t k = 0; k < index.size(); ++k)
                inside = ir::logicalAnd(inside, ir::less(index[k], from->shape[k]));
            value = ir::select(inside, value, ir::constant(from->dtype, I{0}), true, where_);
        }
        return ir::cast(dst_.buffer->dtype, value);
    }

    const ir::OpCall& call_;
    const Region &src_, &dst_;
    ThreadTiles& tiles_;
    Meetings& meetings_;
    const ThreadGroup& group_;
    std::span<const ir::Var> threadVars_;
    DiagnosticSink& diagnostics_;
    ir::Provenance where_;
    std::vector<ir::Buffer> remotes_;  // known to `tiles_` while the nests are lowered
};

}  // namespace

std::variant<Stmt, std::string> lowerClusterCopy(const ir::OpCall& call, ThreadTiles& tiles, Meetings& meetings, const ThreadGroup& group,
                                                 std::span<const ir::Var> threadVars, DiagnosticSink& diagnostics, const ir::Provenance& where)
{
    return ClusterCopy(call, tiles, meetings, group, threadVars, diagnostics, where).run();
}

}  // namespace tw::passes
