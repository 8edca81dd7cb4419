// What the observer is told, where there is one.
#include <algorithm>

#include "core/interp/machine.h"
#include "core/ir/visit.h"

namespace tw::interp {

using ir::OpId;

namespace {

constexpr int kHalfByte = 4;  // bits

int elementBytes(const BufferInfo& info)
{
    return std::max(1, info.type.bits() * std::max<int>(1, info.type.lanes) / 8);
}

bool writes(const OpRecord& record, std::size_t operand)
{
    const auto& operands = ir::info(record.op).operands;
    if (operands.empty())
        return false;
    const ir::Role role = operands[std::min(operand, operands.size() - 1)].role;
    return role == ir::Role::kWrite || role == ir::Role::kReadWrite;
}

// The largest power of two that divides `bytes`, at most 16.
int granuleOf(std::int64_t bytes) { return static_cast<int>(std::min<std::int64_t>(16, bytes & -bytes)); }

class ShapeFinder {
public:
    ShapeFinder(const Program& program, const std::vector<GlobalStorage>& globals, LaunchShape& shape) : program_(program), shape_(shape)
    {
        for (const StorageInfo& info : program.shared)
            shape.shared.push_back({info.root->name, info.bytes, 16, true});
        for (std::size_t k = 0; k < globals.size(); ++k)
            shape.global.push_back({k < program.globals.size() ? program.globals[k].root->name : "a pointer", globals[k].size, 16, false});
        for (const Instr& in : program.code)
            instruction(in);
    }

private:
    void use(int buffer, bool write, std::int64_t bytes)
    {
        const BufferInfo& info = program_.buffers[static_cast<std::size_t>(buffer)];
        const bool halves = info.type.bits() == kHalfByte && info.type.lanes == 1;
        if (info.space == Space::kAddress) {  // it may lead anywhere
            for (std::vector<StorageShape>* list : {&shape_.shared, &shape_.global})
                for (StorageShape& storage : *list)
                    note(storage, write, bytes, halves);
            return;
        }
        if (info.space != Space::kShared && info.space != Space::kGlobal)
            return;
        std::vector<StorageShape>& list = info.space == Space::kShared ? shape_.shared : shape_.global;
        note(list[static_cast<std::size_t>(info.storage)], write, bytes, halves);
    }
    static void note(StorageShape& storage, bool write, std::int64_t bytes, bool halves)
    {
        storage.halves |= halves;
        storage.granule = std::min(storage.granule, granuleOf(bytes));
        storage.written |= write;
    }
    void instruction(const Instr& in)
    {
        if (in.op == Op::kLoad || in.op == Op::kStore) {
            const int buffer = program_.accesses[static_cast<std::size_t>(in.extra)].buffer;
            use(buffer, in.op == Op::kStore, elementBytes(program_.buffers[static_cast<std::size_t>(buffer)]));
        }
        if (in.op != Op::kOp)
            return;
        const OpRecord& record = program_.ops[static_cast<std::size_t>(in.extra)];
        shape_.usesCpAsync |= record.op == OpId::kCpAsync;
        shape_.usesBulk |= record.op == OpId::kTmaLoad || record.op == OpId::kTmaStore;
        shape_.usesWgmma |= record.op == OpId::kWgmma;
        const bool rows = record.op == OpId::kLdMatrix || record.op == OpId::kStMatrix || record.op == OpId::kWgmma ||
                          record.op == OpId::kTmaLoad || record.op == OpId::kTmaStore;
        for (std::size_t k = 0; k < record.operands.size(); ++k)
            if (const int buffer = record.operands[k].region.buffer; buffer >= 0)
                use(buffer, writes(record, k), rows ? 16 : elementBytes(program_.buffers[static_cast<std::size_t>(buffer)]));
    }

