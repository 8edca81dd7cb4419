#include "codegen/llvm/exchange.h"

#include <algorithm>
#include <cmath>

#include "core/ir/number.h"

namespace tw::llvm_backend {

namespace {

// A lane that nobody brought, or outside the group, gives the asker's own value.
void shuffle(const std::vector<ExchangeItem*>& items)
{
    ExchangeItem* byLane[32] = {};
    for (ExchangeItem* item : items)
        byLane[item->lane] = item;
    for (ExchangeItem* item : items) {
        const std::int64_t width = item->width > 0 && item->width <= 32 ? item->width : 32;
        const std::int64_t base = item->lane / width * width;
        std::int64_t source = item->lane;
        switch (item->kind) {
        case ExchangeKind::kShuffle: source = base + ((item->argument % width) + width) % width; break;
        case ExchangeKind::kShuffleXor: source = item->lane ^ item->argument; break;
        case ExchangeKind::kShuffleDown: source = item->lane + item->argument; break;
        default: source = item->lane - item->argument; break;
        }
        const bool inside = source >= base && source < base + width;
        item->result = inside && byLane[source] ? byLane[source]->bits : item->bits;
    }
}

void vote(const std::vector<ExchangeItem*>& items)
{
    std::uint64_t active = 0;
    std::uint64_t ballot = 0;
    for (const ExchangeItem* item : items) {
        active |= 1ULL << item->lane;
        ballot |= (item->bits & 1) << item->lane;
    }
    for (ExchangeItem* item : items) {
        std::uint64_t same = 0;
        for (const ExchangeItem* other : items)
            same |= static_cast<std::uint64_t>(other->bits == item->bits) << other->lane;
        switch (item->kind) {
        case ExchangeKind::kAny: item->result = ballot != 0; break;
        case ExchangeKind::kAll: item->result = ballot == active; break;
        case ExchangeKind::kBallot: item->result = ballot; break;
        case ExchangeKind::kMatchAny: item->result = same; break;
        case ExchangeKind::kMatchAll: item->result = same == active ? active : 0; break;
        default: item->result = active; break;
        }
    }
}

double combineFloat(ExchangeKind kind, double a, double b)
{
    switch (kind) {
    case ExchangeKind::kMax: return std::fmax(a, b);
    case ExchangeKind::kMin: return std::fmin(a, b);
    case ExchangeKind::kProduct: return a * b;
    default: return a + b;
    }
}

std::int64_t combineInt(ExchangeKind kind, bool isSigned, std::int64_t a, std::int64_t b)
{
    const auto ua = static_cast<std::uint64_t>(a);
    const auto ub = static_cast<std::uint64_t>(b);
    const bool less = isSigned ? a < b : ua < ub;
    switch (kind) {
    case ExchangeKind::kMax: return less ? b : a;
    case ExchangeKind::kMin: return less ? a : b;
    case ExchangeKind::kProduct: return static_cast<std::int64_t>(ua * ub);
    case ExchangeKind::kBitAnd: return a & b;
    case ExchangeKind::kBitOr: return a | b;
    default: return static_cast<std::int64_t>(ua + ub);
    }
}

// In the order of threads; every step rounds to the element type.
void reduce(const std::vector<ExchangeItem*>& items)
{
    const ir::DType type{items.front()->scalar};
    std::uint64_t total = items.front()->bits;
    for (std::size_t i = 1; i < items.size(); ++i) {
        if (type.isFloating()) {
            const double sum = combineFloat(items[i]->kind, ir::decodeFloat(type, total), ir::decodeFloat(type, items[i]->bits));
            total = ir::encodeFloat(type, sum);
        } else {
            total = static_cast<std::uint64_t>(combineInt(items[i]->kind, type.isSigned(), static_cast<std::int64_t>(total), static_cast<std::int64_t>(items[i]->bits)));
        }
    }
    for (ExchangeItem* item : items)
        item->result = total;
}

void countBlock(const std::vector<ExchangeItem*>& items)
{
    std::uint64_t count = 0;
    for (const ExchangeItem* item : items)
        count += item->bits & 1;
    for (ExchangeItem* item : items)
        item->result = item->kind == ExchangeKind::kBlockCount ? count
                     : item->kind == ExchangeKind::kBlockAnd   ? static_cast<std::uint64_t>(count == items.size())
                                                               : static_cast<std::uint64_t>(count > 0);
}

}  // namespace

void exchange(const std::vector<ExchangeItem*>& items)
{
    const ExchangeKind kind = items.front()->kind;
    if (kind <= ExchangeKind::kShuffleUp)
        shuffle(items);
    else if (kind <= ExchangeKind::kMatchAll)
        vote(items);
    else if (kind <= ExchangeKind::kBitOr)
        reduce(items);
    else
        countBlock(items);
}

}  // namespace tw::llvm_backend
