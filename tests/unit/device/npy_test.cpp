#include <gtest/gtest.h>

#include "profiler/device/npy.h"

namespace tw::device {
namespace {

// A file of the given format version, with `dict` as NumPy writes it.
std::string file(int version, const std::string& dict, const std::string& data)
{
    std::string header = dict;
    const std::size_t used = 6 + 2 + (version == 1 ? 2 : 4) + header.size() + 1;
    header.append((64 - used % 64) % 64, ' ');
    header += '\n';
    std::string out("\x93NUMPY");
    out += {static_cast<char>(version), '\0', static_cast<char>(header.size() & 0xff), static_cast<char>(header.size() >> 8)};
    if (version > 1)
        out += std::string(2, '\0');
    return out + header + data;
}
std::string dict(const std::string& descr, const std::string& shape, bool isFortran = false)
{
    return "{'descr': '" + descr + "', 'fortran_order': " + (isFortran ? "True" : "False") + ", 'shape': " + shape + ", }";
}

TEST(Npy, ReadsEveryVersionAndEndianness)
{
    const std::string little("\x00\x00\x80\x3f\x00\x00\x00\xc0", 8), big("\x3f\x80\x00\x00\xc0\x00\x00\x00", 8);
    for (const int version : {1, 2, 3}) {
        for (const auto& [descr, data] : {std::pair{"<f4", little}, {">f4", big}}) {
            const auto array = parseNpy(file(version, dict(descr, "(2,)"), data));
            ASSERT_TRUE(array.has_value()) << array.error();
            EXPECT_EQ(array->shape, (std::vector<std::int64_t>{2}));
            EXPECT_EQ(array->floatAt(0), 1.0);
            EXPECT_EQ(array->floatAt(1), -2.0);
        }
    }
}

TEST(Npy, TurnsFortranOrderIntoRows)
{
    // [[1, 2, 3], [4, 5, 6]] column by column.
    const auto array = parseNpy(file(1, dict("|i1", "(2, 3)", true), std::string("\x01\x04\x02\x05\x03\x06")));
    ASSERT_TRUE(array.has_value()) << array.error();
    EXPECT_EQ(array->data, "\x01\x02\x03\x04\x05\x06");
}

TEST(Npy, ScalarsAndEmptyArraysAreArrays)
{
    const auto scalar = parseNpy(file(1, dict("<i8", "()"), std::string("\xff\xff\xff\xff\xff\xff\xff\xff", 8)));
    ASSERT_TRUE(scalar.has_value());
    EXPECT_TRUE(scalar->shape.empty());
    EXPECT_EQ(scalar->intAt(0), -1);
    const auto empty = parseNpy(file(1, dict("<f8", "(0, 4)"), ""));
    ASSERT_TRUE(empty.has_value());
    EXPECT_EQ(empty->count(), 0);
}

TEST(Npy, RefusesWhatItIsNot)
{
    for (const std::string& bytes : {std::string(), std::string("PK\x03\x04"), std::string("\x93NUMPY\x09\0\x10\0", 10),
                                     std::string("\x93NUMPY\x01\0\xff\xff", 10), file(1, dict("<c8", "(1,)"), std::string(8, 'x')),
                                     file(1, dict("|O", "(1,)"), std::string(8, 'x')), file(1, dict("<f4", "(3,)"), std::string(8, 'x')),
                                     file(1, dict("<f4", "(99999999999, 99999999999)"), ""), file(1, "{'descr': [('a', '<f4')], }", "")})
        EXPECT_FALSE(parseNpy(bytes).has_value());
}

TEST(Npy, WritesTheBytesThatNumPyWrites)
{
    interp::Tensor t{ir::kFloat16, {1, 2}, {0x00, 0x3c, 0x00, 0xc0}};
    const std::string bytes = writeNpy(t);
    EXPECT_EQ(bytes.size() % 64, 4U);
    EXPECT_EQ(bytes.substr(0, 8), std::string("\x93NUMPY\x01\0", 8));
    EXPECT_NE(bytes.find("{'descr': '<f2', 'fortran_order': False, 'shape': (1, 2), }"), std::string::npos);
    EXPECT_EQ(bytes.substr(bytes.size() - 4), std::string("\x00\x3c\x00\xc0", 4));
}

TEST(Npy, WidensBfloat16AndFloat8)
{
    // bf16 0x3fc0 = 1.5 = float32 0x3fc00000.
    const std::string bf16 = writeNpy({ir::kBFloat16, {1}, {0xc0, 0x3f}});
    EXPECT_NE(bf16.find("'<f4'"), std::string::npos);
    EXPECT_EQ(bf16.substr(bf16.size() - 4), std::string("\x00\x00\xc0\x3f", 4));
    // e4m3 0x38 = 1.0.
    const std::string fp8 = writeNpy({*ir::parseDType("float8_e4m3fn"), {1}, {0x38}});
    EXPECT_EQ(fp8.substr(fp8.size() - 4), std::string("\x00\x00\x80\x3f", 4));
}

TEST(Npy, PackedFourBitTensorsKeepTheirStorage)
{
    const std::string bytes = writeNpy({*ir::parseDType("int4"), {2, 4}, {0x21, 0x43, 0x65, 0x07}});
    EXPECT_NE(bytes.find("'descr': '|i1'"), std::string::npos);
    EXPECT_NE(bytes.find("'shape': (2, 2)"), std::string::npos);
    EXPECT_EQ(bytes.substr(bytes.size() - 4), "\x21\x43\x65\x07");
    const auto back = toTensor(*parseNpy(bytes), "W", *ir::parseDType("int4"), {2, 4});
    ASSERT_TRUE(back.has_value()) << back.error();
    EXPECT_EQ(back->bytes, (std::vector<std::uint8_t>{0x21, 0x43, 0x65, 0x07}));
}

TEST(ToTensor, RawBitsForFormatsThatNumPyLacks)
{
    const NpyArray raw{NpyArray::Kind::kRaw, 2, {1}, std::string("\xc0\x3f", 2)};
    const NpyArray uint16{NpyArray::Kind::kUInt, 2, {1}, std::string("\xc0\x3f", 2)};
    EXPECT_EQ(toTensor(raw, "A", ir::kBFloat16, {1})->floatAt(0), 1.5);
    EXPECT_EQ(toTensor(uint16, "A", ir::kBFloat16, {1})->floatAt(0), 1.5);
    // For float16, which NumPy has, uint16 holds values and raw bytes hold bits.
    EXPECT_EQ(toTensor(uint16, "A", ir::kFloat16, {1})->floatAt(0), 16320.0);
    EXPECT_EQ(toTensor(NpyArray{NpyArray::Kind::kRaw, 2, {1}, std::string("\x00\x3c", 2)}, "A", ir::kFloat16, {1})->floatAt(0), 1.0);
    const NpyArray uint8{NpyArray::Kind::kUInt, 1, {1}, "\x38"};
    EXPECT_EQ(toTensor(uint8, "A", *ir::parseDType("float8_e4m3fn"), {1})->floatAt(0), 1.0);
}

TEST(ToTensor, RoundsToNearestEven)
{
    // Near 1 the numbers of bfloat16 are 2^-7 apart: both values lie halfway, ties go to even.
    interp::Tensor source{ir::kFloat32, {2}, std::vector<std::uint8_t>(8)};
    source.setFloat(0, 1.00390625);  // 1 + 2^-8: halfway between 1 and 1 + 2^-7
    source.setFloat(1, 1.01171875);  // 1 + 3·2^-8: halfway between 1 + 2^-7 and 1 + 2^-6
    const NpyArray array{NpyArray::Kind::kFloat, 4, {2}, std::string(source.bytes.begin(), source.bytes.end())};
    const auto tensor = toTensor(array, "A", ir::kBFloat16, {2});
    ASSERT_TRUE(tensor.has_value());
    EXPECT_EQ(tensor->floatAt(0), 1.0);
    EXPECT_EQ(tensor->floatAt(1), 1.015625);
}

TEST(ToTensor, IntegersMustFit)
{
    const NpyArray array{NpyArray::Kind::kInt, 2, {1}, std::string("\x2c\x01", 2)};  // 300
    const auto narrow = toTensor(array, "A", ir::kInt8, {1});
    ASSERT_FALSE(narrow.has_value());
    EXPECT_EQ(narrow.error(), "A has dtype int8, which cannot hold element 0 of the given array, 300");
    EXPECT_EQ(toTensor(array, "A", ir::kInt32, {1})->intAt(0), 300);
    EXPECT_EQ(toTensor(array, "A", ir::kFloat32, {2}).error(), "A has shape (2), but the given array has (1)");
}

}  // namespace
}  // namespace tw::device
