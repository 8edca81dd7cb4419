// T.wgmma_gemm through the pipeline of sm_90a.
#include <gtest/gtest.h>

#include "core/ir/print.h"
#include "core/passes/pass.h"
#include "tests/unit/interp/text_kernel.h"

namespace tw::passes {
namespace {

struct Lowered {
    DiagnosticSink sink;
    std::string text;
    explicit Lowered(const std::string& source)
    {
        const interp::TextKernel kernel(source, "f");
        const target::Target target = *target::parse("sm_90a");
        PassContext context{target, sink, {}};
        text = ir::print(*runPipeline(kernel.function, context).function).text;
    }
    [[nodiscard]] std::string firstError() const
    {
        for (const Diagnostic& d : sink.all())
            if (d.severity == Severity::kError)
                return d.message;
        return {};
    }
};

TEST(Wgmma, AccumulatorsAreTouchedOnlyBehindTheirWait)
{
    const Lowered l(R"(
@T.prim_func
def f(X: T.Tensor((64, 64), T.float16), W: T.Tensor((128, 64), T.float16), G: T.Tensor((64, 64), T.float32), U: T.Tensor((64, 64), T.float32)):
    with T.Kernel(1, threads=128) as bx:
        x = T.alloc_shared((64, 64), T.float16)
        w = T.alloc_shared((128, 64), T.float16)
        gate = T.alloc_fragment((64, 64), T.float32)
        up = T.alloc_fragment((64, 64), T.float32)
        T.copy(X, x)
        T.copy(W, w)
        T.wgmma_gemm(x, w[0:64, :], gate, transpose_B=True, clear_accum=True)
        T.wgmma_gemm(x, w[64:128, :], up, transpose_B=True, clear_accum=True)
        T.wait_wgmma(1)
        T.copy(gate, G)
        T.wait_wgmma(0)
        T.copy(up, U)
)");
    EXPECT_EQ(l.firstError(), "");
    const auto wait = l.text.find("wait_wgmma(1)"), last = l.text.find("wait_wgmma(0)");
    ASSERT_NE(wait, std::string::npos) << l.text;
    const std::string between = l.text.substr(wait, last - wait);
    EXPECT_NE(between.find("warpgroup_fence_operand(gate)"), std::string::npos) << between;
    EXPECT_EQ(between.find("warpgroup_fence_operand(up)"), std::string::npos) << between;
    EXPECT_NE(l.text.find("warpgroup_fence_operand(up)", last), std::string::npos);
    EXPECT_NE(l.text.find("swizzle_A=128"), std::string::npos);
    // Written by threads, read by the tensor core.
    EXPECT_LT(l.text.find("fence_proxy_async"), l.text.find("ptx_wgmma"));
}

TEST(Wgmma, ALayoutThatItCannotReadIsSaidAtTheProduct)
{
    const Lowered l(R"(
@T.prim_func
def f(X: T.Tensor((64, 64), T.float16), G: T.Tensor((64, 64), T.float32)):
    with T.Kernel(1, threads=128) as bx:
        x = T.alloc_shared((64, 64), T.float16)
        g = T.alloc_fragment((64, 64), T.float32)
        T.annotate_layout({x: T.Layout((64, 64), lambda i, j: i * 72 + j)})
        T.copy(X, x)
        T.wgmma_gemm(x, x, g, transpose_B=True, clear_accum=True)
        T.wait_wgmma(0)
        T.copy(g, G)
)");
    EXPECT_EQ(l.firstError(), "not supported: a wgmma product of x, whose layout is none that wgmma knows (rows of 32, 64 or 128 bytes, swizzled)");
}

}  // namespace
}  // namespace tw::passes
