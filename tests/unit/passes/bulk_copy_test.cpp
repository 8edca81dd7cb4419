#include "core/passes/lower_bulk_copy.h"

#include "core/ir/build.h"
#include "core/passes/infer_layouts.h"
#include "core/passes/lower_threads.h"
#include "tests/unit/passes/pass_kernel.h"

namespace tw::passes {
namespace {

using interp::TextKernel;

// What the pipeline says of one bulk load of `source` into `target` of a tile of this shape.
std::string problemOf(const std::string& shape, const std::string& type, const std::string& source, const std::string& target)
{
    TextKernel k("@T.prim_func\ndef f(A: T.Tensor((512, 1024), T.float16), Y: T.Tensor((4,), T.float32)):\n"
                 "    with T.Kernel(1, threads=128) as bx:\n"
                 "        s = T.alloc_shared(" + shape + ", " + type + ")\n        bar = T.alloc_barrier(128)\n"
                 "        T.tma_copy(" + source + ", " + target + ", barrier=bar)\n        T.barrier_arrive(bar)\n        T.barrier_wait(bar, 0)\n        Y[0] = 1\n",
                 "f");
    PassRun run("sm_90a");
    (void)run(&lowerThreads, run(&inferLayouts, *k.function));
    return run.sink.hasErrors() ? run.sink.all()[0].message : std::string();
}

TEST(BulkCopy, TilesThatTheUnitTakes)
{
    EXPECT_EQ(problemOf("(64, 64)", "T.float16", "A[0:64, 0:64]", "s"), "");
    EXPECT_EQ(problemOf("(2, 64, 128)", "T.float16", "A[0:64, 0:128]", "s[1, :, :]"), "");
    EXPECT_EQ(problemOf("(128, 64)", "T.float16", "A[0:64, 0:64]", "s[64:128, :]"), "");
    EXPECT_EQ(problemOf("(12, 40)", "T.float16", "A[0:12, 0:40]", "s"), "");  // rows as they are
    EXPECT_EQ(problemOf("(256,)", "T.float16", "A[3, 0:256]", "s"), "");
}

TEST(BulkCopy, TilesThatItDoesNotTakeAreSaid)
{
    EXPECT_NE(problemOf("(64, 64)", "T.float16", "A[0:64, 0:32]", "s[:, 0:32]"), "");   // parts of rows
    EXPECT_NE(problemOf("(64, 64)", "T.float16", "A[0:32, 0:64]", "s[4:36, :]"), "");   // inside a swizzle pattern
    EXPECT_NE(problemOf("(12, 20)", "T.float16", "A[0:12, 0:20]", "s"), "");            // 40-byte rows
    EXPECT_NE(problemOf("(320, 64)", "T.float16", "A[0:320, 0:64]", "s"), "");          // a box of 320 rows
}

TEST(BulkCopy, PanelsFitTheRow)
{
    const auto bytes = [](std::int64_t rows, std::int64_t columns) {
        ir::BufferNode b;
        b.dtype = ir::kFloat16;
        b.shape = {ir::intImm(rows), ir::intImm(columns)};
        return bulkPanelBytes(b);
    };
    EXPECT_EQ(bytes(64, 128), 128);
    EXPECT_EQ(bytes(64, 96), 64);
    EXPECT_EQ(bytes(64, 48), 32);
    EXPECT_EQ(bytes(64, 40), 0);
    EXPECT_EQ(bytes(12, 64), 0);
}

}  // namespace
}  // namespace tw::passes
