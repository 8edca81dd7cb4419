// Kernels, instances and overlays of whole files.
#include "staging_helpers.h"

#include "core/ir/print.h"

namespace tw::staging {
namespace {

const std::string kHead = "import tilelang\nimport tilelang.language as T\nimport torch\n";

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

// A default that foreign code makes is unknown; one that cannot be made is the reason why there is no kernel.
TEST(Program, DefaultsOfKernels)
{
    const std::string rest = "):\n    @T.prim_func\n    def main(X: T.Tensor((n,), 'float32')):\n        with T.Kernel(1, threads=32):\n            X[0] = 1.0\n    return main\n";
    for (const char* unknown : {"open('x').read()", "torch.cuda.device_count()", "3 if torch.cuda.is_available() else 4"}) {
        const Surveyed file(kHead + "@tilelang.jit\ndef f(n=8, m=" + unknown + rest);
        EXPECT_FALSE(file.sink.hasErrors()) << file.sink.all()[0].message;
        EXPECT_EQ(file.kernels(), std::vector<std::string>{"f"}) << unknown;
    }
    const Surveyed wrong(kHead + "@tilelang.jit\ndef f(n=SIZE" + rest);
    ASSERT_EQ(wrong.sink.errorCount(), 1);
    EXPECT_EQ(wrong.sink.all()[0].message, "the name `SIZE` is not defined");
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

TEST(Program, FactoriesThatOnlyDelegate)
{
    const std::string make = kHead + R"(def scale(n, f=2):
    @T.prim_func
    def main(X: T.Tensor((n,), T.float32)):
        with T.Kernel(1, threads=32):
            for i in T.Parallel(n):
                X[i] = X[i] * f
    return main
)";
    const Surveyed dict(make + "def build(n=64):\n    return {'twice': scale(n), 'thrice': scale(n, 3)}\n");
    ASSERT_FALSE(dict.sink.hasErrors()) << dict.sink.all()[0].message;
    EXPECT_EQ(dict.kernels(), (std::vector<std::string>{"build.twice", "build.thrice"}));
    EXPECT_EQ(dict.instances("build.thrice"), std::vector<std::string>{"default"});
    DiagnosticSink sink;
    const auto traced = trace(*dict.program, {"build.thrice", "", {{"n", "96"}}, {}, {}}, plainOptions(), sink);
    ASSERT_TRUE(traced.function);
    EXPECT_EQ(shapeOf(*traced.function, 0), "96");
    const std::string text = ir::print(*traced.function).text;
    EXPECT_NE(text.find("X[i] * 3.0"), std::string::npos) << text;
    const Surveyed tuple(make + "def build(n):\n    a = scale(n)\n    return a, scale(n, 3)\nfor k in build(32): tilelang.compile(k)\n");
    EXPECT_EQ(tuple.kernels(), (std::vector<std::string>{"build.0", "build.1"}));
    EXPECT_EQ(tuple.instances("build.1"), std::vector<std::string>{"call:14"});
    const Surveyed list(make + "def build(n=64):\n    return [scale(n, f) for f in (1, 2, 3)]\n");
    EXPECT_EQ(list.kernels(), (std::vector<std::string>{"build.0", "build.1", "build.2"}));
    // A function that uses kernels is not one.
    const Surveyed user(make + "def main():\n    k = scale(8)\n    return {'kernel': k, 'n': 8}\nmain()\n");
    EXPECT_EQ(user.kernels(), std::vector<std::string>{"scale"});
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

TEST(Program, ConstantsStandInAShape)
{
    const auto kernel = [](const std::string& names, const std::string& annotation) {
        return kHead + "@tilelang.jit\ndef f(X):\n    " + names + "\n    X: " + annotation + R"(
    with T.Kernel(1, threads=32):
        for i in T.Parallel(M):
            X[i, 0] = 1.0
f(torch.randn(64, 8))
)";
    };
    const Surveyed good(kernel("M, N = T.const('M, N')", "T.StridedTensor((M, 8), (N, 1), T.float32)"));
    ASSERT_FALSE(good.sink.hasErrors()) << good.sink.all()[0].message;
    EXPECT_EQ(good.program->kernels()[0].instances.back().dims, (Bindings{{"M", "64"}, {"N", "8"}}));
    const Surveyed unused(kernel("M, N, K = T.const('M, N, K')", "T.Tensor((M, N), T.float32)"));
    ASSERT_TRUE(unused.sink.hasErrors());
    EXPECT_EQ(unused.sink.all()[0].code, Code::kParameter);
    EXPECT_EQ(unused.sink.all()[0].message.substr(0, 12), "K of T.const");
    EXPECT_TRUE(Surveyed(kernel("M, N = T.const('M, N')", "T.Tensor((M, 2 * N), T.float32)")).sink.hasErrors());
}

TEST(Program, DefaultsTakeTheExtentsOfTheFirstCall)
{
    const Surveyed file(kHead + R"(
import torch
@tilelang.jit
def f(Q, bM: int = 16):
    S, D = T.const("S D")
    Q: T.Tensor[[S, D], T.float32]
    O = T.empty(S, D, dtype=T.float32)
    with T.Kernel(T.ceildiv(S, bM), threads=32) as x:
        q = T.alloc_shared([bM, D], T.float32)
        T.copy(Q[x * bM, 0], q)
        T.copy(q, O[x * bM, 0])
    return O
f(torch.randn(48, 20), bM=8)
)");
    ASSERT_FALSE(file.sink.hasErrors()) << file.sink.all()[0].message;
    DiagnosticSink sink;
    const TraceResult traced = trace(*file.program, {"f", "default", {}, {}, {}}, plainOptions(), sink);
    ASSERT_TRUE(traced.function);
    EXPECT_TRUE(traced.missing.empty());
    EXPECT_EQ(traced.instance.params.at("bM"), "16");
    EXPECT_EQ(traced.instance.dims, (Bindings{{"S", "48"}, {"D", "20"}}));
}

// numpy's functions on plain numbers are arithmetic, wherever they stand.
TEST(Program, NumpyOnNumbers)
{
    const Surveyed file(kHead + R"(
import numpy as np
N = int(np.ceil(100 / 32)) * int(np.prod([4, 8])) + max(1, np.minimum(3, 2)) - int(np.log2(4))
@T.prim_func
def main(A: T.Tensor((N,), T.float32)):
    with T.Kernel(1, threads=32):
        for i in T.Parallel(N):
            A[i] = A[i] / np.sqrt(16.0)
)");
    ASSERT_FALSE(file.sink.hasErrors()) << file.sink.all()[0].message;
    DiagnosticSink sink;
    const TraceResult traced = trace(*file.program, {"main", "", {}, {}, {}}, plainOptions(), sink);
    ASSERT_TRUE(traced.function);
    EXPECT_EQ(*ir::asInt(std::get<ir::Buffer>(traced.function->params.at(0).value)->shape.at(0)), 128);
    EXPECT_NE(ir::print(*traced.function).text.find("A[i] / 4.0"), std::string::npos);
}

// A file of one kernel with this target.
std::string kernelFor(const std::string& target)
{
    return kHead + "@tilelang.jit(target=\"" + target + R"(")
def f(n=64):
    @T.prim_func
    def main(A: T.Tensor((n,), T.float16)):
        with T.Kernel(1, threads=128):
            T.clear(A)
    return main
)";
}

