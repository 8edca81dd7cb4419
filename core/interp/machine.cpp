#include "core/interp/machine.h"

#include <fmt/format.h>

#include "core/ir/number.h"
#include "core/support/check.h"

namespace tw::interp {

namespace {

constexpr std::int64_t kMaxWorkspace = std::int64_t{1} << 31;

}  // namespace

Machine::Machine(const Program& program, const ir::Function& function, Arguments& arguments, const RunOptions& options,
                 DiagnosticSink& diagnostics, std::stop_token stop)
    : program_(program), function_(function), arguments_(arguments), options_(options), diagnostics_(diagnostics),
      stop_(std::move(stop)), lastProgress_(std::chrono::steady_clock::now())
{
}

RunResult Machine::run()
{
    RunResult result;
    if (bindArguments()) {
        Block block;  // the host part runs like a block of one thread
        Fiber host = hostFiber(block);
        if (!failed_)
            runFiber(host);
    }
    result.ok = !failed_;
    result.cancelled = cancelled_;
    result.log = std::move(log_);
    return result;
}

void Machine::error(Code code, const SourceRange& where, const std::string& message)
{
    if (!failed_)
        diagnostics_.error(code, where, message);
    failed_ = true;
}

bool Machine::bindArguments()
{
    globals_.resize(program_.globals.size());
    for (const auto& [node, storage] : program_.tensors) {
        const auto found = arguments_.tensors.find(node->name);
        if (found == arguments_.tensors.end()) {
            error(Code::kArgument, node->where.range, fmt::format("no tensor is given for parameter {}", node->name));
            return false;
        }
        GlobalStorage& g = globals_[static_cast<std::size_t>(storage)];
        g.bytes = found->second.bytes.data();
        g.size = static_cast<std::int64_t>(found->second.bytes.size());
    }
    // Tensors behind raw pointer parameters come after the declared ones.
    return true;
}

void Machine::makeThreadMemory(Block& block, int threads) const
{
    const auto make = [](const std::vector<StorageInfo>& infos, std::size_t rows) {
        std::vector<Memory> memories(infos.size());
        for (std::size_t k = 0; k < infos.size(); ++k) {
            memories[k].bytes.resize(static_cast<std::size_t>(infos[k].bytes) * rows);
            memories[k].valid.resize(memories[k].bytes.size());
        }
        return memories;
    };
    block.threads = make(program_.threads, static_cast<std::size_t>(threads));
    block.lanes = make(program_.lanes, static_cast<std::size_t>(std::max(threads, kFreeLanes)));
}

Fiber Machine::hostFiber(Block& block)
{
    makeThreadMemory(block, 1);
    block.live = 1;
    Fiber f;
    f.block = &block;
    f.mask = Mask::full(1);
    f.threads = {0};
    f.slots.resize(static_cast<std::size_t>(program_.slotCount));
    for (const auto& [index, value] : program_.constants)
        slot(f, index).setUniform(value);
    for (const auto& [node, index] : program_.inputs) {
        const auto& var = static_cast<const ir::VarNode&>(*node);
        Lane lane{};
        if (const auto dim = arguments_.dims.find(var.name); dim != arguments_.dims.end()) {
            lane.i = dim->second;
        } else if (const auto scalar = arguments_.scalars.find(var.name); scalar != arguments_.scalars.end()) {
            const ir::DType from = std::holds_alternative<double>(scalar->second) ? ir::kFloat64 : ir::kInt64;
            if (from == ir::kFloat64)
                lane.f = std::get<double>(scalar->second);
            else
                lane.i = std::get<std::int64_t>(scalar->second);
            castLanes(from, var.dtype, &lane, &lane, 1);
        } else if (const auto tensor = arguments_.tensors.find(var.name); tensor != arguments_.tensors.end()) {
            GlobalStorage g;  // a raw pointer parameter
            g.bytes = tensor->second.bytes.data();
            g.size = static_cast<std::int64_t>(tensor->second.bytes.size());
            globals_.push_back(std::move(g));
            lane.i = addressOf(globals_.size() - 1);
        } else {
            error(Code::kArgument, var.where.range, fmt::format("no value is given for {}", var.name));
        }
        slot(f, index).setUniform(lane);
    }
    return f;
}

std::int64_t Machine::numberOf(Fiber& f, const Number& n, int lane) const
{
    if (n.slot < 0)
        return n.value;
    const Slot& s = f.slots[static_cast<std::size_t>(n.slot)];
    return s.lanes[s.uniform ? 0 : static_cast<std::size_t>(lane)].i;
}

void Machine::runFiber(Fiber& f)
{
    while (!failed_) {
        if ((++steps_ & 0x3FFU) == 0 && stop_.stop_requested()) {
            cancelled_ = failed_ = true;
            return;
        }
        const Instr& in = program_.code[static_cast<std::size_t>(f.pc)];
        if (watchesSteps_)
            tellStep(f, in);
        step(f, in);
        if (f.done || f.wait.kind != Wait::Kind::kNone)
            return;
    }
}

void Machine::step(Fiber& f, const Instr& in)
{
    switch (in.op) {
    case Op::kElement: element(f, in); break;
    case Op::kCast: castValue(f, in); break;
    case Op::kMove: {
        const Slot& from = slot(f, in.a);
        Slot& to = slot(f, in.dst);
        const std::size_t count = static_cast<std::size_t>(from.width) * (from.uniform ? 1U : static_cast<std::size_t>(f.n));
        std::copy_n(from.lanes.data(), count, to.prepare(count));
        to.width = from.width;
        to.uniform = from.uniform;
        break;
    }
    case Op::kZero: {
        Slot& to = slot(f, in.dst);
        to.setUniform(Lane{});
        to.width = std::max<int>(1, in.type.lanes);
        std::fill_n(to.prepare(static_cast<std::size_t>(to.width)), to.width, Lane{});
        break;
    }
    case Op::kRamp: case Op::kBroadcast: case Op::kLane: case Op::kPack: vectorValue(f, in); break;
    case Op::kReinterpret: reinterpret(f, in); break;
    case Op::kLoad: load(f, in); break;
    case Op::kStore: store(f, in); break;
    case Op::kIf: enterIf(f, in); return;
    case Op::kElse: elsePart(f, in); return;
    case Op::kEndIf: endIf(f, in); return;
    case Op::kFor: enterFor(f, in); return;
    case Op::kForNext: nextFor(f, in); return;
    case Op::kWhile: enterWhile(f, in); return;
    case Op::kWhileTest: testWhile(f, in); return;
    case Op::kWhileNext: nextWhile(f, in); return;
    case Op::kPersistent: enterPersistent(f, in); return;
    case Op::kPersistentNext: advancePersistent(f, in, false); return;
    case Op::kLoopEnd: loopEnd(f, in); return;
    case Op::kBreak: leaveIteration(f, in, true); return;
    case Op::kContinue: leaveIteration(f, in, false); return;
    case Op::kReturn: returnThreads(f, in); return;
    case Op::kParallel: enterParallel(f, in); return;
    case Op::kParallelNext: nextParallel(f, in); return;
    case Op::kAllocate: allocate(f, in); break;
    case Op::kOp: operation(f, in); return;
    case Op::kRecord: break;
    case Op::kHostAssert:
        if (slot(f, in.a).lanes[0].i == 0)
            error(Code::kArgument, in.where.range,
                  "an assertion on the arguments does not hold" +
                      (program_.messages[static_cast<std::size_t>(in.extra)].empty()
                           ? std::string()
                           : ": " + program_.messages[static_cast<std::size_t>(in.extra)]));
        break;
    case Op::kLaunch: launch(f, in); break;
    case Op::kEnd: endFiber(f); return;
    }
    ++f.pc;
}

// A variable starts at 0 where it is declared; a local array without values; a workspace gets its memory.
void Machine::allocate(Fiber& f, const Instr& in)
{
    const BufferInfo& info = program_.buffers[static_cast<std::size_t>(in.extra)];
    if (info.space == Space::kGlobal) {
        std::int64_t elements = 1;
        bool fits = true;
        for (const Number& extent : info.shape)
            fits &= !__builtin_mul_overflow(elements, std::max<std::int64_t>(0, numberOf(f, extent)), &elements);
        if (!fits || elements > kMaxWorkspace) {
            error(Code::kCapacity, in.where.range,
                  fmt::format("not supported: the workspace {} is larger than the {} elements that the interpreter gives",
                              info.node->name, kMaxWorkspace));
            return;
        }
        GlobalStorage& g = globals_[static_cast<std::size_t>(info.storage)];
        // Inside a launch of several blocks it is one workspace for all of them.
        const bool several = launch_ && grid_[0] * grid_[1] * grid_[2] > 1;
        if (several && g.launch == launchesDone_ && g.size == info.type.storageBytes(elements))
            return;
        g.launch = launchesDone_;
        g.size = info.type.storageBytes(elements);
        g.own.assign(static_cast<std::size_t>(g.size), 0);
        g.valid.assign(options_.checkUninitialized ? static_cast<std::size_t>(g.size) : 0, 0);
        g.bytes = g.own.data();
        return;
    }
    const bool perLane = info.space == Space::kLane;
    const StorageInfo& storage = program_.storage(info.space, info.storage);
    Memory& memory = perLane ? f.block->lanes[static_cast<std::size_t>(info.storage)]
                             : f.block->threads[static_cast<std::size_t>(info.storage)];
    const auto bytes = static_cast<std::size_t>(storage.bytes);
    const std::uint8_t written = info.isVar || !options_.checkUninitialized ? 1 : 0;
    for (int lane = 0; lane < f.n; ++lane) {
        if (!f.mask.on(lane))
            continue;
        const std::size_t row = perLane ? static_cast<std::size_t>(lane)
                                        : static_cast<std::size_t>(f.threads[static_cast<std::size_t>(lane)]);
        if (info.isVar)
            std::fill_n(memory.bytes.begin() + static_cast<std::ptrdiff_t>(row * bytes), bytes, std::uint8_t{0});
        std::fill_n(memory.valid.begin() + static_cast<std::ptrdiff_t>(row * bytes), bytes, written);
    }
}

const StorageInfo& Program::storage(Space space, int index) const
{
    const auto k = static_cast<std::size_t>(index);
    switch (space) {
    case Space::kGlobal: return globals[k];
    case Space::kShared: return shared[k];
    case Space::kFragment: return fragments[k];
    case Space::kThread: return threads[k];
    case Space::kLane: return lanes[k];
    case Space::kBarrier: return barriers[k];
    case Space::kAddress: break;
    }
    TW_UNREACHABLE("an address has no storage");
}

}  // namespace tw::interp
