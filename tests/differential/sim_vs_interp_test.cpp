// Random programs through the passes for NVIDIA GPUs: the thread stage, simulated, gives the interpreter's answers and is free of
// races. What a target lacks is refused with "not supported: …" and does not count; TW_SEEDS=first:count runs other seeds.
#include <gtest/gtest.h>

#include <cstdlib>

#include "core/ir/print.h"
#include "core/passes/pass.h"
#include "core/sim/sim.h"
#include "tests/differential/compare.h"
#include "tests/differential/random_program.h"

namespace tw::test {
namespace {

const char* const kTargets[] = {"sm_80", "sm_75", "sm_90a", "sm_89"};

bool isRefusal(const DiagnosticSink& sink)
{
    return !sink.all().empty() && sink.all().front().message.starts_with("not supported: ");
}
std::string first(const DiagnosticSink& sink) { return sink.all().empty() ? "nothing was said" : sink.all().front().message; }

// False where the target refuses the program.
bool check(std::uint32_t seed)
{
    const auto function = std::make_shared<const ir::Function>(randomProgram(seed));
    const char* const name = kTargets[seed % std::size(kTargets)];
    const target::Target target = *target::parse(name);
    const std::string who = "seed " + std::to_string(seed) + " on " + name;
    interp::Arguments reference = makeArguments(*function, seed);
    interp::Arguments simulated = reference;
    DiagnosticSink sink;
    EXPECT_TRUE(interp::run(*function, reference, {}, sink).ok) << who << ": the interpreter says " << first(sink);

    DiagnosticSink said;
    passes::PassContext context{target, said, {}};
    const passes::PipelineResult lowered = passes::runPipeline(function, context);
    if (!lowered.complete) {
        EXPECT_TRUE(isRefusal(said)) << who << ": " << first(said) << '\n' << ir::print(*function).text;
        return false;
    }
    DiagnosticSink found;
    const sim::SimResult result = sim::simulate(*lowered.function, simulated, {}, found);
    EXPECT_TRUE(result.ok) << who << ": " << first(found) << '\n' << ir::print(*function).text << ir::print(*lowered.function).text;
    for (const auto& [tensor, want] : reference.tensors) {
        std::string where;
        EXPECT_EQ(countWrong(simulated.tensors.at(tensor), want, where), 0)
            << who << ", " << tensor << " (" << want.dtype.name() << "): " << where << '\n'
            << ir::print(*function).text << ir::print(*lowered.function).text;
    }
    return true;
}

TEST(SimVsInterp, RandomProgramsAgree)
{
    std::uint32_t first = 1, count = 500;
    if (const char* seeds = std::getenv("TW_SEEDS"))
        ASSERT_EQ(std::sscanf(seeds, "%u:%u", &first, &count), 2) << "TW_SEEDS is first:count";
    int ran = 0;
    int failed = 0;
    for (std::uint32_t seed = first; seed < first + count && failed < 5; ++seed) {
        ran += check(seed) ? 1 : 0;
        failed += testing::Test::HasFailure() ? 1 : 0;  // a few programs say enough
    }
    RecordProperty("ran", ran);
    EXPECT_GT(ran * 2, static_cast<int>(count)) << "most programs were refused";
}

}  // namespace
}  // namespace tw::test
