// ldmatrix, stmatrix and mma: whole warps, elements in the lanes that the operand maps name.
#include "core/interp/matrix_ops.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include <fmt/format.h>

#include "core/interp/machine.h"
#include "core/interp/product.h"
#include "core/ir/call.h"
#include "core/layout/mma.h"

namespace tw::interp {

using ir::DType;
using ir::OpId;

RegisterMap registerMap(const layout::Fragment& fragment, bool transposed)
{
    RegisterMap map;
    map.registers = static_cast<std::size_t>(fragment.registers());
    const std::int64_t columns = fragment.shape[transposed ? 0 : 1];
    for (std::int64_t thread = 0; thread < fragment.threads; ++thread)
        for (std::int64_t r = 0; r < fragment.registers(); ++r) {
            const std::vector<std::int64_t> at = fragment.at(thread, r);
            map.place.push_back(static_cast<std::size_t>(at[transposed ? 1 : 0] * columns + at[transposed ? 0 : 1]));
        }
    return map;
}

// The first lanes of the groups of `size` consecutive threads that execute this; each must be whole.
std::vector<int> Machine::groupsOf(Fiber& f, const Instr& in, int size)
{
    std::vector<int> groups;
    for (int lane = 0; lane < f.n;) {
        if (!f.mask.on(lane)) {
            ++lane;
            continue;
        }
        const int first = f.threads[static_cast<std::size_t>(lane)];
        const int end = lane + size;
        bool whole = first % size == 0 && end <= f.n && f.threads[static_cast<std::size_t>(end) - 1] == first + size - 1;
        for (int k = lane; whole && k < end; ++k)
            whole = f.mask.on(k);
        if (!whole) {
            const OpRecord& record = program_.ops[static_cast<std::size_t>(in.extra)];
            error(Code::kDivergentBarrier, in.where.range,
                  fmt::format("{} takes all {} threads from thread {} on together, and some of them do not come here",
                              ir::info(record.op).name, size, first / size * size));
            return {};
        }
        groups.push_back(lane);
        lane = end;
    }
    return groups;
}

// Where each lane's `count` registers lie, in elements.
bool Machine::registersAt(Fiber& f, const Instr& in, const OperandRecord& operand, std::size_t count, bool write, Places& places)
{
    const BufferInfo& info = program_.buffers[static_cast<std::size_t>(operand.region.buffer)];
    if (info.space != Space::kThread) {
        error(Code::kScopeIllegal, in.where.range, fmt::format("{} has to be a local array here", info.node->name));
        return false;
    }
    if (!locate(f, operand.region.buffer, operand.region.mins, places, in.where.range))
        return false;
    const Memory* memory = memoryOf(f, info, write);
    places.bytes = const_cast<std::uint8_t*>(memory->bytes.data());
    places.valid = const_cast<std::uint8_t*>(memory->valid.data());
    const std::int64_t row = program_.storage(info.space, info.storage).bytes * 8 / info.type.bits();
    for (int lane = 0; lane < f.n; ++lane) {
        const auto k = static_cast<std::size_t>(lane);
        const std::int64_t at = places.offsets[k] - f.threads[k] * row;
        if (f.mask.on(lane) && at + static_cast<std::int64_t>(count) > row) {
            reportOutside(info, 0, at + static_cast<std::int64_t>(count) - 1, row, in.where.range);
            return false;
        }
    }
    const bool held = program_.ops[static_cast<std::size_t>(in.extra)].op == OpId::kWgmma;
    if ((usesWgmma_ && held) || tellsRegisters())
        tellRegisters(f, in, info, places, static_cast<std::int64_t>(count) * info.type.bits() / 8, write, held);
    return true;
}

void Machine::loadRegisters(const OperandRecord& operand, const Places& places, int firstLane, const RegisterMap& map, DType type,
                            MatrixTile& tile)
{
    const DType stored = program_.buffers[static_cast<std::size_t>(operand.region.buffer)].type.element();
    const DType read = stored.bits() == type.bits() && !stored.isFloating() && type.isFloating() ? type : stored;
    std::vector<Lane>& row = scratch_[0];
    row.resize(map.registers);
    tile.lanes.resize(map.place.size());
    tile.bad.clear();
    for (std::size_t thread = 0; thread * map.registers < map.place.size(); ++thread) {
        const std::int64_t at = places.offsets[static_cast<std::size_t>(firstLane) + thread];
        loadRow(read, places.bytes, at, 1, row.data(), map.registers);
        if (type.scalar == ir::Scalar::kTFloat32)
            roundLanes(type, row.data(), map.registers);
        const std::size_t* place = map.place.data() + thread * map.registers;
        for (std::size_t r = 0; r < map.registers; ++r)
            tile.lanes[place[r]] = row[r];
        if (!options_.checkUninitialized)
            continue;
        const std::int64_t from = firstByte(read, at);
        if (!std::memchr(places.valid + from, 0, static_cast<std::size_t>(endByte(read, at + static_cast<std::int64_t>(map.registers) - 1) - from)))
            continue;
        tile.bad.resize(map.place.size(), 0);
        for (std::size_t r = 0; r < map.registers; ++r)
            tile.bad[place[r]] = places.valid[firstByte(read, at + static_cast<std::int64_t>(r))] == 0 ? 1 : 0;
    }
}

void Machine::storeRegisters(const OperandRecord& operand, const Places& places, int firstLane, const RegisterMap& map,
                             const MatrixTile& tile)
{
    const DType type = program_.buffers[static_cast<std::size_t>(operand.region.buffer)].type.element();
    std::vector<Lane>& row = scratch_[0];
    row.resize(map.registers);
    for (std::size_t thread = 0; thread * map.registers < map.place.size(); ++thread) {
        const std::int64_t at = places.offsets[static_cast<std::size_t>(firstLane) + thread];
        const std::size_t* place = map.place.data() + thread * map.registers;
        for (std::size_t r = 0; r < map.registers; ++r)
            row[r] = tile.lanes[place[r]];
        storeRow(type, places.bytes, at, 1, row.data(), map.registers);
        for (std::size_t r = 0; r < map.registers; ++r) {
            const std::int64_t element = at + static_cast<std::int64_t>(r);
            const std::uint8_t written = !tile.bad.empty() && tile.bad[place[r]] != 0 ? 0 : 1;
            std::fill(places.valid + firstByte(type, element), places.valid + endByte(type, element), written);
        }
    }
}

const MatrixPlan* Machine::planOf(const Instr& in, const OpRecord& record)
{
    if (const auto found = plans_.find(record.id); found != plans_.end())
        return found->second.get();
    const auto text = [&](const char* name) {
        const auto found = record.attrs->find(name);
        const auto* value = found == record.attrs->end() ? nullptr : std::get_if<std::string>(&found->second);
        return value ? *value : std::string();
    };
    auto plan = std::make_shared<MatrixPlan>();
    const auto type = ir::parseDType(text("type"));
    const auto mma = type ? layout::parseMma(text("shape"), type->bits()) : std::nullopt;
    if (!mma) {
        error(Code::kInstructionShape, in.where.range, fmt::format("\"{}\" of \"{}\" is no matrix instruction", text("shape"), text("type")));
        return nullptr;
    }
    plan->m = static_cast<std::size_t>(mma->m);
    plan->n = static_cast<std::size_t>(mma->n);
    plan->k = static_cast<std::size_t>(mma->k);
    plan->type = *type;
    if (record.op == OpId::kWgmma) {
        plan->a = registerMap(layout::wgmmaA(mma->bits, mma->m, mma->k, {4, 1}), false);
        plan->c = registerMap(layout::wgmmaC(mma->m, mma->n, {4, 1}), false);
    } else {
        plan->a = registerMap(layout::mmaA(*mma), false);
        plan->b = registerMap(layout::mmaB(*mma), true);
        plan->c = registerMap(layout::mmaC(*mma), false);
    }
    return plans_.emplace(record.id, std::move(plan)).first->second.get();
}

namespace {

// What an unwritten operand spoils.
void spread(const MatrixPlan& plan, const MatrixTile& a, const MatrixTile& b, MatrixTile& c)
{
    if (a.bad.empty() && b.bad.empty())
        return;
    c.bad.assign(plan.m * plan.n, 0);
    for (std::size_t i = 0; i < plan.m; ++i)
        for (std::size_t p = 0; p < plan.k; ++p)
            for (std::size_t j = 0; j < plan.n; ++j)
                if ((!a.bad.empty() && a.bad[i * plan.k + p] != 0) || (!b.bad.empty() && b.bad[p * plan.n + j] != 0))
                    c.bad[i * plan.n + j] = 1;
}

}  // namespace

Started multiplyTiles(const MatrixPlan& plan, DType type, const MatrixTile& a, const MatrixTile& b, MatrixTile& c)
{
    const std::vector<std::uint8_t> before = std::exchange(c.bad, {});
    multiply(type, a.lanes, b.lanes, c.lanes, plan.m, plan.n, plan.k);
    if (!type.isFloating())
        wrapLanes(type, c.lanes.data(), c.lanes.size());
    spread(plan, a, b, c);
    // What operands nobody wrote spoil again was spoilt by them before: ragged edges that the program never looks at.
    for (std::size_t i = 0; i < before.size(); ++i)
        if (before[i] != 0 && (c.bad.empty() || c.bad[i] == 0))
            return Started::kUnwritten;
    return Started::kWritten;
}

void Machine::mmaOp(Fiber& f, const Instr& in, const OpRecord& record)
{
    const MatrixPlan* plan = planOf(in, record);
    const std::vector<int> warps = plan ? groupsOf(f, in, 32) : std::vector<int>();
    if (warps.empty() || !registersAt(f, in, record.at(0), plan->a.registers, false, places_) ||
        !registersAt(f, in, record.at(1), plan->b.registers, false, places2_) ||
        !registersAt(f, in, record.at(2), plan->c.registers, true, places3_))
        return;
    const BufferInfo& result = program_.buffers[static_cast<std::size_t>(record.at(2).region.buffer)];
    MatrixTile a;
    MatrixTile b;
    MatrixTile c;
    for (const int lane : warps) {
        loadRegisters(record.at(0), places_, lane, plan->a, plan->type, a);
        loadRegisters(record.at(1), places2_, lane, plan->b, plan->type, b);
        loadRegisters(record.at(2), places3_, lane, plan->c, result.type, c);
        if (multiplyTiles(*plan, result.type, a, b, c) == Started::kUnwritten) {
            reportUninitialized(result, in.where.range);
            return;
        }
        storeRegisters(record.at(2), places3_, lane, plan->c, c);
    }
}

// Lane 8j + r names row r of matrix j. Lane l has, of each matrix, the two elements of row l / 4 from column l % 4 * 2 on; `trans`: of
// column l / 4, from row l % 4 * 2 on.
void Machine::matrixMove(Fiber& f, const Instr& in, const OpRecord& record)
{
    const bool loads = record.op == OpId::kLdMatrix;
    const auto num = static_cast<std::size_t>(ir::intAttr(*record.attrs, "num", 4));
    const bool trans = ir::boolAttr(*record.attrs, "trans", false);
    const OperandRecord& local = record.at(loads ? 0 : 1);
    const RegionRecord& shared = record.at(loads ? 1 : 0).region;
    const BufferInfo& info = program_.buffers[static_cast<std::size_t>(shared.buffer)];
    const int bits = program_.buffers[static_cast<std::size_t>(local.region.buffer)].type.bits();
    const std::vector<int> warps = groupsOf(f, in, 32);
    if (warps.empty() || !registersAt(f, in, local, num * 32 / static_cast<std::size_t>(bits), loads, places_) ||
        !locate(f, shared.buffer, shared.mins, places2_, in.where.range))
        return;
    if (info.space != Space::kShared) {
        error(Code::kScopeIllegal, in.where.range, fmt::format("{} is not in shared memory", info.node->name));
        return;
    }
    Memory& memory = *memoryOf(f, info, !loads);
    if (places2_.uniform)
        places2_.offsets.resize(static_cast<std::size_t>(f.n), places2_.offsets[0]);
    std::vector<std::int64_t> rows(static_cast<std::size_t>(f.n));
    for (const int first : warps)
        for (std::size_t k = 0; k < 8 * num; ++k) {
            const std::size_t lane = static_cast<std::size_t>(first) + k;
            rows[lane] = places2_.offsets[lane] * info.type.bits() / 8;
            if (rows[lane] % 16 != 0 || rows[lane] + 16 > static_cast<std::int64_t>(memory.bytes.size())) {
                error(Code::kOutOfBounds, in.where.range,
                      fmt::format("the row that thread {} names begins at byte {} of {}: rows are 16 bytes at a multiple of 16, inside of it",
                                  f.threads[lane], rows[lane], info.node->name));
                return;
            }
        }
    if (isObserved(info)) {
        Touch& t = startTouch(f, in, info, loads ? Touch::Kind::kRead : Touch::Kind::kWrite, Engine::kThread);
        t.width = 16;
        for (const int first : warps)
            for (std::size_t k = 0; k < 8 * num; ++k) {
                t.act.threads.push_back(f.threads[static_cast<std::size_t>(first) + k]);
                t.at.push_back(rows[static_cast<std::size_t>(first) + k]);
            }
        options_.observer->touches(t);
    }
    for (const int first : warps)
        for (std::size_t j = 0; j < num; ++j)
            for (std::size_t lane = 0; lane < 32; ++lane) {
                const std::size_t mine = static_cast<std::size_t>(first) + lane;
                const std::int64_t at = places_.offsets[mine] * bits / 8 + static_cast<std::int64_t>(4 * j);
                for (std::size_t e = 0; e < 2; ++e) {
                    const std::size_t row = trans ? lane % 4 * 2 + e : lane / 4;
                    const std::size_t column = trans ? lane / 4 : lane % 4 * 2 + e;
                    const std::int64_t byte = rows[static_cast<std::size_t>(first) + 8 * j + row] + static_cast<std::int64_t>(2 * column);
                    const std::int64_t own = at + static_cast<std::int64_t>(2 * e);
                    if (loads) {
                        std::memcpy(places_.bytes + own, memory.bytes.data() + byte, 2);
                        std::memcpy(places_.valid + own, memory.valid.data() + byte, 2);
                    } else {
                        std::memcpy(memory.bytes.data() + byte, places_.bytes + own, 2);
                        std::memcpy(memory.valid.data() + byte, places_.valid + own, 2);
                    }
                }
            }
    if (!loads)
        tellWritten(info);
}

}  // namespace tw::interp
