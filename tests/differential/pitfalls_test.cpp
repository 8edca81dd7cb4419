// Faults that other compilers of the language had (tests/README.md lists them all, with their tests): one small kernel each, whose thread
// stage, simulated, is free of findings and gives the interpreter's answer on every target that takes it.
#include <gtest/gtest.h>

#include <algorithm>

#include "core/passes/pass.h"
#include "core/sim/sim.h"
#include "tests/differential/compare.h"
#include "tests/unit/interp/text_kernel.h"

namespace tw::test {
namespace {

struct Pitfall {
    const char* name;
    const char* text;                            // after "@T.prim_func\ndef f("
    std::vector<const char*> targets = {"sm_75", "sm_80", "sm_90a"};
    std::vector<std::int64_t> counts = {0};      // values of n, where the kernel has it
};

std::string kernelText(const Pitfall& p) { return std::string("@T.prim_func\ndef f(") + p.text; }

void PrintTo(const Pitfall& p, std::ostream* out) { *out << p.name; }

std::string firstOf(const DiagnosticSink& sink) { return sink.all().empty() ? "nothing was said" : sink.all().front().message; }

class Pitfalls : public testing::TestWithParam<Pitfall> {};

TEST_P(Pitfalls, TheSimulatorAgreesWithTheInterpreter)
{
    const interp::TextKernel kernel(kernelText(GetParam()), "f");
    ASSERT_TRUE(kernel.function);
    for (const char* name : GetParam().targets) {
        const target::Target target = *target::parse(name);
        DiagnosticSink said;
        passes::PassContext context{target, said, {}};
        const passes::PipelineResult lowered = passes::runPipeline(kernel.function, context);
        ASSERT_TRUE(lowered.complete) << name << ": " << firstOf(said);
        for (const std::int64_t n : GetParam().counts) {
            interp::Arguments reference = makeArguments(*kernel.function, 7);
            reference.scalars["n"] = n;
            interp::Arguments simulated = reference;
            DiagnosticSink sink, found;
            ASSERT_TRUE(interp::run(*kernel.function, reference, {}, sink).ok) << firstOf(sink);
            const sim::SimResult result = sim::simulate(*lowered.function, simulated, {}, found);
            ASSERT_TRUE(result.ok && result.report.findings.empty()) << name << ", n = " << n << ": " << firstOf(found);
            for (const auto& [tensor, want] : reference.tensors) {
                std::string where;
                EXPECT_EQ(countWrong(simulated.tensors.at(tensor), want, where), 0) << name << ", n = " << n << ", " << tensor << ": " << where;
            }
        }
    }
}

// A ring of two slots between two roles; `start` fills a slot and says when it is full.
#define TW_RING(start)                                                                                           \
    "X: T.Tensor((8, 128), T.float32), Y: T.Tensor((128,), T.float32), n: T.int32):\n"                           \
    "    with T.Kernel(1, threads=256) as bx:\n"                                                                 \
    "        s = T.alloc_shared((2, 128), T.float32)\n"                                                          \
    "        acc = T.alloc_fragment((128,), T.float32)\n"                                                        \
    "        full = T.alloc_barrier([128, 128])\n"                                                               \
    "        empty = T.alloc_barrier([128, 128])\n"                                                              \
    "        with T.ws(0):\n"                                                                                    \
    "            for k in T.serial(n):\n"                                                                        \
    "                T.barrier_wait(empty[k % 2], (k // 2) % 2 ^ 1)\n" start                                     \
    "        with T.ws(1):\n"                                                                                    \
    "            T.clear(acc)\n"                                                                                 \
    "            for k in T.serial(n):\n"                                                                        \
    "                T.barrier_wait(full[k % 2], (k // 2) % 2)\n"                                                \
    "                for i in T.Parallel(128):\n"                                                                \
    "                    acc[i] += s[k % 2, 127 - i]\n"                                                          \
    "                T.barrier_arrive(empty[k % 2])\n"                                                           \
    "            T.copy(acc, Y)\n"

// A product of fp16 tiles of M x N x K, with B as it is in memory.
#define TW_PRODUCT(M, N, K, threads)                                                                                                  \
    "A: T.Tensor((" #M ", " #K "), T.float16), B: T.Tensor((" #K ", " #N "), T.float16), C: T.Tensor((" #M ", " #N "), T.float32)):\n" \
    "    with T.Kernel(1, threads=" #threads ") as bx:\n"                                                                             \
    "        a = T.alloc_shared((" #M ", " #K "), T.float16)\n"                                                                       \
    "        b = T.alloc_shared((" #K ", " #N "), T.float16)\n"                                                                       \
    "        c = T.alloc_fragment((" #M ", " #N "), T.float32)\n"                                                                     \
    "        T.copy(A, a)\n"                                                                                                          \
    "        T.copy(B, b)\n"                                                                                                          \
    "        T.gemm(a, b, c, clear_accum=True)\n"                                                                                     \
    "        T.copy(c, C)\n"

#define TW_SUM(rows, columns, threads)                                                                       \
    "X: T.Tensor((" #rows ", " #columns "), T.float32), Y: T.Tensor((" #rows ",), T.float32)):\n"             \
    "    with T.Kernel(1, threads=" #threads ") as bx:\n"                                                     \
    "        x = T.alloc_fragment((" #rows ", " #columns "), T.float32)\n"                                    \
    "        y = T.alloc_fragment((" #rows ",), T.float32)\n"                                                 \
    "        T.copy(X, x)\n"                                                                                  \
    "        T.fill(y, 1)\n"                                                                                  \
    "        T.reduce_sum(x, y, dim=1, clear=False)\n"                                                        \
    "        T.copy(y, Y)\n"

const Pitfall kPitfalls[] = {
    // 6: rings with every relation of trips and slots. mbarriers begin with sm_80.
    {"RingOfPlainCopies", TW_RING("                T.copy(X[k, 0:128], s[k % 2, :])\n                T.barrier_arrive(full[k % 2])\n"), {"sm_80", "sm_89", "sm_90a"}, {0, 1, 2, 3, 5}},
    {"RingOfAsyncCopies",
     TW_RING("                T.async_copy(X[k, 0:128], s[k % 2, :])\n                T.cp_async_barrier_noinc(full[k % 2])\n"), {"sm_80", "sm_86", "sm_90a"}, {0, 1, 2, 3, 5}},
    // 8: a larger nest that shares a fragment with a smaller one.
    {"SmallerNestFirst", R"(X: T.Tensor((128,), T.float32), Y: T.Tensor((128,), T.float32)):
    with T.Kernel(1, threads=128) as bx:
        f = T.alloc_fragment((128,), T.float32)
        for i in T.Parallel(32):
            f[i] = X[i]
        for i in T.Parallel(128):
            f[i] = X[127 - i] * 2
        for i in T.Parallel(32):
            f[i] += 1
        T.copy(f, Y)
)"},
    // 12, 16: extents that instructions and swizzles do not divide.
    {"InnerExtent48", TW_PRODUCT(64, 64, 48, 128)},
    {"InnerExtent80", TW_PRODUCT(64, 32, 80, 128)},
    {"InnerExtent20", TW_PRODUCT(32, 16, 20, 64)},
    {"ResultOf80By24", TW_PRODUCT(80, 24, 32, 32)},
    // 13: a bulk copy of one axis signals, too.
    {"BulkCopyOfOneAxis", R"(X: T.Tensor((256,), T.float32), Y: T.Tensor((256,), T.float32)):
    with T.Kernel(1, threads=128) as bx:
        s = T.alloc_shared((256,), T.float32)
        bar = T.alloc_barrier(128)
        T.tma_copy(X[0:256], s, barrier=bar[0])
        T.barrier_arrive(bar[0])
        T.barrier_wait(bar[0], 0)
        for i in T.Parallel(256):
            Y[i] = s[255 - i]
)", {"sm_90a"}},
    // 14: N = 8 modulo 16 with B across its rows. 15, 19: warp groups with several instructions each, operands written by threads.
    {"NarrowProductOfWarpGroups", TW_PRODUCT(64, 24, 64, 128), {"sm_90a"}},
    {"TallProductOfWarpGroups", TW_PRODUCT(256, 32, 64, 256), {"sm_90a"}},
    // 17: a panel that does not divide the tiles. Every tile is visited once: the answer is what was there plus one.
    {"PersistentPanels", R"(Y: T.Tensor((5, 7), T.float32)):
    with T.Kernel(3, threads=32) as bx:
        for i, j in T.Persistent([5, 7], 3, bx, group_size=4):
            for k in T.Parallel(1):
                T.atomic_add(Y[i, j], 1)
)"},
    // 18: rows of any length among any number of threads, more threads than elements, copies that are not added.
    {"RowsOf25", TW_SUM(4, 25, 96)},
    {"RowsOf100", TW_SUM(3, 100, 128)},
    {"RowsOf384", TW_SUM(2, 384, 160)},
    {"FewElements", TW_SUM(2, 8, 128)},
    // 20, 28: what has an effect happens once, however often its value is used and its tile is copied.
    {"AtomicWithUsesOfItsResult", R"(C: T.Tensor((64,), T.int32), Y: T.Tensor((64,), T.int32)):
    with T.Kernel(1, threads=64) as bx:
        tx = T.get_thread_binding()
        old = T.atomic_add(C[tx], 1, return_prev=True)
        Y[tx] = old * 2 + old
)"},
    {"AtomicBesideCopiedTile", R"(X: T.Tensor((8,), T.float32), C: T.Tensor((8,), T.float32), Y: T.Tensor((8, 64), T.float32)):
    with T.Kernel(1, threads=128) as bx:
        row = T.alloc_fragment((8,), T.float32)
        y = T.alloc_fragment((8, 64), T.float32)
        for i in T.Parallel(8):
            row[i] = X[i] + 1
            T.atomic_add(C[i], X[i])
        for i, j in T.Parallel(8, 64):
            y[i, j] = row[i] * j
        T.copy(y, Y)
)"},
    // 20, 35: a condition whose body changes it is evaluated once.
    {"ConditionThatItsBodyChanges", R"(A: T.Tensor((64,), T.float32), B: T.Tensor((64,), T.float32)):
    with T.Kernel(1, threads=64) as bx:
        for i in T.Parallel(64):
            if A[i] > 0:
                A[i] = -1
                B[i] = 5
)"},
    // 21: steps of loops.
    {"StepsOfLoops", R"(X: T.Tensor((32,), T.float32), Y: T.Tensor((32,), T.float32), n: T.int32):
    with T.Kernel(1, threads=32) as bx:
        for i in T.Parallel(32):
            Y[i] = 0
            for k in T.serial(0, n, 3):
                Y[i] += X[(i + k) % 32]
            for k in T.serial(9, -1, -2):
                Y[i] += X[k] * 2
            for k in T.unroll(1, 10, 4):
                Y[i] += X[k] * 4
)", {"sm_75", "sm_80", "sm_90a"}, {0, 1, 3, 20}},
    // 23: a pipeline under a persistent loop, under a condition, with run-time trips.
    {"PipelineUnderPersistent", R"(X: T.Tensor((6, 8, 32), T.float32), Y: T.Tensor((6, 32), T.float32), n: T.int32):
    with T.Kernel(2, threads=32) as bx:
        x = T.alloc_shared((32,), T.float32)
        acc = T.alloc_fragment((32,), T.float32)
        for i, j in T.Persistent([3, 2], 2, bx):
            T.clear(acc)
            if i != 1:
                for k in T.Pipelined(n - i, num_stages=3):
                    T.copy(X[i * 2 + j, k, 0:32], x)
                    for t in T.Parallel(32):
                        acc[t] += x[31 - t]
            T.copy(acc, Y[i * 2 + j, 0:32])
)", {"sm_75", "sm_80", "sm_90a"}, {2, 3, 4, 5, 8}},
    // 25: slices that begin anywhere and leave the tensor.
    {"SlicesOverTheEdge", R"(X: T.Tensor((20, 37), T.float16), Y: T.Tensor((20, 37), T.float16)):
    with T.Kernel(1, threads=64) as bx:
        s = T.alloc_shared((16, 32), T.float16)
        T.copy(X[7:23, 9:41], s)
        T.copy(s, Y[7:23, 9:41])
        T.copy(X[1:9, 3:19], s[4:12, 8:24])
        T.copy(s[4:12, 8:24], Y[1:9, 3:19])
)"},
    // 29: an update under a condition, wide.
    {"GuardedUpdate", R"(M: T.Tensor((256,), T.float16), A: T.Tensor((256,), T.float16)):
    with T.Kernel(1, threads=32) as bx:
        for i in T.Parallel(256):
            if M[i] > 0:
                A[i] = A[i] + M[i]
)"},
    // 36: a fragment that two operations want in two ways, a row vector in another tile's nest, a parallel loop that no thread count divides.
    {"TwoWaysOfOneFragment", R"(X: T.Tensor((96, 100), T.float32), Y: T.Tensor((100, 96), T.float32), Z: T.Tensor((96,), T.float32)):
    with T.Kernel(1, threads=96) as bx:
        x = T.alloc_fragment((96, 100), T.float32)
        y = T.alloc_fragment((100, 96), T.float32)
        z = T.alloc_fragment((96,), T.float32)
        T.copy(X, x)
        T.reduce_sum(x, z, dim=1)
        for i, j in T.Parallel(100, 96):
            y[i, j] = x[j, i] + z[j]
        T.copy(y, Y)
        T.copy(z, Z)
)"},
    // 37: copies that ask for the TMA unit get it, those that it cannot do are done without.
    {"PreferredBulkCopies", R"(X: T.Tensor((8, 64, 64), T.float16), Z: T.Tensor((64, 37), T.float16), Y: T.Tensor((64, 64), T.float32), n: T.int32):
    with T.Kernel(1, threads=128) as bx:
        x = T.alloc_shared((64, 64), T.float16)
        z = T.alloc_shared((64, 32), T.float16)
        y = T.alloc_shared((64, 64), T.float32)
        acc = T.alloc_fragment((64, 64), T.float32)
        T.copy(Z[0:64, 0:32], z, prefer_instruction="tma")
        for i, j in T.Parallel(64, 64):
            acc[i, j] = z[i, j // 2]
        for k in T.serial(n):
            T.copy(X[k, 0:64, 0:64], x, prefer_instruction="tma")
            for i, j in T.Parallel(64, 64):
                acc[i, j] += x[j, i]
        T.copy(acc, y)
        T.copy(y, Y, prefer_instruction="tma")
        for i, j in T.Parallel(64, 64):
            y[i, j] = 0
)", {"sm_80", "sm_90a"}, {0, 1, 2, 5}},
    // 38: no identity of reals is used that NaN or -0 break.
    {"NotANumber", R"(X: T.Tensor((32,), T.float32), Y: T.Tensor((4, 32), T.float32)):
    with T.Kernel(1, threads=32) as bx:
        for i in T.Parallel(32):
            zero = X[i] - X[i]
            nan = zero / zero
            Y[0, i] = T.if_then_else(nan == nan, 1.0, 2.0)
            Y[1, i] = T.if_then_else(nan != nan, 1.0, 2.0)
            Y[2, i] = nan * 0
            Y[3, i] = 1 / ((zero * -1) + zero)
)"},
    // 39: functions of halves, the population count.
    {"FunctionsOfHalves", R"(X: T.Tensor((32,), T.float16), Y: T.Tensor((8, 32), T.float16), N: T.Tensor((32,), T.int32), P: T.Tensor((32,), T.int32)):
    with T.Kernel(1, threads=32) as bx:
        for i in T.Parallel(32):
            x = X[i] * T.float16(0.25)
            Y[0, i] = T.log1p(x)
            Y[1, i] = T.asin(x)
            Y[2, i] = T.acos(x)
            Y[3, i] = T.atan(x)
            Y[4, i] = T.sinh(x)
            Y[5, i] = T.copysign(x, T.float16(-1))
            Y[6, i] = T.nextafter(x, T.float16(1))
            Y[7, i] = T.erf(x)
            P[i] = T.popcount(N[i])
)"},
    // Roles that run at one time keep their tiles apart, although one stands behind the other in the text.
    {"TilesOfRoles", R"(X: T.Tensor((2, 128), T.float32), Y: T.Tensor((2, 128), T.float32)):
    with T.Kernel(1, threads=256) as bx:
        a = T.alloc_shared((128,), T.float32)
        b = T.alloc_shared((128,), T.float32)
        free = T.alloc_barrier([128, 128])
        with T.ws(0):
            T.barrier_wait(free[0], 1)
            T.copy(X[0, 0:128], a)
            for i in T.Parallel(128):
                Y[0, i] = a[127 - i]
        with T.ws(1):
            T.barrier_wait(free[1], 1)
            T.copy(X[1, 0:128], b)
            for i in T.Parallel(128):
                Y[1, i] = b[127 - i]
)", {"sm_80", "sm_90a"}},
    // What the block wrote before its roles is behind a barrier in front of the first of them, whichever role needs it: the first may
    // wait for the second.
    {"RolesBehindThePrologue", R"(X: T.Tensor((8, 128), T.float32), Y: T.Tensor((2, 128), T.float32), n: T.int32):
    with T.Kernel(1, threads=256) as bx:
        q = T.alloc_shared((128,), T.float32)
        s = T.alloc_shared((2, 128), T.float32)
        early = T.alloc_shared((128,), T.float32)
        full = T.alloc_barrier([128, 128])
        empty = T.alloc_barrier([128, 128])
        T.copy(X[0, 0:128], early)
        for i in T.Parallel(128):
            Y[1, i] = early[127 - i]
        T.copy(X[7, 0:128], q)
        with T.ws(1):
            for k in T.serial(n):
                T.barrier_wait(empty[k % 2], (k // 2) % 2 ^ 1)
                T.copy(X[k, 0:128], s[k % 2, :])
                T.barrier_arrive(full[k % 2])
        with T.ws(0):
            acc = T.alloc_fragment((128,), T.float32)
            T.clear(acc)
            for k in T.serial(n):
                T.barrier_wait(full[k % 2], (k // 2) % 2)
                for i in T.Parallel(128):
                    acc[i] += s[k % 2, 127 - i] + q[127 - i]
                T.barrier_arrive(empty[k % 2])
            T.copy(acc, Y[0, 0:128])
)", {"sm_80", "sm_90a"}, {0, 1, 5}},
    // One thread of a copy's arrives at the other block's barrier, when all have stored.
    {"CopyThatSignalsAnotherBlock", R"(X: T.Tensor((4, 64), T.float32), Y: T.Tensor((4, 64), T.float32), Z: T.Tensor((4, 96), T.float32)):
    with T.ClusterKernel(4, cluster_dims=2, threads=256) as bx:
        s = T.alloc_shared((64,), T.float32)
        d = T.alloc_shared((64,), T.float32)
        e = T.alloc_shared((96,), T.float32)
        bar = T.alloc_cluster_barrier([1, 1])
        rank = T.block_rank_in_cluster()
        T.copy(X[bx, 0:64], s)
        T.cluster_sync()
        T.copy_cluster(s, d, dst_block=rank ^ 1, remote_barrier=bar[0])
        T.mbarrier_wait_parity(bar[0], 0)
        T.copy(d, Y[bx, 0:64])
        if T.get_thread_binding() >= 192:
            T.copy_cluster(s, e[32:96], dst_block=rank ^ 1, remote_barrier=bar[1])
        T.mbarrier_wait_parity(bar[1], 0)
        for i in T.Parallel(64):
            Z[bx, 32 + i] = e[32 + i]
        T.cluster_sync()
)", {"sm_90a"}},
    // A multicast that one thread of each block asks for: the first block loads, each waits at its own barrier; a row is a tile, too.
    {"MulticastByOneThread", R"(X: T.Tensor((2, 64), T.float32), Y: T.Tensor((4, 64), T.float32)):
    with T.ClusterKernel(2, 2, cluster_dims=(2, 1, 1), threads=128) as (bx, by):
        s = T.alloc_shared((1, 64), T.float32)
        bar = T.alloc_cluster_barrier(1)
        T.cluster_sync()
        if T.get_thread_binding() == 0:
            T.tma_copy(X[by:by + 1, 0:64], s, cluster_mask=3, barrier=bar[0])
            T.mbarrier_arrive(bar[0])
        T.barrier_wait(bar[0], 0)
        T.copy(s, Y[by * 2 + bx:by * 2 + bx + 1, 0:64])
        T.cluster_sync()
)", {"sm_90a"}},
};

INSTANTIATE_TEST_SUITE_P(Kernels, Pitfalls, testing::ValuesIn(kPitfalls), [](const auto& p) { return std::string(p.param.name); });

// 10: a tile that the hardware swizzles begins where its pattern does.
TEST(PitfallPlaces, SwizzledTilesBeginAtTheirPattern)
{
    const interp::TextKernel kernel(R"(@T.prim_func
def f(X: T.Tensor((64, 64), T.float16), Y: T.Tensor((64, 64), T.float16), Z: T.Tensor((33,), T.float16)):
    with T.Kernel(1, threads=128) as bx:
        odd = T.alloc_shared((33,), T.float16)
        s = T.alloc_shared((64, 64), T.float16)
        bar = T.alloc_barrier(128)
        T.copy(Z, odd)
        T.tma_copy(X, s, barrier=bar[0])
        T.barrier_arrive(bar[0])
        T.barrier_wait(bar[0], 0)
        for i, j in T.Parallel(64, 64):
            Y[i, j] = s[i, j] + odd[i % 33]
)",
                                    "f");
    DiagnosticSink said;
    const target::Target target = *target::parse("sm_90a");
    passes::PassContext context{target, said, {}};
    ASSERT_TRUE(passes::runPipeline(kernel.function, context).complete) << firstOf(said);
    const auto place = std::ranges::find_if(context.placements, [](const passes::SharedPlacement& p) { return p.buffer == "s"; });
    ASSERT_NE(place, context.placements.end());
    EXPECT_EQ(place->offset % 1024, 0);
}

}  // namespace
}  // namespace tw::test
