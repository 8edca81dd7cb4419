// A store with damaged pages: what can be read moves into a new one, the damaged file keeps its bytes.
#include "profiler/store/salvage.h"

#include <gtest/gtest.h>

#include "profiler/capture/json.h"
#include "profiler/store/store.h"
#include "tests/temporary_folder.h"
#include "tests/unit/store/sample.h"

namespace tw::store {
namespace {

using test::bytesOf;
using tw::test::TemporaryFolder;
using test::putBytes;
using test::sampleCapture;

constexpr std::size_t kPage = 4096;
constexpr int kRuns = 8;

// Runs of about a page each, the third a baseline with a note of later; the trials of a tuning run.
void fill(const std::string& path)
{
    auto store = Store::open(path);
    ASSERT_TRUE(store) << store.error();
    for (int run = 1; run <= kRuns; ++run) {
        auto capture = sampleCapture(run);
        for (int i = 0; i < 300; ++i)  // of little order: compresses badly
            capture.samplesUs.push_back(run + i * 1.618033988749 + 1.0 / (i + 1));
        ASSERT_TRUE(store->add(capture));
    }
    ASSERT_TRUE(store->pin(3));
    ASSERT_TRUE(store->setNotes(3, "of later"));
    ASSERT_TRUE(store->setTags(3, {"kept"}));
    const auto tune = store->openTune({"key", "gemm.py", "matmul", "cuda:0"});
    ASSERT_TRUE(store->save(*tune, {.params = {{"block", "64"}}, .medianUs = 12.0}));
}

TEST(Salvage, AnyDamagedPageCostsWhatIsOnIt)
{
    const TemporaryFolder source;
    fill(source.file("runs.db"));
    const std::string whole = bytesOf(source.file("runs.db"));
    ASSERT_GT(whole.size(), 12 * kPage);
    int partly = 0, complete = 0;
    for (std::size_t page = 1; page < whole.size() / kPage; ++page) {
        const TemporaryFolder folder;
        const std::string path = folder.file("runs.db");
        std::string bytes = whole;
        std::fill_n(bytes.begin() + static_cast<std::ptrdiff_t>(page * kPage), kPage, '\xff');
        putBytes(path, bytes);
        const auto done = salvage(path);
        ASSERT_TRUE(done) << page << ": " << done.error();
        if (done->wasWhole) {
            EXPECT_EQ(bytesOf(path), bytes);
            continue;
        }
        EXPECT_EQ(bytesOf(done->kept), bytes);
        EXPECT_LE(done->runs + done->lostRuns, kRuns);
        auto store = Store::open(path);
        ASSERT_TRUE(store) << store.error();
        const auto rows = store->find();
        ASSERT_TRUE(rows) << rows.error();
        EXPECT_EQ(static_cast<std::int64_t>(rows->size()), done->runs);
        for (const RunRow& row : *rows) {
            EXPECT_EQ(row.durationUs, static_cast<double>(row.id));  // under its own number
            EXPECT_TRUE(store->load(row.id));
        }
        partly += done->runs > 0 && done->runs < kRuns ? 1 : 0;
        complete += done->runs == kRuns ? 1 : 0;
    }
    EXPECT_GE(partly, kRuns / 2);  // pages of captures
    EXPECT_GE(complete, 3);        // an index, tags, trials
}

TEST(Salvage, ACutFileKeepsItsBeginning)
{
    const TemporaryFolder folder;
    const std::string path = folder.file("runs.db");
    fill(path);
    const std::string whole = bytesOf(path);
    putBytes(path, whole.substr(0, whole.size() / 4 * 3));
    const auto done = salvage(path);
    ASSERT_TRUE(done) << done.error();
    EXPECT_GT(done->runs, 0);
    EXPECT_LT(done->runs, kRuns);
    EXPECT_EQ(bytesOf(done->kept), whole.substr(0, whole.size() / 4 * 3));
}

TEST(Salvage, KeepsWhatWasSaidOfARun)
{
    const TemporaryFolder folder;
    const std::string path = folder.file("runs.db");
    fill(path);
    std::string bytes = bytesOf(path);
    const auto before = [&] {
        auto store = Store::open(path, Access::kRead);
        return store->load(3);
    }();
    ASSERT_TRUE(before);
    // The last page: of the capture that was added last, or of the trials.
    std::fill(bytes.end() - kPage, bytes.end(), '\xff');
    putBytes(path, bytes);
    const auto done = salvage(path);
    ASSERT_TRUE(done) << done.error();
    auto store = Store::open(path);
    EXPECT_EQ(capture::toJson(*store->load(3)), capture::toJson(*before));
    EXPECT_TRUE(store->row(3)->isBaseline);
    EXPECT_EQ(store->row(3)->notes, "of later");
    EXPECT_EQ(store->row(3)->tags, std::vector<std::string>{"kept"});
    EXPECT_EQ(*store->add(sampleCapture()), kRuns + 1);
}

TEST(Salvage, AWindowThatHasItOpenNotices)
{
    const TemporaryFolder folder;
    const std::string path = folder.file("runs.db");
    fill(path);
    std::string bytes = bytesOf(path);
    std::fill(bytes.end() - kPage, bytes.end(), '\xff');
    putBytes(path, bytes);
    auto open = Store::open(path);
    ASSERT_TRUE(open) << open.error();
    EXPECT_FALSE(open->isReplaced());
    ASSERT_TRUE(salvage(path));
    EXPECT_TRUE(open->isReplaced());
}

TEST(Salvage, WhatIsWholeOrNotOursIsLeftAlone)
{
    const TemporaryFolder folder;
    const std::string path = folder.file("runs.db");
    fill(path);
    const std::string before = bytesOf(path);
    const auto done = salvage(path);
    ASSERT_TRUE(done) << done.error();
    EXPECT_TRUE(done->wasWhole);
    EXPECT_EQ(bytesOf(path), before);
    putBytes(folder.file("notes.txt"), std::string(5000, 'x'));
    const auto refused = salvage(folder.file("notes.txt"));
    ASSERT_FALSE(refused);
    EXPECT_NE(refused.error().find("it was left as it is"), std::string::npos) << refused.error();
    EXPECT_EQ(bytesOf(folder.file("notes.txt")), std::string(5000, 'x'));
    EXPECT_NE(salvage(folder.file("none.db")).error().find("there is no store"), std::string::npos);
}

}  // namespace
}  // namespace tw::store
