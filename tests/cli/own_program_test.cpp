// The runner is the running program, whatever it is called and however it was started.
#include <gtest/gtest.h>

#include "tests/cli/call.h"

namespace tw::cli::test {
namespace {

namespace fs = std::filesystem;

class OwnProgram : public testing::Test {
protected:
    OwnProgram() : file_("add.py", kAdd) {}
    [[nodiscard]] std::string at(const std::string& name) const { return file_.folder() + "/" + name; }
    [[nodiscard]] std::string run() const { return " run " + file_.path() + " --device interp --json"; }

    // The answer of a runner, told from that of another program that happens to be there.
    static void expectRan(const Answer& answer)
    {
        ASSERT_EQ(answer.exitCode, 0) << answer.out;
        EXPECT_EQ(answer.json()["outputs"][0]["shape"], Json({1000}));
    }

    TemporaryFile file_;
};

TEST_F(OwnProgram, MayHaveAnyName)
{
    fs::copy_file(TW_TILEC, at("other name"));
    expectRan(shell("'" + at("other name") + "'" + run()));
}

TEST_F(OwnProgram, MayBeALinkOrFoundOnThePath)
{
    fs::create_symlink(TW_TILEC, at("linked"));
    expectRan(shell(at("linked") + run()));
    expectRan(shell("PATH=" + file_.folder() + ":$PATH linked" + run()));
}

TEST_F(OwnProgram, MayBeRunByALoader)
{
    const fs::path loader = "/lib64/ld-linux-x86-64.so.2";
    if (!fs::exists(loader))
        GTEST_SKIP() << loader << " is not here";
    fs::copy_file(TW_TILEC, at("foo"));
    expectRan(shell(loader.string() + " " + at("foo") + run()));
    expectRan(shell("cd " + file_.folder() + " && " + loader.string() + " --library-path /none:/nowhere ./foo" + run()));
    EXPECT_EQ(shell(loader.string() + " " + at("foo") + " emit " + file_.path() + " --format obj -o " + at("out.o")).exitCode, 0);
    EXPECT_GT(fs::file_size(at("out.o")), 0U);
}

TEST_F(OwnProgram, MayBeReplacedWhileItRuns)
{
    fs::copy_file(TW_TILEC, at("foo"));
    const std::string steps = "cd " + file_.folder() + " && mkfifo pipe && { ./foo run - --device interp --json < pipe & } && exec 3> pipe && "
                              "until [ \"$(readlink /proc/$!/exe)\" = \"$(readlink -f foo)\" ]; do sleep 0.01; done; "
                              "rm foo; cat add.py >&3; exec 3>&-; wait $!";
    expectRan(shell("{ " + steps + "; }"));
}

}  // namespace
}  // namespace tw::cli::test
