// The minimal conformance tests of the language (language.md g.5), those that a run can show.
#include "core/ir/number.h"
#include "text_kernel.h"

namespace tw::interp {
namespace {

TEST(Conformance, anchor)
{
    TextKernel k(R"(
@T.prim_func
def f(A: T.Tensor((40, 70), T.float32), S: T.Tensor((64, 128), T.float32), B: T.Tensor((40, 70), T.float32)):
    with T.Kernel(2, 2, threads=128) as (by, bx):
        s = T.alloc_shared((32, 64), T.float32)
        T.copy(A[bx * 32, by * 64], s)
        T.copy(s, S[bx * 32, by * 64])
        T.copy(s, B[bx * 32, by * 64])
)",
                 "f");
    k.fill("A", [](auto i) { return i + 1; });
    k.runWell();
    for (int i = 0; i < 64; ++i)
        for (int j = 0; j < 128; ++j)
            ASSERT_EQ(k.at("S", i * 128 + j), i < 40 && j < 70 ? i * 70 + j + 1 : 0);
    for (int x = 0; x < 40 * 70; ++x)
        ASSERT_EQ(k.at("B", x), x + 1);
}

TEST(Conformance, anchorTrailing)
{
    TextKernel k(R"(
@T.prim_func
def f(A: T.Tensor((2, 3, 64, 16), T.int32), B: T.Tensor((2, 64, 3, 16), T.int32), O: T.Tensor((2, 32, 16), T.int32)):
    with T.Kernel(1, threads=64):
        s = T.alloc_shared((32, 16), T.int32)
        T.copy(A[1, 2, 32, 0], s)
        T.copy(s, O[0, 0, 0])
        T.copy(B[1, 32:64, 2, :], s)
        T.copy(s, O[1, 0, 0])
)",
                 "f");
    k.fill("A", [](auto x) { return x; });
    k.fill("B", [](auto x) {  // the same numbers, axes 1 and 2 exchanged
        const auto b = x / (64 * 3 * 16), i = x / (3 * 16) % 64, h = x / 16 % 3, d = x % 16;
        return ((b * 3 + h) * 64 + i) * 16 + d;
    });
    k.runWell();
    for (int x = 0; x < 512; ++x) {
        EXPECT_EQ(k.at("O", x), ((1 * 3 + 2) * 64 + 32) * 16 + x);
        EXPECT_EQ(k.at("O", 512 + x), k.at("O", x));
    }
}

TEST(Conformance, promotion)
{
    TextKernel k(R"(
@T.prim_func
def f(H: T.Tensor((64,), T.float16), A: T.Tensor((64,), T.float16), B: T.Tensor((64,), T.float16)):
    with T.Kernel(1, threads=64):
        for i in T.Parallel(64):
            A[i] = H[i] * 0.3 + 3.0
            B[i] = H[i] * T.float16(0.3) + T.float16(3.0)
)",
                 "f");
    k.fill("H", [](auto i) { return 1 + i * 0.37; });
    k.runWell();
    int different = 0;
    for (int i = 0; i < 64; ++i) {
        const double h = k.at("H", i);
        const float wide = static_cast<float>(h) * 0.3F + 3.0F;
        const double product = ir::roundTo(ir::kFloat16, h * ir::roundTo(ir::kFloat16, 0.3));
        EXPECT_EQ(k.at("A", i), ir::roundTo(ir::kFloat16, static_cast<double>(wide)));
        EXPECT_EQ(k.at("B", i), ir::roundTo(ir::kFloat16, product + 3.0));
        different += k.at("A", i) != k.at("B", i);
    }
    EXPECT_GT(different, 0);
}

TEST(Conformance, letVariableAndSwap)
{
    TextKernel k(R"(
@T.prim_func
def f(S: T.Tensor((16,), T.int32), O: T.Tensor((3,), T.int32)):
    with T.Kernel(1, threads=1):
        x = S[0]
        S[0] = 1000
        O[0] = x
        v = T.alloc_var(T.int32)
        for i in T.serial(10):
            v += 1
        O[1] = v
        O[2] = S[0]
        S[0] = x
        for step in T.serial(16):
            for j in T.serial(7 + (step + 1) % 2):
                a = 2 * j + step % 2
                if S[a] > S[a + 1]:
                    S[a], S[a + 1] = S[a + 1], S[a]
)",
                 "f");
    k.fill("S", [](auto i) { return i * 7 % 16; });
    k.runWell();
    EXPECT_EQ(k.at("O", 0), 0);
    EXPECT_EQ(k.at("O", 1), 10);
    EXPECT_EQ(k.at("O", 2), 1000);
    for (int i = 0; i < 16; ++i)
        EXPECT_EQ(k.at("S", i), i);
}

