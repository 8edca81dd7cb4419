// Programs in the style of CUDA: threads that part and meet, roles, warps, wide accesses.
#include "text_kernel.h"

namespace tw::interp {
namespace {

// Every thread leaves the loop at its own time, with a tile operation in it: the fiber splits and joins again.
TEST(Simt, loopWithTileOperations)
{
    TextKernel k(R"(
@T.prim_func
def f(X: T.Tensor((64,), T.int32), O: T.Tensor((64,), T.int32), C: T.Tensor((1,), T.int32)):
    with T.Kernel(1, threads=64):
        tx = T.get_thread_binding()
        s = T.alloc_shared((64,), T.int32)
        n = T.alloc_var(T.int32, 0)
        i = T.alloc_var(T.int32, 0)
        while i < X[tx]:
            i += 1
            if i % 3 == 2:
                continue
            if i > 5 + tx // 32:
                break
            T.fill(s, i)
            n += s[tx]
        O[tx] = n
        T.fill(s, 7)
        T.atomic_add(C[0:1], s[0:1])
)",
                 "f");
    k.fill("X", [](auto t) { return t * 7 % 11; });
    k.fill("C", [](auto) { return 0; });
    k.runWell();
    for (int t = 0; t < 64; ++t) {
        int want = 0;
        for (int i = 0; i < t * 7 % 11;) {
            ++i;
            if (i % 3 == 2)
                continue;
            if (i > 5 + t / 32)
                break;
            want += i;
        }
        EXPECT_EQ(k.at("O", t), want) << t;
    }
    EXPECT_EQ(k.at("C", 0), 7);  // once, for all threads
}

// Lanes that have left a loop stay away from both arms of a branch in it, also where the others agree about it.
TEST(Simt, branchInALoopThatSomeLanesLeft)
{
    TextKernel k(R"(
@T.prim_func
def f(A: T.Tensor((40,), T.int32), O: T.Tensor((40,), T.int32)):
    with T.Kernel(1, threads=32):
        for i in T.Parallel(40):
            x = T.alloc_var(T.int32)
            n = T.alloc_var(T.int32, 0)
            x = A[i]
            while x != 1:
                if x % 2 == 0:
                    x = x // 2
                else:
                    x = 3 * x + 1
                n += 1
            O[i] = n
)",
                 "f");
    k.fill("A", [](auto t) { return t + 1; });
    k.runWell();
    for (int i = 0; i < 40; ++i) {
        int steps = 0;
        for (int x = i + 1; x != 1; ++steps)
            x = x % 2 == 0 ? x / 2 : 3 * x + 1;
        EXPECT_EQ(k.at("O", i), steps) << i + 1;
    }
}

// Out of range without saturation: infinity where the type has one, else NaN. The infinity survives memory.
TEST(Simt, castsWithoutSaturation)
{
    TextKernel k(R"(
@T.prim_func
def f(X: T.Tensor((4,), T.float32), Y: T.Tensor((4,), T.float8_e5m2), Z: T.Tensor((4,), T.float32)):
    with T.Kernel(1, threads=32):
        s = T.alloc_shared((4,), T.float8_e5m2)
        for i in T.Parallel(4):
            s[i] = T.cast(X[i], T.float8_e5m2, sat=False)
            Z[i] = T.cast(T.cast(X[i], T.float8_e4m3fn, sat=False), T.float32)
        for i in T.Parallel(4):
            Y[i] = s[i]
)",
                 "f");
    k.fill("X", [](auto i) { return i == 0 ? 1.5 : i == 1 ? 500.0 : i == 2 ? -1e6 : 60000.0; });
    k.runWell();
    EXPECT_EQ(k.at("Y", 0), 1.5);
    EXPECT_EQ(k.at("Y", 1), 512.0);
    EXPECT_EQ(k.at("Y", 2), -HUGE_VAL);
    EXPECT_EQ(k.at("Y", 3), 57344.0);
    EXPECT_EQ(k.at("Z", 0), 1.5);
    EXPECT_TRUE(std::isnan(k.at("Z", 1)));
    EXPECT_TRUE(std::isnan(k.at("Z", 2)));
}

