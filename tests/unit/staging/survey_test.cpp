// What a survey makes of the code around kernels: methods that nobody calls, unknown conditions, long loops, foreign tensors.
#include "staging_helpers.h"

#include "core/ir/print.h"

namespace tw::staging {
namespace {

const std::string kCopyAtEnd = kCopy.substr(kCopy.find("@tilelang.jit"));
const std::string kImports = kCopy.substr(0, kCopy.find("@tilelang.jit"));

std::string extentOf(const ir::Function& f, std::size_t tensor, std::size_t axis)
{
    return ir::print(std::get<ir::Buffer>(f.params[tensor].value)->shape[axis]);
}

const std::string kScaler = R"(class Scaler:
    def __init__(self, rows, factor=3.0):
        self.rows, self.factor = rows, factor
    def build(self, cols=8):
        @T.prim_func
        def main(X: T.Tensor((self.rows, cols), T.float32)):
            with T.Kernel(self.rows, threads=32) as r:
                for j in T.Parallel(cols):
                    X[r, j] = X[r, j] * self.factor
        return main
)";

}  // namespace

TEST(Survey, AMethodThatNobodyCallsNeedsWhatItsConstructorNeeds)
{
    const Surveyed file(kImports + kScaler);
    ASSERT_EQ(file.kernels(), std::vector<std::string>{"Scaler.build"});
    const Kernel& kernel = file.program->kernels()[0];
    EXPECT_TRUE(kernel.instances.empty());
    EXPECT_EQ(kernel.missing, std::vector<std::string>{"rows"});
    std::vector<std::string> names;
    for (const KernelParameter& p : kernel.parameters)
        names.push_back(p.name + "=" + p.defaultText.value_or("?"));
    EXPECT_EQ(names, (std::vector<std::string>{"rows=?", "factor=3.0", "cols=8"}));
    DiagnosticSink sink;
    TraceRequest request;
    request.kernel = "Scaler.build";
    request.params = {{"rows", "5"}, {"cols", "7"}};
    const TraceResult result = trace(*file.program, request, plainOptions(), sink);
    ASSERT_TRUE(result.function) << sink.all()[0].message;
    EXPECT_EQ(extentOf(*result.function, 0, 0), "5");
    EXPECT_EQ(extentOf(*result.function, 0, 1), "7");
}

TEST(Survey, AMethodWithDefaultsOnlyIsOfferedForTheDerivedClass)
{
    std::string text = kImports + kScaler;
    text.replace(text.find("rows, factor=3.0"), 4, "rows=4");
    const Surveyed file(text + "class Wide(Scaler):\n    pass\n");
    EXPECT_EQ(file.kernels(), std::vector<std::string>{"Wide.build"});
    EXPECT_EQ(file.instances("Wide.build"), std::vector<std::string>{"default"});
}

TEST(Survey, StaticAndClassMethodsAreFactories)
{
    const std::string body = kScaler.substr(kScaler.find("        @T.prim_func"));
    const auto with = [&](const std::string& decorator, const std::string& parameters) {
        std::string text = body;
        for (std::size_t at; (at = text.find("self.rows")) != std::string::npos;)
            text.replace(at, 9, "rows");
        for (std::size_t at; (at = text.find("self.factor")) != std::string::npos;)
            text.replace(at, 11, "2.0");
        return kImports + "class Kernels:\n    " + decorator + "\n    def build(" + parameters + "):\n" + text;
    };
    const Surveyed uncalled(with("@staticmethod", "rows, cols=8"));
    ASSERT_EQ(uncalled.kernels(), std::vector<std::string>{"Kernels.build"});
    EXPECT_EQ(uncalled.program->kernels()[0].missing, std::vector<std::string>{"rows"});
    const Surveyed classes(with("@classmethod", "cls, rows=4, cols=8"));
    EXPECT_EQ(classes.instances("Kernels.build"), std::vector<std::string>{"default"});
    const Surveyed called(with("@staticmethod", "rows, cols=8") + "tilelang.compile(Kernels.build(3, cols=16))\n");
    ASSERT_EQ(called.program->find("Kernels.build")->instances.size(), 1U);
    EXPECT_EQ(called.program->find("Kernels.build")->instances[0].params, (Bindings{{"rows", "3"}, {"cols", "16"}}));
}

TEST(Survey, ALongLoopAroundTheKernelsIsLeft)
{
    const Surveyed file(kImports + "def reference(n):\n    s = 0\n    for i in range(n):\n        for j in range(n):\n            s += i * j\n    return s\n" +
                        kCopyAtEnd + "reference(100_000)\nk = copy(1000)\n");
    ASSERT_EQ(file.sink.all().size(), 1U);
    EXPECT_EQ(file.sink.all()[0].code, Code::kBudget);
    EXPECT_EQ(file.sink.all()[0].severity, Severity::kWarning);
    EXPECT_EQ(file.program->find("copy")->instances.size(), 1U);
}

