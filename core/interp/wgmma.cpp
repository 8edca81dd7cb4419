// wgmma: products of whole warp groups with operands in shared memory.
#include <cstring>
#include <fmt/format.h>

#include "core/interp/machine.h"
#include "core/interp/matrix_ops.h"
#include "core/ir/call.h"

namespace tw::interp {

std::int64_t swizzledAddress(std::int64_t address, std::int64_t swizzle)
{
    const std::int64_t mask = swizzle == 128 ? 7 : swizzle == 64 ? 3 : swizzle == 32 ? 1 : 0;
    return address ^ (((address >> 7) & mask) << 4);
}

std::int64_t MatrixWalk::offsetOf(std::int64_t row, std::int64_t column) const
{
    const std::int64_t size = type.bits() / 8;
    if (kMajor) {
        const std::int64_t along = column * size;
        return swizzle != 0 ? row / 8 * stride + row % 8 * swizzle + along
                            : row / 8 * stride + row % 8 * 16 + along / 16 * leading + along % 16;
    }
    const std::int64_t along = row * size;
    return swizzle != 0 ? along / swizzle * leading + column / 8 * stride + column % 8 * swizzle + along % swizzle
                        : along / 16 * stride + column / 8 * leading + column % 8 * 16 + along % 16;
}

// The tile as rows x columns. Its first element is what the region names.
bool Machine::loadDescribed(Fiber& f, const Instr& in, const OperandRecord& operand, int firstLane, const MatrixWalk& walk, MatrixTile& tile)
{
    const BufferInfo& info = program_.buffers[static_cast<std::size_t>(operand.region.buffer)];
    Places& p = places_;
    if (!locate(f, operand.region.buffer, operand.region.mins, p, in.where.range))
        return false;
    if (info.space != Space::kShared) {
        error(Code::kScopeIllegal, in.where.range, fmt::format("{} is not in this block's shared memory", info.node->name));
        return false;
    }
    const Memory& memory = *memoryOf(f, info, false);
    const std::int64_t start = p.offsets[p.uniform ? 0 : static_cast<std::size_t>(firstLane)] * info.type.bits() / 8;
    const std::int64_t size = walk.type.bits() / 8;
    tile.lanes.resize(walk.rows * walk.columns);
    tile.bad.clear();
    std::vector<std::int64_t> chunks;
    for (std::size_t i = 0; i < walk.rows; ++i)
        for (std::size_t j = 0; j < walk.columns; ++j) {
            const std::int64_t at =
                swizzledAddress(start + walk.offsetOf(static_cast<std::int64_t>(i), static_cast<std::int64_t>(j)), walk.swizzle);
            if (at < 0 || at + size > static_cast<std::int64_t>(memory.bytes.size())) {
                error(Code::kOutOfBounds, in.where.range,
                      fmt::format("the descriptor of {} reaches byte {} of {}", info.node->name, at, memory.bytes.size()));
                return false;
            }
            tile.lanes[i * walk.columns + j] = loadElement(walk.type, memory.bytes.data(), at / size);
            if (at % 16 == 0)
                chunks.push_back(at);
            if (options_.checkUninitialized && memory.valid[static_cast<std::size_t>(at)] == 0) {
                tile.bad.resize(walk.rows * walk.columns, 0);
                tile.bad[i * walk.columns + j] = 1;
            }
        }
    if (walk.type.scalar == ir::Scalar::kTFloat32)
        roundLanes(walk.type, tile.lanes.data(), tile.lanes.size());
    if (isObserved(info)) {
        Touch& t = startTouch(f, in, info, Touch::Kind::kRead, Engine::kWgmma);
        t.width = 16;
        t.at = std::move(chunks);
        t.act.threads.assign(t.at.size(), f.threads[static_cast<std::size_t>(firstLane)]);
        options_.observer->touches(t);
    }
    return true;
}

void Machine::wgmmaOp(Fiber& f, const Instr& in, const OpRecord& record)
{
    const MatrixPlan* plan = planOf(in, record);
    const std::vector<int> groups = plan ? groupsOf(f, in, 128) : std::vector<int>();
    if (groups.empty() || !registersAt(f, in, record.at(2), plan->c.registers, true, places3_))
        return;
    const ir::Attrs& attrs = *record.attrs;
    const auto walkOf = [&](std::size_t rows, bool kMajor, const char* name) {
        const std::string side(name);
        return MatrixWalk{rows,           plan->k,
                          plan->type,     kMajor,
                          ir::intAttr(attrs, "swizzle_" + side, 0), ir::intAttr(attrs, "leading_" + side, 0),
                          ir::intAttr(attrs, "stride_" + side, 0)};
    };
    const BufferInfo& result = program_.buffers[static_cast<std::size_t>(record.at(2).region.buffer)];
    const bool aInRegisters = spaceIsPrivate(record.at(0).region);
    MatrixTile a;
    MatrixTile columns;
    MatrixTile b;
    MatrixTile c;
    for (const int lane : groups) {
        // A is (m, k) and B (k, n) as T.gemm has them: transposed A and plain B have their rows along k.
        const MatrixWalk walkA = walkOf(plan->m, !ir::boolAttr(attrs, "transpose_A", false), "A");
        const MatrixWalk walkB = walkOf(plan->n, ir::boolAttr(attrs, "transpose_B", false), "B");
        if (aInRegisters) {
            if (!registersAt(f, in, record.at(0), plan->a.registers, false, places_))
                return;
            loadRegisters(record.at(0), places_, lane, plan->a, plan->type, a);
        } else if (!loadDescribed(f, in, record.at(0), lane, walkA, a)) {
            return;
        }
        if (!loadDescribed(f, in, record.at(1), lane, walkB, columns))
            return;
        b.lanes.resize(plan->k * plan->n);
        b.bad.assign(columns.bad.size(), 0);
        for (std::size_t j = 0; j < plan->n; ++j)
            for (std::size_t p = 0; p < plan->k; ++p) {
                b.lanes[p * plan->n + j] = columns.lanes[j * plan->k + p];
                if (!columns.bad.empty())
                    b.bad[p * plan->n + j] = columns.bad[j * plan->k + p];
            }
        loadRegisters(record.at(2), places3_, lane, plan->c, result.type, c);
        const bool adds = !record.at(3).present() || scalarOf(f, record.at(3).slot, 1) != 0;
        if (!adds) {
            std::fill(c.lanes.begin(), c.lanes.end(), Lane{});
            c.bad.clear();
        }
        if (multiplyTiles(*plan, result.type, a, b, c) == Started::kUnwritten) {
            reportUninitialized(result, in.where.range);
            return;
        }
        storeRegisters(record.at(2), places3_, lane, plan->c, c);
    }
}

}  // namespace tw::interp
