#include "core/passes/movable_copies.h"

#include <algorithm>
#include <optional>

#include "core/analysis/uniform.h"
#include "core/analysis/walk.h"
#include "core/ir/build.h"
#include "core/ir/call.h"
#include "core/ir/search.h"
#include "core/passes/body_filter.h"

namespace tw::passes {

using analysis::storageOf;
using ir::as;
using ir::BufferNode;
using ir::MemoryScope;
using ir::Stmt;

namespace {

bool isGlobalToShared(const ir::Buffer& from, const ir::Buffer& to)
{
    return from->scope == MemoryScope::kGlobal && to->scope == MemoryScope::kShared && !to->viewOf && from->dtype == to->dtype;
}

// s[…] = a[…], or a select of that and a constant.
bool isElementCopy(const ir::Store& store)
{
    ir::Expr value = store.value;
    if (const auto* select = as<ir::Select>(value))
        value = select->lazy && ir::isZero(select->otherwise) ? select->then : ir::Expr{};
    const auto* load = as<ir::Load>(value);
    return load && isGlobalToShared(load->buffer, store.buffer);
}

// A statement that does nothing but copy from global to shared memory.
bool isCopyStatement(const Stmt& s)
{
    if (const auto* op = as<ir::OpStmt>(s)) {
        if (op->call.op != ir::OpId::kCopy)
            return false;
        const auto hint = op->call.attrs.find("prefer_instruction");
        if (hint != op->call.attrs.end() && hint->second == ir::Attr(std::string("sync")))
            return false;
        return isGlobalToShared(ir::regionOperand(op->call, "src")->buffer, ir::regionOperand(op->call, "dst")->buffer);
    }
    if (const auto* loop = as<ir::For>(s)) {
        const auto* seq = as<ir::Seq>(loop->body);
        const std::vector<Stmt> body = seq ? seq->stmts : std::vector<Stmt>{loop->body};
        if (loop->loop == ir::ForKind::kParallel)
            return std::ranges::all_of(body, [](const Stmt& child) { return as<ir::Store>(child) && isElementCopy(*as<ir::Store>(child)); });
        return (loop->loop == ir::ForKind::kSerial || loop->loop == ir::ForKind::kUnrolled) && std::ranges::all_of(body, isCopyStatement);
    }
    return false;
}

class StatementCollector final : public ir::Visitor {
public:
    std::set<const ir::StmtNode*> all;
    using ir::Visitor::visit;
    void visit(const Stmt& s) override
    {
        if (s)
            all.insert(s.get());
        ir::Visitor::visit(s);
    }
};

class Selection {
public:
    Selection(const ScheduleInput& input, const TileAccesses& body) : in_(input), body_(body), uniformity_(input.launch) {}

    std::vector<MovableCopy> run()
    {
        collect(in_.loop.body, {}, {});
        keepMovable();
        return std::move(copies_);
    }

private:
    void collect(const Stmt& body, const std::vector<const ir::If*>& arms, std::vector<const ir::Bind*> binds)
    {
        for (const Stmt& s : statementsOf(body)) {
            if (const auto* bind = as<ir::Bind>(s))
                binds.push_back(bind);
            if (const auto* branch = as<ir::If>(s); branch && !branch->otherwise) {
                auto inner = arms;
                inner.push_back(branch);
                collect(branch->then, inner, binds);
            }
            if (isCopyStatement(s))
                copies_.push_back(describe(s, arms, binds));
        }
    }

    static MovableCopy describe(const Stmt& s, const std::vector<const ir::If*>& arms, const std::vector<const ir::Bind*>& binds)
    {
        StatementCollector statements;
        static_cast<ir::Visitor&>(statements).visit(s);
        MovableCopy copy{s, {}, std::move(statements.all), arms, binds};
        for (const TileAccess& a : accessesOf(s).all)
            if (a.writes)
                copy.targets.insert(a.storage);
        return copy;
    }

