// Conformance (language.md g.5): reducers, atomics, shapes and types known at run time.
#include "core/ir/number.h"
#include "text_kernel.h"

namespace tw::interp {
namespace {

TEST(Conformance, reducerAndScan)
{
    TextKernel k(R"(
@T.prim_func
def f(A: T.Tensor((4, 37), T.float16), S: T.Tensor((4,), T.float16), L: T.Tensor((4,), T.float32), P: T.Tensor((4, 37), T.float32)):
    with T.Kernel(1, threads=64):
        a = T.alloc_shared((4, 37), T.float16)
        p = T.alloc_shared((4, 37), T.float32)
        T.copy(A, a)
        T.copy(A, p)
        acc = T.alloc_reducer((4,), T.float16, op="sum")
        T.reducer_init(acc)
        for i, k in T.Parallel(4, 37):
            T.reducer_update(acc[i], a[i, k])
        s = T.alloc_fragment((4,), T.float16)
        T.finalize_reducer(acc, s)
        T.copy(s, S)
        legacy = T.alloc_reducer((4,), T.float32, op="sum", replication="all")
        T.clear(legacy)
        for i, k in T.Parallel(4, 37):
            legacy[i] += T.cast(a[i, k], T.float32)
        T.finalize_reducer(legacy)
        T.copy(legacy, L)
        T.cumsum(p, dim=1)
        T.cumsum(p, dim=0, reverse=True)
        T.copy(p, P)
)",
                 "f");
    k.fill("A", [](auto x) { return x % 13 * 64; });
    k.runWell();
    double below[37] = {};
    for (int i = 3; i >= 0; --i) {
        double sum = 0;
        for (int c = 0; c < 37; ++c) {
            sum += k.at("A", i * 37 + c);
            below[c] += sum;
            EXPECT_EQ(k.at("P", i * 37 + c), below[c]);
        }
        EXPECT_EQ(k.at("L", i), sum);
        EXPECT_EQ(k.at("S", i), ir::roundTo(ir::kFloat16, sum));
    }
}

TEST(Conformance, atomicOnce)
{
    TextKernel k(R"(
@T.prim_func
def f(A: T.Tensor((8, 16), T.int32), O: T.Tensor((1,), T.int32), P: T.Tensor((4,), T.int32)):
    with T.Kernel(1, threads=128):
        a = T.alloc_fragment((8, 16), T.int32)
        s = T.alloc_fragment((8,), T.int32)
        T.copy(A, a)
        T.reduce_sum(a, s, dim=1)
        for i in T.Parallel(8):
            T.atomic_add(O[0], s[i])
        old = T.atomic_add(P[0], 1, return_prev=True)
        T.atomic_max(P[1], old)
        T.atomic_min(P[2], T.get_thread_binding() - 5)
        T.atomic_or(P[3], 1 << (T.get_thread_binding() % 8))
)",
                 "f");
    k.fill("A", [](auto x) { return x; });
    k.fill("O", [](auto) { return 0; });
    k.fill("P", [](auto) { return 0; });
    k.runWell();
    EXPECT_EQ(k.at("O", 0), 127 * 128 / 2);
    EXPECT_EQ(k.at("P", 0), 128);
    EXPECT_EQ(k.at("P", 1), 127);
    EXPECT_EQ(k.at("P", 2), -5);
    EXPECT_EQ(k.at("P", 3), 255);
}

// 258 + (0.5 + 0.498046875) in bfloat16, whose neighbours are 2 apart here: 258 where the whole sum is rounded once; a sum
// rounded by itself is 1, and 259 would go to the even 260.
TEST(Conformance, sumsWithWhatWasThereRoundOnce)
{
    TextKernel k(R"(
@T.prim_func
def f(A: T.Tensor((4, 2), T.bfloat16), O: T.Tensor((4,), T.bfloat16)):
    with T.Kernel(1, threads=32):
        a = T.alloc_fragment((4, 2), T.bfloat16)
        s = T.alloc_fragment((4,), T.bfloat16)
        T.copy(A, a)
        T.fill(s, 258)
        T.reduce_sum(a, s, dim=1, clear=False)
        T.copy(s, O)
)",
                 "f");
    k.fill("A", [](auto x) { return x % 2 == 0 ? 0.5 : 0.498046875; });
    k.runWell();
    for (int row = 0; row < 4; ++row)
        EXPECT_EQ(k.at("O", row), 258);
}

