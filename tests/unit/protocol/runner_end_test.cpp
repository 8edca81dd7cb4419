// What is said of a runner's end, from the words that ssh 9.2 really uses.
#include "profiler/protocol/runner_end.h"

#include <gtest/gtest.h>

namespace tw::protocol {
namespace {

const std::vector<std::string> kSsh = {"ssh", "-T", "--", "me@server", "tilec", "serve"};

std::string ofSsh(int exitStatus, bool hasGreeted, const std::string& said) { return describeEnd(kSsh, {exitStatus << 8, hasGreeted, said}); }

TEST(RunnerEnd, SaysSignalsAndExitCodes)
{
    EXPECT_EQ(describeEnd({"tilec", "serve"}, {9, true, ""}), "the runner ended with signal 9 (Killed)");
    EXPECT_EQ(describeEnd({"tilec", "serve"}, {6, true, "one\nLLVM ERROR: out of memory\n"}),
              "the runner ended with signal 6 (Aborted): LLVM ERROR: out of memory");
    EXPECT_EQ(describeEnd({"/bin/sh", "-c", "exec srun tilec"}, {1 << 8, false, "srun: error: Unable to allocate resources\n"}),
              "the runner ended with exit status 1: srun: error: Unable to allocate resources");
}

TEST(RunnerEnd, SaysWhatHelpsWithSsh)
{
    struct Case {
        const char *said, *message, *helps;
    };
    for (const Case& c : {
             Case{"me@server: Permission denied (publickey,password).\r\n", "cannot reach me@server by ssh: me@server: Permission denied (publickey,password)",
                  "`ssh-copy-id me@server`"},
             Case{"Host key verification failed.\r\n", "cannot reach me@server by ssh: Host key verification failed", "connect once with `ssh me@server`"},
             Case{"@@@@\r\n@    WARNING: REMOTE HOST IDENTIFICATION HAS CHANGED!     @\r\n@@@@\r\nHost key verification failed.\r\n",
                  "cannot reach me@server by ssh: Host key verification failed", "`ssh-keygen -R me@server`"},
             Case{"ssh: Could not resolve hostname server: Name or service not known\r\n", "Could not resolve hostname", "~/.ssh/config"},
             Case{"ssh: connect to host server port 22: Connection refused\r\n", "Connection refused", "no ssh server answers there"},
             Case{"ssh: connect to host server port 22: Connection timed out\r\n", "timed out", "is the machine on"}}) {
        const std::string got = ofSsh(255, false, c.said);
        EXPECT_NE(got.find(c.message), std::string::npos) << got;
        EXPECT_NE(got.find(c.helps), std::string::npos) << got;
        EXPECT_EQ(got.find('\r'), std::string::npos);
    }
}

TEST(RunnerEnd, ALostLineIsNoRefusal)
{
    EXPECT_EQ(ofSsh(255, true, "Timeout, server 10.0.0.1 not responding.\r\n"),
              "the line to me@server was lost: Timeout, server 10.0.0.1 not responding; the next request connects again");
    EXPECT_EQ(ofSsh(255, true, ""), "the runner on me@server was killed; the next request starts another");
    EXPECT_EQ(ofSsh(0, true, ""), "the runner on me@server ended with exit status 0");
}

TEST(RunnerEnd, AMissingTilecIsNamedWithTheWayOut)
{
    const std::string got = ofSsh(127, false, "bash: line 1: tilec: command not found\n");
    EXPECT_NE(got.find("me@server does not start tilec: bash: line 1: tilec: command not found;"), std::string::npos) << got;
    EXPECT_NE(got.find("--device 'cmd:ssh me@server /PATH/tilec serve'"), std::string::npos) << got;
}

TEST(LastWords, AreShortAndWhole)
{
    EXPECT_EQ(lastWords("first\n\nsecond.\nthird\n", 2), "second. third");
    EXPECT_EQ(lastWords("\n \n", 2), "");
    EXPECT_EQ(lastWords("abc", 1, 2), "ab…");
    EXPECT_EQ(lastWords("aé", 1, 2), "a…");  // never half a character
}

}  // namespace
}  // namespace tw::protocol
