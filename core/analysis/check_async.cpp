// Asynchronous work whose result is read although nothing in the launch waits for it, and boxes that the TMA unit cannot move.
#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "core/analysis/checks.h"
#include "core/analysis/effects.h"
#include "core/analysis/walk.h"
#include "core/ir/call.h"

namespace tw::analysis {

namespace {

using ir::OpId;

// CUDA driver API, cuTensorMapEncodeTiled: the inner extent of a box.
constexpr std::int64_t kBulkBytes = 16;

struct Started {
    ir::OpCall call;
    SourceRange place;
    const ir::BufferNode* result = nullptr;
};

class AsyncWalk final : public Walk {
public:
    explicit AsyncWalk(const CheckContext& context) : context_(context) {}

    using Walk::visit;
    void visit(const ir::Stmt& s) override
    {
        Walk::visit(s);
        if (s && s->kind == ir::StmtKind::kLaunch)
            report();
    }

    void visit(const ir::OpCall& call) override
    {
        const SourceRange place = statement() ? statement()->where.range : SourceRange{};
        switch (call.op) {
        case OpId::kTmaCopy: bulkCopy(call, place); break;
        case OpId::kAsyncCopy: start(call, "dst", place); break;
        case OpId::kWgmmaGemm: start(call, "C", place); break;
        case OpId::kBarrierWait: waits_.insert(std::get<ir::Region>(call.operands.front()).buffer.get()); break;
        default: others_.insert(call.op); break;
        }
        for (std::size_t i = 0; i < call.operands.size(); ++i)
            if (const auto* region = std::get_if<ir::Region>(&call.operands[i]); region && call.op != OpId::kWgmmaGemm && effectOf(call, i).reads)
                read_.insert(storageOf(region->buffer.get()));
        Walk::visit(call);
    }

protected:
    void enterExpr(const ir::Expr& e) override
    {
        if (const auto* load = ir::as<ir::Load>(e))
            read_.insert(storageOf(load->buffer.get()));
    }

private:
    void start(const ir::OpCall& call, const char* result, const SourceRange& place)
    {
        if (const auto* region = ir::regionOperand(call, result))
            started_.push_back({call, place, storageOf(region->buffer.get())});
    }

    void bulkCopy(const ir::OpCall& call, const SourceRange& place)
    {
        const ir::Region *src = ir::regionOperand(call, "src"), *dst = ir::regionOperand(call, "dst");
        if (!src || !dst)
            return;
        const bool isLoad = dst->buffer->scope == ir::MemoryScope::kShared;
        if (isLoad && ir::findOperand(call, "barrier"))
            started_.push_back({call, place, storageOf(dst->buffer.get())});
        const ir::Region& shared = isLoad ? *dst : *src;
        const auto* columns = ir::asInt(shared.extents.back());
        const ir::DType& type = shared.buffer->dtype;
        if (columns && type.storageBytes(*columns) % kBulkBytes != 0)
            context_.diagnostics.error(Code::kInstructionShape, place,
                                       fmt::format("T.tma_copy moves rows of whole {} bytes, but a row of {} is {} x {} = {} bytes; make it a multiple "
                                                   "of {} elements, or use T.copy",
                                                   kBulkBytes, shared.buffer->name, *columns, type.name(), type.storageBytes(*columns),
                                                   std::max<std::int64_t>(1, kBulkBytes * 8 / (std::int64_t{type.bits()} * type.lanes))));
    }

    // C code may wait as well.
    [[nodiscard]] bool hasForeignCode() const
    {
        return std::any_of(others_.begin(), others_.end(), [](OpId op) { return ir::info(op).cls == ir::OpClass::kExtern; });
    }

    [[nodiscard]] std::string missingWait(const ir::OpCall& call) const
    {
        switch (call.op) {
        case OpId::kTmaCopy: {
            const auto* barrier = ir::regionOperand(call, "barrier");
            return !barrier || waits_.contains(barrier->buffer.get()) ? "" : fmt::format("T.barrier_wait({}, parity)", barrier->buffer->name);
        }
        case OpId::kAsyncCopy: return others_.contains(OpId::kWaitGroup) || others_.contains(OpId::kCpAsyncBarrier) ? "" : "T.ptx_wait_group(0)";
        default: return others_.contains(OpId::kWaitWgmma) || others_.contains(OpId::kWarpgroupWait) ? "" : "T.wait_wgmma(0)";
        }
    }

    void report()
    {
        std::set<const ir::BufferNode*> told;
        for (const Started& one : started_) {
            const std::string wait = hasForeignCode() || !read_.contains(one.result) ? "" : missingWait(one.call);
            if (!wait.empty() && told.insert(one.result).second)
                context_.diagnostics.error(Code::kRace, one.place,
                                           fmt::format("{} is read although nothing waits for this T.{}, which goes on behind the program's back; {} has to "
                                                       "stand before the reads",
                                                       one.result->name, ir::info(one.call.op).name, wait));
        }
        started_.clear();
        waits_.clear();
        others_.clear();
        read_.clear();
    }

    const CheckContext& context_;
    std::vector<Started> started_;
    std::set<const ir::BufferNode*> waits_, read_;
    std::set<OpId> others_;  // what else the launch does, waits included
};

}  // namespace

void checkAsync(const CheckContext& context)
{
    AsyncWalk walk(context);
    walk.visit(context.function.body);
}

}  // namespace tw::analysis
