// The client against runners that misbehave, played by the shell.
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <thread>

#include <sys/wait.h>
#include <unistd.h>

#include <gtest/gtest.h>

#include "profiler/protocol/client.h"

namespace tw::protocol {
namespace {

std::string firstMessage(const RunResult& result) { return result.head.diagnostics.empty() ? "" : result.head.diagnostics[0].message; }

TEST(Client, SaysHowTheRunnerEnded)
{
    Client killed({"/bin/sh", "-c", "kill -9 $$"});
    const RunResult result = killed.run({});
    ASSERT_EQ(result.head.diagnostics.size(), 1U);
    EXPECT_EQ(result.head.diagnostics[0].code, Code::kRunnerLost);
    EXPECT_EQ(firstMessage(result), "the runner ended with signal 9 (Killed)");

    Client failed({"/bin/sh", "-c", "exit 3"});
    EXPECT_EQ(firstMessage(failed.run({})), "the runner ended with exit status 3");
}

TEST(Client, StartsAnotherAfterALoss)
{
    Client client({"/bin/sh", "-c", "kill -9 $$"});
    EXPECT_FALSE(client.run({}).head.diagnostics.empty());
    EXPECT_EQ(client.processId(), 0);
    EXPECT_EQ(firstMessage(client.run({})), "the runner ended with signal 9 (Killed)");
}

TEST(Client, NamesAProgramThatIsNotThere)
{
    Client client({"/nonexistent/tilec", "serve"});
    const RunResult result = client.run({});
    EXPECT_EQ(result.head.outcome, Outcome::kCannot);
    EXPECT_NE(firstMessage(result).find("/nonexistent/tilec"), std::string::npos);
}

TEST(Client, RefusesAStreamThatIsNoProtocol)
{
    Client client({"/bin/sh", "-c", "echo Welcome; sleep 60"});
    EXPECT_NE(firstMessage(client.run({})).find("something else"), std::string::npos);
}

TEST(Client, KillsARunnerThatIgnoresCancellation)
{
    Client client({"/bin/sh", "-c", "exec sleep 60"}, std::chrono::milliseconds(50));
    std::stop_source stop;
    stop.request_stop();
    EXPECT_TRUE(client.run({}, {}, stop.get_token()).head.cancelled);
    std::stop_source later;
    const std::jthread thread([&later] {
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
        later.request_stop();
    });
    const auto start = std::chrono::steady_clock::now();
    EXPECT_TRUE(client.run({}, {}, later.get_token()).head.cancelled);
    EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(50));  // before the runner ends by itself
    EXPECT_EQ(client.processId(), 0);
}

// A runner that plays back what it is given and then waits.
std::string playing(const std::vector<Envelope>& messages)
{
    std::string bytes;
    for (const Envelope& m : messages)
        bytes += serialize(encode(m));
    const std::string path = testing::TempDir() + "/played" + std::to_string(::getpid());
    std::ofstream(path, std::ios::binary) << bytes;
    return "cat " + path + "; exec cat >/dev/null";
}

// A hello as another version would say it: with what it has, and without what it lacks.
std::string strangersHello()
{
    const std::string header = R"({"type": "hello", "id": 0, "protocol": 99, "version": "7.1", "gpus": 8})";
    const std::string path = testing::TempDir() + "/hello" + std::to_string(::getpid());
    std::ofstream(path, std::ios::binary) << serialize({header, {}});
    return "cat " + path + "; exec cat >/dev/null";
}

TEST(Client, NamesBothVersionsAndTheRemedy)
{
    Client client({"/bin/sh", "-c", strangersHello()});
    EXPECT_EQ(firstMessage(client.run({})), "the runner (tilec 7.1) speaks protocol 99, this program protocol " + std::to_string(kProtocolVersion) +
                                                ": install the same version of Tilewright on both sides");
    EXPECT_EQ(client.processId(), 0);
}

TEST(Client, ARefusalIsAnAnswer)
{
    Client client({"/bin/sh", "-c", playing({{0, Failure{"not a message of the runner protocol"}}})});
    EXPECT_EQ(firstMessage(client.run({})), "the runner refused the request: not a message of the runner protocol");
}

TEST(Client, SaysWhatTheLauncherSaid)
{
    Client client({"/bin/sh", "-c", "echo 'no GPU is free' >&2; exit 7"});
    EXPECT_EQ(firstMessage(client.run({})), "the runner ended with exit status 7: no GPU is free");
}

TEST(Client, CancelsWhatIsNotEvenRead)
{
    Client client({"/bin/sh", "-c", "exec sleep 60"}, std::chrono::milliseconds(50));
    RunRequest large;
    large.inputs["A"].npy = std::string(16 << 20, 'x');  // more than any pipe takes
    std::stop_source stop;
    const std::jthread thread([&stop] {
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
        stop.request_stop();
    });
    EXPECT_TRUE(client.run(large, {}, stop.get_token()).head.cancelled);
}

TEST(Client, TheRunnerHasNoTerminal)
{
    // The leader of a session has no terminal unless it opens one.
    Client client({"/bin/sh", "-c", "[ \"$(cut -d' ' -f6 /proc/$$/stat)\" = $$ ] || exit 8; exit 9"});
    EXPECT_EQ(firstMessage(client.run({})), "the runner ended with exit status 9");
    ::setenv("SSH_ASKPASS", "/usr/bin/true", 1);
    Client asking({"/bin/sh", "-c", "echo $SSH_ASKPASS_REQUIRE >&2; exit 9"});
    EXPECT_EQ(firstMessage(asking.run({})), "the runner ended with exit status 9: force");
    ::unsetenv("SSH_ASKPASS");
}

TEST(Client, EndsWhatItsLauncherStarted)
{
    const std::string path = testing::TempDir() + "/child" + std::to_string(::getpid());
    {
        Client client({"/bin/sh", "-c", "sleep 600 & echo $! > " + path + ".new; mv " + path + ".new " + path + "; wait"}, std::chrono::milliseconds(1));
        std::stop_source stop;
        const std::jthread thread([&] {
            while (!std::filesystem::exists(path))
                std::this_thread::sleep_for(std::chrono::milliseconds(5));
            stop.request_stop();
        });
        EXPECT_TRUE(client.run({}, {}, stop.get_token()).head.cancelled);
    }
    pid_t child = 0;
    std::ifstream(path) >> child;
    ASSERT_GT(child, 0);
    // Gone, or dead and not yet noticed by whoever adopted it.
    const auto runs = [&] {
        std::ifstream state("/proc/" + std::to_string(child) + "/stat");
        std::string pid, name, letter;
        state >> pid >> name >> letter;
        return !letter.empty() && letter != "Z";
    };
    for (int i = 0; i < 2000 && runs(); ++i)
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
    EXPECT_FALSE(runs());
    std::filesystem::remove(path);
}

TEST(Client, LetsARunnerGoThatLostItsDevice)
{
    RunResult lost;
    lost.head.outcome = Outcome::kProgramWrong;
    lost.head.runnerEnds = true;
    Client client({"/bin/sh", "-c", playing({{1, lost}})});
    EXPECT_EQ(client.run({}).head.outcome, Outcome::kProgramWrong);
    EXPECT_EQ(client.processId(), 0);
    Client healthy({"/bin/sh", "-c", playing({{1, RunResult()}})});
    EXPECT_EQ(healthy.run({}).head.outcome, Outcome::kFine);
    EXPECT_NE(healthy.processId(), 0);
}

// Until it has ended and is still in the list of processes, as this process' child.
void killAndWait(int pid)
{
    ASSERT_GT(pid, 0);
    ::kill(pid, SIGKILL);
    siginfo_t info;
    ASSERT_EQ(::waitid(P_PID, static_cast<id_t>(pid), &info, WEXITED | WNOWAIT), 0);
}

TEST(Client, ARunnerThatEndedWhileIdleIsForgotten)
{
    Client client({"/bin/sh", "-c", playing({{1, RunResult()}})});
    ASSERT_EQ(client.run({}).head.outcome, Outcome::kFine);
    client.forgetEnded();
    const int pid = client.processId();
    killAndWait(pid);  // it ran: it was not forgotten
    client.forgetEnded();
    EXPECT_EQ(client.processId(), 0);
    EXPECT_EQ(::waitpid(pid, nullptr, WNOHANG), -1);  // no child of ours any more
}

TEST(Client, ARunnerThatEndedWhileIdleCostsNoRequest)
{
    Client client({"/bin/sh", "-c", playing({{1, RunResult()}, {2, RunResult()}})});
    ASSERT_EQ(client.run({}).head.outcome, Outcome::kFine);
    const int first = client.processId();
    killAndWait(first);
    EXPECT_EQ(client.run({}).head.outcome, Outcome::kFine);
    EXPECT_NE(client.processId(), first);
}

TEST(Client, CompilesForARunnerThatCannot)
{
    std::string asked;
    Client client({"/bin/sh", "-c", playing({{1, CudaCompileRequest{"k", "text of k", "sm_90a", false}}, {1, RunResult()}})});
    client.setCudaCompiler([&](const CudaCompileRequest& request) {
        asked = request.text + " for " + request.target;
        return CudaCompileResult();
    });
    EXPECT_EQ(client.run({}).head.outcome, Outcome::kFine);
    EXPECT_EQ(asked, "text of k for sm_90a");
}

}  // namespace
}  // namespace tw::protocol