TEST(Conformance, dynamicAndStrided)
{
    for (const int m : {1, 7, 40}) {
        TextKernel k(R"(
m = T.dynamic("m")
@T.prim_func
def f(A: T.Tensor((m, 8), T.float32), B: T.StridedTensor((8, m), (1, 8), T.float32)):
    with T.Kernel(T.ceildiv(m, 16), threads=64) as bx:
        for i, j in T.Parallel(16, 8):
            B[j, bx * 16 + i] = A[bx * 16 + i, j] + m
)",
                     "f", {}, {{"m", std::to_string(m)}});
        k.fill("A", [](auto x) { return x; });
        k.runWell();
        for (int i = 0; i < m; ++i)
            for (int j = 0; j < 8; ++j)
                EXPECT_EQ(k.at("B", j * m + i), i * 8 + j + m);
    }
}

TEST(Conformance, pointer)
{
    TextKernel k(R"(
@T.prim_func
def f(p: T.ptr, n: T.int32, O: T.Tensor((12,), T.float32)):
    with T.Kernel(1, threads=32):
        A = T.make_tensor(p, (n, 4), T.float32)
        Bt = T.make_tensor(p, (4, n), T.float32, strides=(1, 4))
        for i, j in T.Parallel(3, 4):
            O[i * 4 + j] = A[i, j] * 2.0 + Bt[j, i]
)",
                 "f");
    Tensor t = makeTensor(ir::kFloat32, {3, 4});
    for (int x = 0; x < 12; ++x)
        t.setFloat(x, x);
    k.arguments.tensors["p"] = t;
    k.arguments.scalars["n"] = std::int64_t{3};
    k.runWell();
    for (int x = 0; x < 12; ++x)
        EXPECT_EQ(k.at("O", x), x * 3);
}

TEST(Conformance, emptyOutputsAndConst)
{
    TextKernel k(R"(
@tilelang.jit
def f(A):
    M, N = T.const("M, N")
    A: T.Tensor((M, N), T.int32)
    B = T.empty((M, N // 2), T.int32)
    C = T.empty((M,), T.int32)
    with T.Kernel(M, threads=32) as bx:
        for j in T.Parallel(N // 2):
            B[bx, j] = A[bx, 2 * j] + A[bx, 2 * j + 1]
        C[bx] = A[bx, N - 1]
    return C, B
)",
                 "f", {}, {{"M", "3"}, {"N", "10"}});
    k.fill("A", [](auto x) { return x; });
    k.runWell();
    for (int i = 0; i < 3; ++i) {
        EXPECT_EQ(k.returned(0, i), i * 10 + 9);
        for (int j = 0; j < 5; ++j)
            EXPECT_EQ(k.returned(1, i * 5 + j), 2 * (i * 10 + 2 * j) + 1);
    }
}

TEST(Conformance, macroReference)
{
    TextKernel k(R"(
@T.macro
def bump(x: T.Ref, by):
    x = x + by

@T.prim_func
def f(O: T.Tensor((4,), T.int32)):
    with T.Kernel(1, threads=1):
        v = T.alloc_var(T.int32, 5)
        bump(v, 2)
        O[0] = v
        for i in T.serial(3):
            O[i + 1] = 10 * i
            bump(O[i + 1], v)
)",
                 "f");
    k.runWell();
    EXPECT_EQ(k.at("O", 0), 7);
    for (int i = 0; i < 3; ++i)
        EXPECT_EQ(k.at("O", i + 1), 10 * i + 7);
}

TEST(Conformance, persistentAndSwizzle)
{
    for (const auto& [m, n] : {std::pair{7, 11}, {1, 5}, {16, 16}, {9, 3}}) {
        TextKernel k(R"(
def make(m, n):
    @T.prim_func
    def f(C: T.Tensor((m, n), T.int32), D: T.Tensor((m, n), T.int32)):
        with T.Kernel(6, threads=1) as w:
            for i, j in T.Persistent([m, n], 6, w, group_size=4):
                T.atomic_add(C[i, j], 1)
        with T.Kernel(n, m, threads=1) as (bx, by):
            T.use_swizzle(4)
            T.atomic_add(D[by, bx], 1)
    return f
)",
                     "make", {{"m", std::to_string(m)}, {"n", std::to_string(n)}});
        k.fill("C", [](auto) { return 0; });
        k.fill("D", [](auto) { return 0; });
        k.runWell();
        for (int x = 0; x < m * n; ++x) {
            EXPECT_EQ(k.at("C", x), 1);
            EXPECT_EQ(k.at("D", x), 1);
        }
    }
}

