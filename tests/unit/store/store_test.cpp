#include "profiler/store/store.h"

#include <thread>

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "profiler/capture/json.h"
#include "tests/temporary_folder.h"
#include "tests/unit/store/sample.h"

namespace tw::store {
namespace {

using tw::test::TemporaryFolder;
using test::sampleCapture;

Store opened(const std::string& path)
{
    auto store = Store::open(path);
    EXPECT_TRUE(store) << store.error();
    return std::move(*store);
}

std::vector<std::int64_t> ids(const Store& store, const Query& query)
{
    std::vector<std::int64_t> out;
    const auto rows = store.find(query);
    EXPECT_TRUE(rows) << rows.error();
    for (const RunRow& row : *rows)
        out.push_back(row.id);
    return out;
}

TEST(Store, GivesBackWhatItWasGiven)
{
    const TemporaryFolder folder;
    const std::string path = folder.file("deep/er/runs.db");
    std::int64_t id = 0;
    {
        Store store = opened(path);
        const auto added = store.add(sampleCapture());
        ASSERT_TRUE(added) << added.error();
        id = *added;
    }
    const Store store = opened(path);
    const auto capture = store.load(id);
    ASSERT_TRUE(capture) << capture.error();
    auto expected = sampleCapture();
    expected.tags = {"fp16", "nightly"};  // sorted
    EXPECT_EQ(capture::toJson(*capture), capture::toJson(expected));
}

TEST(Store, ListsHeadlines)
{
    const TemporaryFolder folder;
    Store store = opened(folder.file("runs.db"));
    const auto id = store.add(sampleCapture());
    ASSERT_TRUE(id);
    const auto row = store.row(*id);
    ASSERT_TRUE(row) << row.error();
    EXPECT_EQ(row->kernel, "matmul");
    EXPECT_EQ(row->gpu, "NVIDIA H200");
    EXPECT_EQ(row->params.at("dtype"), "'float16'");
    EXPECT_EQ(row->durationUs, 12.5);
    EXPECT_EQ(row->spread, 0.01);
    EXPECT_EQ(row->tensorPipePct, 61.5);
    EXPECT_EQ(row->dramBandwidthPct, std::nullopt);
    EXPECT_EQ(row->tags, (std::vector<std::string>{"fp16", "nightly"}));
    EXPECT_FALSE(store.row(*id + 1));
}

TEST(Store, FindsByEveryField)
{
    const TemporaryFolder folder;
    Store store = opened(folder.file("runs.db"));
    auto a = sampleCapture();
    auto b = sampleCapture();
    b.kernel = "flash_attention";
    b.files[0].name = "attn_100%.py";
    b.environment.device = "cpu";
    b.environment.gpu = "";
    b.created = "2026-12-01T00:00:00Z";
    b.tags = {};
    b.notes = "";
    ASSERT_EQ(store.add(a), 1);
    ASSERT_EQ(store.add(b), 2);
    using Ids = std::vector<std::int64_t>;
    EXPECT_EQ(ids(store, {}), (Ids{2, 1}));  // newest first
    EXPECT_EQ(ids(store, {.kernel = "MATMUL"}), Ids{1});
    EXPECT_EQ(ids(store, {.file = "100%"}), Ids{2});
    EXPECT_EQ(ids(store, {.file = "kernels/gemm"}), Ids{1});
    EXPECT_EQ(ids(store, {.device = "cuda"}), Ids{1});
    EXPECT_EQ(ids(store, {.tag = "nightly"}), Ids{1});
    EXPECT_EQ(ids(store, {.tag = "night"}), Ids{});
    EXPECT_EQ(ids(store, {.text = "first TRY"}), Ids{1});
    EXPECT_EQ(ids(store, {.text = "fp16"}), Ids{1});
    EXPECT_EQ(ids(store, {.text = "block_m=128"}), (Ids{2, 1}));
    EXPECT_EQ(ids(store, {.since = "2026-12"}), Ids{2});
    EXPECT_EQ(ids(store, {.until = "2026-11-30"}), Ids{1});
    EXPECT_EQ(ids(store, {.limit = 1}), Ids{2});
    EXPECT_EQ(ids(store, {.kernel = "' OR 1 --"}), Ids{});
}

TEST(Store, OneBaselineForAKernelOnADevice)
{
    const TemporaryFolder folder;
    Store store = opened(folder.file("runs.db"));
    auto moved = sampleCapture();
    moved.files[0].name = "elsewhere/gemm.py";  // the same file in another folder
    auto onCpu = sampleCapture();
    onCpu.environment.device = "cpu";
    ASSERT_EQ(store.add(sampleCapture()), 1);
    ASSERT_EQ(store.add(moved), 2);
    ASSERT_EQ(store.add(onCpu), 3);
    EXPECT_EQ(store.baselineFor(moved)->has_value(), false);
    ASSERT_TRUE(store.pin(1));
    ASSERT_TRUE(store.pin(3));
    EXPECT_EQ(store.baselineFor(moved)->value().id, 1);
    ASSERT_TRUE(store.pin(2));
    EXPECT_EQ(ids(store, {.onlyBaselines = true}), (std::vector<std::int64_t>{3, 2}));
    ASSERT_TRUE(store.unpin(2));
    EXPECT_EQ(ids(store, {.onlyBaselines = true}), (std::vector<std::int64_t>{3}));
    EXPECT_FALSE(store.pin(99));
}

TEST(Store, NotesTagsAndRemoval)
{
    const TemporaryFolder folder;
    Store store = opened(folder.file("runs.db"));
    ASSERT_EQ(store.add(sampleCapture()), 1);
    ASSERT_TRUE(store.setNotes(1, "it's slow"));
    ASSERT_TRUE(store.setTags(1, {"b", "a", "b"}));
    EXPECT_EQ(store.load(1)->notes, "it's slow");
    EXPECT_EQ(store.load(1)->tags, (std::vector<std::string>{"a", "b"}));
    ASSERT_TRUE(store.remove(1));
    EXPECT_FALSE(store.load(1));
    EXPECT_FALSE(store.remove(1));
    EXPECT_EQ(ids(store, {.tag = "a"}), std::vector<std::int64_t>{});
    EXPECT_EQ(store.add(sampleCapture()), 2);  // an id is never used again
}

TEST(Store, SeesWhatAnotherOneAdds)
{
    const TemporaryFolder folder;
    Store a = opened(folder.file("runs.db"));
    Store b = opened(folder.file("runs.db"));
    const auto before = a.version();
    ASSERT_TRUE(b.add(sampleCapture()));
    EXPECT_NE(*a.version(), *before);
    EXPECT_EQ(a.find()->size(), 1U);
}

TEST(Store, ManyWritersAtOnce)
{
    const TemporaryFolder folder;
    const std::string path = folder.file("runs.db");
    std::vector<std::jthread> writers;
    for (int i = 0; i < 4; ++i)
        writers.emplace_back([&path] {
            auto store = Store::open(path);
            ASSERT_TRUE(store) << store.error();
            for (int k = 0; k < 5; ++k) {
                const auto added = store->add(sampleCapture());
                EXPECT_TRUE(added) << added.error();
            }
        });
    writers.clear();
    EXPECT_EQ(opened(path).find()->size(), 20U);
}

TEST(Store, ManyProcessesMakeItAtOnce)
{
    const TemporaryFolder folder;
    const std::string path = folder.file("runs.db");
    std::vector<pid_t> children;
    for (int i = 0; i < 4; ++i) {
        children.push_back(::fork());
        if (children.back() == 0) {
            auto store = Store::open(path);
            bool ok = store.has_value();
            for (int k = 0; k < 5 && ok; ++k)
                ok = store->add(sampleCapture()).has_value();
            ::_exit(ok ? 0 : 1);
        }
    }
    for (const pid_t child : children) {
        int status = 1;
        ::waitpid(child, &status, 0);
        EXPECT_EQ(status, 0);
    }
    EXPECT_EQ(opened(path).find()->size(), 20U);
}

TEST(Store, TrialsGoOnWhereTheyWere)
{
    const TemporaryFolder folder;
    const TuneKey key{"sha", "gemm.py", "matmul", "cuda:0"};
    {
        Store store = opened(folder.file("runs.db"));
        const auto tune = store.openTune(key);
        ASSERT_TRUE(tune) << tune.error();
        ASSERT_TRUE(store.save(*tune, {.params = {{"block", "64"}}, .medianUs = 3.5, .modelUs = 3, .spread = 0.02, .samples = 9}));
        ASSERT_TRUE(store.save(*tune, {.params = {{"block", "512"}}, .state = Trial::State::kFailed, .message = "too many threads"}));
        ASSERT_TRUE(store.save(*tune, {.params = {{"block", "64"}}, .medianUs = 3.25, .samples = 20}));
    }
    Store store = opened(folder.file("runs.db"));
    const auto tune = store.openTune(key);
    const auto trials = store.trials(*tune);
    ASSERT_TRUE(trials) << trials.error();
    ASSERT_EQ(trials->size(), 2U);
    EXPECT_EQ(trials->at(0).state, Trial::State::kFailed);
    EXPECT_EQ(trials->at(0).message, "too many threads");
    EXPECT_EQ(trials->at(0).medianUs, std::nullopt);
    EXPECT_EQ(trials->at(1).medianUs, 3.25);
    EXPECT_EQ(trials->at(1).samples, 20);
    const auto other = store.openTune({"sha2", "gemm.py", "matmul", "cuda:0"});
    EXPECT_TRUE(store.trials(*other)->empty());
    ASSERT_TRUE(store.forgetTrials(*tune));
    EXPECT_TRUE(store.trials(*tune)->empty());
}

TEST(Store, DefaultPathFollowsTheEnvironment)
{
    ::setenv("XDG_DATA_HOME", "/data", 1);
    EXPECT_EQ(defaultStorePath(), "/data/tilewright/runs.db");
    ::unsetenv("XDG_DATA_HOME");
    ::setenv("HOME", "/home/me", 1);
    EXPECT_EQ(defaultStorePath(), "/home/me/.local/share/tilewright/runs.db");
}

}  // namespace
}  // namespace tw::store