TEST(Conformance, runtimeIfAndBreak)
{
    TextKernel k(R"(
@T.prim_func
def f(X: T.Tensor((50,), T.int32), n: T.int32, O: T.Tensor((8,), T.int32), At: T.Tensor((1,), T.int32)):
    with T.Kernel(8, threads=1) as bx:
        O[bx] = 0
        if bx < n:
            O[bx] = bx + 1
        if bx == 0:
            i = T.alloc_var(T.int32, 0)
            while i < 50:
                if X[i] == 77:
                    break
                i += 1
            At[0] = i
)",
                 "f");
    k.arguments.scalars["n"] = std::int64_t{3};
    k.fill("X", [](auto i) { return i == 31 ? 77 : i; });
    k.runWell();
    EXPECT_EQ(k.at("At", 0), 31);
    for (int i = 0; i < 8; ++i)
        EXPECT_EQ(k.at("O", i), i < 3 ? i + 1 : 0);
}

// Every operand form, transposition and element type; K is no multiple of the tile.
TEST(Conformance, productsRoundToTf32OnRequest)
{
    TextKernel k(R"(
@T.prim_func
def f(A: T.Tensor((16, 16), T.float32), B: T.Tensor((16, 16), T.float32), C: T.Tensor((16, 16), T.float32)):
    with T.Kernel(1, threads=32) as bx:
        a = T.alloc_shared((16, 16), T.float32)
        b = T.alloc_shared((16, 16), T.float32)
        c = T.alloc_fragment((16, 16), T.float32)
        T.copy(A, a)
        T.copy(B, b)
        T.gemm(a, b, c, clear_accum=True)
        T.copy(c, C)
)",
                 "f");
    k.fill("A", [](std::int64_t x) { return x % 17 == 0 ? 1 + std::ldexp(1.0, -12) : 0; });  // a diagonal; TF32 has 10 bits
    k.fill("B", [](std::int64_t x) { return x % 17 == 0 ? 3 : 0; });
    ASSERT_TRUE(k.run());
    EXPECT_EQ(k.at("C", 0), 3 + 3 * std::ldexp(1.0, -12));
    RunOptions options;
    options.tf32Products = true;
    ASSERT_TRUE(k.run(options));
    EXPECT_EQ(k.at("C", 0), 3);
}

TEST(Conformance, gemmAll)
{
    const char* text = R"(
def make(dtype, acc, ta, tb, form, M=64, N=32, K=40, bK=16):
    a_shape = (K, M) if ta else (M, K)
    b_shape = (N, K) if tb else (K, N)
    @T.prim_func
    def main(A: T.Tensor(a_shape, dtype), B: T.Tensor(b_shape, dtype), C: T.Tensor((M, N), acc)):
        with T.Kernel(1, threads=128):
            a = T.alloc_shared((bK, M) if ta else (M, bK), dtype)
            b = T.alloc_shared((N, bK) if tb else (bK, N), dtype)
            af = T.alloc_fragment((bK, M) if ta else (M, bK), dtype)
            bf = T.alloc_fragment((N, bK) if tb else (bK, N), dtype)
            c = T.alloc_fragment((M, N), acc)
            for k in T.Pipelined(T.ceildiv(K, bK), num_stages=2):
                if ta:
                    T.copy(A[k * bK, 0], a)
                else:
                    T.copy(A[0, k * bK], a)
                if tb:
                    T.copy(B[0, k * bK], b)
                else:
                    T.copy(B[k * bK, 0], b)
                if form == "ss":
                    T.gemm(a, b, c, transpose_A=ta, transpose_B=tb, clear_accum=(k == 0))
                elif form == "rs":
                    T.copy(a, af)
                    T.gemm(af, b, c, transpose_A=ta, transpose_B=tb, clear_accum=(k == 0))
                else:
                    T.copy(b, bf)
                    T.gemm(a, bf, c, transpose_A=ta, transpose_B=tb, clear_accum=(k == 0))
            T.copy(c, C)
    return main
)";
    for (const auto& [type, acc] : {std::pair{"float16", "float32"}, {"bfloat16", "float32"}, {"float32", "float32"},
                                    {"int8", "int32"}, {"float64", "float64"}})
        for (const bool ta : {false, true})
            for (const bool tb : {false, true})
                for (const char* form : {"ss", "rs", "sr"}) {
                    TextKernel k(text, "make",
                                 {{"dtype", std::string("'") + type + "'"}, {"acc", std::string("'") + acc + "'"},
                                  {"ta", ta ? "True" : "False"}, {"tb", tb ? "True" : "False"},
                                  {"form", std::string("'") + form + "'"}});
                    k.fill("A", [](auto x) { return x * 7 % 11 - 5; });
                    k.fill("B", [](auto x) { return x * 5 % 9 - 4; });
                    k.runWell();
                    for (int i = 0; i < 64; ++i)
                        for (int j = 0; j < 32; ++j) {
                            int sum = 0;
                            for (int p = 0; p < 40; ++p)
                                sum += ((ta ? p * 64 + i : i * 40 + p) * 7 % 11 - 5) * ((tb ? j * 40 + p : p * 32 + j) * 5 % 9 - 4);
                            ASSERT_EQ(k.at("C", i * 32 + j), sum) << type << ta << tb << form << " " << i << " " << j;
                        }
                }
}