    // A copy that stays keeps the others that write its buffer, so the set shrinks until nothing changes.
    void keepMovable()
    {
        std::erase_if(copies_, [&](const MovableCopy& copy) { return !canReadAhead(copy); });
        for (std::size_t before = 0; before != copies_.size();) {
            before = copies_.size();
            std::erase_if(copies_, [&](const MovableCopy& copy) {
                return !std::ranges::all_of(copy.targets, [&](const BufferNode* target) { return canHaveVersions(target); });
            });
        }
    }

    // Nothing in the loop changes what the copy, its conditions and its bindings read.
    bool canReadAhead(const MovableCopy& copy) const
    {
        Mentions mentions;
        ir::Visitor& visitor = mentions;
        visitor.visit(copy.stmt);
        const TileAccesses own = accessesOf(copy.stmt);
        for (const TileAccess& a : own.all)
            if (a.reads && !readsFreely(a.storage))
                return false;
        for (const ir::If* arm : copy.arms) {
            visitor.visit(arm->condition);
            if (!isStable(arm->condition))
                return false;
        }
        for (auto bind = copy.binds.rbegin(); bind != copy.binds.rend(); ++bind)
            if (mentions.vars.contains((*bind)->var.get())) {
                visitor.visit((*bind)->value);
                if (!isStable((*bind)->value))
                    return false;
            }
        return mentions.pure && std::ranges::none_of(in_.launch.threadVars, [&](const ir::Var& v) { return mentions.vars.contains(v.get()); });
    }

    bool isStable(const ir::Expr& e) const
    {
        const auto bind = std::make_shared<ir::Bind>(ir::Var{}, e);
        const TileAccesses reads = accessesOf(bind);
        return uniformity_.isUniform(e) && std::ranges::all_of(reads.all, [&](const TileAccess& a) { return readsFreely(a.storage); });
    }

    bool readsFreely(const BufferNode* storage) const
    {
        if (storage->scope == MemoryScope::kFragment || storage->scope == MemoryScope::kReducer)
            return false;
        return std::ranges::none_of(body_.all, [&](const TileAccess& a) { return a.writes && mayAlias(storage, a.storage); });
    }

    // Parameters are distinct unless the author says otherwise; addresses may point anywhere.
    bool mayAlias(const BufferNode* a, const BufferNode* b) const
    {
        if (a == b)
            return true;
        if (a->scope != MemoryScope::kGlobal || b->scope != MemoryScope::kGlobal)
            return false;
        const auto noalias = in_.function.passConfigs.find("tirx.noalias");
        if (noalias != in_.function.passConfigs.end() && noalias->second == ir::Attr(false))
            return true;
        return a->address || b->address || (aliased().contains(a) && aliased().contains(b));
    }

    const std::set<const BufferNode*>& aliased() const
    {
        if (!aliased_) {
            aliased_.emplace();
            ir::forEachCall(in_.function.body, [&](const ir::OpCall& call) {
                if (call.op == ir::OpId::kAnnotateRestrict)
                    for (const ir::Operand& operand : call.operands)
                        if (const auto* region = std::get_if<ir::Region>(&operand))
                            aliased_->insert(storageOf(region->buffer.get()));
            });
        }
        return *aliased_;
    }

    const MovableCopy* copyOf(const ir::StmtNode* statement) const
    {
        const auto found = std::ranges::find_if(copies_, [&](const MovableCopy& c) { return c.within.contains(statement); });
        return found == copies_.end() ? nullptr : &*found;
    }

    bool canHaveVersions(const BufferNode* target) const
    {
        std::vector<const TileAccess*> writers;
        for (const TileAccess& a : body_.all) {
            if (a.storage != target)
                continue;
            const MovableCopy* copy = copyOf(a.statement);
            if (a.buffer != target || (a.writes && !copy))
                return false;
            if (copy)
                writers.push_back(&a);
            else if (!readsCopied(a, writers) || !finishesInTime(a))
                return false;
        }
        // Reads that stand in front of a writer see the iteration before: they ended the loop above only if no writer had
        // been seen, so look again for writers behind the first reader.
        bool seenReader = false;
        for (const TileAccess& a : body_.all) {
            if (a.storage != target)
                continue;
            if (a.reads)
                seenReader = true;
            else if (seenReader)
                return false;
        }
        return !isLiveAfter(in_.launch.body, &in_.loop, target);
    }

