// The client against runners that misbehave, played by the shell.
#include <fstream>
#include <thread>

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
    EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(10));
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
