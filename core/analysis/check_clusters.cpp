// Clusters: their size, grids that they divide, and blocks that are named inside of one.
#include <bit>

#include <fmt/format.h>

#include "core/analysis/checks.h"
#include "core/analysis/walk.h"
#include "core/ir/call.h"

namespace tw::analysis {

namespace {

// CUDA C++ Programming Guide, "Thread Block Clusters": 8 blocks are portable, 16 where a kernel allows it, as ours do.
constexpr std::int64_t kMostBlocks = 16;
constexpr const char* kAxes = "xyz";

class ClusterWalk final : public Walk {
public:
    explicit ClusterWalk(const CheckContext& context) : context_(context) {}

    using Walk::visit;
    void visit(const ir::OpCall& call) override
    {
        if (launch() && call.op == ir::OpId::kCopyCluster) {
            if (const std::int64_t* block = ir::asInt(ir::exprOperand(call, "dst_block")))
                checkRank(*block, "copies to");
            checkMask(call);
        }
        if (launch() && call.op == ir::OpId::kTmaCopy)
            checkMask(call);
        Walk::visit(call);
    }

protected:
    void enter(const ir::Stmt& s) override
    {
        const auto* launch = ir::as<ir::Launch>(s);
        if (!launch || launch->cluster.empty())
            return;
        const std::int64_t blocks = blocksOf(*launch);
        if (blocks > kMostBlocks)
            context_.diagnostics.error(Code::kValueRange, s->where.range,
                                       fmt::format("a cluster of {} blocks is too large; at most {} are possible", blocks, kMostBlocks));
        for (std::size_t k = 0; k < launch->cluster.size() && k < launch->grid.size(); ++k) {
            const std::int64_t* extent = ir::asInt(launch->grid[k]);
            const std::int64_t part = launch->cluster[k];
            if (extent && part > 0 && *extent % part != 0)
                context_.diagnostics.error(Code::kValueRange, s->where.range,
                                           fmt::format("the grid has {} blocks along {}, which is no multiple of the cluster's {}; {} would be", *extent,
                                                       kAxes[k], part, (*extent + part - 1) / part * part));
        }
    }

private:
    static std::int64_t blocksOf(const ir::Launch& launch)
    {
        std::int64_t blocks = 1;
        for (const std::int64_t extent : launch.cluster)
            blocks *= extent;
        return blocks;
    }

    void checkRank(std::int64_t rank, const char* does)
    {
        const std::int64_t blocks = blocksOf(*launch());
        if (rank < 0 || rank >= blocks)
            context_.diagnostics.error(Code::kOutOfBounds, statement()->where.range,
                                       fmt::format("this {} block {} of a cluster of {} block{}; their numbers are 0 to {}", does, rank, blocks,
                                                   blocks == 1 ? "" : "s", blocks - 1));
    }

    void checkMask(const ir::OpCall& call)
    {
        const std::int64_t mask = ir::intAttr(call.attrs, "cluster_mask", 0);
        if (mask > 0)
            checkRank(std::bit_width(static_cast<std::uint64_t>(mask)) - 1, "names");
    }

    const CheckContext& context_;
};

}  // namespace

void checkClusters(const CheckContext& context)
{
    ClusterWalk walk(context);
    ir::Visitor& visitor = walk;
    visitor.visit(context.function.body);
}

}  // namespace tw::analysis
