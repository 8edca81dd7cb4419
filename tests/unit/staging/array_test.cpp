// The array dialect: what kernels become, and what is refused.
#include "staging_helpers.h"

#include "core/ir/print.h"
#include "core/ir/verify.h"

namespace tw::staging {
namespace {

const std::string kHead = "import numpy as np\nimport tilelang as tl\n@tl.kernel\n";

// The only error of a file, or what is there instead.
std::string errorOf(const std::string& text)
{
    const Surveyed file(text);
    std::string out;
    for (const Diagnostic& diagnostic : file.sink.all())
        if (diagnostic.severity == Severity::kError)
            out += diagnostic.message + "\n";
    return out;
}

std::shared_ptr<const ir::Function> traced(const std::string& text, const std::string& kernel)
{
    const Surveyed file(text);
    DiagnosticSink sink;
    TraceRequest request;
    request.kernel = kernel;
    auto result = trace(*file.program, request, plainOptions(), sink);
    for (const Diagnostic& diagnostic : sink.all())
        ADD_FAILURE() << diagnostic.message;
    if (result.function)
        for (const std::string& message : ir::verify(*result.function))
            ADD_FAILURE() << message;
    return result.function;
}

}  // namespace

TEST(Array, ReturnedTensorsAreParameters)
{
    const auto f = traced(kHead + "def f(x: tl.Tensor[(8, n), float32]):\n    y = x + 1\n    return y, tl.sum(x, axis=1)\n", "f");
    ASSERT_TRUE(f);
    ASSERT_EQ(f->params.size(), 3U);
    EXPECT_EQ(f->params[1].name(), "out0");
    EXPECT_EQ(f->params[2].name(), "out1");
    EXPECT_EQ(f->returned, (std::vector<int>{1, 2}));
    ASSERT_EQ(f->symbols.size(), 1U);
    EXPECT_EQ(f->symbols[0]->name, "n");
    EXPECT_EQ(f->dialect, ir::Dialect::kArray);
}

TEST(Array, ScalarsHaveNoAxes)
{
    const auto f = traced(kHead + "def f(x: tl.Tensor[(8,), float32], s: tl.Tensor[(), float32]):\n    return tl.sum(x) * s, s\n", "f");
    ASSERT_TRUE(f);
    for (const std::size_t i : {1U, 2U, 3U})
        EXPECT_TRUE(std::get<ir::Buffer>(f->params[i].value)->shape.empty()) << i;
    DiagnosticSink sink;
    const std::string text = ir::print(*f).text;
    const auto again = readFunction(text, sink);
    ASSERT_TRUE(again) << sink.all()[0].message << "\n" << text;
    EXPECT_EQ(ir::print(*again).text, text);
}

TEST(Array, ColumnMajorTensorsHaveTheirStrides)
{
    const auto f = traced(kHead + "def f(x: tl.Tensor[(8, 4, n), float32, 'column_major']) -> tl.Tensor[(8, 4, n), float32, 'column_major']:\n"
                                  "    return x + 1\n", "f");
    ASSERT_TRUE(f);
    for (const std::size_t i : {0U, 1U}) {
        const ir::Buffer& buffer = std::get<ir::Buffer>(f->params[i].value);
        ASSERT_EQ(buffer->strides.size(), 3U) << i;
        EXPECT_EQ(*ir::asInt(buffer->strides[0]), 1);
        EXPECT_EQ(*ir::asInt(buffer->strides[1]), 8);
        EXPECT_EQ(*ir::asInt(buffer->strides[2]), 32);
    }
}

TEST(Array, NamesThatALoopCarriesBecomeCells)
{
    // `total` begins as an integer literal and becomes a float32 sum: the loop is traced again with the right type.
    const auto f = traced(kHead + "def f(x: tl.Tensor[(8,), float32]):\n    y = tl.empty((1,), dtype=float32)\n    total = 0\n"
                                  "    for i in range(8):\n        total = total + x[i]\n    y[0] = total\n    return y\n",
                          "f");
    ASSERT_TRUE(f);
    const std::string text = ir::print(*f).text;
    EXPECT_NE(text.find("total"), std::string::npos) << text;
    EXPECT_EQ(text.find("int32(total"), std::string::npos) << text;
}

TEST(Array, SlicesBeginAtIntegersOfAnyWidth)
{
    for (const char* type : {"int8", "uint16", "uint32", "int64"})
        EXPECT_TRUE(traced(kHead + "def f(i: tl.Tensor[(2,), " + type + "], x: tl.Tensor[(8,), float32]):\n    x[i[0] : i[0] + 4] = 0\n    return tl.sum(x[i[1]:])\n", "f")) << type;
}

TEST(Array, ShapesAndTypesAreChecked)
{
    EXPECT_NE(errorOf(kHead + "def f(x: tl.Tensor[(64, 32), float32], b: tl.Tensor[(64,), float32]):\n    return x + b\nc = tl.compile(f)\n")
                  .find("32 against 64"),
              std::string::npos);
    EXPECT_NE(errorOf(kHead + "def f(x: tl.Tensor[(8,), float16]) -> tl.Tensor[(8,), float32]:\n    return x\nc = tl.compile(f)\n").find("float16"),
              std::string::npos);
    EXPECT_NE(errorOf(kHead + "def f(x: tl.Tensor[(8,), float32]):\n    y = x\nc = tl.compile(f)\n").find("no effect"), std::string::npos);
    EXPECT_NE(errorOf(kHead + "def f(x: tl.Tensor[(8,), float32], n: int = 2):\n    return x\nc = tl.compile(f, options={'nn': 3})\n")
                  .find("did you mean `n`"),
              std::string::npos);
    EXPECT_NE(errorOf(kHead + "def f(i: tl.Tensor[(2,), int32], x: tl.Tensor[(8,), float32]):\n    return x[i[1]:]\nc = tl.compile(f)\n")
                  .find("must be known before the kernel runs"),
              std::string::npos);
    EXPECT_NE(errorOf(kHead + "def f(x: tl.Tensor[(~8, 4), float32]):\n    return x\nc = tl.compile(f)\n").find("an extent is -9"), std::string::npos);
}

}  // namespace tw::staging
