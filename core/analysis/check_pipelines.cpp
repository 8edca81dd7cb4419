// Pipelined loops: copies of one iteration that overwrite each other, and manual schedules that cannot be (language.md d.4).
#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "core/analysis/checks.h"
#include "core/analysis/effects.h"
#include "core/analysis/walk.h"
#include "core/ir/call.h"

namespace tw::analysis {

namespace {

using ir::as;
using Buffers = std::set<const ir::BufferNode*>;

// What one statement of the body reads and writes.
class Accesses final : public ir::Visitor {
public:
    explicit Accesses(const ir::Stmt& s) { visit(s); }
    Buffers reads, writes;

    using ir::Visitor::visit;
    void visit(const ir::Stmt& s) override
    {
        if (const auto* store = as<ir::Store>(s))
            writes.insert(storageOf(store->buffer.get()));
        ir::Visitor::visit(s);
    }
    void visit(const ir::Expr& e) override
    {
        if (const auto* load = as<ir::Load>(e))
            reads.insert(storageOf(load->buffer.get()));
        ir::Visitor::visit(e);
    }
    void visit(const ir::OpCall& call) override
    {
        for (std::size_t i = 0; i < call.operands.size(); ++i) {
            const auto* region = std::get_if<ir::Region>(&call.operands[i]);
            if (region && effectOf(call, i).reads)
                reads.insert(storageOf(region->buffer.get()));
            if (region && effectOf(call, i).writes)
                writes.insert(storageOf(region->buffer.get()));
        }
        ir::Visitor::visit(call);
    }
};

std::vector<ir::Stmt> statementsOf(const ir::Stmt& body)
{
    const auto* seq = as<ir::Seq>(body);
    return seq ? seq->stmts : std::vector<ir::Stmt>{body};
}

// Whether two regions of one buffer certainly have an element in common.
bool overlap(const ir::Region& a, const ir::Region& b)
{
    for (std::size_t i = 0; i < a.mins.size(); ++i) {
        if (ir::equal(a.mins[i], b.mins[i]))
            continue;
        const auto *x = ir::asInt(a.mins[i]), *y = ir::asInt(b.mins[i]);
        const auto *m = ir::asInt(a.extents[i]), *n = ir::asInt(b.extents[i]);
        if (!x || !y || !m || !n || *x + *m <= *y || *y + *n <= *x)
            return false;
    }
    return true;
}

class PipelineWalk final : public Walk {
public:
    explicit PipelineWalk(const CheckContext& context) : context_(context) {}

protected:
    void enter(const ir::Stmt& s) override
    {
        const auto* loop = as<ir::For>(s);
        if (!loop || loop->loop != ir::ForKind::kPipelined)
            return;
        if (ir::intAttr(loop->attrs, "num_stages", 0) > 0)
            checkCopies(*loop);
        checkSchedule(*loop);
    }

private:
    void checkCopies(const ir::For& loop)
    {
        std::vector<std::pair<const ir::Region*, const ir::StmtNode*>> seen;
        for (const ir::Stmt& s : statementsOf(loop.body)) {
            const auto* op = as<ir::OpStmt>(s);
            if (!op || op->call.op != ir::OpId::kCopy)
                continue;
            const ir::Region *src = ir::regionOperand(op->call, "src"), *dst = ir::regionOperand(op->call, "dst");
            if (src->buffer->scope != ir::MemoryScope::kGlobal || dst->buffer->scope != ir::MemoryScope::kShared)
                continue;
            for (const auto& [other, where] : seen)
                if (other->buffer == dst->buffer && overlap(*other, *dst)) {
                    context_.diagnostics
                        .error(Code::kStructure, s->where.range,
                               fmt::format("two copies of one pipelined iteration write the same elements of {}; give the second tile "
                                           "a buffer of its own",
                                           dst->buffer->name))
                        .notes.push_back({where->where.range, "the first copy"});
                    return;
                }
            seen.emplace_back(dst, s.get());
        }
    }

    static const std::vector<std::int64_t>* list(const ir::For& loop, const std::string& name)
    {
        const auto found = loop.attrs.find(name);
        return found == loop.attrs.end() ? nullptr : std::get_if<std::vector<std::int64_t>>(&found->second);
    }

    void checkSchedule(const ir::For& loop)
    {
        const auto *order = list(loop, "order"), *stage = list(loop, "stage");
        if (!order || !stage || order->size() != stage->size())
            return;
        std::vector<ir::Stmt> all = statementsOf(loop.body);
        std::erase_if(all, [](const ir::Stmt& s) { return s->kind == ir::StmtKind::kAllocate; });
        std::vector<ir::Stmt> scheduled = all;
        std::erase_if(scheduled, [](const ir::Stmt& s) { return s->kind == ir::StmtKind::kBind; });
        const bool withLets = order->size() == all.size();
        if (!withLets && order->size() != scheduled.size())
            return error(loop, fmt::format("order and stage have {} entries, but the body of this loop has {} statements to schedule",
                                           order->size(), scheduled.size()));
        const std::set<std::int64_t> positions(order->begin(), order->end());
        if (positions.size() != order->size())
            return error(loop, "order must give every statement a position of its own");
        checkDependences(loop, withLets ? all : scheduled, *stage);
    }

    // A later statement that needs an earlier one's result cannot stand in an earlier stage.
    void checkDependences(const ir::For& loop, const std::vector<ir::Stmt>& stmts, const std::vector<std::int64_t>& stage)
    {
        std::vector<Accesses> accesses;
        for (const ir::Stmt& s : stmts)
            accesses.emplace_back(s);
        for (std::size_t j = 0; j < stmts.size(); ++j)
            for (std::size_t i = 0; i < j; ++i) {
                if (stage[j] >= stage[i])
                    continue;
                for (const ir::BufferNode* buffer : accesses[i].writes)
                    if (accesses[j].reads.contains(buffer))
                        return error(loop, fmt::format("statement {} reads {} in stage {}, but statement {} writes it in the later "
                                                       "stage {}",
                                                       j, buffer->name, stage[j], i, stage[i]));
            }
    }

    void error(const ir::For& loop, std::string message)
    {
        context_.diagnostics.error(Code::kOption, loop.where.range, std::move(message));
    }

    const CheckContext& context_;
};

}  // namespace

void checkPipelines(const CheckContext& context)
{
    PipelineWalk walk(context);
    ir::Visitor& visitor = walk;
    visitor.visit(context.function.body);
}

}  // namespace tw::analysis
