#include "core/passes/bound_unrolling.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "core/analysis/walk.h"
#include "core/ir/build.h"
#include "core/ir/call.h"
#include "core/ir/search.h"
#include "core/ir/shape.h"
#include "core/ir/visit.h"
#include "core/passes/hardware.h"

namespace tw::passes {

namespace {

using ir::Expr;
using ir::Stmt;

constexpr std::int64_t kLocalBytes = 512 * 1024;  // CUDA C++ Programming Guide, "Compute Capabilities": local memory a thread
// Statements that one iteration of a loop may become by unrolling the loops in it …
constexpr std::int64_t kThroughMemory = 64;     // where it walks through local memory
constexpr std::int64_t kWithoutArrays = 1024;   // in a nest that indexes no array of the thread
constexpr std::int64_t kProductStatements = 8;  // a product of a warp is this many: it moves several registers
constexpr std::int64_t kWithRegisters = 256;    // where an array that fits would have to leave the registers for it

using Arrays = std::set<const ir::BufferNode*>;
using Variables = std::set<const ir::ExprNode*>;

std::int64_t bytesOf(const ir::BufferNode& array)
{
    return array.dtype.storageBytes(ir::elementsOnChip(array));
}

// The arrays of the threads of a launch.
class ArrayFinder final : public ir::Visitor {
public:
    std::vector<Ref<const ir::Allocate>> arrays;
    Arrays accumulators;

    using ir::Visitor::visit;
    void visit(const Stmt& s) override
    {
        if (const auto allocate = std::dynamic_pointer_cast<const ir::Allocate>(s); allocate && allocate->buffer->scope == ir::MemoryScope::kLocal && !allocate->buffer->viewOf)
            arrays.push_back(allocate);
        ir::Visitor::visit(s);
    }
    void visit(const ir::OpCall& call) override
    {
        if (call.op == ir::OpId::kWgmma)
            accumulators.insert(analysis::storageOf(ir::regionOperand(call, "C")->buffer.get()));
        ir::Visitor::visit(call);
    }
};

// Which loops stay loops, from the innermost one outwards, and which arrays leave the registers by that.
class Weigher final : public ir::Visitor {
public:
    explicit Weigher(Arrays inMemory) : inMemory_(std::move(inMemory)) {}

    std::set<const ir::For*> rolled;
    [[nodiscard]] const Arrays& inMemory() const { return inMemory_; }

    using ir::Visitor::visit;
    void visit(const Stmt& s) override
    {
        if (!s)
            return;
        if (const auto* loop = ir::as<ir::For>(s))
            return this->loop(*loop, s);
        if (const auto* bind = ir::as<ir::Bind>(s))
            lets_[bind->var.get()] = variablesOf(bind->value);
        if (const auto* store = ir::as<ir::Store>(s))
            note(*store->buffer, store->indices);
        if (const auto* op = ir::as<ir::OpStmt>(s))
            weight_ += ir::info(op->call.op).cls == ir::OpClass::kProduct ? kProductStatements : 1;
        else if (s->kind == ir::StmtKind::kStore)
            ++weight_;
        ir::Visitor::visit(s);
    }
    void visit(const Expr& e) override
    {
        if (const auto* load = ir::as<ir::Load>(e))
            note(*load->buffer, load->indices);
        ir::Visitor::visit(e);
    }
    void visit(const ir::Region& r) override
    {
        if (r.buffer)
            note(*r.buffer, r.mins);
        ir::Visitor::visit(r);
    }

private:
    struct Frame {
        const ir::ExprNode* var = nullptr;
        Arrays indexed;  // by the loop's variable
    };

    void note(const ir::BufferNode& buffer, const std::vector<Expr>& indices)
    {
        const ir::BufferNode* storage = analysis::storageOf(&buffer);
        if (storage->scope != ir::MemoryScope::kLocal)
            return;
        Variables used;
        for (const Expr& index : indices)
            used.merge(variablesOf(index));
        for (Frame& frame : loops_)
            if (used.contains(frame.var))
                frame.indexed.insert(storage);
    }

    // Of an expression and of the immutable values in it.
    Variables variablesOf(const Expr& e) const
    {
        Variables all;
        ir::forEachExpr(e, [&](const Expr& x) {
            if (x->kind != ir::ExprKind::kVar)
                return;
            all.insert(x.get());
            if (const auto let = lets_.find(x.get()); let != lets_.end())
                all.insert(let->second.begin(), let->second.end());
        });
        return all;
    }

