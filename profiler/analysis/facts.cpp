#include "profiler/analysis/facts.h"

#include <algorithm>


#include "core/ir/visit.h"
#include "core/passes/plan_schedule.h"

namespace tw::profile_analysis {
namespace {

struct PlannedLoop {
    int launch = 0;
    SourceRange where;
    int depth = 1;
};

// The pipelined loops of the function that the scheduler sees, each with its plan.
class LoopPlans final : public ir::Visitor {
public:
    LoopPlans(const ir::Function& function, const target::Target& target) : function_(function), target_(target) {}
    using ir::Visitor::visit;

    void visit(const ir::Stmt& s) override
    {
        const auto* launch = ir::as<ir::Launch>(s);
        if (launch)
            launch_ = launch;
        const auto* loop = ir::as<ir::For>(s);
        if (loop && launch_ && loop->loop == ir::ForKind::kPipelined)
            plan(*loop);
        ir::Visitor::visit(s);
        if (launch) {
            launch_ = nullptr;
            ++count_;
        }
    }

    std::vector<PlannedLoop> loops;
    std::string text;

private:
    void plan(const ir::For& loop)
    {
        PlannedLoop planned{count_, loop.where.range, 1};
        if (const auto schedule = passes::planSchedule({function_, *launch_, loop, true, target_})) {
            for (const schedule::Pipeline& p : schedule->pipelines)
                planned.depth = std::max(planned.depth, p.depth);
            text += schedule::print(*schedule);
            if (!text.empty() && text.back() != '\n')
                text += '\n';
        }
        loops.push_back(planned);
    }

    const ir::Function& function_;
    const target::Target& target_;
    const ir::Launch* launch_ = nullptr;
    int count_ = 0;
};

bool readsShared(const ir::Expr& value)
{
    struct Finder final : ir::Visitor {
        using ir::Visitor::visit;
        bool found = false;
        void visit(const ir::Expr& e) override
        {
            if (!e)
                return;
            if (const auto* load = ir::as<ir::Load>(e)) {
                const ir::BufferNode* root = load->buffer.get();
                while (root->viewOf)
                    root = root->viewOf.get();
                found = found || root->scope == ir::MemoryScope::kShared;
            }
            ir::Visitor::visit(e);
        }
    } finder;
    finder.visit(value);
    return finder.found;
}

class ProductUnits final : public ir::Visitor {
public:
    using ir::Visitor::visit;
    std::vector<std::map<std::uint32_t, ProductUnit>> found;
    std::vector<std::set<std::uint32_t>> wordLoads;  // operations that load elements of shared memory one by one

    void visit(const ir::Stmt& s) override
    {
        if (ir::as<ir::Launch>(s)) {
            found.emplace_back();
            wordLoads.emplace_back();
        }
        const auto* op = ir::as<ir::OpStmt>(s);
        if (op && !found.empty() && op->call.op == ir::OpId::kWgmma)
            found.back()[s->where.op] = ProductUnit::kWgmma;
        else if (op && !found.empty() && op->call.op == ir::OpId::kMma)
            found.back().try_emplace(s->where.op, ProductUnit::kMma);
        if (const auto* store = ir::as<ir::Store>(s); store && !found.empty() && readsShared(store->value))
            wordLoads.back().insert(s->where.op);
        ir::Visitor::visit(s);
    }
};

struct Launches final : ir::Visitor {
    using ir::Visitor::visit;
    std::vector<std::vector<SourceRange>> loops;  // pipelined ones of each launch, in the order in which workOf counts them
    void visit(const ir::Stmt& s) override
    {
        if (ir::as<ir::Launch>(s))
            loops.emplace_back();
        if (const auto* loop = ir::as<ir::For>(s); loop && loop->loop == ir::ForKind::kPipelined && !loops.empty())
            loops.back().push_back(loop->where.range);
        ir::Visitor::visit(s);
    }
};

const ir::Function* before(const driver::CompileSnapshot& snapshot, const char* pass)
{
    for (std::size_t i = 1; i < snapshot.passes.size(); ++i)
        if (snapshot.passes[i].name == pass)
            return snapshot.passes[i - 1].after.get();
    return nullptr;
}

}  // namespace

CompiledFacts factsOf(const driver::CompileSnapshot& snapshot)
{
    CompiledFacts facts;
    if (!snapshot.function)
        return facts;
    Launches launches;
    launches.visit(snapshot.function->body);
    facts.launches.resize(launches.loops.size());
    std::vector<PlannedLoop> planned;
    if (const ir::Function* scheduled = before(snapshot, "schedulePipelines")) {
        LoopPlans plans(*scheduled, snapshot.target);
        plans.visit(scheduled->body);
        planned = std::move(plans.loops);
        facts.schedule = std::move(plans.text);
    }
    ProductUnits products;
    if (!snapshot.passes.empty() && snapshot.passes.back().after)
        products.visit(snapshot.passes.back().after->body);
    for (std::size_t i = 0; i < facts.launches.size(); ++i) {
        LaunchFacts& f = facts.launches[i];
        for (const SourceRange& where : launches.loops[i]) {
            const auto plan = std::find_if(planned.begin(), planned.end(), [&](const PlannedLoop& p) { return p.launch == static_cast<int>(i) && p.where == where; });
            f.depths.push_back(plan == planned.end() ? 1 : plan->depth);
        }
        if (i < products.found.size()) {
            f.products = products.found[i];
            f.wordLoads = products.wordLoads[i];
        }
        if (!snapshot.gpuProgram || i >= snapshot.gpuProgram->launches.size())
            continue;
        const gpu::KernelLaunch& launch = snapshot.gpuProgram->launches[i];
        f.entry = launch.entry;
        f.sharedBytes = launch.staticSharedBytes + launch.dynamicSharedBytes;
        for (const nvrtc::KernelResources& r : snapshot.resources)
            if (r.entry == launch.entry) {
                f.registers = r.registers;
                f.sharedBytes = std::max(launch.staticSharedBytes, r.staticSharedBytes) + launch.dynamicSharedBytes;
            }
    }
    return facts;
}

}  // namespace tw::profile_analysis
