#include "core/ir/dtype.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "core/ir/ops.h"

namespace tw::ir {
namespace {

TEST(DTypes, ParseNamesAliasesAndLanes)
{
    EXPECT_EQ(parseDType("half"), kFloat16);
    EXPECT_EQ(parseDType("uint32x4"), kUInt32.withLanes(4));
    EXPECT_EQ(parseDType("custom[tfloat32]"), DType{Scalar::kTFloat32});
    EXPECT_EQ(parseDType("float8_e4m3"), DType{Scalar::kFloat8E4M3FN});
    EXPECT_EQ(parseDType("bfloat16x8"), kBFloat16.withLanes(8));
    EXPECT_FALSE(parseDType("float17"));
    EXPECT_FALSE(parseDType("int32x"));
    EXPECT_FALSE(parseDType(""));
    EXPECT_EQ(kUInt32.withLanes(4).name(), "uint32x4");
}

TEST(DTypes, StorageIsPacked)
{
    EXPECT_EQ(DType{Scalar::kInt4}.storageBytes(3), 2);
    EXPECT_EQ(kFloat16.storageBytes(5), 10);
    EXPECT_EQ(kBool.storageBytes(5), 5);
}

TEST(DTypes, ExportedNames)
{
    const auto& names = exportedDTypeNames();
    const auto has = [&](std::string_view name) { return std::ranges::find(names, name) != names.end(); };
    EXPECT_TRUE(has("float32x4") && has("half") && has("bfloat16x2") && has("float8_e4m3x8") && has("bool"));
    EXPECT_FALSE(has("bfloat16x4"));
    EXPECT_FALSE(has("boolx2"));
}

// language.md c.4, rule by rule.
TEST(DTypes, Promotion)
{
    const DType e4m3{Scalar::kFloat8E4M3FN}, e5m2{Scalar::kFloat8E5M2};
    EXPECT_EQ(promote(kFloat16, kFloat32), kFloat32);
    EXPECT_EQ(promote(kFloat16, kBFloat16), kFloat16);
    EXPECT_EQ(promote(kFloat16, kInt64), kFloat16);
    EXPECT_EQ(promote(kBFloat16, kInt32), kBFloat16);
    EXPECT_EQ(promote(kBFloat16, e4m3), kBFloat16);
    EXPECT_EQ(promote(e4m3, kInt32), e4m3);
    EXPECT_FALSE(promote(e4m3, e5m2));
    EXPECT_EQ(promote(kBool, kInt8), kInt8);
    EXPECT_EQ(promote(kInt8, kInt32), kInt32);
    EXPECT_EQ(promote(kInt32, kUInt32), kUInt32);
    EXPECT_EQ(promote(kUInt8, kInt32), kInt32);
    EXPECT_EQ(promote(kFloat16.withLanes(2), kFloat32), kFloat32.withLanes(2));
    EXPECT_FALSE(promote(kFloat16.withLanes(2), kFloat16.withLanes(4)));
    EXPECT_FALSE(promote(kHandle, kInt32));
}

TEST(Ops, TableIsComplete)
{
    for (const OpInfo& op : allOps()) {
        EXPECT_EQ(&info(op.id), &op);
        EXPECT_EQ(findOp(op.name), op.id) << op.name;
    }
    const OpInfo& copy = info(OpId::kTmaCopy);
    ASSERT_EQ(copy.operands.size(), 3u);
    EXPECT_EQ(copy.operands[2].name, "barrier");
    EXPECT_EQ(copy.operands[2].role, Role::kBarrier);
    EXPECT_TRUE(copy.operands[2].optional);
    EXPECT_EQ(copy.proxy, Proxy::kAsync);
    EXPECT_FALSE(findOp("no_such_op"));
    EXPECT_EQ(combiner(OpId::kReduceAbsMax), Combiner::kAbsMax);
    EXPECT_EQ(parseCombiner("bitxor"), Combiner::kBitXor);
}

}  // namespace
}  // namespace tw::ir
