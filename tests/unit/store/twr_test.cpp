#include "profiler/store/twr.h"

#include <random>

#include <gtest/gtest.h>

#include "profiler/capture/json.h"
#include "profiler/store/blob.h"
#include "profiler/store/file.h"
#include "tests/temporary_folder.h"
#include "tests/unit/store/sample.h"

namespace tw::store {
namespace {

using tw::test::TemporaryFolder;
using test::sampleCapture;

TEST(Twr, GivesBackWhatItWasGiven)
{
    const TemporaryFolder folder;
    const std::string path = folder.file("gemm.twr");
    ASSERT_TRUE(writeTwr(path, sampleCapture()));
    const auto capture = readTwr(path);
    ASSERT_TRUE(capture) << capture.error();
    EXPECT_EQ(capture::toJson(*capture), capture::toJson(sampleCapture()));
    EXPECT_EQ(folder.count(), 1);
}

TEST(Twr, EveryCutIsRefused)
{
    const std::string whole = toTwr(sampleCapture());
    for (std::size_t size = 0; size < whole.size(); ++size)
        EXPECT_FALSE(fromTwr(whole.substr(0, size))) << size;
    EXPECT_FALSE(fromTwr(whole + "x"));
}

TEST(Twr, EveryChangedByteIsRefusedOrTheSame)
{
    const std::string whole = toTwr(sampleCapture());
    const std::string json = capture::toJson(sampleCapture());
    std::mt19937 random(20261130);
    for (std::size_t at = 0; at < whole.size(); ++at) {
        std::string changed = whole;
        changed[at] = static_cast<char>(changed[at] ^ static_cast<char>(1 + random() % 255));
        // Two bits of zlib's header carry no meaning for the reader; everything else is checked.
        const auto capture = fromTwr(changed);
        EXPECT_TRUE(!capture || capture::toJson(*capture) == json) << at;
    }
}

// Behind an intact envelope anything may stand.
TEST(Twr, MutatedDocumentsNeverThrow)
{
    const std::string json = capture::toJson(sampleCapture());
    std::mt19937 random(7);
    for (int i = 0; i < 1000; ++i) {
        std::string changed = json;
        for (int k = 0; k < 3; ++k)
            changed[random() % changed.size()] = "0-9e\"[]{}:,.x\xff"[random() % 15];
        const auto capture = fromTwr(std::string(kTwrMark) + pack(changed));
        EXPECT_TRUE(!capture || !capture->files.empty());
    }
}

TEST(Twr, SaysWhatIsWrong)
{
    const std::string whole = toTwr(sampleCapture());
    const auto error = [](const std::string& bytes) { return fromTwr(bytes).error(); };
    EXPECT_EQ(error("PK\x03\x04 a zip file"), "this is no .twr file");
    std::string newer = whole;
    newer[3] = '2';
    EXPECT_NE(error(newer).find("another version of Tilewright"), std::string::npos);
    std::string asText = whole;
    asText.erase(4, 1);  // the carriage return, as a transfer as text does
    EXPECT_NE(error(asText).find("copy it again as a binary file"), std::string::npos);
    EXPECT_NE(error(whole.substr(0, 40)).find("damaged"), std::string::npos);
    EXPECT_NE(readTwr("/no/such.twr").error().find("cannot read /no/such.twr"), std::string::npos);
    EXPECT_FALSE(readTwr("/dev/zero"));
}

TEST(Blob, ABombIsNotUnpacked)
{
    const std::string packed = pack(std::string(1 << 20, 'a'));
    EXPECT_EQ(unpack(packed)->size(), 1U << 20);
    EXPECT_FALSE(unpack(packed, 1000));  // more than allowed
    std::string lying = pack("abc");
    lying[4] = '\x7f';  // claims hundreds of gigabytes
    EXPECT_FALSE(unpack(lying));
    lying = pack("abc");
    lying[1] = '\x7f';  // claims more than its stream can hold
    EXPECT_FALSE(unpack(lying));
    EXPECT_EQ(unpack(pack("")), "");
}

TEST(WholeFile, ReadsWithALimit)
{
    const TemporaryFolder folder;
    ASSERT_TRUE(writeWhole(folder.file("a"), "12345"));
    EXPECT_EQ(readWhole(folder.file("a"), 5), "12345");
    EXPECT_FALSE(readWhole(folder.file("a"), 4));
    EXPECT_FALSE(readWhole(folder.file(""), 4));
}

}  // namespace
}  // namespace tw::store
