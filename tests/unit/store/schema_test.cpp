#include "profiler/store/schema.h"

#include <gtest/gtest.h>
#include <sqlite3.h>

#include "profiler/store/store.h"
#include "tests/temporary_folder.h"
#include "tests/unit/store/sample.h"

namespace tw::store {
namespace {

void sql(const std::string& path, const std::string& text)
{
    sqlite3* handle = nullptr;
    ASSERT_EQ(sqlite3_open(path.c_str(), &handle), SQLITE_OK);
    char* error = nullptr;
    EXPECT_EQ(sqlite3_exec(handle, text.c_str(), nullptr, nullptr, &error), SQLITE_OK) << (error ? error : "");
    sqlite3_close(handle);
}

TEST(Schema, AnOlderStoreKeepsItsRuns)
{
    const tw::test::TemporaryFolder folder;
    const std::string path = folder.file("runs.db");
    {
        auto store = Store::open(path);
        ASSERT_TRUE(store->add(test::sampleCapture()));
    }
    // As version 1 was: without the tables of tuning runs.
    sql(path, "DROP TABLE trials; DROP TABLE tunes; PRAGMA user_version = 1");
    EXPECT_FALSE(Store::open(path, Access::kRead));  // may not be brought up
    auto store = Store::open(path);
    ASSERT_TRUE(store) << store.error();
    EXPECT_EQ(store->load(1)->kernel, "matmul");
    EXPECT_TRUE(store->openTune({"k", "f", "k", "d"}));
}

TEST(Schema, ANewerStoreIsLeftAlone)
{
    const tw::test::TemporaryFolder folder;
    const std::string path = folder.file("runs.db");
    ASSERT_TRUE(Store::open(path));
    sql(path, "PRAGMA user_version = 99");
    const std::string before = test::bytesOf(path);
    const auto store = Store::open(path);
    ASSERT_FALSE(store);
    EXPECT_NE(store.error().find("a newer Tilewright wrote it"), std::string::npos) << store.error();
    EXPECT_EQ(test::bytesOf(path), before);
}

TEST(Schema, AnotherProgramsDatabaseIsLeftAlone)
{
    const tw::test::TemporaryFolder folder;
    const std::string path = folder.file("places.sqlite");
    sql(path, "CREATE TABLE runs (id INTEGER)");
    const std::string before = test::bytesOf(path);
    const auto store = Store::open(path);
    ASSERT_FALSE(store);
    EXPECT_NE(store.error().find("the database of another program"), std::string::npos) << store.error();
    EXPECT_EQ(test::bytesOf(path), before);
    EXPECT_EQ(folder.count(), 1);
}

}  // namespace
}  // namespace tw::store