    void loop(const ir::For& loop, const Stmt& s)
    {
        const std::int64_t before = std::exchange(weight_, 0);
        const bool inNest = std::exchange(inNest_, inNest_ || ir::boolAttr(loop.attrs, "nest", false));
        loops_.push_back({loop.axes.front().var.get(), {}});
        ir::Visitor::visit(s);
        const Frame frame = std::move(loops_.back());
        loops_.pop_back();
        const bool stays = loop.loop == ir::ForKind::kUnrolled && !loop.attrs.contains("unroll_factor") && weight_ * trips(loop) > limit(frame);
        if (stays) {
            rolled.insert(&loop);
            inMemory_.insert(frame.indexed.begin(), frame.indexed.end());
        }
        weight_ = before + std::max<std::int64_t>(weight_, 1) * (loop.loop == ir::ForKind::kUnrolled && !stays ? trips(loop) : 1);
        inNest_ = inNest;
    }

    static std::int64_t trips(const ir::For& loop)
    {
        const auto *begin = ir::asInt(loop.axes.front().begin), *end = ir::asInt(loop.axes.front().end);
        return begin && end ? std::max<std::int64_t>(*end - *begin, 0) : 1;
    }

    std::int64_t limit(const Frame& frame) const
    {
        const auto isInMemory = [&](const ir::BufferNode* array) { return inMemory_.contains(array); };
        if (frame.indexed.empty())
            return inNest_ ? kWithoutArrays : INT64_MAX;
        if (std::ranges::all_of(frame.indexed, isInMemory))
            return kThroughMemory;
        return std::ranges::any_of(frame.indexed, isInMemory) ? kWithRegisters : INT64_MAX;
    }

    Arrays inMemory_;
    std::vector<Frame> loops_;
    std::map<const ir::ExprNode*, Variables> lets_;
    std::int64_t weight_ = 0;
    bool inNest_ = false;
};

class Roller final : public ir::Rewriter {
public:
    explicit Roller(PassContext& context) : context_(context) {}

    using ir::Rewriter::rewrite;
    Stmt rewrite(const Stmt& s) override
    {
        if (s->kind == ir::StmtKind::kLaunch)
            plan(s);
        const auto* loop = ir::as<ir::For>(s);
        Stmt next = rewriteChildren(s);
        if (!loop || !rolled_.contains(loop))
            return next;
        auto bounded = std::make_shared<ir::For>(static_cast<const ir::For&>(*next));
        bounded->attrs["unroll_factor"] = std::int64_t{1};  // said aloud: the device compiler unrolls serial loops, too
        return bounded;
    }

private:
    void plan(const Stmt& launch)
    {
        ArrayFinder found;
        found.visit(launch);
        Arrays inMemory;
        for (const auto& allocate : found.arrays)
            if (bytesOf(*allocate->buffer) > kMostUnrolledBytes && !found.accumulators.contains(allocate->buffer.get()))
                inMemory.insert(allocate->buffer.get());
        report(found.arrays);
        // An array that leaves the registers may free other loops.
        for (std::size_t before = SIZE_MAX; before != inMemory.size();) {
            before = inMemory.size();
            Weigher weigher(std::move(inMemory));
            ir::Visitor& visitor = weigher;
            visitor.visit(launch);
            rolled_ = std::move(weigher.rolled);
            inMemory = weigher.inMemory();
        }
    }

    void report(const std::vector<Ref<const ir::Allocate>>& arrays)
    {
        if (arrays.empty())
            return;
        std::int64_t sum = 0;
        for (const auto& allocate : arrays)
            sum += bytesOf(*allocate->buffer);
        const auto& largest = **std::ranges::max_element(arrays, {}, [](const auto& a) { return bytesOf(*a->buffer); });
        const std::int64_t bytes = bytesOf(*largest.buffer);
        if (sum > kLocalBytes)
            context_.diagnostics.error(Code::kNotSupported, largest.where.range,
                                       fmt::format("not supported: the arrays of each thread take {} bytes, {} alone {}, but a thread has {} of local memory; smaller tiles or "
                                                   "more threads fit", sum, largest.buffer->name, bytes, kLocalBytes));
        else if (bytes > kRegisterBytes)
            context_.diagnostics.warning(Code::kCapacity, largest.where.range,
                                         fmt::format("{} takes {} bytes of each thread, whose registers hold {}: {} local memory, which is slow; smaller tiles or more threads fit",
                                                     largest.buffer->name, bytes, kRegisterBytes, bytes > kMostUnrolledBytes ? "it lives in" : "a part of it lives in"));
    }

    PassContext& context_;
    std::set<const ir::For*> rolled_;
};

}  // namespace

ir::Function boundUnrolling(const ir::Function& in, PassContext& context)
{
    ir::Function out = in;
    Roller roller(context);
    out.body = roller.rewrite(in.body);
    return out;
}

}  // namespace tw::passes