TEST(Program, WrongTargetsAreSaidOnce)
{
    const Surveyed lazy(kHead + R"(
@tilelang.jit(out_idx=[-1], target="vulkan")
def f(n=64):
    @T.prim_func
    def main(A: T.Tensor((n,), T.float16), B: T.Tensor((n,), T.float16)):
        with T.Kernel(1, threads=128):
            T.copy(A, B)
    return main
f(64)
f(32)
)");
    ASSERT_EQ(lazy.sink.errorCount(), 1);
    EXPECT_EQ(lazy.sink.all()[0].code, Code::kOption);
    EXPECT_EQ(lazy.sink.all()[0].message.substr(0, 21), "`vulkan` is no target");
    for (const char* bad : {"cuda -arch=sm_42", "cuda -arch=foo", "cuda -arch=sm_9000", "sm_91", "hip -mcpu=gfx1"}) {
        const Surveyed file(kernelFor(bad));
        ASSERT_EQ(file.sink.errorCount(), 1) << bad;
        EXPECT_NE(file.sink.all()[0].message.find("sm_75, sm_80, sm_86, sm_89, sm_90a, sm_100a"), std::string::npos) << file.sink.all()[0].message;
    }
    for (const char* good : {"auto", "cuda", "cuda -arch=sm_80", "hip", "llvm", "c", "webgpu"}) {
        const Surveyed file(kernelFor(good));
        EXPECT_FALSE(file.sink.hasErrors()) << good;
    }
}

