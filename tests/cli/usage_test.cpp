// Wrong command lines, missing files, signals, closed pipes.
#include <gtest/gtest.h>

#include "tests/cli/call.h"

namespace tw::cli::test {
namespace {

TEST(Usage, EveryMistakeIsOneDocument)
{
    const TemporaryFile file("add.py", kAdd);
    for (const std::string& arguments :
         {std::string("lst x.py"), std::string("run"), "list " + file.path() + " --kernle add", "run " + file.path() + " --seed x",
          "run " + file.path() + " --dim M=-1", "run " + file.path() + " --input A", "check " + file.path() + " --target sm_42",
          "run " + file.path() + " --kernel sub", "run " + file.path() + " --kernel add@call:99", "run " + file.path() + " --device gpu",
          "verify " + file.path() + " --device interp", "run " + file.path() + " --input Z=1", std::string("list /nonexistent.py"),
          "run " + file.path() + " --input A=/nonexistent.npy", "run " + file.path() + " --param block=99999999999999999999", "run " + file.path() + " --param 'n=(1,18446744073709551616)'",
          "emit " + file.path() + " --format fortran", "ir " + file.path() + " --after nothing"}) {
        const Answer answer = tilec(arguments + " --json");
        EXPECT_EQ(answer.exitCode, 2) << arguments;
        const Json j = answer.json();
        ASSERT_TRUE(j.is_object()) << arguments << "\n" << answer.out;
        EXPECT_EQ(j["ok"], false) << arguments;
        ASSERT_FALSE(j["diagnostics"].empty()) << arguments;
        EXPECT_EQ(j["diagnostics"].back()["severity"], "error") << arguments;
    }
}

TEST(Usage, WhatThisBuildLacksIsExit4)
{
    const TemporaryFile file("add.py", kAdd);
    for (const std::string& arguments : {"run " + file.path() + " --device cuda:0", "profile " + file.path() + " --device interp",
                                         "tune " + file.path() + " --space block=32,64 --device interp"}) {
        const Answer answer = tilec(arguments + " --json");
        EXPECT_EQ(answer.exitCode, 4) << arguments;
        EXPECT_EQ(answer.json()["diagnostics"][0]["message"].get<std::string>().substr(0, 15), "not supported: ") << arguments;
    }
}

TEST(Usage, AFullDiskIsSaid)
{
    const TemporaryFile file("add.py", kAdd);
    for (const std::string& arguments : {"list " + file.path(), "list " + file.path() + " --json", "check " + file.path() + " --json", std::string("help")}) {
        EXPECT_NE(tilec(arguments + " > /dev/full").exitCode, 0) << arguments;
        FILE* pipe = ::popen((TW_QUOTED_TILEC " " + arguments + " 2>&1 > /dev/full").c_str(), "r");
        char text[200] = "";
        EXPECT_GT(std::fread(text, 1, sizeof text - 1, pipe), 0U) << arguments;
        ::pclose(pipe);
        EXPECT_NE(std::string(text).find("cannot write standard output"), std::string::npos) << arguments << text;
    }
}

TEST(Usage, BadUsageOfCheckGoesToStandardError)
{
    EXPECT_EQ(tilec("check --bogus").out, "");  // what `check` finds is its output; that it was called wrongly is not
    EXPECT_EQ(tilec("check --bogus").exitCode, 2);
    EXPECT_EQ(tilec("check /nowhere/x.py").out, "");
}

TEST(Usage, OutputsThatCannotBeWrittenAreSaid)
{
    const TemporaryFile file("add.py", kAdd);
    const std::pair<std::string, std::string> wrong[] = {{"/dev/full", "No space left on device"}, {file.folder(), "Is a directory"}, {file.path() + "/x", "Not a directory"}};
    for (const auto& [path, reason] : wrong) {
        const Answer answer = tilec("emit " + file.path() + " --format cuda --json -o " + path);
        EXPECT_EQ(answer.exitCode, 2) << path;
        EXPECT_EQ(answer.json()["diagnostics"][0]["message"], "cannot write " + path + ": " + reason);
    }
    const Answer run = tilec("run " + file.path() + " --device interp --json --output-dir " + file.path());
    EXPECT_EQ(run.exitCode, 2);
    EXPECT_NE(run.json()["diagnostics"][0]["message"].get<std::string>().find("cannot make the folder"), std::string::npos) << run.out;
    const Answer good = tilec("emit " + file.path() + " --format cuda -o " + file.folder() + "/out.cu");
    EXPECT_EQ(good.exitCode, 0);
    EXPECT_EQ(std::distance(std::filesystem::directory_iterator(file.folder()), {}), 2);  // nothing else is left there
}

TEST(Usage, VersionIsSaid)
{
    const Answer answer = tilec("--version");
    EXPECT_EQ(answer.exitCode, 0);
    EXPECT_EQ(answer.out.substr(0, 6), "tilec ");
}

TEST(Usage, FilesWithoutEndAreNotReadForEver)
{
    const Answer answer = tilec("check /dev/zero --json", "ulimit -v 4000000; timeout 60 ");
    EXPECT_EQ(answer.exitCode, 1);
    EXPECT_EQ(answer.json()["diagnostics"][0]["code"], "file-too-large") << answer.out;
}

TEST(Usage, LongLinesAreShownInPart)
{
    const TemporaryFile file("long.py", "x = '" + std::string(100'000, 'y') + "' + (\n");
    const Answer answer = tilec("check " + file.path());
    EXPECT_EQ(answer.exitCode, 1);
    EXPECT_LT(answer.out.size(), 2'000U);
    EXPECT_NE(answer.out.find("never closed"), std::string::npos) << answer.out;
}

TEST(Usage, ACallThatContradictsItsKernelIsSaidOnce)
{
    std::string text = kAdd;
    text.replace(text.find("add(1000)"), 9, "add()");
    const TemporaryFile file("add.py", text);
    for (const char* verb : {"check ", "run ", "verify "}) {
        const Answer answer = tilec(verb + file.path() + " --json");
        EXPECT_EQ(answer.exitCode, 1) << verb;
        ASSERT_EQ(answer.json()["diagnostics"].size(), 1U) << verb << answer.out;
        EXPECT_EQ(answer.json()["diagnostics"][0]["line"], 16);
    }
}

TEST(Usage, MissingParametersAreNamed)
{
    std::string text = kAdd;
    text.erase(text.find("if __name__"));
    const TemporaryFile file("add.py", text);
    EXPECT_EQ(tilec("list " + file.path()).exitCode, 0);
    const Answer checked = tilec("check " + file.path() + " --json");
    EXPECT_EQ(checked.exitCode, 0);
    EXPECT_EQ(checked.json()["diagnostics"][0]["message"], "add needs --param n");
    const Answer run = tilec("run " + file.path() + " --json");
    EXPECT_EQ(run.exitCode, 2);
    EXPECT_EQ(run.json()["diagnostics"][0]["message"], "add needs --param n");
    const Answer given = tilec("run " + file.path() + " --param n=10 --param dtype=float16 --device interp --json");
    EXPECT_EQ(given.exitCode, 0) << given.out;
    EXPECT_EQ(given.json()["outputs"][0]["dtype"], "float16");
}

// A call whose values nobody knows is an instance, but nothing of it is checked.
TEST(Usage, InstancesThatLackValuesSaySo)
{
    std::string text = kAdd;
    text.erase(text.find("if __name__"));
    const TemporaryFile file("add.py", text + "from elsewhere import size\nadd(size)\n");
    for (const char* verb : {"check ", "list "}) {
        const Answer answer = tilec(verb + file.path() + " --json");
        EXPECT_EQ(answer.exitCode, 0);
        ASSERT_EQ(answer.json()["diagnostics"].size(), 1U) << answer.out;
        EXPECT_EQ(answer.json()["diagnostics"][0]["severity"], "note");
        const std::string message = answer.json()["diagnostics"][0]["message"];
        EXPECT_TRUE(message.starts_with("add@call:") && message.ends_with(" needs --param n")) << message;
    }
    EXPECT_NE(tilec("check " + file.path()).out.find("0 kernel instances checked"), std::string::npos);
}

// Extents that nobody gave are chosen by the tool: what is wrong with them is no mistake of the file.
TEST(Usage, ChosenExtentsThatDoNotFitAreNoMistakeOfTheFile)
{
    const auto kernel = [](const std::string& size, const std::string& body) {
        return "import tilelang\nimport tilelang.language as T\n\n@tilelang.jit\ndef f(A):\n    N = T.const(\"N\")\n    A: T.Tensor((N,), \"float32\")\n    assert " +
               size + "\n    B = T.empty((N,), \"float32\")\n    with T.Kernel(1, threads=32):\n        for i in T.Parallel(N):\n            " + body +
               "\n    return B\n";
    };
    const TemporaryFile fits("fits.py", kernel("N == 32", "B[i] = A[i] + 1")), odd("odd.py", kernel("N == 7", "B[i] = A[i] + 1")),
        wrong("wrong.py", kernel("N > 0", "B[i, 0] = A[i]"));
    for (const char* verb : {"check ", "list ", "verify --device cpu "})
        EXPECT_EQ(tilec(verb + fits.path() + " --json").exitCode, 0) << verb;
    for (const char* verb : {"check ", "list "}) {
        const Answer answer = tilec(verb + odd.path() + " --json");
        EXPECT_EQ(answer.exitCode, 0) << answer.out;
        ASSERT_EQ(answer.json()["diagnostics"].size(), 1U) << answer.out;
        EXPECT_EQ(answer.json()["diagnostics"][0]["severity"], "note");
        EXPECT_EQ(answer.json()["diagnostics"][0]["line"], 8);
        EXPECT_EQ(answer.json()["diagnostics"][0]["message"], "f needs --dim N: of the extents that were tried, none fits");
    }
    EXPECT_EQ(tilec("run " + odd.path() + " --device cpu --json").exitCode, 2);
    EXPECT_EQ(tilec("run " + odd.path() + " --device cpu --dim N=7 --json").exitCode, 0);
    EXPECT_EQ(tilec("check " + odd.path() + " --dim N=8 --json").exitCode, 1);  // given, so a mistake
    EXPECT_EQ(tilec("check " + wrong.path() + " --json").exitCode, 1);          // whatever the extent
}

TEST(Usage, StandardInputIsAFile)
{
    const TemporaryFile file("add.py", kAdd);
    const Answer answer = tilec("list - --json", "cat " + file.path() + " | ");
    EXPECT_EQ(answer.exitCode, 0);
    EXPECT_EQ(answer.json()["kernels"][0]["name"], "add");
    EXPECT_EQ(answer.json()["file"], "-");
}

TEST(Usage, AClosedPipeIsNoError)
{
    const TemporaryFile file("add.py", kAdd);
    FILE* closed = ::popen(("{ " TW_QUOTED_TILEC " list " + file.path() + " 2>&1 1>&3 | cat 1>&2; } 3>&1 2>/dev/null | true").c_str(), "r");
    EXPECT_EQ(::pclose(closed), 0);
}

TEST(Usage, InterruptEndsACallAndItsRunner)
{
    // A kernel that runs for minutes in the interpreter.
    const TemporaryFile file("slow.py", R"(import tilelang.language as T

@T.prim_func
def slow(A: T.Tensor((1,), T.int32)):
    with T.Kernel(1, threads=1):
        for i in T.serial(2000000000):
            A[0] = A[0] + 1
)");
    const std::string script = "timeout -s INT 1 " TW_QUOTED_TILEC " run " + file.path() + " --device interp --json >/dev/null 2>&1; echo $?";
    FILE* pipe = ::popen(script.c_str(), "r");
    char buffer[64] = {};
    EXPECT_NE(std::fgets(buffer, sizeof buffer, pipe), nullptr);
    ::pclose(pipe);
    EXPECT_EQ(std::string(buffer), "124\n");  // timeout's own code: the call ended on the signal
}

TEST(Usage, HelpCompletionAndManual)
{
    EXPECT_NE(tilec("help run").out.find("--output-dir"), std::string::npos);
    EXPECT_EQ(tilec("run --help").out, tilec("help run").out);
    EXPECT_NE(tilec("help").out.find("verify"), std::string::npos);
    for (const char* shell : {"bash", "zsh", "fish"})
        EXPECT_NE(tilec(std::string("completion ") + shell).out.find("tilec"), std::string::npos);
    EXPECT_EQ(tilec("completion csh").exitCode, 2);
    EXPECT_EQ(tilec("manpage").out.substr(0, 9), ".TH TILEC");
}

}  // namespace
}  // namespace tw::cli::test
