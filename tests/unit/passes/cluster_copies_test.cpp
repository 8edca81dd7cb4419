#include "tests/unit/passes/pass_kernel.h"

namespace tw::passes {
namespace {

using interp::TextKernel;

// The thread stage for sm_90a, by the whole pipeline.
std::string lowered(const std::string& body)
{
    TextKernel k("@T.prim_func\ndef f(A: T.Tensor((64, 64), T.float16), C: T.Tensor((2, 64, 64), T.float16)):\n"
                 "    with T.ClusterKernel(2, threads=128, cluster_dims=2) as bx:\n" + body,
                 "f");
    PassRun run("sm_90a");
    PassContext context{run.target, run.sink, {}};
    const PipelineResult result = runPipeline(k.function, context);
    for (const Diagnostic& d : run.sink.all())
        ADD_FAILURE() << d.message;
    return result.function ? ir::print(*result.function).text : std::string();
}

TEST(ClusterCopies, IntoOneOtherBlock)
{
    const std::string text = lowered(R"(        mine = T.alloc_shared((64, 64), T.float16)
        theirs = T.alloc_shared((64, 64), T.float16)
        T.copy(A, mine)
        T.cluster_sync()
        T.copy_cluster(mine, theirs, dst_block=0)
        T.cluster_sync()
        T.copy(theirs, C[bx, 0, 0])
)");
    EXPECT_NE(text.find("remote_address"), std::string::npos) << text;
    EXPECT_EQ(text.find("copy_cluster"), std::string::npos);
    EXPECT_NE(text.find("\"dynamic_shared_bytes\": 16384"), std::string::npos) << text;  // theirs shares its bytes with nobody
}

TEST(ClusterCopies, TheFirstBlockOfTheMaskCopiesForAll)
{
    const std::string text = lowered(R"(        s = T.alloc_shared((64, 64), T.float16)
        T.copy_cluster(A, s, cluster_mask=0b11)
        T.copy(s, C[bx, 0, 0])
)");
    EXPECT_NE(text.find("block_rank_in_cluster() == 0"), std::string::npos) << text;
    const std::size_t meeting = text.find("T.cluster_sync()");
    ASSERT_NE(meeting, std::string::npos);
    EXPECT_LT(text.rfind("s_remote"), meeting);
}

}  // namespace
}  // namespace tw::passes
