// Kernels, instances and overlays of whole files.
#include "staging_helpers.h"

#include "core/ir/print.h"

namespace tw::staging {
namespace {

const std::string kHead = "import tilelang\nimport tilelang.language as T\nimport torch\n";

// @tilelang.jit on lines 4 to 11.
const std::string kCopy = kHead + R"(@tilelang.jit(out_idx=[1])
def copy(n, block=128):
    @T.prim_func
    def main(X: T.Tensor((n,), T.float32), Y: T.Tensor((n,), T.float32)):
        with T.Kernel(T.ceildiv(n, block), threads=128) as bx:
            for i in T.Parallel(block):
                Y[bx * block + i] = X[bx * block + i]
    return main
)";

std::string shapeOf(const ir::Function& f, std::size_t i) { return ir::print(std::get<ir::Buffer>(f.params[i].value)->shape[0]); }

}  // namespace

TEST(Program, CallsBecomeInstances)
{
    const Surveyed file(kCopy + "k = copy(1000)\nk2 = copy(2000, block=64)\nz = k(torch.randn(1000))\nfor n in (1, 2): copy(n)\n");
    ASSERT_FALSE(file.sink.hasErrors()) << file.sink.all()[0].message;
    EXPECT_EQ(file.kernels(), std::vector<std::string>{"copy"});
    EXPECT_EQ(file.instances("copy"), (std::vector<std::string>{"call:12", "call:13", "call:15", "call:15#2"}));
    const Kernel& kernel = file.program->kernels()[0];
    EXPECT_EQ(kernel.form, KernelForm::kLazy);
    EXPECT_EQ(kernel.instances[1].params, (Bindings{{"n", "2000"}, {"block", "64"}}));
    EXPECT_EQ(file.program->find("copy.main"), &kernel);
}

TEST(Program, OverlaysChangeAnInstance)
{
    const Surveyed file(kCopy + "k = copy(1000, block=64)\n");
    DiagnosticSink sink;
    TraceRequest request;
    request.kernel = "copy";
    auto result = trace(*file.program, request, plainOptions(), sink);
    ASSERT_TRUE(result.function);
    EXPECT_EQ(shapeOf(*result.function, 0), "1000");
    EXPECT_EQ(result.function->returned, std::vector<int>{1});
    request.params = {{"n", "77"}};
    result = trace(*file.program, request, plainOptions(), sink);
    ASSERT_TRUE(result.function);
    EXPECT_EQ(shapeOf(*result.function, 0), "77");
    EXPECT_EQ(result.instance.params.at("block"), "128");  // the default, not the call's
    request.instance = "call:12";
    result = trace(*file.program, request, plainOptions(), sink);
    EXPECT_EQ(result.instance.params.at("block"), "64");  // an explicit instance is kept
    EXPECT_FALSE(sink.hasErrors());
}

TEST(Program, KernelsWithoutCallSayWhatTheyNeed)
{
    const Surveyed file(kCopy);
    EXPECT_TRUE(file.instances("copy").empty());
    EXPECT_EQ(file.program->kernels()[0].missing, std::vector<std::string>{"n"});
    DiagnosticSink sink;
    TraceRequest request;
    request.kernel = "copy";
    request.params = {{"n", "64"}};
    EXPECT_TRUE(trace(*file.program, request, plainOptions(), sink).function);
}

TEST(Program, CallsThatContradictTheirKernelAreErrors)
{
    const Surveyed arity(kCopy + "copy(1000, 2, 3)\n");
    ASSERT_TRUE(arity.sink.hasErrors());
    EXPECT_EQ(arity.sink.all()[0].code, Code::kCallArguments);
    const Surveyed shape(kCopy + "copy(1000)(torch.randn(999))\n");
    ASSERT_TRUE(shape.sink.hasErrors());
    EXPECT_EQ(shape.sink.all()[0].code, Code::kShapeMismatch);
    const Surveyed fits(kCopy + "undefined_name\ncopy(1000)(torch.randn(1000))\n");
    EXPECT_FALSE(fits.sink.hasErrors());
}

TEST(Program, MainAndTestsAreRunWhenNobodyCallsThem)
{
    const Surveyed file(kCopy + "def main(n=64):\n    copy(n)\ndef test_two():\n    assert copy(32) is not None\n");
    EXPECT_EQ(file.instances("copy"), (std::vector<std::string>{"call:13", "call:15"}));
}

