// Shared memory that is certainly needed at one time: the sum of the buffers whose uses overlap in program order. Versions
// that a pipeline adds are the compiler's own business and do not count. And what threads certainly keep of one fragment each.
#include <algorithm>

#include <fmt/format.h>

#include "core/analysis/checks.h"
#include "core/analysis/walk.h"
#include "core/ir/print.h"

namespace tw::analysis {

namespace {

constexpr std::int64_t kTensorMemoryColumns = 512;
constexpr std::size_t kNamedBuffers = 3;
constexpr std::int64_t kLocalBytes = 512 * 1024;       // of a thread: CUDA C++ Programming Guide, "Compute Capabilities"
constexpr std::int64_t kMostElements = 1 << 20;        // of a fragment, core/layout/fragment_map

struct Use {
    const ir::BufferNode* buffer = nullptr;
    SourceRange allocated;
    std::int64_t bytes = 0;
    int allocatedAt = 0;
    int first = -1, last = -2;  // positions of the first and the last access
};

// Saturates far above any machine's memory, so that sums of a few stay exact.
std::int64_t elementsOf(const ir::BufferNode& buffer)
{
    constexpr std::int64_t kHuge = std::int64_t{1} << 50;
    std::int64_t count = 1;
    for (const ir::Expr& extent : buffer.shape) {
        const auto* value = ir::asInt(extent);
        if (!value || *value < 0)
            return 0;
        if (*value > 0 && count > kHuge / *value)
            return kHuge;
        count *= *value;
    }
    return count;
}

class CapacityWalk final : public Walk {
public:
    explicit CapacityWalk(const CheckContext& context) : context_(context) {}

    void visitBuffer(const ir::Buffer& buffer) override
    {
        for (Use& use : uses_)
            if (use.buffer == storageOf(buffer.get()) && use.allocatedAt != position_) {
                use.first = use.first < 0 ? position_ : use.first;
                use.last = position_;
            }
    }

protected:
    void enter(const ir::Stmt& s) override
    {
        ++position_;
        if (s->kind == ir::StmtKind::kLaunch)
            uses_.clear();
        const auto* allocate = ir::as<ir::Allocate>(s);
        if (!allocate || allocate->buffer->viewOf || allocate->buffer->address)
            return;
        const ir::BufferNode& buffer = *allocate->buffer;
        if (buffer.scope == ir::MemoryScope::kTensorMemory)
            checkColumns(buffer, s->where.range);
        if (buffer.scope == ir::MemoryScope::kFragment && launch() && context_.target.isCuda())
            checkFragment(buffer, s->where.range);
        if (buffer.scope == ir::MemoryScope::kLocal && launch() && context_.target.isCuda())
            checkLocal(buffer, s->where.range);
        if (buffer.scope == ir::MemoryScope::kShared)
            uses_.push_back({&buffer, s->where.range, buffer.dtype.storageBytes(elementsOf(buffer)), position_});
    }

    void leave(const ir::Stmt& s) override
    {
        if (s->kind == ir::StmtKind::kLaunch)
            report();
    }

private:
    void checkColumns(const ir::BufferNode& buffer, const SourceRange& range)
    {
        const auto* columns = ir::asInt(buffer.shape.back());
        if (columns && *columns > kTensorMemoryColumns)
            context_.diagnostics.error(Code::kCapacity, range,
                                       fmt::format("{} takes {} columns of tensor memory, which has {}", buffer.name, *columns,
                                                   kTensorMemoryColumns));
    }

    void checkFragment(const ir::BufferNode& buffer, const SourceRange& range)
    {
        const std::int64_t elements = elementsOf(buffer), bytes = buffer.dtype.storageBytes(elements);
        const std::int64_t threads = launch()->threads[0] * launch()->threads[1] * launch()->threads[2];
        if (bytes / threads > kLocalBytes)
            context_.reportTarget(Code::kCapacity, range,
                                  fmt::format("{} takes {} bytes of each of {} threads, which have {} for such tiles: registers and local memory", buffer.name,
                                              bytes / threads, threads, kLocalBytes));
        else if (elements > kMostElements)
            context_.diagnostics.error(Code::kNotSupported, range,
                                       fmt::format("not supported: {} has {} elements; a fragment on a GPU has {} at most", buffer.name, elements, kMostElements));
    }

    void checkLocal(const ir::BufferNode& buffer, const SourceRange& range)
    {
        const std::int64_t bytes = buffer.dtype.storageBytes(elementsOf(buffer));
        if (bytes > kLocalBytes)
            context_.reportTarget(Code::kCapacity, range,
                                  fmt::format("{} takes {} bytes of every thread, which has {} of local memory", buffer.name, bytes, kLocalBytes));
    }

    std::vector<const Use*> liveAt(int position) const
    {
        std::vector<const Use*> live;
        for (const Use& use : uses_)
            if (use.first <= position && position <= use.last)
                live.push_back(&use);
        return live;
    }

    void report()
    {
        std::int64_t most = 0;
        std::vector<const Use*> peak;
        for (const Use& use : uses_) {
            std::vector<const Use*> live = liveAt(use.first);
            std::int64_t sum = 0;
            for (const Use* other : live)
                sum += other->bytes;
            if (sum > most) {
                most = sum;
                peak = std::move(live);
            }
        }
        const std::int64_t limit = context_.target.sharedBytesPerBlock;
        if (most <= limit)
            return;
        std::ranges::stable_sort(peak, std::greater<>(), &Use::bytes);
        std::string names;
        for (std::size_t i = 0; i < std::min(peak.size(), kNamedBuffers); ++i)
            names += fmt::format("{}{} takes {}", i ? ", " : "", peak[i]->buffer->name, peak[i]->bytes);
        const std::string message =
            fmt::format("the shared memory in use at one time is {} bytes, but a block of {} has {}: {}{}", most, context_.target.name,
                        limit, names, peak.size() > kNamedBuffers ? ", …" : "");
        if (context_.function.target.empty() && most > target::defaultTarget().sharedBytesPerBlock)
            context_.diagnostics.error(Code::kCapacity, peak.front()->allocated, message);
        else
            context_.reportTarget(Code::kCapacity, peak.front()->allocated, message);
    }

    const CheckContext& context_;
    std::vector<Use> uses_;
    int position_ = 0;
};

}  // namespace

void checkCapacity(const CheckContext& context)
{
    CapacityWalk walk(context);
    ir::Visitor& visitor = walk;
    visitor.visit(context.function.body);
}

}  // namespace tw::analysis
