// Runners behind ssh, played by a script of that name which comes first on PATH and runs the command here.
#include <gtest/gtest.h>

#include "tests/cli/call.h"
#include "tests/temporary_folder.h"

namespace tw::cli::test {
namespace {

constexpr const char* kSsh = R"(#!/bin/sh
while [ "$1" != -- ]; do shift; done
host=$2
shift 2
exec 3<&0
case $host in
good) exec "$@" ;;
cut)  # the hello, and a piece of what follows
    mkfifo "$0.out"
    "$@" <&3 >"$0.out" &
    head -c 150 "$0.out"
    echo "Connection to cut closed by remote host." >&2
    kill -9 $!
    exit 255 ;;
killed) exec sh -c 'kill -9 $$' ;;
empty) exec no-such-tilec serve ;;
chatty) echo "Welcome to chatty"; exec "$@" ;;
other) cat "$0.hello"; exec cat >/dev/null ;;
denied) echo "me@denied: Permission denied (publickey)." >&2; exit 255 ;;
silent) exec sleep 60 ;;
esac
)";

class Remote : public testing::Test {
protected:
    Remote() : ssh_("ssh", kSsh), file_("add.py", kAdd)
    {
        std::filesystem::permissions(ssh_.path(), std::filesystem::perms::owner_all);
        std::filesystem::create_symlink(TW_TILEC, ssh_.folder() + "/tilec");
        // What the runner of another version would say first (profiler/protocol/frame.h).
        const std::string hello = R"({"type": "hello", "id": 0, "protocol": 99, "version": "7.1"})";
        std::ofstream(ssh_.path() + ".hello", std::ios::binary) << std::string("TWP1") << static_cast<char>(hello.size()) << std::string(7, '\0') << hello;
    }
    [[nodiscard]] Answer call(const std::string& verb, const std::string& device, const std::string& more = "") const
    {
        return tilec(verb + " " + file_.path() + " --json --device " + device + " " + more, "PATH=" + ssh_.folder() + ":$PATH ");
    }
    [[nodiscard]] std::string refusal(const std::string& device, const std::string& more = "") const
    {
        const Answer answer = call("run", device, more);
        EXPECT_EQ(answer.exitCode, 4) << device;
        const Json document = answer.json();
        return document["diagnostics"].empty() ? answer.out : document["diagnostics"][0]["message"].get<std::string>();
    }

    TemporaryFile ssh_, file_;
};

TEST_F(Remote, AHostIsADevice)
{
    EXPECT_EQ(call("run", "ssh:good").exitCode, 0);
    const Answer verified = call("verify", "ssh:good/sim");
    EXPECT_EQ(verified.exitCode, 0) << verified.out;
    EXPECT_EQ(call("run", "'cmd:ssh -T -- good tilec serve/interp'").exitCode, 0);
    const tw::test::TemporaryFolder folder;
    const Json profile = call("profile", "ssh:good/sim", "--store " + folder.file("runs.db")).json();
    EXPECT_EQ(profile["device"], "ssh:good/sim");
    EXPECT_EQ(tilec("runs --json --store " + folder.file("runs.db")).json()["runs"][0]["device"], "ssh:good/sim");
    const Json doctor = tilec("doctor --json --device ssh:good", "PATH=" + ssh_.folder() + ":$PATH ").json();
    EXPECT_EQ(doctor["checks"][0]["name"], "processor");
}

TEST_F(Remote, EachWayToFailHasItsSentence)
{
    // In the interpreter, so long that it is still at work when the line is cut.
    EXPECT_EQ(refusal("ssh:cut/interp", "--param n=3000000"), "the line to cut was lost: Connection to cut closed by remote host; the next request connects again");
    EXPECT_EQ(refusal("ssh:killed"), "the runner ended with signal 9 (Killed)");
    EXPECT_TRUE(refusal("ssh:empty").starts_with("empty does not start tilec: "));
    EXPECT_NE(refusal("ssh:chatty").find("the stream begins with \"Welcome to chatty\""), std::string::npos);
    EXPECT_TRUE(refusal("ssh:denied").starts_with("cannot reach denied by ssh: me@denied: Permission denied (publickey); `ssh-copy-id denied`"));
    // What sends our own words back is no runner.
    EXPECT_EQ(refusal("cmd:cat"), "the runner answered with something else: it asks instead of answering");
    EXPECT_EQ(call("run", "ssh:").exitCode, 2);
    EXPECT_EQ(call("run", "ssh:/cuda:0").exitCode, 2);
    EXPECT_EQ(call("run", "cmd:").exitCode, 2);
}

TEST_F(Remote, AnotherVersionIsNamedAndNothingIsStored)
{
    const std::string message = refusal("ssh:other");
    EXPECT_TRUE(message.starts_with("the runner (tilec 7.1) speaks protocol 99, this program protocol ")) << message;
    EXPECT_TRUE(message.ends_with(": install the same version of Tilewright on both sides")) << message;
    const tw::test::TemporaryFolder folder;
    const std::string db = folder.file("runs.db");
    EXPECT_EQ(call("profile", "ssh:good/sim", "--store " + db).exitCode, 0);
    for (const char* device : {"ssh:other/sim", "ssh:cut/sim", "ssh:killed/sim"})
        EXPECT_EQ(call("profile", device, "--store " + db).exitCode, 4) << device;
    EXPECT_EQ(tilec("runs --json --store " + db).json()["runs"].size(), 1U);
}

TEST_F(Remote, TheDoctorNamesTheHostsTroubleOnce)
{
    const Json checks = tilec("doctor --json --device ssh:denied", "PATH=" + ssh_.folder() + ":$PATH ").json()["checks"];
    ASSERT_FALSE(checks.empty());
    EXPECT_EQ(checks[0]["name"], "runner");
    EXPECT_EQ(checks[0]["state"], "missing");
    EXPECT_NE(checks[0]["detail"].get<std::string>().find("Permission denied"), std::string::npos);
    EXPECT_EQ(checks.size(), 2U);  // and the window, which is here
}

TEST_F(Remote, AHostThatDoesNotAnswerIsCancelled)
{
    const Answer answer = tilec("run " + file_.path() + " --device ssh:silent", "PATH=" + ssh_.folder() + ":$PATH timeout --preserve-status -s INT 1 ");
    EXPECT_EQ(answer.exitCode, 130);
}

}  // namespace
}  // namespace tw::cli::test