TEST(Program, UndecoratedFactories)
{
    const Surveyed file(kHead + R"(def make(n, block=64):
    @T.prim_func
    def inner(X: T.Tensor((n,), T.float32)):
        with T.Kernel(T.ceildiv(n, block), threads=64) as bx:
            for i in T.Parallel(block):
                X[bx * block + i] = X[bx * block + i] * 2.0
    return inner
prog = make(256)
kernel = tilelang.compile(prog, out_idx=-1, target="cuda")
)");
    ASSERT_FALSE(file.sink.hasErrors()) << file.sink.all()[0].message;
    EXPECT_EQ(file.instances("make"), std::vector<std::string>{"call:11"});
    EXPECT_EQ(file.program->kernels()[0].form, KernelForm::kFactory);
    DiagnosticSink sink;
    TraceRequest request;
    request.kernel = "inner";
    const auto result = trace(*file.program, request, plainOptions(), sink);
    ASSERT_TRUE(result.function);
    EXPECT_EQ(result.function->returned, std::vector<int>{0});
    EXPECT_EQ(result.function->target, "cuda");
}

TEST(Program, EagerKernelsSolveTheirConstants)
{
    const Surveyed file(kHead + R"(@tilelang.jit
def scale(A, block: int = 64):
    N = T.const("N")
    A: T.Tensor((N,), T.float32)
    B = T.empty((N,), T.float32)
    with T.Kernel(T.ceildiv(N, block), threads=64) as bx:
        for i in T.Parallel(block):
            B[bx * block + i] = A[bx * block + i] * 2.0
    return B
y = scale(torch.randn(300))
)");
    ASSERT_FALSE(file.sink.hasErrors()) << file.sink.all()[0].message;
    EXPECT_EQ(file.instances("scale"), (std::vector<std::string>{"default", "call:13"}));
    EXPECT_EQ(file.program->kernels()[0].instances[1].dims, (Bindings{{"N", "300"}}));
    DiagnosticSink sink;
    TraceRequest request;
    request.kernel = "scale";
    request.dims = {{"N", "50"}};
    const auto result = trace(*file.program, request, plainOptions(), sink);
    ASSERT_TRUE(result.function);
    EXPECT_EQ(shapeOf(*result.function, 0), "50");
}

TEST(Program, AutotunedKernelsUseTheFirstConfiguration)
{
    const std::string text = kCopy;
    const Surveyed file(kHead + "@tilelang.autotune(configs=[dict(block=32), dict(block=64)])\n" + kCopy.substr(kHead.size()) +
                        "k = copy(1000)\n");
    ASSERT_FALSE(file.sink.hasErrors()) << file.sink.all()[0].message;
    const Kernel& kernel = file.program->kernels()[0];
    EXPECT_EQ(kernel.tunable.at("block"), (std::vector<std::string>{"32", "64"}));
    EXPECT_EQ(kernel.instances[0].params.at("block"), "32");
}

TEST(Program, EndlessStagingIsOneDiagnosticAtTheLoop)
{
    Options options = plainOptions();
    options.stepBudget = 20'000;
    const Surveyed file(kHead + "@tilelang.jit\ndef f(n=8):\n    while True:\n        n += 1\n", options);
    ASSERT_EQ(file.sink.errorCount(), 1);
    EXPECT_EQ(file.sink.all()[0].code, Code::kBudget);
    EXPECT_EQ(file.program->sources().file(0).lineColumn(file.sink.all()[0].range.begin).line, 6);
}

TEST(Program, SiblingModulesAreReadOnce)
{
    Options options = plainOptions();
    int reads = 0;
    options.readSibling = [&](const std::string& path) -> std::optional<std::string> {
        ++reads;
        return path == "helpers" ? std::optional<std::string>("import file_that_is_not_there\nBLOCK = 96\n") : std::nullopt;
    };
    std::string text = kCopy;
    text.replace(text.find("block=128"), 9, "block=BLOCK");
    text = "from helpers import BLOCK\n" + text;
    const Surveyed file(text + "copy(960)\n", options);
    ASSERT_FALSE(file.sink.hasErrors()) << file.sink.all()[0].message;
    EXPECT_EQ(file.program->kernels()[0].parameters[1].defaultText, "96");
    EXPECT_EQ(file.program->sources().size(), 2u);
}

}  // namespace tw::staging
