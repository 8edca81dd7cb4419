// The generator keeps its promise: what it makes is valid, and varied enough to be worth running.
#include "tests/differential/random_program.h"

#include <set>

#include <gtest/gtest.h>

#include "core/analysis/check.h"
#include "core/ir/print.h"
#include "core/ir/verify.h"
#include "core/ir/visit.h"

namespace tw::test {
namespace {

constexpr std::uint32_t kSeeds = 300;

TEST(RandomProgram, IsValid)
{
    for (std::uint32_t seed = 1; seed <= kSeeds; ++seed) {
        const ir::Function f = randomProgram(seed);
        const auto problems = ir::verify(f);
        ASSERT_TRUE(problems.empty()) << "seed " << seed << ": " << problems.front() << '\n' << ir::print(f).text;
        DiagnosticSink diagnostics;
        analysis::check(f, target::defaultTarget(), diagnostics);
        ASSERT_FALSE(diagnostics.hasErrors())
            << "seed " << seed << ": " << diagnostics.all().front().message << '\n' << ir::print(f).text;
    }
}

TEST(RandomProgram, RepeatsAndVaries)
{
    EXPECT_TRUE(ir::equal(randomProgram(7), randomProgram(7)));
    std::set<std::uint64_t> hashes;
    std::set<ir::OpId> used;
    struct Ops final : ir::Visitor {
        using ir::Visitor::visit;
        std::set<ir::OpId>* used = nullptr;
        void visit(const ir::OpCall& call) override { used->insert(call.op); }
    } ops;
    ops.used = &used;
    for (std::uint32_t seed = 1; seed <= kSeeds; ++seed) {
        const ir::Function f = randomProgram(seed);
        hashes.insert(ir::hash(f));
        ir::Visitor& visitor = ops;
        visitor.visit(f.body);
    }
    EXPECT_EQ(hashes.size(), kSeeds);
    for (ir::OpId op : {ir::OpId::kCopy, ir::OpId::kGemm, ir::OpId::kReduceMax, ir::OpId::kCumSum, ir::OpId::kFill, ir::OpId::kClear})
        EXPECT_TRUE(used.contains(op)) << ir::info(op).name;
}

}  // namespace
}  // namespace tw::test
