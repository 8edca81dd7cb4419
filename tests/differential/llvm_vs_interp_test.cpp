// The compiled CPU code against the interpreter on random programs: what the language means, by two independent ways.
//
// Inputs are small whole numbers, so that sums are exact in any order and most answers must be equal to the bit; what is left
// is the order of rounding in sums of inexact values. TW_SEEDS=first:count runs others.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <random>

#include "core/interp/interpreter.h"
#include "tests/differential/random_program.h"
#include "tests/unit/llvm/build_kernel.h"

namespace tw::test {
namespace {

interp::Arguments makeArguments(const ir::Function& function, std::uint32_t seed)
{
    std::mt19937 random(seed);
    interp::Arguments arguments;
    for (const ir::Param& param : function.params) {
        const auto* buffer = std::get_if<ir::Buffer>(&param.value);
        if (!buffer)
            continue;
        std::vector<std::int64_t> shape;
        for (const ir::Expr& extent : (*buffer)->shape)
            shape.push_back(*ir::asInt(extent));
        interp::Tensor tensor = interp::makeTensor((*buffer)->dtype, shape);
        for (std::int64_t i = 0; i < tensor.elementCount(); ++i) {
            const int value = static_cast<int>(random() % 5) - ((*buffer)->dtype.isUnsigned() ? 0 : 2);
            if ((*buffer)->dtype.isFloating())
                tensor.setFloat(i, value);
            else
                tensor.setInt(i, value);
        }
        arguments.tensors[param.name()] = std::move(tensor);
    }
    return arguments;
}

// Elements that differ by more than rounding in another order explains: two steps of the type, or of float32 sums.
int countWrong(const interp::Tensor& got, const interp::Tensor& want, std::string& first)
{
    int wrong = 0;
    for (std::int64_t i = 0; i < want.elementCount(); ++i) {
        bool same = false;
        double a = 0, b = 0;
        if (want.dtype.isFloating()) {
            a = got.floatAt(i);
            b = want.floatAt(i);
            const double step = std::ldexp(1.0, -want.dtype.mantissaBits());
            same = (std::isnan(a) && std::isnan(b)) || a == b || std::abs(a - b) <= 2 * step * std::max(std::abs(a), std::abs(b)) + 1e-5;
        } else {
            a = static_cast<double>(got.intAt(i));
            b = static_cast<double>(want.intAt(i));
            same = a == b;
        }
        if (!same && wrong++ == 0)
            first = "element " + std::to_string(i) + ": " + std::to_string(a) + " instead of " + std::to_string(b);
    }
    return wrong;
}

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
