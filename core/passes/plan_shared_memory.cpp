#include "core/passes/plan_shared_memory.h"

#include <algorithm>
#include <limits>
#include <map>

#include <fmt/format.h>

#include "core/analysis/walk.h"
#include "core/ir/build.h"
#include "core/ir/call.h"
#include "core/ir/shape.h"
#include "core/ir/visit.h"
#include "core/passes/concurrent_arms.h"
#include "core/passes/engines.h"
#include "core/passes/pack_memory.h"

namespace tw::passes {

using analysis::storageOf;
using ir::as;
using ir::BufferNode;
using ir::MemoryScope;
using ir::Stmt;

namespace {

constexpr std::int64_t kAlignment = 16;       // the widest access
constexpr std::int64_t kBulkAlignment = 128;  // of what a bulk copy touches
constexpr std::int64_t kSwizzleRows = 8;      // rows of one swizzle pattern
constexpr std::int64_t kBarrierBytes = 8;
constexpr std::size_t kNamedBuffers = 3;

struct Shared {
    ir::Buffer buffer;
    ir::Provenance allocated;
    MemoryBlock block;
    bool touched = false;
    RoleUses roles{};
};

// Numbers the statements; gives every shared buffer its lifetime and alignment.
class Lifetimes final : public ir::Visitor {
public:
    explicit Lifetimes(const ConcurrentArms& arms) : arms_(arms) {}

    std::vector<Shared> buffers;
    std::vector<LaunchStep> steps;
    std::int64_t barrierBytes = 0;

    using ir::Visitor::visit;

    void visit(const Stmt& s) override
    {
        if (!s)
            return;
        ++position_;
        if (const auto* allocate = as<ir::Allocate>(s))
            return add(*allocate);
        if (s->kind != ir::StmtKind::kSeq)
            steps.push_back({0, position_, s->where});
        const bool isLoop = s->kind == ir::StmtKind::kFor || s->kind == ir::StmtKind::kWhile;
        const std::size_t firstOfScope = buffers.size();
        if (isLoop)
            loops_.push_back({position_, {}});
        if (const auto* branch = as<ir::If>(s))
            visitArms(*branch);
        else if (const auto* store = as<ir::Store>(s))
            visitStore(*store);
        else
            ir::Visitor::visit(s);
        if (isLoop) {
            for (const std::size_t index : loops_.back().carried)
                extend(index, ++position_);
            loops_.pop_back();
        }
        if (s->kind == ir::StmtKind::kSeq)
            endScope(firstOfScope);
        ++position_;
    }

    void visitBuffer(const ir::Buffer& buffer) override
    {
        if (const auto found = index_.find(storageOf(buffer.get())); found != index_.end())
            touch(found->second);
    }

    void visit(const ir::OpCall& call) override
    {
        visitOperands(call);
        if (call.op == ir::OpId::kSyncThreads && call.operands.empty() && role_ == kNoRole && loops_.empty())
            ++section_;
        if (call.op == ir::OpId::kRemoteAddress)  // other blocks write it when they like
            if (const auto found = index_.find(storageOf(std::get<ir::Region>(call.operands[0]).buffer.get())); found != index_.end()) {
                extend(found->second, 0);
                extend(found->second, std::numeric_limits<int>::max());
            }
        if (const Engine engine = engineOf(call.op); engine != Engine::kNone)
            start(call, engine);
        if (const Engine engine = waitedFor(call.op); engine != Engine::kNone)
            wait(call, engine);
    }

private:
    struct Loop {
        int begin = 0;
        std::vector<std::size_t> carried;  // in use in all of it
    };
    struct Pending {
        std::size_t index;
        Engine engine;
        const BufferNode* barrier;  // of a bulk load
    };

    void visitArms(const ir::If& branch)
    {
        visit(branch.condition);
        const int outside = role_;
        for (const bool then : {true, false}) {
            if (const int role = arms_.roleOf(&branch, then); role != kNoRole)
                role_ = role;
            visit(then ? branch.then : branch.otherwise);
            role_ = outside;
        }
    }

    void visitStore(const ir::Store& store)
    {
        for (const ir::Expr& index : store.indices)
            visit(index);
        visit(store.value);
        visitWritten(store.buffer);
    }

    void visitOperands(const ir::OpCall& call)
    {
        const auto& roles = ir::info(call.op).operands;
        for (std::size_t i = 0; i < call.operands.size(); ++i) {
            if (const auto* e = std::get_if<ir::Expr>(&call.operands[i]))
                visit(*e);
            const auto* region = std::get_if<ir::Region>(&call.operands[i]);
            if (!region)
                continue;
            for (const auto* list : {&region->mins, &region->extents})
                for (const ir::Expr& e : *list)
                    visit(e);
            if (!roles.empty() && roles[std::min(i, roles.size() - 1)].role == ir::Role::kWrite)
                visitWritten(region->buffer);
            else
                visitBuffer(region->buffer);
        }
    }

