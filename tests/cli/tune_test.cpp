// tilec tune on devices that every machine has, and through runners that die.
#include <sys/stat.h>

#include <map>
#include <sstream>

#include <gtest/gtest.h>

#include "profiler/store/store.h"
#include "tests/cli/call.h"
#include "tests/temporary_folder.h"
#include "tests/unit/store/sample.h"

namespace tw::cli::test {
namespace {

using store::test::bytesOf;
using tw::test::TemporaryFolder;

std::string script(const TemporaryFolder& folder, const std::string& name, const std::string& body)
{
    store::test::putBytes(folder.file(name), "#!/bin/sh\n" + body);
    ::chmod(folder.file(name).c_str(), 0755);
    return folder.file(name);
}

TEST(Tune, MeasuresAndChecksAll)
{
    const TemporaryFile file("add.py", kAdd);
    const TemporaryFolder folder;
    const std::string call = "tune " + file.path() + " --space block=32,64 --repeat 3 --json --store " + folder.file("runs.db");
    const Answer answer = tilec(call);
    EXPECT_EQ(answer.exitCode, 0) << answer.out;
    const Json j = answer.json();
    EXPECT_EQ(j["space"], Json({{"block", {32, 64}}}));
    ASSERT_EQ(j["measured"].size(), 2U);
    for (const Json& trial : j["measured"]) {
        EXPECT_EQ(trial["ok"], true);
        EXPECT_EQ(trial["samples"], 3);
        EXPECT_GT(trial["medianUs"].get<double>(), 0);
    }
    EXPECT_EQ(j["reference"], "interp");
    EXPECT_EQ(j["best"]["params"], j["measured"][0]["params"]);
    EXPECT_EQ(j["best"]["source"], "measured");
    // The winner is a run of the store.
    EXPECT_EQ(tilec("export " + j["run"].dump() + " --store " + folder.file("runs.db")).json()["tags"], Json({"tune"}));
    // Again: nothing is measured, the numbers are the same.
    const Json again = tilec(call).json();
    ASSERT_EQ(again["measured"].size(), 2U);
    EXPECT_EQ(again["measured"][0]["stored"], true);
    EXPECT_EQ(again["best"]["medianUs"], j["best"]["medianUs"]);
    EXPECT_EQ(tilec(call + " --again").json()["measured"][0]["stored"], false);
}

TEST(Tune, EachStepIsALineOfJsonForWhoeverWatches)
{
    const TemporaryFile file("add.py", kAdd);
    const TemporaryFolder folder;
    const std::string lines = folder.file("lines");
    // The comment keeps tilec() from dropping standard error.
    const Answer answer = tilec("tune " + file.path() + " --space block=32,64 --repeat 2 --json --progress --store " + folder.file("runs.db") + " 2>" + lines + " #");
    ASSERT_EQ(answer.exitCode, 0) << answer.out;
    std::istringstream steps(bytesOf(lines));
    std::map<std::string, int> phases;
    int measured = 0;
    for (std::string line; std::getline(steps, line);) {
        const Json step = Json::parse(line, nullptr, false);
        ASSERT_TRUE(step.is_object()) << line;
        ++phases[step["phase"]];
        EXPECT_LE(step["done"], step["total"]);
        measured += step.contains("trial") && step["trial"]["state"] == "measured";
    }
    EXPECT_EQ(phases["model"], 2);
    EXPECT_EQ(measured, 2);
}

TEST(Tune, AWrongConfigurationIsSaidAndLeftOut)
{
    const TemporaryFile file("add.py", kAdd);
    const TemporaryFolder folder;
    const Json j = tilec("tune " + file.path() + " --space block=32,4096 --json --store " + folder.file("runs.db")).json();
    ASSERT_EQ(j["measured"].size(), 1U);
    ASSERT_EQ(j["unmeasured"].size(), 1U);
    EXPECT_EQ(j["unmeasured"][0]["state"], "invalid");
    EXPECT_NE(j["unmeasured"][0]["message"], "");
}

TEST(Tune, OnTheSimulatorTimesAreModelled)
{
    const TemporaryFile file("add.py", kAdd);
    const TemporaryFolder folder;
    const Answer answer = tilec("tune " + file.path() + " --space block=32,64 --device sim --json --store " + folder.file("runs.db"));
    EXPECT_EQ(answer.exitCode, 0) << answer.out;
    const Json j = answer.json();
    EXPECT_TRUE(j["measured"].empty());
    EXPECT_EQ(j["best"]["source"], "modelled");
    EXPECT_TRUE(j["best"]["medianUs"].is_null());
    EXPECT_GT(j["best"]["modelUs"].get<double>(), 0);
}

TEST(Tune, WritesTheWinner)
{
    const TemporaryFile file("add.py", kAdd);
    const TemporaryFolder folder;
    const Answer answer = tilec("tune " + file.path() + " --space block=32 --write --repeat 2 --json --store " + folder.file("runs.db"));
    EXPECT_EQ(answer.exitCode, 0) << answer.out;
    EXPECT_EQ(answer.json()["written"], 1);
    EXPECT_NE(bytesOf(file.path()).find("def add(n, block=32, dtype"), std::string::npos);
}

TEST(Tune, ARunnerThatDiesCostsItsTrial)
{
    const TemporaryFile file("add.py", kAdd);
    const TemporaryFolder folder;
    // The first runner that measures (the one after the lock file exists) dies at once; the others serve.
    const std::string wrapper = script(folder, "flaky", "if mkdir " + folder.file("lock") + " 2>/dev/null; then kill -9 $$; fi\nexec " TW_QUOTED_TILEC " serve\n");
    const std::string call = "tune " + file.path() + " --space block=32,64 --repeat 2 --json --store " + folder.file("runs.db") + " --device cmd:" + wrapper;
    const Answer answer = tilec(call);
    EXPECT_EQ(answer.exitCode, 0) << answer.out;
    const Json j = answer.json();
    ASSERT_EQ(j["measured"].size(), 2U);
    EXPECT_EQ(j["measured"][0]["state"], "measured");
    EXPECT_EQ(j["measured"][1]["state"], "failed");
    EXPECT_NE(j["measured"][1]["message"].get<std::string>().find("signal 9"), std::string::npos);
    // What was lost is measured by the next call; what was measured is not measured again.
    const Json again = tilec(call).json();
    ASSERT_EQ(again["measured"].size(), 2U);
    EXPECT_EQ(again["measured"][0]["state"], "measured");
    EXPECT_EQ(again["measured"][1]["state"], "measured");
    EXPECT_NE(again["measured"][0]["stored"], again["measured"][1]["stored"]);
}

TEST(Tune, NoRunnerAtAll)
{
    const TemporaryFile file("add.py", kAdd);
    const TemporaryFolder folder;
    const std::string db = " --json --store " + folder.file("runs.db");
    for (const std::string& device : {std::string("cmd:/no/such/runner"), "cmd:" + script(folder, "silent", "exit 0\n"),
                                      "cmd:" + script(folder, "babble", "echo hello; cat > /dev/null\n")}) {
        const Answer answer = tilec("tune " + file.path() + " --space block=32,64,128,256 --device " + device + db);
        EXPECT_NE(answer.exitCode, 0) << device;
        EXPECT_TRUE(answer.json()["best"].is_null()) << device << answer.out;
        EXPECT_FALSE(answer.json()["diagnostics"].empty()) << device;
    }
    // Nothing that failed for want of a runner was kept.
    const std::string runner = script(folder, "runner", "exec " TW_QUOTED_TILEC " serve\n");
    EXPECT_EQ(tilec("tune " + file.path() + " --space block=32,64 --repeat 2 --device cmd:" + runner + db).json()["measured"][0]["state"], "measured");
}

TEST(Tune, ABrokenStoreIsSaid)
{
    const TemporaryFile file("add.py", kAdd);
    const TemporaryFolder folder;
    store::test::putBytes(folder.file("runs.db"), std::string(4096, 'x'));
    const std::string call = "tune " + file.path() + " --space block=32 --repeat 2 --json";
    EXPECT_EQ(tilec(call + " --store " + folder.file("runs.db")).exitCode, 2);  // the user named it
    const TemporaryFolder data;
    std::filesystem::create_directories(data.file("tilewright"));
    store::test::putBytes(data.file("tilewright/runs.db"), std::string(4096, 'x'));
    const Answer answer = tilec(call, "XDG_DATA_HOME=" + data.file("") + " ");
    EXPECT_EQ(answer.exitCode, 0);  // the default one: measured all the same
    EXPECT_NE(answer.out.find("trials are not kept: "), std::string::npos);
    EXPECT_EQ(bytesOf(data.file("tilewright/runs.db")), std::string(4096, 'x'));
}

TEST(Tune, NoSpace)
{
    const TemporaryFile file("add.py", kAdd);
    const Answer answer = tilec("tune --json " + file.path());
    EXPECT_EQ(answer.exitCode, 2);
    EXPECT_NE(answer.out.find("lists no configurations; give --space"), std::string::npos);
    EXPECT_EQ(tilec("tune --json " + file.path() + " --space nope=1").exitCode, 2);
    EXPECT_EQ(tilec("tune --json " + file.path() + " --space block=").exitCode, 2);
}

}  // namespace
}  // namespace tw::cli::test