TEST(Program, NamedTuplesAreShapes)
{
    const Surveyed file(kHead + R"(
from typing import NamedTuple
from collections import namedtuple
class Tile(NamedTuple):
    rows: int
    cols: int = 8
Grid = namedtuple("Grid", "x y")
def make(tile=Tile(4), grid=Grid(2, 3)):
    @T.prim_func
    def main(A: T.Tensor(tile, T.int32)):
        with T.Kernel(*grid, threads=32) as (x, y):
            s = T.alloc_shared(tile, T.int32)
            T.copy(A, s)
    return main
)");
    ASSERT_FALSE(file.sink.hasErrors()) << file.sink.all()[0].message;
    DiagnosticSink sink;
    const TraceResult traced = trace(*file.program, {"make", "", {}, {}, {}}, plainOptions(), sink);
    ASSERT_TRUE(traced.function) << sink.all()[0].message;
    const auto& shape = std::get<ir::Buffer>(traced.function->params.at(0).value)->shape;
    ASSERT_EQ(shape.size(), 2u);
    EXPECT_EQ(*ir::asInt(shape[1]), 8);
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

// `best` defines a prim_func and returns something, as a factory does, but it gives no kernel: the one inside is found again.
TEST(Program, KernelsTunedInsideAFunctionAreFoundAgain)
{
    const Surveyed file(kHead + R"(def best(n):
    def copy(block=None):
        @T.prim_func
        def main(X: T.Tensor((n,), T.float32), Y: T.Tensor((n,), T.float32)):
            with T.Kernel(T.ceildiv(n, block), threads=128) as bx:
                T.copy(X[bx * block], Y[bx * block : (bx + 1) * block])
        return main
    tuner = tilelang.AutoTuner.from_kernel(kernel=copy, configs=[{"block": 32}, {"block": 64}]).set_compile_args(out_idx=[-1])
    return tuner.run(warmup=3)
best(256)
)");
    ASSERT_FALSE(file.sink.hasErrors()) << file.sink.all()[0].message;
    EXPECT_EQ(file.kernels(), std::vector<std::string>{"copy"});
    DiagnosticSink sink;
    TraceRequest request;
    request.kernel = "copy";
    request.params = {{"block", "64"}};
    const auto result = trace(*file.program, request, plainOptions(), sink);
    ASSERT_FALSE(sink.hasErrors()) << sink.all()[0].message;
    ASSERT_TRUE(result.function);
    EXPECT_EQ(shapeOf(*result.function, 0), "256");
    EXPECT_EQ(result.instance.params.at("block"), "64");
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

// Two functions of a file may each define a kernel `scale`: both are offered, each by a name of its own.
TEST(Program, KernelsOfOneNameAreToldApart)
{
    const auto scale = [](const char* by) {
        return std::string("def use_") + by + "():\n    @tilelang.jit(out_idx=[1])\n    def scale(n):\n        @T.prim_func\n" +
               "        def main(X: T.Tensor((n,), T.float32), Y: T.Tensor((n,), T.float32)):\n            with T.Kernel(1, threads=n) as bx:\n" +
               "                for i in T.Parallel(n):\n                    Y[i] = X[i] * " + by + "\n        return main\n    return scale(64)\n";
    };
    const Surveyed file(kHead + scale("2") + scale("3") + "use_2()\nuse_3()\n");
    ASSERT_FALSE(file.sink.hasErrors()) << file.sink.all()[0].message;
    ASSERT_EQ(file.kernels(), (std::vector<std::string>{"scale", "scale#2"}));
    EXPECT_EQ(file.instances("scale"), std::vector<std::string>{"call:13"});
    EXPECT_EQ(file.instances("scale#2"), std::vector<std::string>{"call:23"});
    DiagnosticSink sink;
    for (const auto& [name, wanted] : {std::pair{"scale", "X[i] * 2"}, {"scale#2", "X[i] * 3"}}) {
        TraceRequest request;
        request.kernel = name;
        const auto result = trace(*file.program, request, plainOptions(), sink);
        ASSERT_TRUE(result.function);
        EXPECT_NE(ir::print(*result.function).text.find(wanted), std::string::npos) << ir::print(*result.function).text;
    }
}

// What only the running program knows is not the kernel's mistake; whoever asks for the kernel says it.
TEST(Program, UnknownArgumentsAreMissing)
{
    const Surveyed file(kHead + "from elsewhere import rows\n" + kCopy.substr(kHead.size()) + "copy(rows.shape[0])\n");
    EXPECT_TRUE(file.sink.all().empty()) << file.sink.all()[0].message;
    EXPECT_EQ(file.instances("copy"), std::vector<std::string>{"call:13"});
    DiagnosticSink sink;
    TraceRequest request;
    request.kernel = "copy";
    auto result = trace(*file.program, request, plainOptions(), sink);
    EXPECT_FALSE(result.function);
    EXPECT_EQ(result.missing, std::vector<std::string>{"n"});
    request.params = {{"n", "77"}};
    result = trace(*file.program, request, plainOptions(), sink);
    ASSERT_TRUE(result.function);
    EXPECT_EQ(shapeOf(*result.function, 0), "77");
    EXPECT_FALSE(sink.hasErrors());
}

// Configurations that the call's arguments decide, and such as nobody knows.
TEST(Program, ConfigurationsOfACall)
{
    std::string tuned = kCopy;
    tuned.replace(tuned.find("block=128"), 9, "block=None");
    tuned.replace(tuned.find("@tilelang.jit"), 13, "@tilelang.autotune(configs=CONFIGS)\n@tilelang.jit");
    const auto with = [&](const std::string& configs) {
        std::string text = tuned;
        text.replace(text.find("CONFIGS"), 7, configs);
        return kHead + "def choose(n):\n    return [dict(block=n // 4), dict(block=n // 8)]\nfrom elsewhere import found\n" +
               text.substr(kHead.size()) + "copy(1024)\n";
    };
    const Surveyed chosen(with("choose"));
    ASSERT_FALSE(chosen.sink.hasErrors()) << chosen.sink.all()[0].message;
    EXPECT_EQ(chosen.program->find("copy")->instances.back().params, (Bindings{{"n", "1024"}, {"block", "256"}}));
    const Surveyed unknown(with("found"));
    EXPECT_FALSE(unknown.sink.hasErrors()) << unknown.sink.all()[0].message;
    EXPECT_EQ(unknown.program->find("copy")->instances.back().params, (Bindings{{"n", "1024"}}));
}

}  // namespace tw::staging
