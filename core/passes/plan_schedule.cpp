#include "core/passes/plan_schedule.h"

#include <algorithm>

#include "core/ir/build.h"
#include "core/ir/call.h"
#include "core/ir/shape.h"
#include "core/ir/visit.h"
#include "core/passes/body_filter.h"
#include "core/passes/hardware.h"
#include "core/passes/movable_copies.h"
#include "core/passes/shared_budget.h"

namespace tw::passes {

using ir::as;
using ir::BufferNode;
using ir::MemoryScope;
using ir::Stmt;
using schedule::EntryKind;
using schedule::PipelineKind;

namespace {

constexpr std::int64_t kSharedReserve = 1024;      // for the workspaces that the lowering of reductions asks for
constexpr std::int64_t kRegisterBytesPerThread = 128;  // that tiles waiting in registers may take

class SchedulePlanner {
public:
    explicit SchedulePlanner(const ScheduleInput& input) : in_(input) {}

    std::optional<schedule::Schedule> run()
    {
        stages_ = wantedStages();
        body_ = accessesOf(in_.loop.body);
        if (stages_ < 2 || !in_.uniform || body_.jumps || body_.meetsOthers || body_.groups)
            return {};
        copies_ = movableCopies(in_, body_);
        if (copies_.empty())
            return {};
        const bool async = in_.target.hasCpAsync() && configured("tl.enable_async_copy");
        return async ? planGroups() : planRegisters();
    }

private:
    bool configured(const char* key) const
    {
        const auto found = in_.function.passConfigs.find(key);
        return found == in_.function.passConfigs.end() || !std::holds_alternative<bool>(found->second) || std::get<bool>(found->second);
    }

    // num_stages, else the author's largest stage; no more than there are iterations.
    std::int64_t wantedStages() const
    {
        std::int64_t stages = ir::intAttr(in_.loop.attrs, "num_stages", 0);
        if (const auto found = in_.loop.attrs.find("stage"); stages == 0 && found != in_.loop.attrs.end())
            if (const auto* list = std::get_if<std::vector<std::int64_t>>(&found->second); list && !list->empty())
                stages = *std::ranges::max_element(*list) - *std::ranges::min_element(*list) + 1;
        const ir::Axis& axis = in_.loop.axes[0];
        if (const auto *begin = ir::asInt(axis.begin), *end = ir::asInt(axis.end); begin && end)
            stages = std::min(stages, std::max<std::int64_t>(0, *end - *begin));
        return stages;
    }

    std::vector<ir::Buffer> targets() const
    {
        struct Finder final : ir::Visitor {
            std::set<const BufferNode*> wanted;
            std::vector<ir::Buffer> found;
            void visitBuffer(const ir::Buffer& b) override
            {
                if (wanted.erase(b.get()))
                    found.push_back(b);
            }
        };
        Finder finder;
        for (const MovableCopy& copy : copies_)
            finder.wanted.insert(copy.targets.begin(), copy.targets.end());
        static_cast<ir::Visitor&>(finder).visit(in_.loop.body);
        return finder.found;
    }

    static std::int64_t bytesOf(const BufferNode& buffer)
    {
        return buffer.dtype.storageBytes(ir::elementsOnChip(buffer));
    }

    schedule::Schedule start(PipelineKind kind, int depth, std::vector<ir::Buffer> buffers) const
    {
        schedule::Schedule result;
        const std::int64_t threads = in_.launch.threads[0] * in_.launch.threads[1] * in_.launch.threads[2];
        result.roles.push_back({"block", 0, static_cast<int>((threads + kWarpSize - 1) / kWarpSize), 0});
        result.pipelines.push_back({"tiles", kind, depth, std::move(buffers)});
        return result;
    }

    BodyFilter withoutCopies() const
    {
        BodyFilter rest;
        rest.keepOthers = true;
        for (const MovableCopy& copy : copies_)
            rest.dropped.insert(copy.stmt.get());
        return rest;
    }

