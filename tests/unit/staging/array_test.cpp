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

// bool, int and float are types in a kernel, too.
TEST(Array, PythonsTypesAreDtypes)
{
    const auto f = traced(kHead + "def f(k: tl.Tensor[(n,), bool]):\n    return k.astype(int), tl.zeros((4,), dtype=float), isinstance(3, int)\n", "f");
    ASSERT_TRUE(f);
    EXPECT_EQ(std::get<ir::Buffer>(f->params[0].value)->dtype, ir::kBool);
    EXPECT_EQ(std::get<ir::Buffer>(f->params[1].value)->dtype, ir::kInt32);
    EXPECT_EQ(std::get<ir::Buffer>(f->params[2].value)->dtype, ir::kFloat32);
}

TEST(Array, ACallsTensorsAgreeAboutExtents)
{
    const std::string text = kHead + "def f(x: tl.Tensor[(m, k), float32], y: tl.Tensor[(k, n), float32]):\n    return x @ y\n";
    const Surveyed good(text + "f(np.ones((4, 5), np.float32), np.ones((5, 7), np.float32))\n");
    ASSERT_FALSE(good.sink.hasErrors());
    EXPECT_EQ(good.program->find("f")->instances.back().dims, (Bindings{{"k", "5"}, {"m", "4"}, {"n", "7"}}));
    EXPECT_NE(errorOf(text + "f(np.ones((4, 5), np.float32), np.ones((6, 7), np.float32))\n").find("5 in `x`, but 6 in `y`"), std::string::npos);
}

// Overlays keep the extents open: a call's are for those alone that no tensor determines.
TEST(Array, OverlaysDoNotFixExtents)
{
    const Surveyed file(kHead + "def f(x: tl.Tensor[(n,), float32], a: float = 2.0):\n    return x * a\nf(np.ones(1000, np.float32))\n");
    DiagnosticSink sink;
    TraceRequest request;
    request.kernel = "f";
    request.params = {{"a", "0.5"}};
    const TraceResult result = trace(*file.program, request, plainOptions(), sink);
    ASSERT_TRUE(result.function);
    EXPECT_EQ(result.function->symbols.size(), 1U);
    EXPECT_EQ(result.instance.dims.at("n"), "1000");
}

TEST(Array, LiteralsFitAndGridsReach)
{
    EXPECT_NE(errorOf(kHead + "def f(x: tl.Tensor[(4,), int8]):\n    return x + 1000\n").find("1000 does not fit int8"), std::string::npos);
    EXPECT_NE(errorOf(kHead + "def f(x: tl.Tensor[(4,), uint8]):\n    x[0] = -1\n").find("-1 does not fit uint8"), std::string::npos);
    EXPECT_EQ(errorOf(kHead + "def f(x: tl.Tensor[(4,), int8]):\n    return x + 100, x > 1000\n"), "");
    const std::string grid = kHead + "def f(x: tl.Tensor[(100,), float32]):\n    return x * 2.0\n"
                                     "tl.compile(f, options={'grid_size': (N,), 'tile': {0: 32}})(np.ones(100, np.float32))\n";
    const auto with = [&](const std::string& blocks) { return std::string(grid).replace(grid.find("(N,)") + 1, 1, blocks); };
    EXPECT_EQ(errorOf(with("4")), "");
    EXPECT_NE(errorOf(with("2")).find("64 of 100"), std::string::npos);
}

// Tensor instructions are for products, which loops may spell, too; an update by an outer product is none.
TEST(Array, LoopsSpellProducts)
{
    const auto with = [](const std::string& body) {
        return "import numpy as np\nimport tilelang as tl\n@tl.kernel\ndef f(A: tl.Tensor[(8, 8), float16], B: tl.Tensor[(8, 8), float16]):\n"
               "    C = tl.zeros((8, 8), dtype=float32)\n    for i in range(8):\n        for j in range(8):\n" + body + "    return C\n"
               "x = np.ones((8, 8), np.float16)\ntl.compile(f, options={'use_tensor_core': True})(x, x)\n";
    };
    EXPECT_EQ(errorOf(with("            for k in range(8):\n                C[i, j] += A[i, k] * B[k, j]\n")), "");
    EXPECT_EQ(errorOf(with("            s = 0.0\n            for k in range(8):\n                s += A[i, k] * B[j, k]\n            C[i, j] = s\n")), "");
    EXPECT_NE(errorOf(with("            C[i, j] += A[i, 0] * B[0, j]\n")).find("no matrix product"), std::string::npos);
    EXPECT_NE(errorOf(with("            C[i, j] += A[i, j] * B[i, j]\n")).find("no matrix product"), std::string::npos);
}

}  // namespace tw::staging