// Nobody knows the condition: the configurations of both arms are offered, those of foreign code are not known.
TEST(Survey, ConfigurationsUnderAnUnknownConditionAreThoseOfAllArms)
{
    const std::string configs = "from elsewhere import is_large, found\ndef choose():\n    if is_large:\n        return [dict(block=32)]\n"
                                "    elif found.small:\n        c = found.configs\n    else:\n        c = [dict(block=b) for b in (64, 128)]\n    return c\n";
    const Surveyed file(kImports + configs + "@tilelang.autotune(configs=choose())\n" + kCopyAtEnd + "k = copy(1000)\n");
    ASSERT_FALSE(file.sink.hasErrors()) << file.sink.all()[0].message;
    const Kernel& kernel = *file.program->find("copy");
    EXPECT_EQ(kernel.tunable.at("block").size(), 3U);
    ASSERT_EQ(kernel.instances.size(), 1U);
    EXPECT_TRUE(kernel.instances[0].params.contains("block"));
}

TEST(Survey, TunedParametersNeedNoDefault)
{
    std::string text = kCopyAtEnd;
    text.replace(text.find("block=128"), 9, "block");
    const std::string tuned = kImports + "@tilelang.autotune(configs=[dict(block=32), dict(block=64)])\n" + text;
    const Surveyed file(tuned + "k = copy(1000)\nl = copy(1000, 256)\n");
    ASSERT_FALSE(file.sink.hasErrors()) << file.sink.all()[0].message;
    ASSERT_EQ(file.program->find("copy")->instances.size(), 2U);
    EXPECT_EQ(file.program->find("copy")->instances[0].params.at("block"), "32");
    EXPECT_EQ(file.program->find("copy")->instances[1].params.at("block"), "256");
    EXPECT_TRUE(Surveyed(tuned + "copy()\n").sink.hasErrors());
    const Surveyed below(kImports + "@tilelang.jit(out_idx=[1])\n@tilelang.autotune(configs=[dict(block=32)])\n" + text.substr(text.find('\n') + 1));
    ASSERT_TRUE(below.sink.hasErrors());
    EXPECT_NE(below.sink.all()[0].message.find("put it above @tilelang.jit"), std::string::npos);
}

TEST(Survey, AskingForAKernelsSourceIsACall)
{
    const Surveyed file(kCopy + "print(copy.get_kernel_source(64))\n");
    EXPECT_EQ(file.program->find("copy")->instances.size(), 1U);
}

TEST(Survey, ShapesOfForeignTensors)
{
    const std::string head = "import numpy as np\nimport torch\nimport torch.nn.functional as F\na = torch.randn(4, 6)\n";
    EXPECT_EQ(after(head + "x = (np.array([1, 2], np.int8), np.full((2, 3), 0, 'float16'), np.arange(0, 10, 2, np.int32), np.zeros(3, int))"),
              "(tensor((2), int8), tensor((2, 3), float16), tensor((5), int32), tensor((3), int64))");
    EXPECT_EQ(after(head + "x = (torch.cat([a, a[:1]]).shape, torch.stack((a, a), dim=-1).shape, np.concatenate([np.ones((2, 3)), np.ones((4, 3))]).shape)"),
              "((5, 6), (4, 6, 2), (6, 3))");
    EXPECT_EQ(after(head + "x = (torch.exp(a).shape, torch.where(a > 0, a, a[:1]).shape, np.linspace(0, 1, 7).shape, F.softmax(a, dim=-1).shape)"),
              "((4, 6), (4, 6), (7,), (4, 6))");
    EXPECT_EQ(after(head + "x = (a.repeat(2, 1).shape, a.repeat_interleave(3, dim=1).shape, [p.shape for p in a.split(4, dim=1)], a.new_zeros(9).shape)"),
              "((8, 6), (4, 18), [(4, 4), (4, 2)], (9,))");
    EXPECT_EQ(after(head + "x = (np.exp(0.0), np.max([1, 3, 2]), a.astype(int).dtype if False else a.to(torch.half).dtype)"), "(1.0, 3, 'float16')");
    EXPECT_EQ(after("import torch\nimport torch.nn as nn\nclass L(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
                    "        self.w = nn.Parameter(torch.ones(3, 4))\n    def forward(self, y):\n        return self.w.shape\nx = L().cuda().half().eval()(1)\n"),
              "(3, 4)");
}

TEST(Survey, OneExtentHasOneValueInACall)
{
    const std::string dynamic = kImports + R"(@tilelang.jit(out_idx=[2])
def add(block=64):
    n = T.dynamic("n")
    @T.prim_func
    def main(A: T.Tensor((n,), T.float32), B: T.Tensor((n,), T.float32), C: T.Tensor((n,), T.float32)):
        with T.Kernel(T.ceildiv(n, block), threads=64) as bx:
            for i in T.Parallel(block):
                C[bx * block + i] = A[bx * block + i] + B[bx * block + i]
    return main
k = add()
)";
    const Surveyed good(dynamic + "k(torch.ones(5), torch.ones(5))\nk(torch.ones(7), torch.ones(7))\n");
    EXPECT_FALSE(good.sink.hasErrors());
    const Surveyed bad(dynamic + "k(torch.ones(5), torch.ones(7))\n");
    ASSERT_TRUE(bad.sink.hasErrors());
    EXPECT_EQ(bad.sink.all()[0].code, Code::kShapeMismatch);
    EXPECT_NE(bad.sink.all()[0].message.find("5 in `A`, but 7 in `B`"), std::string::npos);
}

}  // namespace tw::staging