    std::optional<schedule::Schedule> planGroups()
    {
        const std::vector<ir::Buffer> buffers = targets();
        std::int64_t slot = 0;
        for (const ir::Buffer& buffer : buffers)
            slot += bytesOf(*buffer);
        const std::int64_t room = in_.target.sharedBytesPerBlock - kSharedReserve - SharedBudget(in_.launch).peakWithin(&in_.loop);
        const auto depth = static_cast<int>(std::min(stages_, 1 + std::max<std::int64_t>(0, room) / std::max<std::int64_t>(1, slot)));
        if (depth < 2)
            return {};
        schedule::Schedule result = start(PipelineKind::kCpAsync, depth, buffers);
        BodyFilter copies;
        for (const MovableCopy& copy : copies_)
            copies.kept.insert(copy.stmt.get());
        schedule::Scope scope;
        scope.ops = {copies.run(in_.loop.body), withoutCopies().run(in_.loop.body)};
        const int last = depth - 1;
        scope.programs.push_back({0,
                                  {{EntryKind::kWait, 0, last},
                                   {EntryKind::kAcquire, 0, 0},
                                   {EntryKind::kOp, 0, 0},
                                   {EntryKind::kCommit, 0, 0},
                                   {EntryKind::kOp, 1, last},
                                   {EntryKind::kRelease, 0, last}}});
        result.scopes.push_back(std::move(scope));
        return result;
    }

    // Without cp.async the next tile is loaded into registers before the products and stored to shared memory behind them.
    std::optional<schedule::Schedule> planRegisters()
    {
        BodyFilter loads, stores;
        std::vector<ir::Buffer> tiles;
        std::int64_t bytes = 0;
        for (const MovableCopy& copy : copies_) {
            const auto* op = as<ir::OpStmt>(copy.stmt);
            if (!op)
                return {};
            const ir::Region& to = *ir::regionOperand(op->call, "dst");
            auto tile = std::make_shared<BufferNode>();
            tile->name = to.buffer->name + "_next";
            tile->dtype = to.buffer->dtype;
            tile->shape = to.extents;
            tile->scope = MemoryScope::kFragment;
            tile->where = to.buffer->where;
            const ir::Region whole{tile, std::vector<ir::Expr>(to.extents.size(), ir::intImm(0)), to.extents};
            for (const ir::Expr& extent : to.extents)
                if (!ir::asInt(extent))
                    return {};
            const auto moved = [&](const ir::Operand& from, const ir::Operand& into) {
                return std::make_shared<ir::OpStmt>(ir::OpCall{ir::OpId::kCopy, {from, into}, {}}, op->where);
            };
            loads.replaced[copy.stmt.get()] = moved(op->call.operands[0], whole);
            stores.replaced[copy.stmt.get()] = moved(whole, to);
            bytes += bytesOf(*tile);
            tiles.push_back(std::move(tile));
        }
        if (bytes > kRegisterBytesPerThread * in_.launch.threads[0] * in_.launch.threads[1] * in_.launch.threads[2])
            return {};
        schedule::Schedule result = start(PipelineKind::kRegisters, 1, std::move(tiles));
        schedule::Scope scope;
        scope.ops = {loads.run(in_.loop.body), withoutCopies().run(in_.loop.body), stores.run(in_.loop.body)};
        scope.programs.push_back({0, {{EntryKind::kOp, 0, 0}, {EntryKind::kOp, 1, 1}, {EntryKind::kOp, 2, 0}}});
        result.scopes.push_back(std::move(scope));
        return result;
    }

    const ScheduleInput& in_;
    std::int64_t stages_ = 0;
    TileAccesses body_;
    std::vector<MovableCopy> copies_;
};

}  // namespace

std::optional<schedule::Schedule> planSchedule(const ScheduleInput& input)
{
    return SchedulePlanner(input).run();
}

}  // namespace tw::passes
