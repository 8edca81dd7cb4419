#include "core/passes/expand_sparse.h"

#include <fmt/format.h>

#include "core/ir/print.h"
#include "core/ir/verify.h"
#include "tests/unit/passes/pass_kernel.h"

namespace tw::passes {
namespace {

using interp::TextKernel;

const char* const kProduct = R"(
@T.prim_func
def f(A: T.Tensor({A}, T.float16), E: T.Tensor({E}, T.{word}), B: T.Tensor((32, 16), T.float16), C: T.Tensor((16, 16), T.float32)):
    with T.Kernel(1, threads=32) as bx:
        a = T.alloc_shared({A}, T.float16)
        e = T.alloc_shared({E}, T.{word})
        b = T.alloc_shared((32, 16), T.float16)
        acc = T.alloc_fragment((16, 16), T.float32)
        T.copy(A, a)
        T.copy(E, e)
        T.copy(B, b)
        T.gemm_sp(a, e, b, acc, transpose_A={tA}, transpose_E={tE}, clear_accum=True)
        T.copy(acc, C)
)";

std::string replaced(std::string text, const std::string& what, const std::string& by)
{
    for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + by.size()))
        text.replace(at, what.size(), by);
    return text;
}

TEST(ExpandSparse, TheSameProductFromTheDenseTile)
{
    for (const int bits : {8, 16, 32})
        for (const bool tA : {false, true})
            for (const bool tE : {false, true}) {
                const int words = 32 / bits;
                std::string text = replaced(kProduct, "{A}", tA ? "(16, 16)" : "(16, 16)");
                text = replaced(text, "{E}", tE ? fmt::format("({}, 16)", words) : fmt::format("(16, {})", words));
                text = replaced(text, "{word}", fmt::format("int{}", bits));
                text = replaced(replaced(text, "{tA}", tA ? "True" : "False"), "{tE}", tE ? "True" : "False");
                TextKernel kernel(text, "f");
                const ir::Function after = PassRun("sm_80")(&expandSparse, *kernel.function);
                const std::string printed = ir::print(after).text;
                EXPECT_EQ(printed.find("gemm_sp"), std::string::npos);
                EXPECT_NE(printed.find("a_dense"), std::string::npos);
                SCOPED_TRACE(printed);
                expectSameResults(kernel, after);
            }
}

}  // namespace
}  // namespace tw::passes
