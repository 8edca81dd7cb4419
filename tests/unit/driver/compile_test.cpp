#include <gtest/gtest.h>

#include "codegen/driver/compile.h"

namespace tw::driver {
namespace {

constexpr const char* kTwo = R"(import tilelang
import tilelang.language as T

@T.prim_func
def one(A: T.Tensor((64,), T.float32)):
    with T.Kernel(1, threads=64):
        for i in T.Parallel(64):
            A[i] = A[i] + 1.0

@tilelang.jit(out_idx=[0], target="cuda -arch=sm_80")
def two(n=32):
    @T.prim_func
    def main(B: T.Tensor((n,), T.float32)):
        with T.Kernel(1, threads=32):
            for i in T.Parallel(n):
                B[i] = 2.0
    return main
)";

CompileRequest request(const std::string& text, const std::string& kernel = "")
{
    CompileRequest r;
    r.source = std::make_shared<const SourceText>("two.py", text);
    r.kernel.kernel = kernel;
    return r;
}

TEST(Compile, TheFirstKernelByDefault)
{
    const auto snapshot = compile(request(kTwo));
    EXPECT_TRUE(snapshot->ok()) << snapshot->diagnostics.at(0).message;
    EXPECT_EQ(snapshot->kernel, "one");
    EXPECT_EQ(snapshot->target.name, "sm_90a");
    ASSERT_NE(snapshot->function, nullptr);
    EXPECT_EQ(snapshot->function->stage, ir::Stage::kTile);
    ASSERT_FALSE(snapshot->passes.empty());
    EXPECT_EQ(snapshot->passes.front().name, "trace");
    ASSERT_NE(snapshot->llvmIr, nullptr);
    EXPECT_EQ(snapshot->assembly, nullptr);
}

TEST(Compile, TheFilesOwnTargetYieldsToTheRequest)
{
    EXPECT_EQ(compile(request(kTwo, "two"))->target.name, "sm_80");
    CompileRequest r = request(kTwo, "two");
    r.target = "cpu";
    EXPECT_EQ(compile(r)->target.name, "cpu");
    r.target = "z80";
    const auto wrong = compile(r);
    ASSERT_EQ(wrong->diagnostics.size(), 1U);
    EXPECT_EQ(wrong->diagnostics[0].code, Code::kUsage);
}

// An architecture that nobody has is a mistake of the file; a kind without a back end keeps nobody from checking it.
TEST(Compile, AnOwnTargetThatIsNotThereIsSaidOnce)
{
    const auto withTarget = [](const std::string& name) {
        std::string text = kTwo;
        return text.replace(text.find("cuda -arch=sm_80"), 16, name);
    };
    for (const char* name : {"cuda -arch=sm_42", "sm_91"}) {
        CompileRequest r = request(withTarget(name), "two");
        r.stages = StageWanted::kTrace | StageWanted::kCuda;
        const auto snapshot = compile(r);
        ASSERT_EQ(snapshot->diagnostics.size(), 1U) << name;
        EXPECT_EQ(snapshot->diagnostics[0].code, Code::kOption);
        EXPECT_NE(snapshot->diagnostics[0].message.find("sm_60, sm_70, sm_75"), std::string::npos) << snapshot->diagnostics[0].message;
    }
    CompileRequest r = request(withTarget("webgpu"), "two");
    r.stages = StageWanted::kTrace | StageWanted::kCheck;
    EXPECT_TRUE(compile(r)->ok());
    r.stages = StageWanted::kTrace | StageWanted::kCuda;
    const auto snapshot = compile(r);
    ASSERT_EQ(snapshot->diagnostics.size(), 1U);
    EXPECT_EQ(snapshot->diagnostics[0].message, "not supported: the file's own target webgpu; --target chooses another");
    r.target = "sm_80";
    EXPECT_TRUE(compile(r)->ok());
}

TEST(Compile, TheSameTextIsNotParsedAgain)
{
    const auto first = compile(request(kTwo));
    CompileRequest again = request(kTwo, "two");
    again.target = "sm_90a";
    again.previous = first;
    EXPECT_EQ(compile(again)->program, first->program);
    CompileRequest other = request(std::string(kTwo) + "\n", "two");
    other.previous = first;
    EXPECT_NE(compile(other)->program, first->program);
}

TEST(Compile, ASyntaxErrorIsSaidOnceAndTheOtherKernelStays)
{
    std::string text = kTwo;
    text.replace(text.find("A[i] + 1.0"), 10, "A[i] + (1.");
    const auto snapshot = compile(request(text, "two"));
    EXPECT_FALSE(snapshot->ok());
    for (const Diagnostic& d : snapshot->diagnostics)
        EXPECT_LE(d.code, Code::kTooLarge) << d.message;
    EXPECT_NE(snapshot->program->find("two"), nullptr);
}

TEST(Compile, StopsWhenAsked)
{
    std::stop_source stop;
    stop.request_stop();
    const auto snapshot = compile(request(kTwo), stop.get_token());
    EXPECT_TRUE(snapshot->cancelled);
    EXPECT_FALSE(snapshot->ok());
    EXPECT_EQ(snapshot->program, nullptr);
}

constexpr const char* kExchange = R"(import tilelang.language as T

@T.prim_func
def reversed(A: T.Tensor((64,), T.float32), B: T.Tensor((64,), T.float32)):
    with T.Kernel(1, threads=64):
        s = T.alloc_shared((64,), T.float32)
        for i in T.Parallel(64):
            s[i] = A[i]
        for i in T.Parallel(64):
            B[i] = s[63 - i]
)";

