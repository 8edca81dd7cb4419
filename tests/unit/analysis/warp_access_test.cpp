#include "core/analysis/warp_access.h"

#include <gtest/gtest.h>

#include "core/ir/build.h"
#include "core/ir/visit.h"

namespace tw::analysis {
namespace {

using ir::Expr;

// One warp that stores to `element` of shared or global memory, where `element` is made from the thread's index.
class OneWarp {
public:
    OneWarp(ir::MemoryScope scope, ir::DType type)
    {
        auto node = std::make_shared<ir::BufferNode>();
        node->name = "X";
        node->dtype = type;
        node->shape = {ir::intImm(4096)};
        node->scope = scope;
        buffer = node;
    }

    WarpAccess store(const Expr& element, const Expr& condition = {}, std::int64_t vector = 1) const
    {
        Expr at = element;
        const auto lane = std::make_shared<ir::VarNode>(ir::kInt32, "v");
        if (vector > 1)
            at = ir::add(at, lane);
        ir::Stmt body = std::make_shared<ir::Store>(buffer, std::vector<Expr>{at}, ir::constant(buffer->dtype, 1.0));
        if (vector > 1)
            body = std::make_shared<ir::For>(ir::ForKind::kVectorized, std::vector<ir::Axis>{{lane, ir::intImm(0), ir::intImm(vector), {}}}, body);
        if (condition)
            body = std::make_shared<ir::If>(condition, body);
        ir::Function f;
        f.stage = ir::Stage::kThread;
        f.body = std::make_shared<ir::Launch>(std::vector<Expr>{ir::intImm(1)}, std::vector<ir::Var>{block}, std::array<std::int64_t, 3>{32, 1, 1},
                                              threads, body);
        const auto found = warpAccesses(f);
        EXPECT_EQ(found.size(), 1U);
        return found.empty() ? WarpAccess{} : found.front();
    }

    ir::Buffer buffer;
    ir::Var block = std::make_shared<ir::VarNode>(ir::kInt32, "bx");
    std::array<ir::Var, 3> threads{std::make_shared<ir::VarNode>(ir::kInt32, "tx"), std::make_shared<ir::VarNode>(ir::kInt32, "ty"),
                                   std::make_shared<ir::VarNode>(ir::kInt32, "tz")};
    Expr tx = threads[0];
};

TEST(WarpAccess, BanksAreCounted)
{
    const OneWarp w(ir::MemoryScope::kShared, ir::kFloat32);
    EXPECT_TRUE(w.store(w.tx).isGood());
    EXPECT_EQ(w.store(ir::mul(w.tx, ir::intImm(2))).banks.passes, 2);
    EXPECT_EQ(w.store(ir::mul(w.tx, ir::intImm(32))).banks.passes, 32);
    EXPECT_TRUE(w.store(ir::mul(w.tx, ir::intImm(33))).isGood());  // padded rows
}

TEST(WarpAccess, SectorsAreCounted)
{
    const OneWarp w(ir::MemoryScope::kGlobal, ir::kFloat32);
    const WarpAccess good = w.store(w.tx), strided = w.store(ir::mul(w.tx, ir::intImm(2)));
    EXPECT_EQ(good.sectors, 4);  // 128 bytes
    EXPECT_TRUE(good.isGood());
    EXPECT_EQ(strided.sectors, 8);
    EXPECT_EQ(strided.idealSectors, 4);
    EXPECT_EQ(w.store(ir::add(w.tx, ir::intImm(1))).sectors, 5);  // off by one element
}

TEST(WarpAccess, VectorsAndConditionsCount)
{
    const OneWarp w(ir::MemoryScope::kGlobal, ir::kFloat32);
    const WarpAccess wide = w.store(ir::mul(w.tx, ir::intImm(4)), {}, 4);
    EXPECT_EQ(wide.bytes, 16);
    EXPECT_EQ(wide.sectors, 16);
    EXPECT_TRUE(wide.isGood());
    EXPECT_EQ(w.store(w.tx, ir::less(w.tx, ir::intImm(8))).sectors, 1);
}

TEST(WarpAccess, WhatDependsOnDataIsNotGuessed)
{
    const OneWarp w(ir::MemoryScope::kGlobal, ir::kInt32);
    const auto unknown = std::make_shared<ir::VarNode>(ir::kInt32, "n");
    EXPECT_FALSE(w.store(ir::add(w.tx, unknown)).unknown.empty());
}

}  // namespace
}  // namespace tw::analysis
