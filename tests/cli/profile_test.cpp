// tilec profile on devices that every machine has.
#include <gtest/gtest.h>

#include <set>

#include "profiler/store/store.h"
#include "tests/cli/call.h"
#include "tests/temporary_folder.h"
#include "tests/unit/store/sample.h"

namespace tw::cli::test {
namespace {

constexpr const char* kScale = R"(import tilelang
import tilelang.language as T

@tilelang.jit(out_idx=[-1])
def scale(n=1024):
    @T.prim_func
    def main(A: T.Tensor((n,), T.float32), B: T.Tensor((n,), T.float32)):
        with T.Kernel(T.ceildiv(n, 256), threads=128) as bx:
            for i in T.Parallel(256):
                B[bx * 256 + i] = A[bx * 256 + i] * 2.0
    return main
)";

const Json* metric(const Json& document, const std::string& name, const std::string& source)
{
    for (const Json& m : document["metrics"])
        if (m["name"] == name && m["source"] == source)
            return &m;
    return nullptr;
}

TEST(Profile, TheTimelineIsATrace)
{
    const TemporaryFile file("scale.py", kScale), trace("trace.json", "");
    const Answer answer = tilec("profile " + file.path() + " --device sim --timeline " + trace.path());
    ASSERT_EQ(answer.exitCode, 0) << answer.out;
    EXPECT_NE(answer.out.find("stages, modelled"), std::string::npos) << answer.out;
    std::ifstream in(trace.path());
    const Json document = Json::parse(in);
    EXPECT_EQ(document["otherData"]["kernel"], "scale");
    EXPECT_EQ(document["otherData"]["timelines"][0]["origin"], "modelled");
    std::set<std::string> processes, stages;
    for (const Json& event : document["traceEvents"])
        (event["ph"] == "M" ? processes : stages).insert((event["ph"] == "M" ? event["args"]["name"] : event["name"]).get<std::string>());
    EXPECT_TRUE(processes.contains("modelled: launch 0, block 0"));
    EXPECT_TRUE(stages.contains("store"));
    // The simulator's own, beside the plan.
    EXPECT_NE(answer.out.find("stages, simulated"), std::string::npos) << answer.out;
    EXPECT_EQ(document["otherData"]["timelines"][1]["origin"], "simulated");
    EXPECT_TRUE(processes.contains("simulated: launch 0, block 0"));
}

TEST(Profile, TheSimulatorCountsAndTheModelTimes)
{
    const TemporaryFile file("scale.py", kScale);
    const Answer answer = tilec("profile " + file.path() + " --device sim --json");
    ASSERT_EQ(answer.exitCode, 0) << answer.out;
    const Json document = answer.json();
    EXPECT_EQ(document["kernel"], "scale");
    EXPECT_EQ(document["device"], "sim");
    const Json* read = metric(document, "dram_read_bytes", "simulated");
    ASSERT_NE(read, nullptr);
    EXPECT_EQ((*read)["value"], 4096);
    ASSERT_NE(metric(document, "duration_us", "modelled"), nullptr);
    ASSERT_NE(metric(document, "flops", "modelled"), nullptr);
    EXPECT_EQ((*metric(document, "flops", "modelled"))["value"], 1024);
    ASSERT_FALSE(document["operations"].empty());
    EXPECT_EQ(document["operations"][0]["line"], 9);
    std::set<std::string> codes;
    for (const Json& f : document["findings"]) {
        codes.insert(f["code"]);
        EXPECT_FALSE(f["reason"].get<std::string>().empty());
    }
    EXPECT_TRUE(codes.contains("small-grid")) << document["findings"].dump(1);  // 4 blocks
}

TEST(Profile, TheProcessorMeasuresTime)
{
    const TemporaryFile file("scale.py", kScale);
    const Json document = tilec("profile " + file.path() + " --repeat 5 --json").json();
    const Json* time = metric(document, "duration_us", "measured");
    ASSERT_NE(time, nullptr);
    EXPECT_EQ((*time)["samples"], 5);
    EXPECT_GT((*time)["value"], 0);
    EXPECT_TRUE(document["absences"].contains("counters"));
}

TEST(Profile, RunsAreKept)
{
    const TemporaryFile file("scale.py", kScale);
    const tw::test::TemporaryFolder folder;
    const std::string db = folder.file("runs.db");
    const Json document = tilec("profile " + file.path() + " --json --store " + db).json();
    ASSERT_TRUE(document["run"].is_number()) << document.dump(1);
    EXPECT_EQ(tilec("export " + document["run"].dump() + " --store " + db).json()["kernel"], "scale");
}

TEST(Profile, ABrokenStoreCostsNoMeasurement)
{
    const TemporaryFile file("scale.py", kScale);
    const tw::test::TemporaryFolder folder;
    const std::string db = folder.file("runs.db");
    store::test::putBytes(db, std::string(5000, 'x'));
    const Answer answer = tilec("profile " + file.path() + " --json --store " + db + " --report " + folder.file("r.html"));
    EXPECT_EQ(answer.exitCode, 2);
    const Json document = answer.json();
    EXPECT_FALSE(document["metrics"].empty());
    const auto message = document["diagnostics"].back()["message"].get<std::string>();
    EXPECT_NE(message.find("is no SQLite database"), std::string::npos) << message;
    EXPECT_TRUE(store::test::bytesOf(folder.file("r.html")).starts_with("<!DOCTYPE html>"));
    EXPECT_EQ(store::test::bytesOf(db), std::string(5000, 'x'));
    const std::size_t name = message.find("the capture is in ");
    ASSERT_NE(name, std::string::npos) << message;
    EXPECT_EQ(tilec("export " + message.substr(name + 18)).json()["kernel"], "scale");
}

TEST(Profile, MetricsAreListedOrSaidToBeMissing)
{
    const Answer answer = tilec("profile --list-metrics dram read --target sm_90a --json");
    const Json document = answer.json();
    if (answer.exitCode == 4) {  // no CUPTI
        EXPECT_TRUE(document["diagnostics"][0]["message"].get<std::string>().starts_with("not supported: ")) << document.dump(1);
    } else {
        EXPECT_EQ(answer.exitCode, 0) << document.dump(1);
        EXPECT_EQ(document["metrics"][0]["name"], "dram_read_bytes");
        EXPECT_FALSE(document["chip"].get<std::string>().empty());
    }
    EXPECT_EQ(tilec("profile --list-metrics --device cpu").exitCode, 2);
}

TEST(Profile, TheInterpreterIsRefused)
{
    const TemporaryFile file("scale.py", kScale);
    const Answer answer = tilec("profile " + file.path() + " --device interp --json");
    EXPECT_EQ(answer.exitCode, 4);
    EXPECT_TRUE(answer.json()["diagnostics"][0]["message"].get<std::string>().starts_with("not supported: "));
}

}  // namespace
}  // namespace tw::cli::test
