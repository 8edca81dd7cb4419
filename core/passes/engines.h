// The engines that access shared memory on their own, and the operations that wait for them.
#pragma once

#include "core/ir/ops.h"

namespace tw::passes {

enum class Engine : std::uint8_t {
    kNone,
    kGroups,     // cp.async
    kBulkLoad,   // TMA, global to shared
    kBulkStore,  // TMA, shared to global
    kProduct     // wgmma
};

[[nodiscard]] constexpr Engine engineOf(ir::OpId op)
{
    using ir::OpId;
    switch (op) {
    case OpId::kCpAsync: case OpId::kAsyncCopy: return Engine::kGroups;
    case OpId::kTmaLoad: return Engine::kBulkLoad;
    case OpId::kTmaStore: return Engine::kBulkStore;
    case OpId::kWgmma: case OpId::kWgmmaGemm: return Engine::kProduct;
    default: return Engine::kNone;
    }
}

// The engine that an operation waits for.
[[nodiscard]] constexpr Engine waitedFor(ir::OpId op)
{
    using ir::OpId;
    switch (op) {
    case OpId::kWaitGroup: return Engine::kGroups;
    case OpId::kBarrierWait: return Engine::kBulkLoad;
    case OpId::kTmaStoreWait: return Engine::kBulkStore;
    case OpId::kWaitWgmma: case OpId::kWarpgroupWait: return Engine::kProduct;
    default: return Engine::kNone;
    }
}

// Through the async proxy: what threads wrote before needs a fence. cp.async uses the generic proxy (PTX ISA, "Async proxy", and the
// sections of cp.async, cp.async.bulk and wgmma.mma_async).
[[nodiscard]] constexpr bool usesAsyncProxy(Engine engine)
{
    return engine == Engine::kBulkLoad || engine == Engine::kBulkStore || engine == Engine::kProduct;
}

}  // namespace tw::passes