TEST(Conformance, fp8RoundTrip)
{
    TextKernel k(R"(
@T.prim_func
def f(X: T.Tensor((64,), T.float32), A: T.Tensor((64,), T.float8_e4m3fn), B: T.Tensor((64,), T.float8_e5m2), Y: T.Tensor((64,), T.float32)):
    with T.Kernel(1, threads=64):
        s = T.alloc_shared((64,), T.float8_e4m3fn)
        T.copy(X, s)
        T.copy(s, A)
        for i in T.Parallel(64):
            B[i] = T.cast(X[i], T.float8_e5m2)
            Y[i] = T.cast(s[i], T.float32)
)",
                 "f");
    k.fill("X", [](auto x) { return (x % 2 == 0 ? 1 : -1) * std::exp2(static_cast<double>(x) / 2 - 12) * 1.3; });
    k.runWell();
    for (int x = 0; x < 64; ++x) {
        const double want = ir::roundTo(*ir::parseDType("float8_e4m3fn"), k.at("X", x));
        EXPECT_EQ(k.at("A", x), want);
        EXPECT_EQ(k.at("Y", x), want);
        EXPECT_EQ(k.at("B", x), ir::roundTo(*ir::parseDType("float8_e5m2"), k.at("X", x)));
        EXPECT_LE(std::fabs(k.at("A", x)), 448.0);
    }
}

TEST(Conformance, packedInt4ByShifts)
{
    TextKernel k(R"(
@T.prim_func
def f(P: T.Tensor((32,), T.uint8), O: T.Tensor((64,), T.int8)):
    with T.Kernel(1, threads=64):
        for i in T.Parallel(64):
            nibble = T.cast((P[i // 2] >> (4 * (i % 2))) & 15, T.int8)
            O[i] = (nibble ^ 8) - 8
)",
                 "f");
    k.fill("P", [](auto x) { return x * 37 % 256; });
    k.runWell();
    for (int i = 0; i < 64; ++i) {
        const int nibble = (i / 2 * 37 % 256) >> (4 * (i % 2)) & 15;
        EXPECT_EQ(k.at("O", i), nibble >= 8 ? nibble - 16 : nibble);
    }
}

TEST(Conformance, boundsOff)
{
    const std::string body = R"(
@tilelang.jit(out_idx=[1]@)
def g():
    @T.prim_func
    def f(A: T.Tensor((10,), T.int32), O: T.Tensor((16,), T.int32)):
        with T.Kernel(1, threads=16):
            for i in T.Parallel(16):
                O[i] = A[i]
    return f
)";
    const auto with = [&](const std::string& options) {
        std::string text = body;
        return text.replace(text.find("@)"), 1, options);
    };
    TextKernel guarded(with(""), "g");
    guarded.fill("A", [](auto x) { return x + 1; });
    guarded.runWell();
    EXPECT_EQ(guarded.at("O", 12), 0);
    TextKernel open(with(", pass_configs={\"tl.disable_safe_memory_legalize\": True}"), "g");
    open.fill("A", [](auto x) { return x + 1; });
    EXPECT_FALSE(open.run());
    ASSERT_EQ(open.diagnostics.size(), 1U);
    EXPECT_EQ(open.diagnostics[0].code, Code::kOutOfBounds);
}

}  // namespace
}  // namespace tw::interp
