// mma instructions with operands laid out as the PTX manual's tables say.
#include <fmt/format.h>

#include "sim_kernel.h"

namespace tw::sim {
namespace {

// Rows and columns of value v of lane l (g = l // 4, q = l % 4): A (m, k), B (n, k), C (m, n). PTX ISA, "Matrix Fragments for mma".
struct Shape {
    const char *type, *sums;
    int m, n, k;
    const char *aRow, *aColumn, *bRow, *bColumn;
};

class Mma : public testing::TestWithParam<Shape> {};

TEST_P(Mma, multiplies)
{
    const Shape& s = GetParam();
    const int a = s.m * s.k / 32, b = s.n * s.k / 32, c = s.m * s.n / 32;
    SimKernel kernel(fmt::format(R"(
@T.prim_func
def f(A: T.Tensor(({m}, {k}), "{type}"), B: T.Tensor(({n}, {k}), "{type}"), C: T.Tensor(({m}, {n}), "{sums}")):
    tw.function(stage="thread")
    with T.Kernel(1, threads=32):
        l = T.get_thread_binding()
        a = T.alloc_local(({a},), "{type}")
        b = T.alloc_local(({b},), "{type}")
        c = T.alloc_local(({c},), "{sums}")
        g = l // 4
        q = l % 4
        for v in T.unroll({a}):
            a[v] = A[{ar}, {ac}]
        for v in T.unroll({b}):
            b[v] = B[{br}, {bc}]
        for v in T.unroll({c}):
            c[v] = 1
        tw.op("ptx_mma", a[0], b[0], c[0], shape="m{m}n{n}k{k}", type="{type}")
        for v in T.unroll({c}):
            C[g + 8 * (v // 2), 2 * q + v % 2] = c[v]
)",
                                 fmt::arg("m", s.m), fmt::arg("n", s.n), fmt::arg("k", s.k), fmt::arg("type", s.type), fmt::arg("sums", s.sums),
                                 fmt::arg("a", a), fmt::arg("b", b), fmt::arg("c", c), fmt::arg("ar", s.aRow), fmt::arg("ac", s.aColumn),
                                 fmt::arg("br", s.bRow), fmt::arg("bc", s.bColumn)));
    const auto valueA = [](std::int64_t x) { return static_cast<double>(x * 5 % 7 % 4) - 1; };
    const auto valueB = [](std::int64_t x) { return static_cast<double>(x * 3 % 11 % 4) - 2; };
    for (const char* name : {"A", "B"}) {
        interp::Tensor& t = kernel.tensor(name);
        for (std::int64_t x = 0; x < t.elementCount(); ++x) {
            const double value = *name == 'A' ? valueA(x) : valueB(x);
            t.dtype.isFloating() ? t.setFloat(x, value) : t.setInt(x, static_cast<std::int64_t>(value));
        }
    }
    kernel.run();
    ASSERT_TRUE(kernel.result.ok) << kernel.said();
    const interp::Tensor& got = kernel.tensor("C");
    for (int i = 0; i < s.m; ++i)
        for (int j = 0; j < s.n; ++j) {
            double sum = 1;
            for (int p = 0; p < s.k; ++p)
                sum += valueA(i * s.k + p) * valueB(j * s.k + p);
            const double value = got.dtype.isFloating() ? got.floatAt(i * s.n + j) : static_cast<double>(got.intAt(i * s.n + j));
            EXPECT_EQ(value, sum) << i << ", " << j;
        }
}

INSTANTIATE_TEST_SUITE_P(
    Types, Mma,
    testing::Values(Shape{"float16", "float32", 16, 8, 16, "g + 8 * (v // 2 % 2)", "2 * q + v % 2 + 8 * (v // 4)", "g", "2 * q + v % 2 + 8 * (v // 2)"},
                    Shape{"bfloat16", "float32", 16, 8, 16, "g + 8 * (v // 2 % 2)", "2 * q + v % 2 + 8 * (v // 4)", "g", "2 * q + v % 2 + 8 * (v // 2)"},
                    Shape{"float16", "float16", 16, 8, 8, "g + 8 * (v // 2)", "2 * q + v % 2", "g", "2 * q + v"},
                    Shape{"float16", "float16", 16, 8, 16, "g + 8 * (v // 2 % 2)", "2 * q + v % 2 + 8 * (v // 4)", "g", "2 * q + v % 2 + 8 * (v // 2)"},
                    Shape{"int8", "int32", 16, 8, 32, "g + 8 * (v // 4 % 2)", "4 * q + v % 4 + 16 * (v // 8)", "g", "4 * q + v % 4 + 16 * (v // 4)"},
                    Shape{"int8", "int32", 8, 8, 16, "g", "4 * q + v", "g", "4 * q + v"},
                    Shape{"float8_e4m3", "float32", 16, 8, 32, "g + 8 * (v // 4 % 2)", "4 * q + v % 4 + 16 * (v // 8)", "g",
                          "4 * q + v % 4 + 16 * (v // 4)"},
                    Shape{"int4", "int32", 16, 8, 64, "g + 8 * (v // 8 % 2)", "8 * q + v % 8 + 32 * (v // 16)", "g",
                          "8 * q + v % 8 + 32 * (v // 8)"},
                    Shape{"float64", "float64", 8, 8, 4, "g", "q", "g", "q"}));

TEST(StMatrix, writesWhatLdMatrixReads)
{
    SimKernel kernel(R"(
@T.prim_func
def f(X: T.Tensor((16, 16), "float16"), Y: T.Tensor((16, 16), "float16"), Z: T.Tensor((16, 16), "float16")):
    tw.function(stage="thread")
    with T.Kernel(1, threads=32):
        l = T.get_thread_binding()
        s = T.alloc_shared((256,), "float16")
        r = T.alloc_local((8,), "float16")
        for v in T.unroll(8):
            s[l * 8 + v] = X[l // 2, l % 2 * 8 + v]
        T.sync_warp()
        tw.op("ptx_ldmatrix", r[0], s[l % 16 * 16 + l // 16 * 8], num=4, trans=True)
        for v in T.unroll(8):
            Y[l // 4 + v // 4 * 8, l % 4 * 2 + v % 2 + v // 2 % 2 * 8] = r[v]
        T.sync_warp()
        tw.op("ptx_stmatrix", s[l % 16 * 16 + l // 16 * 8], r[0], num=4, trans=True)
        T.sync_warp()
        for v in T.unroll(8):
            Z[l // 2, l % 2 * 8 + v] = s[l * 8 + v]
)");
    kernel.fill("X", [](auto k) { return k; });
    kernel.run();
    ASSERT_TRUE(kernel.result.ok) << kernel.said();
    for (int i = 0; i < 16; ++i)
        for (int j = 0; j < 16; ++j) {
            EXPECT_EQ(kernel.at("Z", i * 16 + j), i * 16 + j);
            EXPECT_EQ(kernel.at("Y", i * 16 + j), j * 16 + i);  // all four matrices and their places are transposed
        }
}

}  // namespace
}  // namespace tw::sim