    void visitWritten(const ir::Buffer& buffer)
    {
        reads_ = false;
        visitBuffer(buffer);
        reads_ = true;
    }

    void add(const ir::Allocate& allocate)
    {
        const BufferNode& buffer = *allocate.buffer;
        if (buffer.scope == MemoryScope::kBarrier || buffer.scope == MemoryScope::kClusterBarrier)
            barrierBytes += kBarrierBytes * ir::elementsOnChip(buffer);
        visit(buffer.address);
        if (buffer.scope != MemoryScope::kShared || buffer.viewOf || buffer.address)
            return;
        index_[&buffer] = buffers.size();
        depth_.push_back(loops_.size());
        MemoryBlock block;
        block.bytes = buffer.dtype.storageBytes(ir::elementsOnChip(buffer));
        block.alignment = kAlignment;
        buffers.push_back({allocate.buffer, allocate.where, block, false});
    }

    void touch(std::size_t index)
    {
        if (role_ != kNoRole) {
            RoleUse& use = buffers[index].roles.try_emplace(role_, RoleUse{false, section_, section_}).first->second;
            use.reads |= reads_;
            use.lastSection = section_;
        }
        const std::size_t depth = depth_[index];
        extend(index, depth < loops_.size() ? loops_[depth].begin : position_);
        extend(index, position_);
        if (depth < loops_.size() && std::ranges::find(loops_[depth].carried, index) == loops_[depth].carried.end())
            loops_[depth].carried.push_back(index);
    }

    void extend(std::size_t index, int position)
    {
        Shared& shared = buffers[index];
        shared.block.first = shared.touched ? std::min(shared.block.first, position) : position;
        shared.block.last = shared.touched ? std::max(shared.block.last, position) : position;
        shared.touched = true;
    }

    void start(const ir::OpCall& call, Engine engine)
    {
        const std::int64_t swizzle = std::max({ir::intAttr(call.attrs, "swizzle", 0), ir::intAttr(call.attrs, "swizzle_A", 0),
                                               ir::intAttr(call.attrs, "swizzle_B", 0)});
        std::int64_t alignment = engine == Engine::kGroups ? kAlignment : kBulkAlignment;
        alignment = std::max(alignment, kSwizzleRows * swizzle);
        const auto* barrier = engine == Engine::kBulkLoad ? ir::regionOperand(call, "barrier") : nullptr;
        for (const ir::Operand& operand : call.operands) {
            const auto* region = std::get_if<ir::Region>(&operand);
            const auto found = region && region->buffer ? index_.find(storageOf(region->buffer.get())) : index_.end();
            if (found == index_.end())
                continue;
            MemoryBlock& block = buffers[found->second].block;
            block.alignment = std::max(block.alignment, alignment);
            pending_.push_back({found->second, engine, barrier ? storageOf(barrier->buffer.get()) : nullptr});
        }
    }

    void wait(const ir::OpCall& call, Engine engine)
    {
        const auto* barrier = engine == Engine::kBulkLoad ? ir::regionOperand(call, "barrier") : nullptr;
        const char* count = engine == Engine::kBulkStore ? "count" : "n";
        const ir::Expr left = engine == Engine::kBulkLoad ? ir::Expr{} : ir::exprOperand(call, count);
        const bool all = !left || ir::isZero(left);
        std::erase_if(pending_, [&](const Pending& p) {
            if (p.engine != engine || (barrier && p.barrier != storageOf(barrier->buffer.get())))
                return false;
            touch(p.index);
            return all;
        });
    }

    // What nobody waited for stays in use to the end of its scope.
    void endScope(std::size_t first)
    {
        std::erase_if(pending_, [&](const Pending& p) {
            if (p.index < first)
                return false;
            extend(p.index, position_);
            return true;
        });
    }

    const ConcurrentArms& arms_;
    int position_ = 0, role_ = kNoRole, section_ = 0;
    bool reads_ = true;  // what is visited, not only writes
    std::vector<Loop> loops_;
    std::vector<std::size_t> depth_;  // loops around each allocation
    std::map<const BufferNode*, std::size_t> index_;
    std::vector<Pending> pending_;
};

class Placer final : public ir::Rewriter {
public:
    Placer(const std::vector<Shared>& buffers, ir::Buffer arena) : arena_(std::move(arena))
    {
        for (const Shared& shared : buffers) {
            auto view = std::make_shared<BufferNode>(*shared.buffer);
            view->viewOf = arena_;
            view->viewOffset = shared.block.offset;
            view->staticShared = false;
            placed_[shared.buffer.get()] = view;
        }
    }