    const Program& program_;
    LaunchShape& shape_;
};

}  // namespace

const Act& Machine::actOf(Fiber& f, const Instr& in)
{
    act_.site = static_cast<int>(&in - program_.code.data());
    act_.where = &in.where;
    act_.block = static_cast<int>(f.block->linear);
    act_.threads.clear();
    for (int lane = 0; lane < f.n; ++lane)
        if (f.mask.on(lane))
            act_.threads.push_back(f.threads[static_cast<std::size_t>(lane)]);
    return act_;
}

void Machine::tellLaunch()
{
    if (!options_.observer)
        return;
    LaunchShape shape;
    shape.launch = static_cast<int>(launch_ - program_.launches.data());
    shape.grid = grid_;
    shape.threads = threadCount_;
    for (const std::int64_t extent : launch_->launch->cluster)
        shape.blocksTogether *= static_cast<int>(extent);
    barrierBase_.clear();
    for (const StorageInfo& info : program_.barriers) {
        barrierBase_.push_back(shape.barriers);
        const std::int64_t* extent = ir::asInt(info.root->shape.at(0));
        const int count = static_cast<int>(std::max<std::int64_t>(static_cast<std::int64_t>(info.root->arrivals.size()), extent ? *extent : 1));
        for (int k = 0; k < count; ++k)
            shape.barrierNames.push_back(info.root->name + "[" + std::to_string(k) + "]");
        shape.barriers += count;
    }
    ShapeFinder(program_, globals_, shape);
    usesWgmma_ = shape.usesWgmma;
    options_.observer->launchBegins(shape);
    watchesSteps_ = options_.observer->watchesSteps();
}

bool Machine::isObserved(const BufferInfo& info) const
{
    return options_.observer && launch_ && (info.space == Space::kShared || info.space == Space::kGlobal || info.space == Space::kAddress);
}

// A touch of this instruction without its accesses.
Touch& Machine::startTouch(Fiber& f, const Instr& in, const BufferInfo& info, Touch::Kind kind, Engine engine)
{
    Touch& t = touch_;
    t.act.site = static_cast<int>(&in - program_.code.data());
    t.act.where = &in.where;
    t.act.block = static_cast<int>(f.block->linear);
    t.act.threads.clear();
    t.at.clear();
    t.values.clear();
    t.halves.clear();
    t.kind = kind;
    t.engine = engine;
    t.shared = info.space == Space::kShared;
    t.owner = t.act.block;
    t.storage = info.storage;
    t.buffer = info.node;
    t.width = elementBytes(info);
    t.bytes = info.space == Space::kAddress ? nullptr  // see aim()
              : t.shared                    ? f.block->shared[static_cast<std::size_t>(info.storage)].bytes.data()
                                            : globals_[static_cast<std::size_t>(info.storage)].bytes;
    t.step = vectorStep_;
    t.steps = vectorSteps_;
    t.completes = {};
    return t;
}

// Points a touch of an address buffer at the memory that begins at `origin`.
bool Machine::aim(Fiber& f, Touch& touch, std::int64_t origin)
{
    Reached memory;
    if (!follow(f, origin, memory, touch.act.where->range))
        return false;
    touch.shared = memory.isShared();
    touch.owner = memory.isShared() ? static_cast<int>(memory.block) : touch.act.block;
    touch.storage = memory.storage;
    touch.bytes = memory.bytes;
    return true;
}

// One touch for each storage that lanes reach: `width` bytes a lane, of those where `holds` is true.
void Machine::tellLanes(Fiber& f, const Instr& in, const BufferInfo& info, const Places& p, Touch::Kind kind, int width, const Slot* value,
                        const Slot* holds)
{
    const std::int64_t bits = info.type.bits() * std::max<int>(1, info.type.lanes);
    std::vector<std::int64_t> origins;
    for (std::size_t k = 0; k < p.origins.size(); ++k)
        if (p.active(k) && std::ranges::find(origins, p.origins[k]) == origins.end())
            origins.push_back(p.origins[k]);
    if (info.space != Space::kAddress)
        origins.push_back(0);
    for (const std::int64_t origin : origins) {
        Touch& t = startTouch(f, in, info, kind, Engine::kThread);
        t.width = width;
        if (info.space == Space::kAddress && !aim(f, t, origin))
            return;
        for (int lane = 0; lane < f.n; ++lane) {
            const auto k = static_cast<std::size_t>(lane);
            const std::size_t place = p.uniform ? 0 : k;
            if (!f.mask.on(lane) || !p.active(place) || (holds && holds->lanes[holds->uniform ? 0 : k].i == 0))
                continue;
            if (!p.origins.empty() && p.origins[place] != origin)
                continue;
            t.act.threads.push_back(f.threads[k]);
            t.at.push_back(p.offsets[place] * bits / 8);
            if (bits == kHalfByte && width == 1)
                t.halves.push_back(static_cast<std::uint8_t>(p.offsets[place] & 1));
            if (value)
                t.values.push_back(value->lanes[value->uniform ? 0 : k].i);
        }
        if (!t.at.empty())
            options_.observer->touches(t);
    }
}

// `bytes` a thread, or one element where it is 0, of each thread's own array. `held`: by a wgmma.
void Machine::tellRegisters(Fiber& f, const Instr& in, const BufferInfo& info, const Places& p, std::int64_t bytes, bool write, bool held)
{
    if (f.free)
        return;
    const std::int64_t bits = std::int64_t{info.type.bits()} * std::max<int>(1, info.type.lanes);
    const std::int64_t row = program_.storage(info.space, info.storage).bytes * 8 / bits;
    RegisterUse use{{static_cast<int>(&in - program_.code.data()), &in.where, static_cast<int>(f.block->linear), {}},
                    info.storage, info.node, write, bytes > 0 ? bytes : elementBytes(info), {}};
    for (int lane = 0; lane < f.n; ++lane) {
        const std::size_t place = p.uniform ? 0 : static_cast<std::size_t>(lane);
        if (!f.mask.on(lane) || !p.active(place))
            continue;
        const int thread = f.threads[static_cast<std::size_t>(lane)];
        use.act.threads.push_back(thread);
        use.at.push_back((p.offsets[place] - thread * row) * bits / 8);
    }
    if (!use.at.empty())
        held ? options_.observer->holds(use) : options_.observer->uses(use);
}

void Machine::tellAccess(Fiber& f, const Instr& in, const BufferInfo& info, const Places& p, Touch::Kind kind, const Slot* value)
{
    if (isObserved(info))
        tellLanes(f, in, info, p, kind, elementBytes(info), value && value->width == 1 ? value : nullptr, nullptr);
}

// One access of `width` bytes a lane, from the first element of the region on, where the slot `predicate` holds.
void Machine::tellWide(Fiber& f, const Instr& in, const RegionRecord& region, Touch::Kind kind, int width, int predicate)
{
    const BufferInfo& info = program_.buffers[static_cast<std::size_t>(region.buffer)];
    if (isObserved(info) && locate(f, region.buffer, region.mins, places_, in.where.range))
        tellLanes(f, in, info, places_, kind, width, nullptr, predicate >= 0 ? &slot(f, predicate) : nullptr);
}

void Machine::tellBranch(Fiber& f, const Instr& in, const std::vector<std::uint8_t>& taken)
{
    std::vector<std::uint8_t> active;
    for (int lane = 0; lane < f.n; ++lane)
        if (f.mask.on(lane))
            active.push_back(taken[static_cast<std::size_t>(lane)]);
    options_.observer->branches(actOf(f, in), active);
}

void Machine::tellWritten(const BufferInfo& info)
{
    if (isObserved(info))
        options_.observer->written();
}

Meeting Machine::barrierMeeting(const Block& block, int storage, int element) const
{
    const int base = options_.observer ? barrierBase_[static_cast<std::size_t>(storage)] : 0;
    return {Meeting::Kind::kBarrier, static_cast<int>(block.linear), base + element};
}

Meeting Machine::clusterMeeting(const Fiber& f) const
{
    return {Meeting::Kind::kCluster, static_cast<int>(f.block->cluster->blocks.front()->linear), 0};
}

void Machine::tellRelease(Fiber& f, const Instr& in, const Meeting& meeting)
{
    if (options_.observer)
        options_.observer->release(meeting, actOf(f, in));
}

void Machine::tellCompletion(const Meeting& meeting)
{
    if (options_.observer)
        options_.observer->completes(meeting);
}

void Machine::tellAcquire(Fiber& f, const Instr& in, const Meeting& meeting)
{
    if (options_.observer)
        options_.observer->acquire(meeting, actOf(f, in));
}

// Commits, waits and fences of asynchronous engines.
void Machine::asyncOp(Fiber& f, const Instr& in, const OpRecord& record)
{
    if (!options_.observer || !launch_)
        return;
    Observer& observer = *options_.observer;
    const Act& act = actOf(f, in);
    const std::int64_t pending = record.at(0).present() && record.at(0).slot >= 0 ? scalarOf(f, record.at(0).slot, 0) : 0;
    switch (record.op) {
    case OpId::kCommitGroup: observer.commits(Engine::kCpAsync, act); break;
    case OpId::kWaitGroup: observer.waits(Engine::kCpAsync, pending, false, act); break;
    case OpId::kTmaStoreArrive: observer.commits(Engine::kBulkStore, act); break;
    case OpId::kTmaStoreWait: {
        const auto read = record.attrs->find("read");
        const bool readsOnly = read == record.attrs->end() || read->second == ir::Attr(true);
        observer.waits(Engine::kBulkStore, pending, readsOnly, act);
        break;
    }
    case OpId::kWarpgroupCommit: observer.commits(Engine::kWgmma, act); break;
    case OpId::kWarpgroupWait: case OpId::kWaitWgmma: observer.waits(Engine::kWgmma, pending, false, act); break;
    default: break;
    }
}

}  // namespace tw::interp
