// Texts, numbers and equality of staging values; right answers are CPython's.
#include "staging_helpers.h"

#include "core/staging/containers.h"
#include "core/staging/integer_math.h"
#include "core/staging/literals.h"
#include "core/staging/text.h"

namespace tw::staging {

TEST(Values, IntegersAreExactTo128Bits)
{
    EXPECT_EQ(integerText(kIntegerMax), "170141183460469231731687303715884105727");
    EXPECT_EQ(integerText(kIntegerMin), "-170141183460469231731687303715884105728");
    EXPECT_FALSE(addIntegers(kIntegerMax, 1));
    EXPECT_EQ(*floorDivIntegers(-7, 2), -4);
    EXPECT_EQ(*floorModIntegers(-7, 2), 1);
    EXPECT_EQ(*floorModIntegers(7, -2), -1);
    EXPECT_EQ(*parseInteger("0xff", 0), 255);
    EXPECT_EQ(*parseInteger(" -1_000 "), -1000);
    EXPECT_FALSE(parseInteger("12x"));
}

TEST(Values, FloatsPrintLikePython)
{
    EXPECT_EQ(floatText(1.0), "1.0");
    EXPECT_EQ(floatText(1e-5), "1e-05");
    EXPECT_EQ(floatText(1e16), "1e+16");
    EXPECT_EQ(floatText(123456.789), "123456.789");
    EXPECT_EQ(floatText(0.1), "0.1");
}

TEST(Values, FormatSpecifications)
{
    EXPECT_EQ(*formatValue(Value(3.14159), ".2f"), "3.14");
    EXPECT_EQ(*formatValue(Value(42), "5d"), "   42");
    EXPECT_EQ(*formatValue(Value(1234567), ","), "1,234,567");
    EXPECT_EQ(*formatValue(Value("ab"), ">5"), "   ab");
    EXPECT_EQ(*formatValue(Value("ab"), "*^6"), "**ab**");
    EXPECT_EQ(*formatValue(Value(255), "#x"), "0xff");
    EXPECT_EQ(*formatValue(Value(5), "08b"), "00000101");
    EXPECT_EQ(*formatValue(Value(0.5), ".1%"), "50.0%");
    EXPECT_FALSE(formatValue(Value("a"), "d"));
}

TEST(Values, DtypesAreStringsToo)
{
    EXPECT_TRUE(equalValues(Value(ir::kFloat16), Value("float16")));
    EXPECT_EQ(hashValue(Value(ir::kFloat16)), hashValue(Value("float16")));
    EXPECT_EQ(asDType(Value("half")), ir::kFloat16);
}

TEST(Values, NumbersAreEqualAcrossTypes)
{
    EXPECT_TRUE(equalValues(Value(1), Value(1.0)));
    EXPECT_TRUE(equalValues(Value(true), Value(1)));
    EXPECT_EQ(hashValue(Value(1)), hashValue(Value(1.0)));
}

TEST(Values, NestsThatShareThemselvesAreComparedOnce)
{
    const std::string build = "t = u = (1,)\nv = (2,)\nfor i in range(190):\n    t = (t, t)\n    u = (u, u)\n    v = (v, v)\n";
    EXPECT_EQ(after(build + "x = (t == u, t == v, t < v, len({t, u, v}))"), "(True, False, True, 2)");
}

TEST(Values, LargeIntegersAndLateItemsHashApart)
{
    EXPECT_EQ(hashValue(Value(Integer{1} << 100)), hashValue(Value(0x1p100)));
    EXPECT_NE(hashValue(Value(Integer{1} << 100)), hashValue(Value((Integer{1} << 100) + 1)));
    const Value first = makeTuple(std::vector<Value>(2000, Value(1)));
    EXPECT_NE(hashValue(makeTuple({first, Value(1)})), hashValue(makeTuple({first, Value(2)})));
}

TEST(Values, TextsAreIndexedByCodePoint)
{
    EXPECT_EQ(after("s = 'añb€'\nx = (s[1], s[-1], s[1:3], s[::-1], len(s), list(s))"), "('ñ', '€', 'ñb', '€bña', 4, ['a', 'ñ', 'b', '€'])");
    EXPECT_EQ(after("s = 'abcdef'\nx = (s[1], s[-1], s[1:3], s[::-1], s[4:1], s[::100])"), "('b', 'f', 'bc', 'fedcba', '', 'a')");
}

TEST(Values, RangesStayWithin64Bits)
{
    EXPECT_EQ(after("r = range(10 ** 18)\nx = (len(r), 10 ** 17 in r, r[::10 ** 18], r[-1])"),
              "(1000000000000000000, True, range(0, 1000000000000000000, 1000000000000000000), 999999999999999999)");
}

TEST(Values, LongChainsOfIteratorsEnd)
{
    EXPECT_EQ(after("g = iter(range(3))\nfor k in range(20000):\n    g = (i for i in g)\nh = iter([1])\nfor k in range(20000):\n    h = zip(map(abs, h))\n"
                    "x = 1\ng = h = None"),
              "1");
}

TEST(Values, ListsMayHoldThemselves)
{
    const Value list = makeList({Value(1)});
    list.object<ListValue>()->items.push_back(list);
    EXPECT_NE(repr(list).find("..."), std::string::npos);
    EXPECT_FALSE(equalValues(list, makeList({Value(1), makeList({})})));
    list.object<ListValue>()->items.clear();
}

TEST(Values, LiteralsReadBack)
{
    for (const char* text : {"128", "-3", "'float16'", "(64, 128)", "None", "True", "[1, 2.5]", "{'a': (1,)}"})
        EXPECT_EQ(literalText(parseLiteral(text)), text);
    EXPECT_EQ(*parseLiteral("float16").str(), "float16");
    EXPECT_EQ(*parseLiteral("max").str(), "max");
}

TEST(Values, DictsKeepTheirOrder)
{
    const Value dict = makeDict({{Value("b"), Value(1)}, {Value("a"), Value(2)}});
    dictErase(*dict.object<DictValue>(), Value("b"));
    dictSet(*dict.object<DictValue>(), Value("b"), Value(3));
    EXPECT_EQ(repr(dict), "{'a': 2, 'b': 3}");
}

}  // namespace tw::staging