    // Every element that is read was copied in this iteration: each copy runs whenever the reader does, and they cover it.
    bool readsCopied(const TileAccess& reader, const std::vector<const TileAccess*>& writers) const
    {
        std::int64_t covered = 0, whole = 1;
        for (const ir::Expr& extent : reader.storage->shape)
            whole *= *ir::asInt(extent);
        bool contained = false;
        for (const TileAccess* writer : writers) {
            if (writer->arms.size() > reader.arms.size() || !std::equal(writer->arms.begin(), writer->arms.end(), reader.arms.begin()))
                return false;
            contained = contained || contains(*writer, reader) || flowOf(copyOf(writer->statement)->stmt, reader.storage).killed;
            covered += volume(*writer);
        }
        return contained || (covered == whole && apart(writers));
    }

    static std::int64_t volume(const TileAccess& a)
    {
        std::int64_t count = a.mins.empty() ? 0 : 1;
        for (std::size_t k = 0; k < a.mins.size(); ++k)
            count *= ir::asInt(a.mins[k]) && ir::asInt(a.extents[k]) ? *ir::asInt(a.extents[k]) : 0;
        return count;
    }

    static bool contains(const TileAccess& outer, const TileAccess& inner)
    {
        if (outer.mins.empty())
            return false;
        for (std::size_t k = 0; k < outer.mins.size(); ++k) {
            const ir::Expr& dim = outer.storage->shape[k];
            if (ir::isZero(outer.mins[k]) && ir::equal(outer.extents[k], dim))
                continue;
            if (inner.mins.empty() || !ir::equal(outer.mins[k], inner.mins[k]) || !ir::equal(outer.extents[k], inner.extents[k]))
                return false;
        }
        return true;
    }

    static bool apart(const std::vector<const TileAccess*>& writers)
    {
        const auto disjoint = [](const TileAccess& a, const TileAccess& b) {
            for (std::size_t k = 0; k < a.mins.size(); ++k)
                if (*ir::asInt(a.mins[k]) + *ir::asInt(a.extents[k]) <= *ir::asInt(b.mins[k]) ||
                    *ir::asInt(b.mins[k]) + *ir::asInt(b.extents[k]) <= *ir::asInt(a.mins[k]))
                    return true;
            return false;
        };
        for (std::size_t i = 0; i < writers.size(); ++i)
            for (std::size_t j = 0; j < i; ++j)
                if (volume(*writers[i]) == 0 || volume(*writers[j]) == 0 || !disjoint(*writers[i], *writers[j]))
                    return false;
        return true;
    }

    // A reader with a slot index in front of its axes, and one that has read when its statement ends.
    bool finishesInTime(const TileAccess& reader) const
    {
        if (!reader.isOperand)
            return true;
        const auto cls = ir::info(reader.op).cls;
        if (cls == ir::OpClass::kReduce || cls == ir::OpClass::kScan || reader.op == ir::OpId::kIm2col)
            return false;
        if (cls == ir::OpClass::kCopy)
            return ir::info(reader.op).proxy == ir::Proxy::kGeneric;
        return reader.op != ir::OpId::kWgmmaGemm || waitsForProducts();
    }

    // Whether the body ends its asynchronous products itself.
    bool waitsForProducts() const
    {
        const auto stmts = statementsOf(in_.loop.body);
        for (auto s = stmts.rbegin(); s != stmts.rend(); ++s)
            if (const auto* op = as<ir::OpStmt>(*s)) {
                if (op->call.op == ir::OpId::kWgmmaGemm)
                    return false;
                if (op->call.op == ir::OpId::kWaitWgmma)
                    return ir::isZero(ir::exprOperand(op->call, "n"));
            }
        return false;
    }

    const ScheduleInput& in_;
    const TileAccesses& body_;
    analysis::Uniformity uniformity_;
    std::vector<MovableCopy> copies_;
    mutable std::optional<std::set<const BufferNode*>> aliased_;
};

}  // namespace

std::vector<MovableCopy> movableCopies(const ScheduleInput& input, const TileAccesses& body)
{
    return Selection(input, body).run();
}

}  // namespace tw::passes