TEST(Compile, PassesSayWhatTheyDecidedAndWhy)
{
    CompileRequest r = request(kExchange);
    r.target = "sm_80";
    r.stages = StageWanted::kPasses | StageWanted::kTargetText;
    const auto snapshot = compile(r);
    ASSERT_TRUE(snapshot->ok()) << snapshot->diagnostics.at(0).message;
    EXPECT_NE(snapshot->cuda, nullptr);
    ASSERT_EQ(snapshot->placements.size(), 1U);
    EXPECT_EQ(snapshot->placements[0].buffer, "s");
    EXPECT_EQ(snapshot->placements[0].bytes, 256);
    EXPECT_LE(snapshot->placements[0].first, snapshot->placements[0].last);
    EXPECT_FALSE(snapshot->steps.empty());
    ASSERT_EQ(snapshot->syncReasons.size(), 1U);
    const passes::SyncReason& why = snapshot->syncReasons[0];
    EXPECT_EQ(why.inserted, ir::OpId::kSyncThreads);
    EXPECT_EQ(why.buffer, "s");
    EXPECT_TRUE(why.earlierWrites);
    EXPECT_FALSE(why.laterWrites);
    EXPECT_EQ(snapshot->source->lineColumn(why.earlier.range.begin).line, 8);
    EXPECT_EQ(snapshot->source->lineColumn(why.later.range.begin).line, 10);
}

TEST(Compile, WhatTheChecksRefuseIsNotLowered)
{
    const auto snapshot = compile(request(R"(import tilelang.language as T

@T.prim_func
def huge(A: T.Tensor((64,), T.float32)):
    with T.Kernel(1, threads=64):
        s = T.alloc_shared((1024, 1024), T.float32)
        T.clear(s)
)"));
    ASSERT_EQ(snapshot->diagnostics.size(), 1u);
    EXPECT_EQ(snapshot->diagnostics.front().code, Code::kCapacity);
    EXPECT_TRUE(snapshot->passes.empty());
    EXPECT_NE(snapshot->function, nullptr);
}

TEST(Compile, TargetTextIsMadeWhereThereIsSome)
{
    CompileRequest r = request(kExchange);
    r.stages = static_cast<unsigned>(StageWanted::kTargetText);
    r.target = "cpu";
    EXPECT_TRUE(compile(r)->ok());
    EXPECT_EQ(compile(r)->cuda, nullptr);
    r.target = "sm_90a";
    EXPECT_NE(compile(r)->cuda, nullptr);
}

TEST(Compile, AnyBytesAreAnswered)
{
    for (const std::string& text : {std::string(), std::string("\xff\xfe\0x", 4), std::string("def f(:\n"), std::string(100, '(')})
        EXPECT_NE(compile(request(text)), nullptr);
}

}  // namespace
}  // namespace tw::driver
