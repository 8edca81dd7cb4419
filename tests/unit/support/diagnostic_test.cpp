#include "core/support/diagnostic.h"

#include <gtest/gtest.h>

namespace tw {

TEST(DiagnosticSink, KeepsOneDiagnosticACause)
{
    DiagnosticSink sink;
    sink.error(Code::kNameUndefined, {0, 4, 8}, "alpa is not defined");
    sink.error(Code::kNameUndefined, {0, 4, 8}, "alpa is not defined");
    sink.warning(Code::kRace, {0, 4, 8}, "possible race");
    EXPECT_EQ(sink.all().size(), 2U);
    EXPECT_EQ(sink.errorCount(), 1);
}

TEST(DiagnosticSink, KeepsOneRefusalAKernel)
{
    DiagnosticSink sink;
    sink.error(Code::kNotSupported, {0, 1, 2}, "not supported: x");
    sink.error(Code::kNotSupported, {0, 5, 6}, "not supported: x");
    sink.error(Code::kNotSupported, {0, 5, 6}, "not supported: x");
    sink.error(Code::kNotSupported, {0, 7, 8}, "not supported: y");
    ASSERT_EQ(sink.all().size(), 2U);
    ASSERT_EQ(sink.all()[0].notes.size(), 1U);
    EXPECT_EQ(sink.all()[0].notes[0].range, (SourceRange{0, 5, 6}));
    EXPECT_EQ(sink.errorCount(), 2);
}

TEST(Diagnostic, RendersPlaceAndCaret)
{
    SourceSet sources;
    sources.add(std::make_shared<SourceText>("k.py", "a = 1\nb = alpa\n"));
    const Diagnostic d{.code = Code::kNameUndefined, .severity = Severity::kError, .range = {0, 10, 14}, .message = "alpa is not defined", .notes = {}, .fixits = {}, .kernel = {}};
    EXPECT_EQ(render(d, sources), "k.py:2:5: error: alpa is not defined [name-undefined]\n    b = alpa\n        ^^^^\n");
}

TEST(NearestName, FindsMisspellingsOnly)
{
    EXPECT_EQ(nearestName("alloc_fragmnet", {"alloc_shared", "alloc_fragment", "clear"}), "alloc_fragment");
    EXPECT_EQ(nearestName("trans_B", {"transpose_B", "transpose_A", "policy"}), "");
    EXPECT_EQ(nearestName("zebra", {"copy", "gemm"}), "");
    EXPECT_EQ(nearestName("t", {"X", "T"}), "T");  // a letter has no near ones but its other case
    EXPECT_EQ(nearestName("Z", {"X", "T"}), "");
    EXPECT_EQ(nearestName("tahn", {"tan", "tanh"}), "tanh");  // two letters swapped are one slip
    EXPECT_EQ(nearestName("dyn", {"dynamic", "copy"}), "dynamic");
    EXPECT_EQ(nearestName("alloc", {"alloc_shared", "alloc_fragment"}), "");
}

}  // namespace tw
