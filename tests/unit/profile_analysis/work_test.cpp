// Operations and bytes of small programs, counted by hand.
#include <gtest/gtest.h>

#include "profiler/analysis/work.h"
#include "tests/unit/interp/text_kernel.h"

namespace tw::profile_analysis {
namespace {

Work count(const std::string& body, const Values& values = {}, staging::Bindings params = {})
{
    const interp::TextKernel kernel(body, "kernel", std::move(params));
    return kernel.function ? workOf(*kernel.function, values) : Work{};
}

const OperationWork& named(const Work& work, const std::string& start)
{
    for (const LaunchWork& l : work.launches)
        for (const OperationWork& op : l.operations)
            if (op.name.starts_with(start))
                return op;
    ADD_FAILURE() << "no operation " << start;
    static const OperationWork none;
    return none;
}

constexpr const char* kGemm = R"(
@T.prim_func
def kernel(A: T.Tensor((M, K), T.float16), B: T.Tensor((K, N), T.float16), C: T.Tensor((M, N), T.float16)):
    with T.Kernel(T.ceildiv(N, 64), T.ceildiv(M, 64), threads=128) as (bx, by):
        a = T.alloc_shared((64, 32), T.float16)
        b = T.alloc_shared((32, 64), T.float16)
        c = T.alloc_fragment((64, 64), T.float32)
        T.clear(c)
        for k in T.Pipelined(T.ceildiv(K, 32), num_stages=2):
            T.copy(A[by * 64, k * 32], a)
            T.copy(B[k * 32, bx * 64], b)
            T.gemm(a, b, c)
        T.copy(c, C[by * 64, bx * 64])
)";

std::string gemm(int m, int n, int k) { return "M, N, K = " + std::to_string(m) + ", " + std::to_string(n) + ", " + std::to_string(k) + "\n" + kGemm; }

TEST(Work, ProductOfWholeTiles)
{
    const Work work = count(gemm(256, 128, 96));
    ASSERT_EQ(work.launches.size(), 1U);
    EXPECT_TRUE(work.isExact);
    EXPECT_EQ(work.launches[0].blocks, 2 * 4);
    const OperationWork& product = named(work, "gemm");
    EXPECT_EQ(product.tensorFlops, 2.0 * 256 * 128 * 96);
    EXPECT_EQ(product.executions, 8 * 3);
    EXPECT_EQ(product.shared.read, 8.0 * 3 * (64 * 32 + 32 * 64) * 2);
    // Every block reads its rows of A and columns of B.
    EXPECT_EQ(named(work, "copy A").global.read, 8.0 * 64 * 96 * 2);
    EXPECT_EQ(named(work, "copy A").shared.written, 8.0 * 64 * 96 * 2);
    EXPECT_TRUE(named(work, "copy A").isLoad);
    EXPECT_EQ(named(work, "copy A").blockAxes, 2U);
    EXPECT_EQ(named(work, "copy B").blockAxes, 1U);
    EXPECT_EQ(named(work, "copy c").global.written, 256.0 * 128 * 2);
    EXPECT_EQ(work.least.read, (256.0 * 96 + 96 * 128) * 2);
    EXPECT_EQ(work.least.written, 256.0 * 128 * 2);
    ASSERT_EQ(work.launches[0].loops.size(), 1U);
    EXPECT_EQ(work.launches[0].loops[0].stages, 2);
    EXPECT_EQ(work.launches[0].loops[0].tripsEach(), 3);
}

TEST(Work, TailsAreMultipliedButNotMoved)
{
    // 100 x 70 x 40: 2 x 2 blocks, 2 steps of k; tiles are whole for the tensor cores, clipped in memory.
    const Work work = count(gemm(100, 70, 40));
    EXPECT_EQ(work.launches[0].blocks, 4);
    EXPECT_EQ(named(work, "gemm").tensorFlops, 4.0 * 2 * 2 * 64 * 64 * 32);
    EXPECT_EQ(named(work, "copy A").global.read, 2.0 * 100 * 40 * 2);  // by both columns of blocks
    EXPECT_EQ(named(work, "copy B").global.read, 2.0 * 70 * 40 * 2);
    EXPECT_EQ(named(work, "copy A").shared.written, 4.0 * 2 * 64 * 32 * 2);
    EXPECT_EQ(named(work, "copy c").global.written, 100.0 * 70 * 2);
    EXPECT_EQ(work.least.read, (100.0 * 40 + 40 * 70) * 2);
}

TEST(Work, LoopsThatDependOnTheBlock)
{
    // Block i runs i + 1 steps: 1 + 2 + 3 + 4 = 10.
    const Work work = count(R"(
@T.prim_func
def kernel(A: T.Tensor((256, 64), T.float32), B: T.Tensor((256, 64), T.float32)):
    with T.Kernel(4, threads=64) as bx:
        a = T.alloc_shared((64, 64), T.float32)
        for k in T.Pipelined(bx + 1, num_stages=2):
            T.copy(A[k * 64, 0], a)
            T.copy(a, B[bx * 64, 0])
)");
    EXPECT_TRUE(work.isExact);
    EXPECT_EQ(named(work, "copy A").executions, 10);
    EXPECT_EQ(named(work, "copy A").global.read, 10.0 * 64 * 64 * 4);
    EXPECT_EQ(work.launches[0].loops[0].tripsEach(), 2.5);
    EXPECT_EQ(work.least.read, 256.0 * 64 * 4);
}

TEST(Work, SoftmaxOfRows)
{
    const Work work = count(R"(
@T.prim_func
def kernel(X: T.Tensor((96, 512), T.float32), Y: T.Tensor((96, 512), T.float32)):
    with T.Kernel(T.ceildiv(96, 8), threads=128) as bx:
        x = T.alloc_fragment((8, 512), T.float32)
        m = T.alloc_fragment((8,), T.float32)
        s = T.alloc_fragment((8,), T.float32)
        T.copy(X[bx * 8, 0], x)
        T.reduce_max(x, m, dim=1)
        for i, j in T.Parallel(8, 512):
            x[i, j] = T.exp(x[i, j] - m[i])
        T.reduce_sum(x, s, dim=1)
        for i, j in T.Parallel(8, 512):
            x[i, j] = x[i, j] / s[i]
        T.copy(x, Y[bx * 8, 0])
)");
    const double elements = 96.0 * 512;
    EXPECT_EQ(named(work, "reduce_max").flops, elements);
    const OperationWork& exponent = named(work, "parallel i, j → x");
    EXPECT_EQ(exponent.flops, 2 * elements);  // difference, exponential
    EXPECT_EQ(exponent.special, elements);
    EXPECT_EQ(exponent.global.both(), 0);
    EXPECT_EQ(work.flops(), (1 + 2 + 1 + 1) * elements);
    EXPECT_EQ(work.least.read, elements * 4);
    EXPECT_EQ(work.least.written, elements * 4);
}

TEST(Work, AttentionBlocks)
{
    // Two heads, 128 rows, 64 a block; each block walks both blocks of keys.
    const Work work = count(R"(
@T.prim_func
def kernel(Q: T.Tensor((2, 128, 32), T.float16), K: T.Tensor((2, 128, 32), T.float16), V: T.Tensor((2, 128, 32), T.float16), O: T.Tensor((2, 128, 32), T.float16)):
    with T.Kernel(2, 2, threads=128) as (bx, by):
        q = T.alloc_shared((64, 32), T.float16)
        k = T.alloc_shared((64, 32), T.float16)
        v = T.alloc_shared((64, 32), T.float16)
        s = T.alloc_fragment((64, 64), T.float32)
        p = T.alloc_fragment((64, 64), T.float16)
        o = T.alloc_fragment((64, 32), T.float32)
        T.copy(Q[by, bx * 64:(bx + 1) * 64, :], q)
        T.clear(o)
        for n in T.Pipelined(2, num_stages=1):
            T.copy(K[by, n * 64:(n + 1) * 64, :], k)
            T.clear(s)
            T.gemm(q, k, s, transpose_B=True)
            T.copy(s, p)
            T.copy(V[by, n * 64:(n + 1) * 64, :], v)
            T.gemm(p, v, o)
        T.copy(o, O[by, bx * 64:(bx + 1) * 64, :])
)");
    double products = 0;
    for (const OperationWork& op : work.launches[0].operations)
        products += op.tensorFlops;
    EXPECT_EQ(products, 2.0 * 2 * 2 * 128 * 128 * 32);  // two products, two heads
    EXPECT_EQ(named(work, "copy K").global.read, 2.0 * 2 * 128 * 32 * 2);  // by both blocks of a head
    EXPECT_EQ(named(work, "copy K").blockAxes, 2U);
    EXPECT_EQ(work.least.read, 3.0 * 2 * 128 * 32 * 2);
    EXPECT_EQ(work.least.written, 2.0 * 128 * 32 * 2);
}

TEST(Work, ValuesThatTheNestRepeatsAreReadOnce)
{
    const Work work = count(R"(
@T.prim_func
def kernel(bias: T.Tensor((64,), T.float32), Y: T.Tensor((64, 64), T.float32)):
    with T.Kernel(1, threads=64):
        for i, j in T.Parallel(64, 64):
            Y[i, j] = bias[j] * 2.0
)");
    const OperationWork& nest = named(work, "parallel i, j → Y");
    EXPECT_EQ(nest.global.read, 64 * 4);
    EXPECT_EQ(nest.global.written, 64.0 * 64 * 4);
    EXPECT_EQ(nest.flops, 64 * 64);
}

TEST(Work, ConditionsDecide)
{
    const Work work = count(R"(
@T.prim_func
def kernel(A: T.Tensor((64, 64), T.float32)):
    with T.Kernel(1, threads=64):
        for i, j in T.Parallel(64, 64):
            if i >= j:
                A[i, j] = 1.0
)");
    EXPECT_EQ(named(work, "parallel").global.written, 64.0 * 65 / 2 * 4);
}

TEST(Work, SymbolicExtentsNeedTheirValues)
{
    constexpr const char* kCopy = R"(
N = T.dynamic("N")
@T.prim_func
def kernel(A: T.Tensor((N,), T.float32), B: T.Tensor((N,), T.float32)):
    with T.Kernel(T.ceildiv(N, 128), threads=128) as bx:
        for i in T.Parallel(128):
            B[bx * 128 + i] = A[bx * 128 + i]
)";
    const Work work = count(kCopy, {{"N", 1000}});
    EXPECT_EQ(work.launches[0].blocks, 8);
    EXPECT_EQ(named(work, "parallel").global.read, 4000);
    EXPECT_EQ(work.least.written, 4000);
}

}  // namespace
}  // namespace tw::profile_analysis
