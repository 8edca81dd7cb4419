#include "profiler/tune/answers.h"

#include <cmath>

#include <gtest/gtest.h>

namespace tw::tune {
namespace {

std::vector<protocol::Output> outputs(const char* dtype, const std::vector<double>& values)
{
    interp::Tensor t = interp::makeTensor(*ir::parseDType(dtype), {static_cast<std::int64_t>(values.size())});
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (t.dtype.isFloating())
            t.setFloat(static_cast<std::int64_t>(i), values[i]);
        else
            t.setInt(static_cast<std::int64_t>(i), static_cast<std::int64_t>(values[i]));
    }
    protocol::Output out;
    out.name = "C";
    out.data = std::move(t);
    return {out};
}

TEST(Answers, RoundingIsNoDisagreement)
{
    EXPECT_EQ(disagreement(outputs("float16", {1, 2, 1000}), outputs("float16", {1.0009765625, 2, 1000.5})), "");
    // A small element beside large ones may move by what the large ones round.
    EXPECT_EQ(disagreement(outputs("float32", {1e-6, 10, -10}), outputs("float32", {-1e-4, 10, -10})), "");
    EXPECT_EQ(disagreement(outputs("float32", {NAN}), outputs("float32", {NAN})), "");
}

TEST(Answers, AWrongElementIsNamed)
{
    EXPECT_EQ(disagreement(outputs("float32", {1, 2, 3}), outputs("float32", {1, 2, 3.5})), "C is 3.5 instead of 3 at element 2");
    EXPECT_NE(disagreement(outputs("float32", {1, 2}), outputs("float32", {NAN, 2})), "");
    EXPECT_NE(disagreement(outputs("float32", {1, 2}), outputs("float32", {INFINITY, 2})), "");
    EXPECT_EQ(disagreement(outputs("int32", {7}), outputs("int32", {8})), "C is 8 instead of 7 at element 0");
}

TEST(Answers, TheFirstOfManyWrongElementsIsNamed)
{
    std::vector<double> values(300'000, 1.0);
    const auto reference = outputs("float32", values);
    EXPECT_EQ(disagreement(reference, outputs("float32", values)), "");
    for (const std::size_t at : {70'001U, 131'072U, 299'999U})
        values[at] = 2;
    EXPECT_EQ(disagreement(reference, outputs("float32", values)), "C is 2 instead of 1 at element 70001");
}

TEST(Answers, AnotherShapeIsWrong)
{
    EXPECT_NE(disagreement(outputs("float32", {1, 2}), outputs("float32", {1})), "");
    EXPECT_NE(disagreement(outputs("float32", {1}), {}), "");
}

}  // namespace
}  // namespace tw::tune
