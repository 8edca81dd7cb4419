// The JSON documents of the verbs for one small kernel.
#include <gtest/gtest.h>

#include "tests/cli/call.h"

namespace tw::cli::test {
namespace {

TEST(Contract, List)
{
    const TemporaryFile file("add.py", kAdd);
    const Answer answer = tilec("list " + file.path() + " --json");
    EXPECT_EQ(answer.exitCode, 0);
    const Json j = answer.json();
    EXPECT_EQ(j["verb"], "list");
    EXPECT_EQ(j["file"], file.path());
    EXPECT_EQ(j["ok"], true);
    EXPECT_EQ(j["diagnostics"], Json::array());
    ASSERT_EQ(j["kernels"].size(), 1U);
    const Json& kernel = j["kernels"][0];
    EXPECT_EQ(kernel["name"], "add");
    EXPECT_EQ(kernel["form"], "lazy");
    EXPECT_EQ(kernel["line"], 5);
    EXPECT_EQ(kernel["endLine"], 12);
    ASSERT_EQ(kernel["parameters"].size(), 3U);
    EXPECT_EQ(kernel["parameters"][0]["name"], "n");
    EXPECT_TRUE(kernel["parameters"][0]["default"].is_null());
    EXPECT_EQ(kernel["parameters"][1]["default"], "64");
    ASSERT_EQ(kernel["instances"].size(), 1U);
    const Json& instance = kernel["instances"][0];
    EXPECT_EQ(instance["name"], "call:16");
    EXPECT_EQ(instance["line"], 16);
    EXPECT_EQ(instance["origin"], "call");
    EXPECT_EQ(instance["params"]["n"], 1000);
    EXPECT_EQ(instance["params"]["dtype"], "float32");
    const Json tensor = {{"name", "C"}, {"dtype", "float32"}, {"shape", {1000}}, {"role", "out"}};
    EXPECT_EQ(instance["tensors"][2], tensor);
    EXPECT_EQ(instance["tensors"][0]["role"], "in");
}

TEST(Contract, ListShowsWhatPointersPointTo)
{
    const TemporaryFile file("pointer.py", R"(import tilelang.language as T

@T.prim_func
def main(X: T.ptr, Y: T.ptr, n: T.int32):
    A = T.make_tensor(X, (8, 4), T.float16)
    B = T.make_tensor(Y, (8,), T.float32)
    with T.Kernel(1, threads=32):
        for i in T.Parallel(8):
            B[i] = A[i, 0]
)");
    const Json j = tilec("list " + file.path() + " --json").json();
    const Json expected = {{{"name", "X"}, {"dtype", "float16"}, {"shape", {8, 4}}, {"role", "in"}},
                           {{"name", "Y"}, {"dtype", "float32"}, {"shape", {8}}, {"role", "out"}}};
    EXPECT_EQ(j["kernels"][0]["instances"][0]["tensors"], expected);
}

TEST(Contract, CheckOfARightFile)
{
    const TemporaryFile file("add.py", kAdd);
    const Answer answer = tilec("check " + file.path() + " --json");
    EXPECT_EQ(answer.exitCode, 0) << answer.out;
    ASSERT_EQ(answer.json()["results"].size(), 1U);
    EXPECT_EQ(answer.json()["results"][0]["kernel"], "add");
    EXPECT_EQ(answer.json()["results"][0]["instance"], "call:16");
    EXPECT_EQ(answer.json()["results"][0]["ok"], true);
    EXPECT_TRUE(answer.json()["results"][0]["ms"].is_number());
}

TEST(Contract, CheckOfAWrongFile)
{
    std::string text = kAdd;
    text.replace(text.find("A[b * block"), 1, "Ä");  // columns count code points
    const TemporaryFile file("add.py", text);
    const Answer answer = tilec("check " + file.path() + " --json");
    EXPECT_EQ(answer.exitCode, 1);
    const Json j = answer.json();
    EXPECT_EQ(j["ok"], false);
    ASSERT_EQ(j["diagnostics"].size(), 1U) << answer.out;
    const Json& d = j["diagnostics"][0];
    EXPECT_EQ(d["code"], "name-undefined");
    EXPECT_EQ(d["severity"], "error");
    EXPECT_EQ(d["file"], file.path());
    EXPECT_EQ(d["line"], 11);
    EXPECT_EQ(d["column"], 36);
    EXPECT_EQ(d["endLine"], 11);
    EXPECT_EQ(d["endColumn"], 37);
    EXPECT_TRUE(d["notes"].is_array());
    EXPECT_TRUE(d["fixits"].is_array());
}

TEST(Contract, RunOnTheSimulatorSaysWhatAccessesCost)
{
    const TemporaryFile file("add.py", kAdd);
    const Json j = tilec("run " + file.path() + " --device sim --target sm_80 --json").json();
    ASSERT_TRUE(j.contains("simulation")) << j;
    const Json& simulation = j["simulation"];
    EXPECT_EQ(simulation["origin"], "simulated");
    EXPECT_EQ(simulation["target"], "sm_80");
    EXPECT_EQ(simulation["traffic"]["globalReadBytes"], 2 * 4000);
    EXPECT_EQ(simulation["traffic"]["globalWrittenBytes"], 4000);
    EXPECT_EQ(simulation["traffic"]["uniqueReadBytes"], 2 * 4000);  // 125 whole sectors each
    EXPECT_EQ(simulation["traffic"]["sharedReadBytes"], 0);
    ASSERT_EQ(simulation["sites"].size(), 3U);
    for (const Json& site : simulation["sites"]) {
        EXPECT_EQ(site["line"], 11);
        EXPECT_EQ(site["memory"], "global");
        EXPECT_EQ(site["bytes"], 4000);
        EXPECT_EQ(site["sectors"], 125);
        EXPECT_EQ(site["idealSectors"], 125);
    }
    EXPECT_EQ(simulation["findings"], Json::array());
    EXPECT_FALSE(tilec("run " + file.path() + " --device interp --json").json().contains("simulation"));
    EXPECT_NE(tilec("run " + file.path() + " --device sim").out.find("simulated on sm_90a: "), std::string::npos);
}

TEST(Contract, EverythingThatIsCountedHasALine)
{
    // Ragged copies: conditions and guarded loads that passes made.
    const TemporaryFile file("ragged.py", R"(import tilelang.language as T

@T.prim_func
def main(X: T.Tensor((41, 50), "float16"), Y: T.Tensor((41, 50), "float16")):
    with T.Kernel(2, 3, threads=64) as (bx, by):
        s = T.alloc_shared((16, 32), "float16")
        for k in T.Pipelined(2, num_stages=2):
            T.copy(X[by * 16, bx * 32 + k], s)
            T.copy(s, Y[by * 16, bx * 32])
)");
    const Json j = tilec("run " + file.path() + " --device sim --target sm_80 --json").json();
    ASSERT_FALSE(j["simulation"]["sites"].empty()) << j;
    ASSERT_FALSE(j["simulation"]["branches"].empty());
    for (const char* list : {"sites", "branches"})
        for (const Json& entry : j["simulation"][list])
            EXPECT_GE(entry["line"], 7) << entry;
}

TEST(Contract, FindingsOfTheSimulatorAreInTheDocument)
{
    const TemporaryFile file("race.py", R"(import tilelang.language as T

@T.prim_func
def main(X: T.Tensor((64,), "float32"), Y: T.Tensor((64,), "float32")):
    with T.Kernel(2, threads=64):
        for i in T.Parallel(64):
            Y[i] = X[i] + T.get_block_binding(0)
)");
    const Answer answer = tilec("run " + file.path() + " --device sim --json");
    EXPECT_EQ(answer.exitCode, 1);
    const Json j = answer.json();
    ASSERT_EQ(j["simulation"]["findings"].size(), 1U) << j;
    const Json& race = j["simulation"]["findings"][0];
    EXPECT_EQ(race["kind"], "race");
    EXPECT_EQ(race["buffer"], "Y");
    EXPECT_EQ(race["later"]["line"], 7);
    EXPECT_EQ(race["earlier"]["line"], 7);
    EXPECT_NE(race["earlier"]["who"], race["later"]["who"]);
}

TEST(Contract, RunWritesOutputs)
{
    const TemporaryFile file("add.py", kAdd);
    for (const char* device : {"interp", "cpu"}) {
        const Answer answer = tilec("run " + file.path() + " --device " + device + " --input A=1.5 --input B=-0.25 --output-dir " + file.folder() +
                                    "/out --repeat 3 --json");
        EXPECT_EQ(answer.exitCode, 0) << answer.out;
        const Json j = answer.json();
        EXPECT_EQ(j["kernel"], "add");
        EXPECT_EQ(j["device"], device);
        EXPECT_EQ(j["target"], "sm_90a");
        EXPECT_EQ(j["log"], "");
        ASSERT_EQ(j["outputs"].size(), 1U);
        const Json& c = j["outputs"][0];
        EXPECT_EQ(c["name"], "C");
        EXPECT_EQ(c["shape"], Json({1000}));
        EXPECT_EQ(c["min"], 1.25);
        EXPECT_EQ(c["max"], 1.25);
        EXPECT_EQ(c["mean"], 1.25);
        EXPECT_EQ(c["nan"], 0);
        EXPECT_EQ(c["path"], file.folder() + "/out/C.npy");
        EXPECT_EQ(std::filesystem::file_size(c["path"].get<std::string>()), 128U + 4000U);
        EXPECT_EQ(j["timing"]["samples"], 3);
    }
}

TEST(Contract, VerifySaysHowFar)
{
    const TemporaryFile file("add.py", kAdd);
    const Answer answer = tilec("verify " + file.path() + " --json");
    EXPECT_EQ(answer.exitCode, 0) << answer.out;
    const Json j = answer.json();
    EXPECT_EQ(j["device"], "cpu");
    EXPECT_EQ(j["reference"], "interp");
    const Json& output = j["results"][0]["outputs"][0];
    EXPECT_EQ(output["name"], "C");
    EXPECT_EQ(output["wrong"], 0);
    EXPECT_EQ(output["total"], 1000);
    EXPECT_EQ(output["orderDependent"], 0);
}

TEST(Contract, IrAndEmit)
{
    const TemporaryFile file("add.py", kAdd);
    const Json ir = tilec("ir " + file.path() + " --json").json();
    ASSERT_EQ(ir["passes"].size(), 1U);
    EXPECT_EQ(ir["passes"][0]["stage"], "tile");
    EXPECT_NE(ir["passes"][0]["text"].get<std::string>().find("@T.prim_func"), std::string::npos);

    const Answer emitted = tilec("emit " + file.path() + " --target cpu --format llvm --json");
    EXPECT_EQ(emitted.exitCode, 0);
    EXPECT_NE(emitted.json()["text"].get<std::string>().find("define"), std::string::npos);
    EXPECT_EQ(emitted.json()["launches"][0]["threads"], 64);
    EXPECT_EQ(emitted.json()["launches"][0]["grid"], Json({16}));
    EXPECT_EQ(emitted.json()["launches"][0]["block"], Json({64, 1, 1}));
    for (const char* format : {"hip", "metal"}) {
        const Answer refused = tilec("emit " + file.path() + " --format " + format + " --json");
        EXPECT_EQ(refused.exitCode, 4);
        EXPECT_EQ(refused.json()["diagnostics"][0]["message"].get<std::string>().substr(0, 15), "not supported: ");
    }
}

// Without --target the program is what is judged; with one, whether that target can do it.
TEST(Contract, CheckAnswersForTheTargetAskedFor)
{
    const TemporaryFile file("large.py", R"(import tilelang.language as T

@T.prim_func
def main(X: T.Tensor((64,), "float32")):
    with T.Kernel(1, threads=64):
        s = T.alloc_shared((256, 128), "float32")
        T.fill(s, 1)
        T.copy(s[0, 0:64], X)
)");
    EXPECT_EQ(tilec("check " + file.path() + " --json").exitCode, 0);
    EXPECT_EQ(tilec("check " + file.path() + " --target gfx942 --json").exitCode, 0);  // no such back end here: nothing can be said
    const Answer refused = tilec("check " + file.path() + " --target sm_75 --json");
    EXPECT_EQ(refused.exitCode, 4);
    EXPECT_EQ(refused.json()["ok"], false);
    EXPECT_EQ(refused.json()["results"][0]["ok"], false);
    const Json found = refused.json()["diagnostics"][0];  // a copy: json() reads anew
    EXPECT_EQ(found["line"], 6);
    EXPECT_NE(found["message"].get<std::string>().find("not supported: the shared memory in use at one time is 131072 bytes"), std::string::npos);
}

// A search space may hold configurations that cannot be: tuning skips them, and the file is right all the same.
TEST(Contract, CheckLeavesImpossibleConfigurationsOut)
{
    const auto with = [](const char* configs) {
        return std::string("import tilelang\nimport tilelang.language as T\n\n@tilelang.autotune(configs=[") + configs + R"(])
@tilelang.jit(out_idx=[1])
def twice(n=64, threads=64):
    @T.prim_func
    def main(X: T.Tensor((n,), T.float32), Y: T.Tensor((n,), T.float32)):
        with T.Kernel(1, threads=threads):
            for i in T.Parallel(n):
                Y[i] = X[i] * 2
    return main
)";
    };
    const TemporaryFile file("space.py", with("dict(threads=32), dict(threads=4096)"));
    const Answer answer = tilec("check " + file.path() + " --json");
    EXPECT_EQ(answer.exitCode, 0);
    const Json j = answer.json();
    ASSERT_EQ(j["diagnostics"].size(), 1U) << j.dump(1);
    EXPECT_EQ(j["diagnostics"][0]["severity"], "warning");
    EXPECT_NE(j["diagnostics"][0]["message"].get<std::string>().find("threads=4096"), std::string::npos);
    EXPECT_EQ(tilec("check " + TemporaryFile("first.py", with("dict(threads=4096), dict(threads=32)")).path()).exitCode, 1);
}

TEST(Contract, EmitCuda)
{
    const TemporaryFile file("add.py", kAdd);
    const Answer text = tilec("emit " + file.path() + " --format cuda --target sm_80 --json");
    ASSERT_EQ(text.exitCode, 0) << text.out;
    const Json j = text.json();
    EXPECT_EQ(j["target"], "sm_80");
    EXPECT_NE(j["text"].get<std::string>().find("__global__"), std::string::npos);
    EXPECT_FALSE(j["lines"].empty());
    EXPECT_EQ(j["launches"][0]["grid"], Json({16}));
    EXPECT_EQ(j["launches"][0]["block"], Json({64, 1, 1}));
    EXPECT_TRUE(j["launches"][0]["registers"].is_null());  // nobody has asked the compiler

    const Answer code = tilec("emit " + file.path() + " --format ptx --target sm_80 --json");
    if (code.exitCode == 4) {
        const auto message = code.json()["diagnostics"][0]["message"].get<std::string>();
        ASSERT_NE(message.find("NVRTC is not on this machine"), std::string::npos) << message;
        GTEST_SKIP() << message;
    }
    ASSERT_EQ(code.exitCode, 0) << code.out;
    EXPECT_NE(code.json()["text"].get<std::string>().find(".target sm_80"), std::string::npos);
    EXPECT_GT(code.json()["launches"][0]["registers"], 0);
    EXPECT_EQ(code.json()["launches"][0]["spills"], 0);
}

// A transposition through shared memory: columns are read, so its layout is not row-major, and the answer says what else was tried.
TEST(Contract, IrSaysWhyALayoutWasChosen)
{
    const TemporaryFile file("turn.py", R"(import tilelang.language as T

@T.prim_func
def main(A: T.Tensor((64, 64), "float32"), B: T.Tensor((64, 64), "float32")):
    with T.Kernel(1, threads=256):
        tile = T.alloc_shared((64, 64), "float32")
        T.copy(A, tile)
        for i, j in T.Parallel(64, 64):
            B[i, j] = tile[j, i]
)");
    const Answer answer = tilec("ir " + file.path() + " --why --json --target sm_80");
    EXPECT_EQ(answer.exitCode, 0);
    const Json j = answer.json();
    ASSERT_EQ(j["layouts"].size(), 1U);
    const Json& tile = j["layouts"][0];
    EXPECT_EQ(tile["buffer"], "tile");
    EXPECT_EQ(tile["unit"], "passes of shared memory");
    EXPECT_EQ(tile["provenance"], "modelled");
    EXPECT_TRUE(tile["registers"].is_null());
    ASSERT_GT(tile["candidates"].size(), 1U);
    EXPECT_EQ(tile["candidates"][0]["layout"], "row-major");
    EXPECT_EQ(tile["candidates"][0]["chosen"], false);
    int chosen = 0;
    for (const Json& c : tile["candidates"])
        if (c["chosen"]) {
            ++chosen;
            EXPECT_LT(c["cost"], tile["candidates"][0]["cost"]);
        }
    EXPECT_EQ(chosen, 1);
    const Answer text = tilec("ir " + file.path() + " --why --target sm_80");
    EXPECT_EQ(text.exitCode, 0);
    EXPECT_NE(text.out.find("candidates, with their cost in passes of shared memory (modelled):"), std::string::npos);
}

}  // namespace
}  // namespace tw::cli::test
