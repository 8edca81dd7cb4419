// What breaks: files, disks, writers. Each costs a clear message and nothing that was stored.
#include <csignal>
#include <filesystem>

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "profiler/store/file.h"
#include "profiler/store/store.h"
#include "tests/temporary_folder.h"
#include "tests/unit/store/sample.h"

namespace tw::store {
namespace {

using tw::test::TemporaryFolder;
using test::sampleCapture;

std::string storeWithRuns(const TemporaryFolder& folder, int n)
{
    const std::string path = folder.file("runs.db");
    auto store = Store::open(path);
    for (int i = 0; i < n; ++i)
        EXPECT_TRUE(store->add(sampleCapture(10 + i)));
    return path;
}

TEST(StoreFaults, NoDatabaseIsSaidAndKept)
{
    const TemporaryFolder folder;
    const std::string path = folder.file("notes.txt");
    test::putBytes(path, "these are my notes, and they are longer than the header of a database, which has one hundred bytes and sixteen of them fixed");
    const std::string before = test::bytesOf(path);
    const auto store = Store::open(path);
    ASSERT_FALSE(store);
    EXPECT_NE(store.error().find("is no SQLite database"), std::string::npos) << store.error();
    EXPECT_EQ(test::bytesOf(path), before);
}

TEST(StoreFaults, ABrokenHeaderIsSaidAndKept)
{
    const TemporaryFolder folder;
    const std::string path = storeWithRuns(folder, 2);
    std::string bytes = test::bytesOf(path);
    bytes[3] = 'X';
    test::putBytes(path, bytes);
    const auto store = Store::open(path);
    ASSERT_FALSE(store);
    EXPECT_NE(store.error().find("is no SQLite database"), std::string::npos) << store.error();
    EXPECT_EQ(test::bytesOf(path), bytes);
}

TEST(StoreFaults, EveryCutIsSaidOrHarmless)
{
    const TemporaryFolder folder;
    const std::string whole = test::bytesOf(storeWithRuns(folder, 3));
    for (std::size_t size = 100; size < whole.size(); size += 2777) {
        const std::string path = folder.file("cut.db");
        std::filesystem::remove(path + "-wal");
        std::filesystem::remove(path + "-shm");
        test::putBytes(path, whole.substr(0, size));
        auto store = Store::open(path);
        if (!store) {
            EXPECT_NE(store.error().find("cut.db"), std::string::npos) << store.error();
            continue;
        }
        for (std::int64_t id = 1; id <= 3; ++id)
            if (const auto capture = store->load(id))
                EXPECT_EQ(capture->kernel, "matmul");
            else
                EXPECT_NE(capture.error().find("cut.db"), std::string::npos) << capture.error();
    }
}

TEST(StoreFaults, AFolderAndAMissingFile)
{
    const TemporaryFolder folder;
    EXPECT_NE(Store::open(folder.file("")).error().find("it is a folder"), std::string::npos);
    EXPECT_NE(Store::open(folder.file("none.db"), Access::kRead).error().find("there is no store"), std::string::npos);
    EXPECT_EQ(folder.count(), 0);
}

TEST(StoreFaults, WhatIsReadOnlyCanBeRead)
{
    const TemporaryFolder folder;
    const std::string path = storeWithRuns(folder, 1);
    auto store = Store::open(path, Access::kRead);
    ASSERT_TRUE(store) << store.error();
    EXPECT_TRUE(store->isReadOnly());
    EXPECT_EQ(store->load(1)->kernel, "matmul");
    const auto added = store->add(sampleCapture());
    ASSERT_FALSE(added);
    EXPECT_NE(added.error().find("it is read-only"), std::string::npos) << added.error();
}

// Runs `work` in a process that may not let any file grow beyond `bytes`; gives its exit status.
template <class F>
int withFullDisk(rlim_t bytes, F work)
{
    const pid_t child = ::fork();
    if (child == 0) {
        std::signal(SIGXFSZ, SIG_IGN);  // the write fails instead, as on a full disk
        const rlimit limit{bytes, bytes};
        ::setrlimit(RLIMIT_FSIZE, &limit);
        ::_exit(work());
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 255;
}

TEST(StoreFaults, AFullDiskLosesNothing)
{
    const TemporaryFolder folder;
    const std::string path = storeWithRuns(folder, 3);
    const auto size = std::filesystem::file_size(path);
    const int status = withFullDisk(size, [&path] {
        auto store = Store::open(path);
        if (!store)
            return store.error().find("the disk is full") == std::string::npos ? 1 : 0;
        auto large = sampleCapture();
        for (int i = 0; i < 300'000; ++i)  // of little order: it does not compress below the limit
            large.samplesUs.push_back(i * 1.618033988749 + 1.0 / (i + 1));
        const auto added = store->add(large);
        if (added)
            return 2;
        return added.error().find("the disk is full") == std::string::npos ? 3 : 0;
    });
    EXPECT_EQ(status, 0);
    auto store = Store::open(path);
    ASSERT_TRUE(store) << store.error();
    EXPECT_EQ(store->find()->size(), 3U);
    for (std::int64_t id = 1; id <= 3; ++id)
        EXPECT_TRUE(store->load(id));
    EXPECT_TRUE(store->add(sampleCapture()));
}

TEST(StoreFaults, AFullDiskInAMigrationKeepsTheOldStore)
{
    const TemporaryFolder folder;
    const std::string path = storeWithRuns(folder, 3);
    {
        const auto database = Database::open(path, Access::kReadWrite);
        for (const char* sql : {"DROP TABLE trials", "DROP TABLE tunes", "PRAGMA user_version = 1"})
            ASSERT_TRUE(database->run(sql));
    }
    const int status = withFullDisk(1000, [&path] {
        const auto store = Store::open(path);
        return store || store.error().find(path) == std::string::npos ? 1 : 0;
    });
    EXPECT_EQ(status, 0);
    auto store = Store::open(path);
    ASSERT_TRUE(store) << store.error();
    EXPECT_EQ(store->find()->size(), 3U);
    EXPECT_TRUE(store->openTune({"k", "f", "k", "d"}));
}

TEST(StoreFaults, AFullDiskKeepsTheOldFile)
{
    const TemporaryFolder folder;
    const std::string path = folder.file("report.html");
    ASSERT_TRUE(writeWhole(path, "old"));
    EXPECT_EQ(withFullDisk(1000, [&path] { return writeWhole(path, std::string(5000, 'x')) ? 1 : 0; }), 0);
    EXPECT_EQ(test::bytesOf(path), "old");
    EXPECT_EQ(folder.count(), 1);  // nothing half-written stays behind
}

TEST(StoreFaults, AKilledWriterLeavesWhatItFinished)
{
    const TemporaryFolder folder;
    const std::string path = folder.file("runs.db");
    int done[2];
    ASSERT_EQ(::pipe(done), 0);
    const pid_t child = ::fork();
    if (child == 0) {
        auto store = Store::open(path);
        for (;;) {
            const char ok = store->add(sampleCapture()) ? 'y' : 'n';
            if (::write(done[1], &ok, 1) != 1)
                ::_exit(1);
        }
    }
    char ok = 0;
    for (int i = 0; i < 5; ++i)
        ASSERT_EQ(::read(done[0], &ok, 1), 1);
    ::kill(child, SIGKILL);
    int status = 0;
    ::waitpid(child, &status, 0);
    ::close(done[0]);
    ::close(done[1]);
    EXPECT_TRUE(WIFSIGNALED(status));
    auto store = Store::open(path);
    ASSERT_TRUE(store) << store.error();
    const auto rows = store->find();
    ASSERT_TRUE(rows) << rows.error();
    EXPECT_GE(rows->size(), 5U);
    for (const RunRow& row : *rows)
        EXPECT_TRUE(store->load(row.id));
}

TEST(StoreFaults, WritesWhereNoFileCanBe)
{
    EXPECT_NE(writeWhole("/no/such/folder/x", "y").error().find("cannot write /no/such/folder/x: "), std::string::npos);
    const TemporaryFolder folder;
    EXPECT_NE(writeWhole(folder.file(""), "y").error().find("it is a folder"), std::string::npos);
    EXPECT_TRUE(writeWhole("/dev/null", "y"));
    EXPECT_FALSE(writeWhole("/dev/full", "y"));
}

}  // namespace
}  // namespace tw::store
