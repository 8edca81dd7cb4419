// One launch: blocks in grid order, those of a cluster or of a cooperative launch together.
#include <fmt/format.h>

#include "core/interp/machine.h"
#include "core/support/check.h"

namespace tw::interp {

void Machine::launch(Fiber& host, const Instr& in)
{
    const LaunchRecord& record = program_.launches[static_cast<std::size_t>(in.extra)];
    launch_ = &record;
    grid_ = {1, 1, 1};
    clusterDims_ = {1, 1, 1};
    for (std::size_t k = 0; k < record.grid.size() && k < 3; ++k)
        grid_[k] = slot(host, record.grid[k]).lanes[0].i;
    for (std::size_t k = 0; k < record.launch->cluster.size() && k < 3; ++k)
        clusterDims_[k] = record.launch->cluster[k];
    for (std::size_t k = 0; k < 3; ++k) {
        if (grid_[k] < 0)
            error(Code::kValueRange, in.where.range, fmt::format("the grid's extent {} is negative", grid_[k]));
        if (clusterDims_[k] < 1 || grid_[k] % clusterDims_[k] != 0)
            error(Code::kArgument, in.where.range,
                  fmt::format("the grid's extent {} is no multiple of the cluster's {}", grid_[k], clusterDims_[k]));
    }
    if (failed_)
        return;
    threadCount_ = static_cast<int>(record.launch->threads[0] * record.launch->threads[1] * record.launch->threads[2]);
    const auto execution = record.launch->attrs.find("execution");
    if (execution != record.launch->attrs.end() && execution->second == ir::Attr(std::string("block")))
        threadCount_ = 1;  // the CPU's thread stage: the body is the block's
    clusters_ = 1;
    for (std::size_t k = 0; k < 3; ++k)
        clusters_ *= grid_[k] / clusterDims_[k];
    nextCluster_ = 0;
    finishedBlocks_ = 0;
    gridArrived_ = 0;
    blocks_.clear();
    chooseClusters();
    tellLaunch();
    runBlocks(host);
    blocks_.clear();
    launch_ = nullptr;
    watchesSteps_ = false;
    ++launchesDone_;
}

// The clusters of the blocks that somebody asked for.
void Machine::chooseClusters()
{
    choosesClusters_ = !options_.blocks.empty() && !launch_->allBlocks;
    wanted_.clear();
    for (const std::int64_t block : options_.blocks) {
        const std::int64_t columns = std::max<std::int64_t>(1, grid_[0]), rows = std::max<std::int64_t>(1, grid_[1]);
        const std::array<std::int64_t, 3> at = {block % columns, block / columns % rows, block / columns / rows};
        std::int64_t number = 0;
        for (std::size_t k = 3; k-- > 0;)
            number = number * (grid_[k] / clusterDims_[k]) + at[k] / clusterDims_[k];
        wanted_.insert(number);
    }
}

void Machine::skipUnwanted()
{
    while (choosesClusters_ && nextCluster_ < clusters_ && !wanted_.contains(nextCluster_))
        ++nextCluster_;
}

void Machine::runBlocks(Fiber& host)
{
    while (!failed_) {
        skipUnwanted();
        if (blocks_.empty()) {
            if (nextCluster_ == clusters_)
                return;
            do
                startCluster(host, nextCluster_++);
            while (launch_->allBlocks && nextCluster_ < clusters_);
        }
        const bool progress = runReady();
        bool takesTurns = false;
        bool spins = false;
        for (const std::unique_ptr<Block>& block : blocks_)
            for (const std::unique_ptr<Fiber>& f : block->fibers) {
                takesTurns |= f->wait.kind == Wait::Kind::kTurn;
                spins |= f->wait.kind == Wait::Kind::kSpin;
            }
        retire();
        reportProgress();
        if (failed_ || blocks_.empty())
            continue;
        if (progress && !takesTurns)
            continue;
        // Nobody can go on, or somebody goes round and round: perhaps for what a later block does.
        if (nextCluster_ < clusters_ && (takesTurns || spins))
            startCluster(host, nextCluster_++);
        else if (!progress && !releaseOneJoin())
            reportDeadlock();
    }
}

bool Machine::runReady()
{
    bool progress = false;
    for (std::size_t b = 0; b < blocks_.size() && !failed_; ++b) {
        Block& block = *blocks_[b];
        for (std::size_t k = 0; k < block.fibers.size() && !failed_; ++k) {
            Fiber& f = *block.fibers[k];
            if (f.done || !ready(f))
                continue;
            resume(f);
            runFiber(f);
            progress = true;
        }
        std::erase_if(block.fibers, [](const std::unique_ptr<Fiber>& f) { return f->done; });
    }
    return progress;
}

void Machine::retire()
{
    for (std::size_t b = 0; b < blocks_.size();) {
        Block& block = *blocks_[b];
        bool clusterDone = block.fibers.empty();
        if (block.cluster)  // shared memory of a block lives as long as its cluster
            for (const Block* other : block.cluster->blocks)
                clusterDone &= other->fibers.empty();
        if (!clusterDone) {
            ++b;
            continue;
        }
        const std::shared_ptr<Cluster> cluster = block.cluster;
        const std::size_t before = blocks_.size();
        if (options_.observer)
            for (const std::unique_ptr<Block>& x : blocks_)
                if (x.get() == &block || (cluster && x->cluster == cluster))
                    options_.observer->blockEnds(static_cast<int>(x->linear));
        std::erase_if(blocks_, [&](const std::unique_ptr<Block>& x) {
            return x.get() == &block || (cluster && x->cluster == cluster);
        });
        finishedBlocks_ += static_cast<std::int64_t>(before - blocks_.size());
    }
}

void Machine::startCluster(Fiber& host, std::int64_t number)
{
    if (options_.reverseBlocks)
        number = clusters_ - 1 - number;
    std::array<std::int64_t, 3> at{};
    const std::int64_t clusterNumber = number;
    for (std::size_t k = 0; k < 3; ++k) {
        const std::int64_t extent = grid_[k] / clusterDims_[k];
        at[k] = number % extent * clusterDims_[k];
        number /= extent;
    }
    std::shared_ptr<Cluster> cluster;
    if (!launch_->launch->cluster.empty())
        cluster = std::make_shared<Cluster>();
    for (std::int64_t z = 0; z < clusterDims_[2]; ++z)
        for (std::int64_t y = 0; y < clusterDims_[1]; ++y)
            for (std::int64_t x = 0; x < clusterDims_[0]; ++x) {
                const std::int64_t linear = ((at[2] + z) * grid_[1] + at[1] + y) * grid_[0] + at[0] + x;
                std::unique_ptr<Block> block = makeBlock(host, linear);
                if (cluster) {
                    block->cluster = cluster;
                    block->rank = static_cast<int>(cluster->blocks.size());
                    cluster->blocks.push_back(block.get());
                }
                if (options_.observer)
                    options_.observer->blockBegins(static_cast<int>(linear), static_cast<int>(clusterNumber), block->rank);
                blocks_.push_back(std::move(block));
            }
}

std::unique_ptr<Block> Machine::makeBlock(Fiber& host, std::int64_t linear)
{
    auto block = std::make_unique<Block>();
    block->linear = linear;
    block->index = {linear % grid_[0], linear / grid_[0] % grid_[1], linear / (grid_[0] * grid_[1])};
    block->live = threadCount_;
    for (const StorageInfo& info : program_.shared) {
        Memory& memory = block->shared.emplace_back();
        memory.bytes.resize(static_cast<std::size_t>(info.bytes));
        memory.valid.resize(memory.bytes.size(), options_.checkUninitialized ? 0 : 1);
    }
    makeThreadMemory(*block, threadCount_);
    for (const StorageInfo& info : program_.barriers) {
        std::vector<BarrierState>& barriers = block->barriers.emplace_back();
        const std::vector<std::int64_t>& arrivals = info.root->arrivals;
        const std::int64_t* extent = ir::asInt(info.root->shape.at(0));
        barriers.resize(std::max<std::size_t>(arrivals.size(), extent ? static_cast<std::size_t>(*extent) : 1));
        for (std::size_t k = 0; k < barriers.size() && !arrivals.empty(); ++k)
            barriers[k].expected = barriers[k].pending = arrivals[std::min(k, arrivals.size() - 1)];
    }
    auto f = std::make_unique<Fiber>();
    f->block = block.get();
    f->n = threadCount_;
    f->mask = Mask::full(threadCount_);
    f->serial = nextSerial_++;
    f->pc = launch_->entry;
    f->slots = host.slots;
    for (int t = 0; t < threadCount_; ++t)
        f->threads.push_back(t);
    for (const StorageInfo& info : program_.fragments) {
        auto memory = std::make_shared<Memory>();
        memory->bytes.resize(static_cast<std::size_t>(info.bytes));
        memory->valid.resize(memory->bytes.size(), options_.checkUninitialized ? 0 : 1);
        f->fragments.push_back(std::move(memory));
    }
    f->fragmentWrites.resize(f->fragments.size());
    for (std::size_t k = 0; k < 3; ++k) {
        Lane lane{};
        lane.i = block->index[k];
        if (launch_->blockVars[k] >= 0)
            slot(*f, launch_->blockVars[k]).setUniform(lane);
        if (launch_->threadVars[k] < 0)
            continue;
        std::int64_t below = 1;
        for (std::size_t j = 0; j < k; ++j)
            below *= launch_->launch->threads[j];
        Slot& s = slot(*f, launch_->threadVars[k]);
        Lane* lanes = s.prepare(static_cast<std::size_t>(threadCount_));
        for (int t = 0; t < threadCount_; ++t)
            lanes[t].i = t / below % launch_->launch->threads[k];
        s.width = 1;
        s.uniform = false;
        makeUniformIfEqual(*f, s);
    }
    block->fibers.push_back(std::move(f));
    return block;
}

std::string Machine::describe(const Fiber& f) const
{
    const auto& b = f.block->index;
    const std::string who =
        f.n == 1 ? fmt::format("thread {} of block ({}, {}, {})", f.threads.front(), b[0], b[1], b[2])
                 : fmt::format("threads {} to {} of block ({}, {}, {})", f.threads.front(), f.threads.back(), b[0], b[1], b[2]);
    switch (f.wait.kind) {
    case Wait::Kind::kBlock:
        return fmt::format("{} wait in a barrier of the block, where {} of {} threads have arrived", who, f.block->arrived,
                           f.block->live);
    case Wait::Kind::kNamed: {
        const NamedBarrier& named = f.block->named.at(f.wait.element);
        return fmt::format("{} wait at named barrier {}, where {} of {} threads have arrived", who, f.wait.element,
                           named.arrived, named.expected);
    }
    case Wait::Kind::kBarrier: {
        const auto storage = static_cast<std::size_t>(f.wait.storage);
        const BarrierState& barrier = f.block->barriers[storage][static_cast<std::size_t>(f.wait.element)];
        const std::string bytes = barrier.bytes != 0 ? fmt::format(" and {} bytes", barrier.bytes) : "";
        return fmt::format("{} wait for parity {} of {}[{}], which still misses {} of {} arrivals{}", who, f.wait.parity,
                           program_.barriers[storage].root->name, f.wait.element, barrier.pending, barrier.expected, bytes);
    }
    case Wait::Kind::kCluster: return who + " wait for the other blocks of the cluster";
    case Wait::Kind::kGrid: return who + " wait for the other blocks of the grid";
    case Wait::Kind::kMulticast: return who + " wait for the multicast of another block of the cluster";
    case Wait::Kind::kSpin: return who + " repeat a loop that nothing changes any more";
    default: return who + " wait";
    }
}

void Machine::reportDeadlock()
{
    const Fiber* first = nullptr;
    for (const std::unique_ptr<Block>& block : blocks_)
        for (const std::unique_ptr<Fiber>& f : block->fibers)
            if (!f->done && (!first || f->wait.kind < first->wait.kind))
                first = f.get();
    TW_CHECK(first != nullptr, "a deadlock of nobody");
    failed_ = true;
    Diagnostic diagnostic;
    diagnostic.code = Code::kDeadlock;
    diagnostic.range = first->wait.where;
    diagnostic.message = "deadlock: " + describe(*first) + ", and nobody is left to end that";
    int notes = 0;
    for (const std::unique_ptr<Block>& block : blocks_)
        for (const std::unique_ptr<Fiber>& f : block->fibers)
            if (!f->done && f.get() != first && notes++ < 8)
                diagnostic.notes.push_back({f->wait.where, describe(*f)});
    diagnostics_.report(std::move(diagnostic));
}

void Machine::reportProgress()
{
    if (!options_.progress)
        return;
    const auto now = std::chrono::steady_clock::now();
    if (now - lastProgress_ < std::chrono::milliseconds(50))
        return;
    lastProgress_ = now;
    const auto blocks = static_cast<double>(std::max<std::int64_t>(1, grid_[0] * grid_[1] * grid_[2]));
    const auto launches = static_cast<double>(program_.launches.size());
    options_.progress((static_cast<double>(launchesDone_) + static_cast<double>(finishedBlocks_) / blocks) / launches);
}

}  // namespace tw::interp