TEST(Conformance, pipelineTripCounts)
{
    for (const int trips : {0, 1, 2, 5}) {
        TextKernel k(R"(
@T.prim_func
def f(A: T.Tensor((160,), T.int32), n: T.int32, O: T.Tensor((32,), T.int32)):
    with T.Kernel(1, threads=32):
        s = T.alloc_shared((32,), T.int32)
        acc = T.alloc_fragment((32,), T.int32)
        T.clear(acc)
        for k in T.Pipelined(n, num_stages=3):
            T.copy(A[k * 32], s)
            for i in T.Parallel(32):
                acc[i] += s[i]
        T.copy(acc, O)
)",
                     "f");
        k.arguments.scalars["n"] = std::int64_t{trips};
        k.fill("A", [](auto x) { return x; });
        k.runWell();
        for (int i = 0; i < 32; ++i)
            EXPECT_EQ(k.at("O", i), trips * i + 32 * (trips * (trips - 1) / 2));
    }
}

TEST(Conformance, reduceKinds)
{
    struct Kind {
        const char* name;
        std::int64_t (*combine)(std::int64_t, std::int64_t);
        std::int64_t start;
    };
    const Kind kinds[] = {{"sum", [](auto a, auto b) { return a + b; }, 0},
                          {"max", [](auto a, auto b) { return std::max(a, b); }, -1000},
                          {"min", [](auto a, auto b) { return std::min(a, b); }, 1000},
                          {"abssum", [](auto a, auto b) { return a + std::abs(b); }, 0},
                          {"absmax", [](auto a, auto b) { return std::max(a, std::abs(b)); }, 0},
                          {"bitand", [](auto a, auto b) { return a & b; }, -1},
                          {"bitor", [](auto a, auto b) { return a | b; }, 0},
                          {"bitxor", [](auto a, auto b) { return a ^ b; }, 0}};
    for (const Kind& kind : kinds)
        for (const int dim : {0, 1, -1}) {
            TextKernel k(std::string(R"(
def make(dim):
    n = 6 if dim == 0 else 5
    @T.prim_func
    def f(A: T.Tensor((5, 6), T.int32), O: T.Tensor((n,), T.int32), Q: T.Tensor((5, 6), T.int32)):
        with T.Kernel(1, threads=64):
            a = T.alloc_fragment((5, 6), T.int32)
            o = T.alloc_fragment((n,), T.int32)
            T.copy(A, a)
            T.reduce_)") + kind.name + R"((a, o, dim=dim)
            T.copy(o, O)
            for i, j in T.Parallel(5, 6):
                a[i, j] = a[i, j] - o[j if dim == 0 else i]
            T.copy(a, Q)
    return f
)",
                         "make", {{"dim", std::to_string(dim)}});
            k.fill("A", [](auto x) { return x * 29 % 53 - 20; });
            k.runWell();
            const bool rows = dim != 0;
            for (int r = 0; r < (rows ? 5 : 6); ++r) {
                std::int64_t want = kind.start;
                for (int c = 0; c < (rows ? 6 : 5); ++c)
                    want = kind.combine(want, static_cast<std::int64_t>(k.at("A", rows ? r * 6 + c : c * 6 + r)));
                EXPECT_EQ(k.at("O", r), static_cast<double>(want)) << kind.name << " " << dim;
            }
            EXPECT_EQ(k.at("Q", 13), k.at("A", 13) - k.at("O", rows ? 2 : 1));
        }
}

}  // namespace
}  // namespace tw::interp
