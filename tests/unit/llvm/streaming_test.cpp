// Stores past the caches: where they are used, and that all elements arrive, from any place on.
#include <fmt/format.h>

#include "codegen/llvm/cpu_kernel.h"
#include "core/passes/pass.h"
#include "tests/unit/interp/text_kernel.h"
#include "tests/unit/llvm/build_kernel.h"

namespace tw::test {
namespace {

constexpr std::int64_t kBlocks = 8400, kBlock = 1009;  // 34 MB of float32, blocks begin anywhere

interp::TextKernel loopOver(const std::string& store, std::int64_t blocks = kBlocks, const std::string& type = "T.float32")
{
    return interp::TextKernel(fmt::format(R"(
@T.prim_func
def f(X: T.Tensor(({n},), {type}), Y: T.Tensor(({n},), {type})):
    with T.Kernel({blocks}, threads=128) as bx:
        for i in T.Parallel({block}):
            {store}
)", fmt::arg("n", blocks * kBlock), fmt::arg("type", type), fmt::arg("blocks", blocks), fmt::arg("block", kBlock), fmt::arg("store", store)), "f");
}

std::shared_ptr<const ir::Function> forCpu(const interp::TextKernel& kernel)
{
    DiagnosticSink sink;
    const target::Target cpu = target::parse("cpu").value();
    passes::PassContext context{cpu, sink, {}};
    return passes::runPipeline(kernel.function, context).function;
}

bool streams(const interp::TextKernel& kernel)
{
    DiagnosticSink sink;
    const std::string text = llvm_backend::emitAssembly(*forCpu(kernel), sink).text;
    EXPECT_FALSE(text.empty());
    const bool found = text.find("movnt") != std::string::npos;
    EXPECT_TRUE(!found || text.find("sfence") != std::string::npos);
    return found;
}

const std::string kScaled = "Y[bx * 1009 + i] = X[bx * 1009 + i] * 1.5 + 0.25";

#if defined(__x86_64__)
TEST(Streaming, LargeResultsThatARunFills)
{
    EXPECT_TRUE(streams(loopOver(kScaled)));
    EXPECT_TRUE(streams(loopOver("Y[bx * 1009 + i] = X[bx * 1009 + i]")));
    EXPECT_TRUE(streams(loopOver("Y[i + bx * 1009] = X[bx] + i")));
    EXPECT_TRUE(streams(loopOver(kScaled, kBlocks / 2 + 1, "T.float64")));
}

TEST(Streaming, NothingElse)
{
    EXPECT_FALSE(streams(loopOver(kScaled, 8000)));                                             // 32.3 million bytes: under 32 MiB
    EXPECT_FALSE(streams(loopOver(kScaled, kBlocks, "T.float16")));
    EXPECT_FALSE(streams(loopOver("Y[bx * 1009 + i] = Y[bx * 1009 + i] * 1.5")));               // its lines have been read
    EXPECT_FALSE(streams(loopOver("Y[i * 8400 + bx] = X[bx * 1009 + i] * 1.5")));               // one element of each line
    EXPECT_FALSE(streams(loopOver("if X[bx] > 0:\n                Y[bx * 1009 + i] = 1.5")));
}
#endif

TEST(Streaming, EveryElementArrives)
{
    for (const bool scaled : {true, false}) {
        interp::TextKernel kernel = loopOver(scaled ? kScaled : "Y[bx * 1009 + i] = X[bx * 1009 + i]");
        DiagnosticSink sink;
        const auto compiled = llvm_backend::compileForCpu(forCpu(kernel), sink);
        ASSERT_TRUE(compiled);
        auto* x = reinterpret_cast<float*>(kernel.tensor("X").bytes.data());
        const auto* y = reinterpret_cast<const float*>(kernel.tensor("Y").bytes.data());
        for (std::int64_t i = 0; i < kBlocks * kBlock; ++i)
            x[i] = static_cast<float>(i % 1021);
        std::string log;
        ASSERT_TRUE(compiled->run(kernel.arguments, 2, log, sink, {}));
        std::int64_t wrong = 0;
        for (std::int64_t i = 0; i < kBlocks * kBlock; ++i)
            wrong += y[i] == (scaled ? x[i] * 1.5F + 0.25F : x[i]) ? 0 : 1;
        EXPECT_EQ(wrong, 0);
    }
}

}  // namespace
}  // namespace tw::test
