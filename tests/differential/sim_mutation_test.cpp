// Takes barriers and waits out of what the passes made of random programs: the simulator has to miss them.
//
// A barrier that a conservative analysis put in without need may go unnoticed, so most have to be found, not all.
#include <gtest/gtest.h>

#include <cstdlib>

#include "core/ir/visit.h"
#include "core/passes/pass.h"
#include "core/sim/sim.h"
#include "tests/differential/compare.h"
#include "tests/differential/random_program.h"

namespace tw::test {
namespace {

bool isOrdering(ir::OpId op) { return op == ir::OpId::kSyncThreads || op == ir::OpId::kWaitGroup; }

// Without the n-th barrier or wait.
class Dropper final : public ir::Rewriter {
public:
    using ir::Rewriter::rewrite;
    explicit Dropper(int n) : left_(n) {}
    bool dropped = false;
    ir::Stmt rewrite(const ir::Stmt& s) override
    {
        if (const auto* op = ir::as<ir::OpStmt>(s); op && isOrdering(op->call.op) && left_-- == 0) {
            dropped = true;
            return {};
        }
        return ir::Rewriter::rewrite(s);
    }

private:
    int left_;
};

struct Tally {
    int faults = 0, found = 0;
};

Tally dropEach(std::uint32_t seed, const char* targetName)
{
    Tally tally;
    const auto function = std::make_shared<const ir::Function>(randomProgram(seed));
    const target::Target target = *target::parse(targetName);
    DiagnosticSink said;
    passes::PassContext context{target, said, {}};
    const passes::PipelineResult lowered = passes::runPipeline(function, context);
    if (!lowered.complete)
        return tally;
    for (int n = 0;; ++n) {
        Dropper dropper(n);
        ir::Function faulty = *lowered.function;
        faulty.body = dropper.rewrite(faulty.body);
        if (!dropper.dropped)
            return tally;
        interp::Arguments arguments = makeArguments(*function, seed);
        DiagnosticSink found;
        ++tally.faults;
        tally.found += sim::simulate(faulty, arguments, {}, found).ok ? 0 : 1;
    }
}

TEST(SimMutation, DroppedBarriersAreMissed)
{
    unsigned first = 1, count = 30;
    if (const char* seeds = std::getenv("TW_SEEDS"))
        std::sscanf(seeds, "%u:%u", &first, &count);
    Tally all;
    for (unsigned seed = first; seed < first + count; ++seed) {
        const Tally one = dropEach(seed, seed % 2 == 0 ? "sm_80" : "sm_90a");
        all.faults += one.faults;
        all.found += one.found;
    }
    RecordProperty("faults", all.faults);
    RecordProperty("found", all.found);
    EXPECT_GT(all.faults, static_cast<int>(count) / 2) << "most programs have no barrier at all";
    EXPECT_GE(all.found * 4, all.faults * 3) << all.found << " of " << all.faults;
}

}  // namespace
}  // namespace tw::test