// Three roles; a fragment that two of them use is each one's own registers.
TEST(Simt, threeRoles)
{
    TextKernel k(R"(
@T.prim_func
def f(X: T.Tensor((6, 64), T.float32), O: T.Tensor((6, 64), T.float32), Q: T.Tensor((6, 64), T.float32)):
    with T.Kernel(1, threads=384):
        s = T.alloc_shared((2, 64), T.float32)
        acc = T.alloc_fragment((64,), T.float32)
        full = T.alloc_barrier([128, 128])
        free = T.alloc_barrier([256, 256])
        with T.ws(0):
            for k in T.serial(6):
                T.barrier_wait(free[k % 2], ((k // 2) & 1) ^ 1)
                T.tma_copy(X[k, :], s[k % 2, :], barrier=full[k % 2])
                T.barrier_arrive(full[k % 2])
        with T.ws(1):
            T.clear(acc)
            for k in T.serial(6):
                T.barrier_wait(full[k % 2], (k // 2) & 1)
                for i in T.Parallel(64):
                    acc[i] += s[k % 2, i]
                T.barrier_arrive(free[k % 2])
                T.copy(acc, O[k, :])
        with T.ws(2):
            T.fill(acc, 100.0)
            for k in T.serial(6):
                T.barrier_wait(full[k % 2], (k // 2) & 1)
                for i in T.Parallel(64):
                    acc[i] = acc[i] - s[k % 2, i]
                T.barrier_arrive(free[k % 2])
                T.copy(acc, Q[k, :])
)",
                 "f");
    k.fill("X", [](auto x) { return x % 17; });
    k.runWell();
    for (int i = 0; i < 64; ++i) {
        double sum = 0;
        for (int r = 0; r < 6; ++r) {
            sum += k.at("X", r * 64 + i);
            EXPECT_EQ(k.at("O", r * 64 + i), sum);
            EXPECT_EQ(k.at("Q", r * 64 + i), 100 - sum);
        }
    }
}

TEST(Simt, remoteBarrierOfACluster)
{
    TextKernel k(R"(
@T.prim_func
def f(O: T.Tensor((4, 32), T.int32)):
    with T.ClusterKernel(4, threads=128, cluster_dims=2) as bx:
        src = T.alloc_shared((32,), T.int32)
        dst = T.alloc_shared((32,), T.int32)
        bar = T.alloc_cluster_barrier([1])
        rank = T.block_rank_in_cluster()
        for i in T.Parallel(32):
            src[i] = bx * 100 + i
        T.fill(dst, 0)
        T.cluster_sync()
        if rank == 0:
            T.copy_cluster(src, dst, dst_block=1, remote_barrier=bar[0])
        if rank == 1:
            T.mbarrier_wait_parity(bar[0], 0)
        T.copy(dst, O[bx, :])
)",
                 "f");
    k.runWell();
    for (int i = 0; i < 32; ++i) {
        EXPECT_EQ(k.at("O", i), 0);
        EXPECT_EQ(k.at("O", 32 + i), i);
        EXPECT_EQ(k.at("O", 96 + i), 200 + i);
    }
}

TEST(Simt, earlyReturn)
{
    TextKernel k(R"(
@T.prim_func
def f(X: T.Tensor((64,), T.int32), O: T.Tensor((64,), T.int32)):
    with T.Kernel(1, threads=64):
        tx = T.get_thread_binding()
        s = T.alloc_shared((64,), T.int32)
        O[tx] = -1
        s[tx] = X[tx]
        T.sync_threads()
        if tx >= 40:
            T.thread_return()
        T.sync_threads()
        O[tx] = s[63 - tx]
)",
                 "f");
    k.fill("X", [](auto t) { return t; });
    k.runWell();
    for (int t = 0; t < 64; ++t)
        EXPECT_EQ(k.at("O", t), t < 40 ? 63 - t : -1);
}

TEST(Simt, wideAccessesAndLanes)
{
    TextKernel k(R"(
@T.prim_func
def f(X: T.Tensor((256,), T.float16), Y: T.Tensor((256,), T.float16), Z: T.Tensor((32,), T.int32), A: T.Tensor((64,), T.float32)):
    with T.Kernel(1, threads=32):
        tx = T.get_thread_binding()
        v = T.ldg128(X[tx * 8])
        T.stg128(Y[tx * 8], v)
        Z[tx] = T.cast(T.extract_lane(T.reinterpret(T.extract_lane(v, 1), T.float16x2), 1), T.int32)
        a = T.alloc_local((2,), T.float32)
        for i in T.vectorized(2):
            a[i] = T.cast(X[tx * 2 + i], T.float32)
        s = T.add2(a[0:2], T.float32x2(1.0, 2.0))
        p = T.fma2(s, s, a[0:2])
        A[tx * 2] = T.extract_lane(p, 0)
        A[tx * 2 + 1] = T.extract_lane(p, 1)
)",
                 "f");
    k.fill("X", [](auto x) { return x; });
    k.runWell();
    for (int x = 0; x < 256; ++x)
        EXPECT_EQ(k.at("Y", x), x);
    for (int t = 0; t < 32; ++t)
        EXPECT_EQ(k.at("Z", t), t * 8 + 3);
    for (int x = 0; x < 64; ++x)
        EXPECT_EQ(k.at("A", x), (x + 1 + x % 2) * (x + 1 + x % 2) + x);
}

TEST(Simt, allReduceOverOneAxis)
{
    TextKernel k(R"(
@T.prim_func
def f(X: T.Tensor((4, 32), T.float32), O: T.Tensor((4, 32), T.float32)):
    with T.Kernel(1, threads=(32, 4)):
        tx = T.get_thread_binding(0)
        ty = T.get_thread_binding(1)
        part = T.alloc_local((1,), T.float32)
        total = T.alloc_local((1,), T.float32)
        part[0] = X[ty, tx]
        with T.attr(T.comm_reducer(lambda a, b: a + b, [T.Cast(T.float32, 0)]), "reduce_scope", T.reinterpret(T.uint64(0), dtype="handle")):
            T.evaluate(T.tvm_thread_allreduce(T.uint32(1), part[0], True, total[0], tx, dtype="handle"))
        O[ty, tx] = total[0]
)",
                 "f");
    k.fill("X", [](auto x) { return x; });
    k.runWell();
    for (int x = 0; x < 128; ++x)
        EXPECT_EQ(k.at("O", x), 32 * (x / 32 * 32) + 31 * 32 / 2);
}

TEST(Simt, printsTiles)
{
    TextKernel k(R"(
@T.prim_func
def f(O: T.Tensor((4,), T.int32)):
    with T.Kernel(1, threads=4):
        s = T.alloc_shared((2,), T.float32)
        T.fill(s, 1.5)
        T.print(s, msg="tile")
        if T.get_thread_binding() == 2:
            O[0] = 5
            T.print(O[0] + 1, msg="one")
)",
                 "f");
    k.runWell();
    EXPECT_EQ(k.log, "msg='tile' BlockIdx=(0, 0, 0), ThreadIdx=(0, 0, 0): buffer=s, index=0, dtype=float32 value=1.500000\n"
                     "msg='tile' BlockIdx=(0, 0, 0), ThreadIdx=(0, 0, 0): buffer=s, index=1, dtype=float32 value=1.500000\n"
                     "msg='one' BlockIdx=(0, 0, 0), ThreadIdx=(2, 0, 0): dtype=int32 value=6\n");
}

}  // namespace
}  // namespace tw::interp
