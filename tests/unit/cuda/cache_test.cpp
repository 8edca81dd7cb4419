#include <fstream>

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "profiler/cuda/cubin_cache.h"
#include "profiler/cuda/sha256.h"
#include "tests/temporary_folder.h"

namespace tw::cuda {
namespace {

namespace fs = std::filesystem;

// The examples of FIPS 180-4 and its test vectors.
TEST(Sha256, GivesTheStandardsAnswers)
{
    EXPECT_EQ(sha256(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    EXPECT_EQ(sha256("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    EXPECT_EQ(sha256("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
              "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
    EXPECT_EQ(sha256(std::string(1000000, 'a')), "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

class CacheTest : public testing::Test {
protected:
    std::vector<fs::path> files() const
    {
        return {fs::directory_iterator(folder_), fs::directory_iterator()};
    }

    const tw::test::TemporaryFolder made_;
    const fs::path folder_ = made_.path();
    const CubinKey key_{"__global__ void k() {}", {"--std=c++17"}, "nvrtc 13.0", "sm_90a"};
};

TEST_F(CacheTest, FindsWhatWasStored)
{
    const CubinCache cache(folder_);
    EXPECT_FALSE(cache.find(key_));
    const std::string cubin("\x7f" "ELF\0binary", 11);
    cache.store(key_, cubin);
    EXPECT_EQ(cache.find(key_), cubin);
    EXPECT_EQ(files().size(), 1U);
}

TEST_F(CacheTest, EverythingDecides)
{
    const auto differs = [&](auto&& change) {
        CubinKey other = key_;
        change(other);
        return other.digest() != key_.digest();
    };
    EXPECT_TRUE(differs([](CubinKey& k) { k.text += ' '; }));
    EXPECT_TRUE(differs([](CubinKey& k) { k.options.emplace_back("-G"); }));
    EXPECT_TRUE(differs([](CubinKey& k) { k.options = {"--std=", "c++17"}; }));
    EXPECT_TRUE(differs([](CubinKey& k) { k.compiler = "nvrtc 12.9"; }));
    EXPECT_TRUE(differs([](CubinKey& k) { k.target = "sm_80"; }));
}

TEST_F(CacheTest, DropsBrokenFiles)
{
    const CubinCache cache(folder_);
    cache.store(key_, "good code");
    {
        std::fstream file(files().at(0), std::ios::in | std::ios::out | std::ios::binary);
        file.seekp(-1, std::ios::end);
        file << 'X';
    }
    EXPECT_FALSE(cache.find(key_));
    EXPECT_TRUE(files().empty());
    cache.store(key_, "good code");
    fs::resize_file(files().at(0), 20);
    EXPECT_FALSE(cache.find(key_));
    cache.store(key_, "good code");
    EXPECT_EQ(cache.find(key_), "good code");
}

TEST_F(CacheTest, KeepsWhatIsUsed)
{
    const CubinCache cache(folder_, 3500);
    std::vector<CubinKey> keys;
    for (int i = 0; i < 3; ++i) {
        keys.push_back(key_);
        keys.back().target = std::to_string(i);
        cache.store(keys.back(), std::string(1000, 'x'));
    }
    // The first was stored first and is used last; three of about 1074 bytes fit, four do not.
    const auto hourAgo = fs::file_time_type::clock::now() - std::chrono::hours(1);
    for (const fs::path& file : files())
        fs::last_write_time(file, hourAgo);
    EXPECT_TRUE(cache.find(keys[0]));
    EXPECT_TRUE(cache.find(keys[2]));
    cache.store(key_, std::string(1000, 'x'));
    EXPECT_TRUE(cache.find(keys[0]));
    EXPECT_FALSE(cache.find(keys[1]));
    EXPECT_TRUE(cache.find(keys[2]));
    EXPECT_TRUE(cache.find(key_));
}

TEST_F(CacheTest, RemovesWhatAKilledProcessLeft)
{
    fs::create_directories(folder_);
    const fs::path left = folder_ / ".new-1-x";
    std::ofstream(left) << "half";
    fs::last_write_time(left, fs::file_time_type::clock::now() - std::chrono::hours(2));
    CubinCache(folder_).store(key_, "code");
    EXPECT_FALSE(fs::exists(left));
}

TEST_F(CacheTest, IsSafeBetweenProcesses)
{
    // Four processes store and read one key; whoever reads sees all of it or nothing.
    std::vector<pid_t> children;
    for (int i = 0; i < 4; ++i) {
        const pid_t child = ::fork();
        ASSERT_GE(child, 0);
        if (child == 0) {
            const CubinCache cache(folder_);
            bool ok = true;
            for (int round = 0; round < 50; ++round) {
                cache.store(key_, std::string(20000, 'c'));
                const auto found = cache.find(key_);
                ok = ok && (!found || *found == std::string(20000, 'c'));
            }
            ::_exit(ok ? 0 : 1);
        }
        children.push_back(child);
    }
    for (const pid_t child : children) {
        int status = 0;
        ::waitpid(child, &status, 0);
        EXPECT_EQ(status, 0);
    }
    EXPECT_EQ(CubinCache(folder_).find(key_), std::string(20000, 'c'));
    EXPECT_EQ(files().size(), 1U);
}

TEST_F(CacheTest, NoFolderIsNoFailure)
{
    const CubinCache none("");
    none.store(key_, "code");
    EXPECT_FALSE(none.find(key_));
    const CubinCache blocked(folder_ / "file" / "below");
    std::ofstream(folder_ / "file") << "in the way";
    blocked.store(key_, "code");
    EXPECT_FALSE(blocked.find(key_));
}

}  // namespace
}  // namespace tw::cuda
