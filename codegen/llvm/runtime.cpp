#include "codegen/llvm/runtime.h"

#include <bit>
#include <cfenv>
#include <cmath>
#include <cstdlib>
#include <memory>

#include <fmt/format.h>

#include "codegen/llvm/fibers.h"
#include "codegen/llvm/panel_store.h"
#include "codegen/llvm/thread_pool.h"
#include "core/ir/number.h"
#include "core/ir/ops.h"

namespace tw::llvm_backend {

void RunState::fail(Code code, std::uint32_t place, const std::string& message)
{
    const std::lock_guard lock(mutex);
    if (!failed)
        diagnostics->error(code, place > 0 && provenances && place <= provenances->size() ? (*provenances)[place - 1].range : SourceRange{}, message);
    failed = true;
}

namespace {

constexpr std::size_t kMaxLogBytes = 1 << 20;

// ---- memory ----

void* allocHost(RunState* run, std::int64_t bytes)
{
    void* memory = std::aligned_alloc(64, static_cast<std::size_t>((bytes < 0 ? 0 : bytes) + 127) / 64 * 64);
    if (!memory) {
        run->fail(Code::kCapacity, 0, fmt::format("no memory for a workspace of {} bytes", bytes));
        return nullptr;
    }
    const std::lock_guard lock(run->mutex);
    run->allocations.push_back(memory);
    return memory;
}

void* allocBlock(LaunchContext* context, std::int64_t bytes) { return allocHost(context->run, bytes); }

// ---- launches ----

using BlockFunction = void (*)(void* worker, void* frame, std::int64_t begin, std::int64_t end);

struct LaunchShape {
    std::int64_t blocks, arenaBytes, barrierBytes;
    std::int64_t threads;  // 0: a block is one call; else so many fibers a block
    std::int64_t group;    // blocks that run together
};

void runBlocks(RunState& run, void* function, void* frame, const LaunchShape& shape, std::atomic<std::int64_t>& next, PanelStores& panels)
{
    WorkerState worker;
    worker.run = &run;
    worker.panels = &panels;
    const auto bytes = static_cast<std::size_t>(shape.arenaBytes + shape.barrierBytes + 127) / 64 * 64;
    std::unique_ptr<void, decltype(&std::free)> arena(std::aligned_alloc(64, bytes), &std::free);
    worker.arena = static_cast<std::uint8_t*>(arena.get());
    worker.barriers = worker.arena;
    if (!arena)
        return run.fail(Code::kCapacity, 0, fmt::format("no memory for a block of {} bytes", bytes));
    // Small enough to balance and to stop soon, large enough that the counter costs nothing.
    const std::int64_t step = std::max<std::int64_t>(1, shape.blocks / (16 * run.threads));
    while (!run.over()) {
        if (run.stop.stop_requested()) {
            run.cancelled = true;
            return;
        }
        const std::int64_t begin = next.fetch_add(step);
        if (begin >= shape.blocks)
            return;
        reinterpret_cast<BlockFunction>(function)(&worker, frame, begin, std::min(begin + step, shape.blocks));
    }
}

void runThreads(RunState& run, void* function, void* frame, const LaunchShape& shape, std::atomic<std::int64_t>& next)
{
    FiberPool pool;
    BlockGroup group;
    group.function = reinterpret_cast<ThreadFunction>(function);
    group.frame = frame;
    group.threadsPerBlock = shape.threads;
    group.arenaBytes = shape.arenaBytes;
    group.barrierBytes = shape.barrierBytes;
    group.cluster = shape.group;
    while (!run.over()) {
        if (run.stop.stop_requested()) {
            run.cancelled = true;
            return;
        }
        group.firstBlock = next.fetch_add(shape.group);
        if (group.firstBlock >= shape.blocks)
            return;
        group.blocks = std::min(shape.group, shape.blocks - group.firstBlock);
        pool.run(group, run);
    }
}

bool launch(RunState* run, void* function, void* frame, std::int64_t blocks, std::int64_t arenaBytes, std::int64_t barrierBytes,
            std::int64_t threads, std::int64_t group)
{
    if (run->over())
        return false;
    const LaunchShape shape{blocks, arenaBytes, barrierBytes, threads, std::max<std::int64_t>(1, group)};
    std::atomic<std::int64_t> next = 0;
    PanelStores panels(*run->panelMemory);
    const auto work = [&](int) {
        if (threads > 0)
            runThreads(*run, function, frame, shape, next);
        else
            runBlocks(*run, function, frame, shape, next, panels);
    };
    if (blocks <= shape.group)
        work(0);
    else
        run->pool->runOnAll(work);
    return !run->over();
}

// ---- panels ----

// What the block has to do with the place that it gets: see packing.cpp.
enum Todo : std::uint32_t { kNothing, kPackForItself, kPackForAll };

// Panel number `id` of `count`, `bytes` each; or the block's own memory: where `id` is none of them, there is no memory for all,
// or another block is packing it, for which nobody waits.
void* claimPanel(WorkerState* worker, std::int64_t site, std::int64_t id, std::int64_t count, std::int64_t bytes, void* own, std::uint32_t* todo)
{
    *todo = kPackForItself;
    if (id < 0)
        return own;
    const auto at = static_cast<std::size_t>(site);
    if (worker->stores.size() <= at)
        worker->stores.resize(at + 1);
    PanelStore*& store = worker->stores[at];
    if (!store)
        store = worker->panels->open(site, count, bytes);
    if (id >= store->count)
        return own;
    std::atomic<std::uint8_t>& state = store->states[static_cast<std::size_t>(id)];
    std::uint8_t seen = state.load(std::memory_order_acquire);
    if (seen == PanelStore::kNone && state.compare_exchange_strong(seen, PanelStore::kBeingPacked))
        *todo = kPackForAll;
    else if (seen == PanelStore::kPacked)
        *todo = kNothing;
    else
        return own;
    return static_cast<std::uint8_t*>(store->memory.memory.get()) + id * bytes;
}

void panelPacked(WorkerState* worker, std::int64_t site, std::int64_t id, std::uint32_t todo)
{
    if (todo == kPackForAll)
        worker->stores[static_cast<std::size_t>(site)]->states[static_cast<std::size_t>(id)].store(PanelStore::kPacked, std::memory_order_release);
}

// Parts of a loop in the only block of a launch: the pool is free then.
void spread(LaunchContext* context, void* function, void* frame, std::int64_t begin, std::int64_t end, std::int64_t arenaBytes)
{
    RunState& run = *context->run;
    if (end <= begin)
        return;
    const std::int64_t parts = std::min<std::int64_t>(end - begin, run.threads);
    const auto part = [&](std::int64_t i) {
        WorkerState worker;
        worker.run = &run;
        std::unique_ptr<void, decltype(&std::free)> arena(std::aligned_alloc(64, static_cast<std::size_t>(arenaBytes + 127) / 64 * 64), &std::free);
        worker.arena = static_cast<std::uint8_t*>(arena.get());
        worker.barriers = worker.arena;
        reinterpret_cast<BlockFunction>(function)(&worker, frame, begin + (end - begin) * i / parts, begin + (end - begin) * (i + 1) / parts);
    };
    if (parts == 1)
        return part(0);
    run.pool->runOnAll([&](int worker) {
        if (worker < parts)
            part(worker);
    });
}

// ---- messages ----

void hostAssert(RunState* run, const char* message, std::uint32_t place)
{
    run->fail(Code::kArgument, place, fmt::format("the kernel's assertion does not hold: {}", message));
}

void deviceAssert(LaunchContext* context, const char* message, std::uint32_t place)
{
    const std::string text(message);
    context->run->fail(Code::kDeviceAssert, place, text.empty() ? "a device assertion failed" : fmt::format("a device assertion failed: {}", text));
}

void printText(LaunchContext* context, const char* text)
{
    RunState& run = *context->run;
    const std::lock_guard lock(run.mutex);
    std::string& line = run.lines[context];  // whole lines reach the log, whoever else prints
    line += text;
    if (line.empty() || line.back() != '\n')
        return;
    if (run.log.size() < kMaxLogBytes)
        run.log += line;
    line.clear();
}

void printHead(LaunchContext* context, const char* message, std::int64_t bx, std::int64_t by, std::int64_t bz, std::int64_t tx, std::int64_t ty,
               std::int64_t tz)
{
    printText(context, fmt::format("{}BlockIdx=({}, {}, {}), ThreadIdx=({}, {}, {})", message, bx, by, bz, tx, ty, tz).c_str());
}

void printIndex(LaunchContext* context, const char* buffer, std::int64_t index)
{
    printText(context, fmt::format(": buffer={}, index={}", buffer, index).c_str());
}

// One element, as the interpreter prints it.
void printValue(LaunchContext* context, std::uint32_t scalar, std::uint64_t bits)
{
    const ir::DType type{static_cast<ir::Scalar>(scalar)};
    if (type.isFloating())
        printText(context, fmt::format("{:f}", ir::decodeFloat(type, bits)).c_str());
    else if (type.isSigned())
        printText(context, fmt::format("{}", static_cast<std::int64_t>(bits)).c_str());
    else
        printText(context, fmt::format("{}", bits).c_str());
}

// ---- arithmetic that LLVM has no instruction for ----

// round: 0 towards zero, 1 up, 2 down.
float ieee(std::uint32_t op, std::uint32_t round, float x, float y, float z)
{
    const int modes[] = {FE_TOWARDZERO, FE_UPWARD, FE_DOWNWARD};
    const int before = std::fegetround();
    std::fesetround(modes[round]);
    volatile float a = x;
    volatile float b = y;
    volatile float c = z;
    volatile float result = 0;
    switch (static_cast<ir::OpId>(op)) {
    case ir::OpId::kIeeeAdd: result = a + b; break;
    case ir::OpId::kIeeeSub: result = a - b; break;
    case ir::OpId::kIeeeMul: result = a * b; break;
    case ir::OpId::kIeeeDiv: result = a / b; break;
    case ir::OpId::kIeeeFma: result = std::fmaf(a, b, c); break;
    case ir::OpId::kIeeeRcp: result = 1.0F / a; break;
    default: result = std::sqrt(a); break;
    }
    std::fesetround(before);
    return result;
}

std::uint8_t encodeScale(float value) { return static_cast<std::uint8_t>(ir::encodeFloat({ir::Scalar::kFloat8E8M0FNU}, value)); }

// Position of the n-th set bit of `mask` counted from bit `base` upwards (n > 0) or downwards (n < 0); -1 if there is none.
std::uint32_t findNthSet(std::uint32_t mask, std::int32_t base, std::int32_t n)
{
    if (n == 0)
        return (mask >> (base & 31)) & 1 ? static_cast<std::uint32_t>(base) : 0xffffffffU;
    const int step = n > 0 ? 1 : -1;
    int left = n > 0 ? n : -n;
    for (int bit = base; bit >= 0 && bit < 32; bit += step)
        if ((mask >> bit) & 1 && --left == 0)
            return static_cast<std::uint32_t>(bit);
    return 0xffffffffU;
}

// The neighbour of x towards y in a type: one step on its ordered bit patterns.
double nextAfter(double x, double y, std::uint32_t scalar)
{
    const ir::DType type{static_cast<ir::Scalar>(scalar)};
    if (std::isnan(x) || std::isnan(y))
        return std::nan("");
    if (x == y)
        return y;
    if (type.bits() == 64)
        return std::nextafter(x, y);
    const std::uint64_t sign = 1ULL << (type.bits() - 1);
    if (x == 0)
        return ir::decodeFloat(type, y > 0 ? 1 : sign | 1);
    const std::uint64_t bits = ir::encodeFloat(type, x);
    const bool away = (x < y) == (x > 0);
    return ir::decodeFloat(type, away ? bits + 1 : bits - 1);
}

float exp10Float(float x) { return static_cast<float>(std::pow(10.0, static_cast<double>(x))); }
double exp10Double(double x) { return std::pow(10.0, x); }

using F1 = float (*)(float);
using D1 = double (*)(double);
using F2 = float (*)(float, float);
using D2 = double (*)(double, double);

}  // namespace

const std::vector<std::pair<std::string, void*>>& runtimeSymbols()
{
    static const auto table = [] {
        std::vector<std::pair<std::string, void*>> t = fiberSymbols();
        const auto add = [&](const char* name, auto* function) { t.emplace_back(name, reinterpret_cast<void*>(function)); };
        add("tw_alloc_host", &allocHost);
        add("tw_alloc_block", &allocBlock);
        add("tw_launch", &launch);
        add("tw_claim_panel", &claimPanel);
        add("tw_panel_packed", &panelPacked);
        add("tw_spread", &spread);
        add("tw_host_assert", &hostAssert);
        add("tw_device_assert", &deviceAssert);
        add("tw_print_text", &printText);
        add("tw_print_head", &printHead);
        add("tw_print_index", &printIndex);
        add("tw_print_value", &printValue);
        add("tw_ieee", &ieee);
        add("tw_encode_e8m0", &encodeScale);
        add("tw_fns", &findNthSet);
        add("tw_nextafter", &nextAfter);
        add("exp10f", &exp10Float);
        add("exp10", &exp10Double);
#define TW_MATH(name)                            \
    add(#name, static_cast<D1>(&::name));        \
    add(#name "f", static_cast<F1>(&::name##f));
        TW_MATH(exp) TW_MATH(exp2) TW_MATH(log) TW_MATH(log2) TW_MATH(log10) TW_MATH(log1p) TW_MATH(sin) TW_MATH(cos) TW_MATH(tan)
        TW_MATH(asin) TW_MATH(acos) TW_MATH(atan) TW_MATH(sinh) TW_MATH(cosh) TW_MATH(tanh) TW_MATH(asinh) TW_MATH(acosh) TW_MATH(atanh)
        TW_MATH(erf) TW_MATH(floor) TW_MATH(ceil) TW_MATH(trunc) TW_MATH(rint) TW_MATH(round)
#undef TW_MATH
#define TW_MATH(name)                            \
    add(#name, static_cast<D2>(&::name));        \
    add(#name "f", static_cast<F2>(&::name##f));
        TW_MATH(pow) TW_MATH(fmod) TW_MATH(atan2) TW_MATH(hypot)
#undef TW_MATH
        add("ldexp", static_cast<double (*)(double, int)>(&::ldexp));
        add("ldexpf", static_cast<float (*)(float, int)>(&::ldexpf));
        add("fma", static_cast<double (*)(double, double, double)>(&::fma));
        add("fmaf", static_cast<float (*)(float, float, float)>(&::fmaf));
        return t;
    }();
    return table;
}

}  // namespace tw::llvm_backend
