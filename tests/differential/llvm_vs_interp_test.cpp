// The compiled CPU code against the interpreter on random programs: what the language means, by two independent ways.
//
// Inputs are small whole numbers, so that sums are exact in any order and most answers must be equal to the bit; what is left
// is the order of rounding in sums of inexact values. TW_SEEDS=first:count runs others.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <random>

#include "core/interp/interpreter.h"
#include "tests/differential/compare.h"
#include "tests/differential/random_program.h"
#include "tests/unit/llvm/build_kernel.h"

namespace tw::test {
namespace {

void check(std::uint32_t seed)
{
    const ir::Function function = randomProgram(seed);
    interp::Arguments reference = makeArguments(function, seed);
    interp::Arguments compiled = reference;
    DiagnosticSink sink;
    const auto run = interp::run(function, reference, {}, sink);
    ASSERT_TRUE(run.ok) << "seed " << seed << ": the interpreter says " << (sink.all().empty() ? "" : sink.all()[0].message);
    const Outcome outcome = runOnCpu(function, compiled);
    ASSERT_TRUE(outcome.ok) << "seed " << seed << ": " << (outcome.diagnostics.empty() ? "" : outcome.diagnostics[0].message);
    for (const auto& [name, want] : reference.tensors) {
        std::string first;
        const int wrong = countWrong(compiled.tensors.at(name), want, first);
        EXPECT_EQ(wrong, 0) << "seed " << seed << ", " << name << " (" << want.dtype.name() << "): " << first;
    }
}

TEST(LlvmVsInterp, RandomPrograms)
{
    unsigned first = 1, count = 25;
    if (const char* seeds = std::getenv("TW_SEEDS"))
        std::sscanf(seeds, "%u:%u", &first, &count);
    for (unsigned seed = first; seed < first + count; ++seed)
        check(seed);
}

}  // namespace
}  // namespace tw::test