    ir::Buffer rewriteBuffer(const ir::Buffer& b) override
    {
        if (!b)
            return b;
        if (const auto found = placed_.find(b.get()); found != placed_.end())
            return found->second;
        const ir::Buffer base = rewriteBuffer(b->viewOf);
        const ir::Expr address = rewrite(b->address);
        if (base == b->viewOf && address == b->address)
            return b;
        auto view = std::make_shared<BufferNode>(*b);
        view->viewOf = base;
        view->address = address;
        return placed_[b.get()] = view;
    }

private:
    ir::Buffer arena_;
    std::map<const BufferNode*, ir::Buffer> placed_;
};

class LaunchPlanner final : public ir::Rewriter {
public:
    LaunchPlanner(const ir::Function& function, PassContext& context) : function_(function), context_(context) {}
    using ir::Rewriter::rewrite;

    Stmt rewrite(const Stmt& s) override
    {
        const auto* launch = as<ir::Launch>(s);
        if (!launch)
            return rewriteChildren(s);
        const ConcurrentArms arms(*launch);
        Lifetimes lifetimes(arms);
        static_cast<ir::Visitor&>(lifetimes).visit(launch->body);
        std::vector<Shared>& buffers = lifetimes.buffers;
        std::vector<MemoryBlock> blocks;
        for (const Shared& shared : buffers) {
            blocks.push_back(shared.block);
            if (!ordersAccesses() || isSet("tl.disable_shared_memory_reuse"))
                blocks.back().first = 0, blocks.back().last = std::numeric_limits<int>::max();
        }
        for (std::size_t i = 0; i < buffers.size(); ++i)
            for (std::size_t j = 0; j < buffers.size(); ++j)
                if (blocks[i].last < blocks[j].first && arms.overtake(buffers[i].roles, buffers[j].roles))
                    blocks[i].apart.push_back(j);
        const std::int64_t size = packMemory(blocks);
        for (std::size_t i = 0; i < buffers.size(); ++i)
            buffers[i].block = blocks[i];
        if (size + lifetimes.barrierBytes > context_.target.sharedBytesPerBlock)
            reportFull(buffers, size + lifetimes.barrierBytes);
        record(lifetimes);
        return buffers.empty() ? s : placed(*launch, buffers, size);
    }

private:
    // Without insertBarriers nobody orders the last reader of one buffer and the first writer of the next in its bytes.
    [[nodiscard]] bool ordersAccesses() const { return !isSet("tl.disable_thread_storage_sync"); }

    [[nodiscard]] bool isSet(const char* key) const
    {
        const auto found = function_.passConfigs.find(key);
        return found != function_.passConfigs.end() && found->second == ir::Attr(true);
    }

    static Stmt placed(const ir::Launch& launch, const std::vector<Shared>& buffers, std::int64_t size)
    {
        auto arena = std::make_shared<BufferNode>();
        arena->name = "smem";
        arena->dtype = ir::kUInt8;
        arena->shape = {ir::intImm(size)};
        arena->scope = MemoryScope::kShared;
        auto next = std::make_shared<ir::Launch>(launch);
        next->body = ir::sequence({std::make_shared<ir::Allocate>(arena, launch.where), Placer(buffers, arena).rewrite(launch.body)});
        next->attrs["dynamic_shared_bytes"] = size;
        return next;
    }

    void record(Lifetimes& lifetimes)
    {
        for (LaunchStep& step : lifetimes.steps) {
            step.launch = launches_;
            context_.steps.push_back(step);
        }
        for (const Shared& shared : lifetimes.buffers)
            if (shared.touched)
                context_.placements.push_back({launches_, shared.buffer->name, shared.block.offset, shared.block.bytes, shared.block.first,
                                               shared.block.last, shared.allocated});
        ++launches_;
    }

    void reportFull(std::vector<Shared> buffers, std::int64_t need)
    {
        std::ranges::stable_sort(buffers, [](const Shared& a, const Shared& b) { return a.block.bytes > b.block.bytes; });
        std::string names;
        for (std::size_t i = 0; i < std::min(buffers.size(), kNamedBuffers); ++i)
            names += fmt::format("{}{} takes {}", i ? ", " : "", buffers[i].buffer->name, buffers[i].block.bytes);
        const std::int64_t limit = context_.target.sharedBytesPerBlock;
        const std::string message =
            fmt::format("the shared memory in use at one time is {} bytes, but a block of {} has {}: {}{}; tiles that are {} bytes smaller fit",
                        need, context_.target.name, limit, names, buffers.size() > kNamedBuffers ? ", …" : "", need - limit);
        const SourceRange where = buffers.empty() ? function_.range : buffers.front().allocated.range;
        if (function_.target.empty())
            context_.diagnostics.error(Code::kNotSupported, where, "not supported: " + message);
        else
            context_.diagnostics.error(Code::kCapacity, where, message);
    }

    const ir::Function& function_;
    PassContext& context_;
    int launches_ = 0;
};

}  // namespace

ir::Function planSharedMemory(const ir::Function& in, PassContext& context)
{
    ir::Function out = in;
    out.body = LaunchPlanner(in, context).rewrite(in.body);
    return out;
}

}  // namespace tw::passes
