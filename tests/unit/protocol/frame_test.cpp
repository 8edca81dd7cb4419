#include <gtest/gtest.h>

#include "profiler/protocol/frame.h"

namespace tw::protocol {
namespace {

const Frame kFrame{"{}", {std::string("\0\x01\x02", 3), ""}};

TEST(Frame, BytesOnTheWire)
{
    const std::string wire = serialize(kFrame);
    const std::string expected("TWP1\x02\0\0\0\x02\0\0\0\x03\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0{}\0\x01\x02", 33);
    EXPECT_EQ(wire, expected);
}

TEST(Frame, ArrivesByteByByte)
{
    FrameReader reader;
    const std::string wire = serialize(kFrame) + serialize({"second", {}});
    std::vector<Frame> got;
    for (const char c : wire) {
        reader.feed({&c, 1});
        while (auto frame = reader.next())
            got.push_back(*frame);
    }
    ASSERT_EQ(got.size(), 2U);
    EXPECT_EQ(got[0], kFrame);
    EXPECT_EQ(got[1].header, "second");
    EXPECT_FALSE(reader.failed());
    EXPECT_FALSE(reader.isInsideFrame());
}

TEST(Frame, TwoInOnePiece)
{
    FrameReader reader;
    reader.feed(serialize(kFrame) + serialize(kFrame));
    EXPECT_EQ(reader.next(), kFrame);
    EXPECT_EQ(reader.next(), kFrame);
    EXPECT_EQ(reader.next(), std::nullopt);
}

TEST(Frame, GarbageFailsAtItsFirstByte)
{
    FrameReader reader;
    reader.feed("Welcome to the machine");
    EXPECT_EQ(reader.next(), std::nullopt);
    EXPECT_TRUE(reader.failed());
    reader.feed(serialize(kFrame));
    EXPECT_EQ(reader.next(), std::nullopt);
}

TEST(Frame, HugeAnnouncementsAreRefusedWithoutMemory)
{
    FrameReader header;
    header.feed(std::string("TWP1\xff\xff\xff\xff\0\0\0\0", 12));
    EXPECT_EQ(header.next(), std::nullopt);
    EXPECT_TRUE(header.failed());

    FrameReader payload;
    payload.feed(std::string("TWP1\x02\0\0\0\x01\0\0\0\xff\xff\xff\xff\xff\xff\xff\xff{}", 22));
    EXPECT_EQ(payload.next(), std::nullopt);
    EXPECT_TRUE(payload.failed());
}

}  // namespace
}  // namespace tw::protocol
