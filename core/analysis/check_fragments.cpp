// A fragment has one layout, so inside one nest every access must find the thread that owns the element.
#include <set>

#include <fmt/format.h>

#include "core/analysis/checks.h"
#include "core/analysis/walk.h"
#include "core/ir/build.h"
#include "core/ir/print.h"
#include "core/ir/search.h"

namespace tw::analysis {

namespace {

using ir::as;
using ir::Expr;

// A fragment this small may be held whole by every thread, which serves any way of reading it.
constexpr std::int64_t kReplicableElements = 256;

class FragmentWalk final : public Walk {
public:
    explicit FragmentWalk(const CheckContext& context) : context_(context) {}

protected:
    void enter(const ir::Stmt& s) override
    {
        const auto* loop = as<ir::For>(s);
        if (loop && loop->loop == ir::ForKind::kParallel && !parallelNest())
            accesses_.clear();
    }

    void leave(const ir::Stmt& s) override
    {
        if (const auto* store = as<ir::Store>(s))
            access(store->buffer, store->indices, s->where.range, true);
    }

    void enterExpr(const Expr& e) override
    {
        if (const auto* load = as<ir::Load>(e))
            access(load->buffer, load->indices, rangeOf(e), false);
    }

private:
    struct Access {
        std::vector<Expr> indices;
        std::vector<std::set<const ir::ExprNode*>> vars;  // of the nest, one set an axis
        bool writes = false;
        SourceRange range;
    };

    void access(const ir::Buffer& buffer, const std::vector<Expr>& indices, const SourceRange& range, bool writes)
    {
        if (buffer->scope != ir::MemoryScope::kFragment || !parallelNest())
            return;
        Access access{{}, {}, writes, range};
        for (const Expr& index : indices) {
            access.indices.push_back(expand(index));
            access.vars.push_back(nestVars(access.indices.back()));
        }
        if (symbolicExtent(buffer, access))
            return;
        for (const Access& other : accesses_[buffer.get()])
            if (conflicts(*buffer, access, other))
                return report(*buffer, access, other);
        accesses_[buffer.get()].push_back(std::move(access));
    }

    std::set<const ir::ExprNode*> nestVars(const Expr& index) const
    {
        std::set<const ir::ExprNode*> vars;
        for (const ir::For* loop : loops())
            if (loop->loop == ir::ForKind::kParallel)
                for (const ir::Axis& axis : loop->axes)
                    if (ir::mentions(index, axis.var.get()))
                        vars.insert(axis.var.get());
        return vars;
    }

    bool symbolicExtent(const ir::Buffer& buffer, const Access& access)
    {
        for (const ir::For* loop : loops()) {
            if (loop->loop != ir::ForKind::kParallel)
                continue;
            for (const ir::Axis& axis : loop->axes) {
                if (ir::asInt(axis.end))
                    continue;
                for (const auto& vars : access.vars)
                    if (vars.contains(axis.var.get())) {
                        context_.diagnostics.error(
                            Code::kLayout, access.range,
                            fmt::format("{} runs to {}, which is known at run time only, and cannot index the fragment {}; "
                                        "loop over the fragment's extent and guard the body with an if",
                                        axis.var->name, ir::print(axis.end), buffer->name));
                        return true;
                    }
            }
        }
        return false;
    }

    // Certain only where an axis follows different variables: no thread can own both elements of every iteration.
    static bool conflicts(const ir::BufferNode& buffer, const Access& a, const Access& b)
    {
        bool crossed = false;
        for (std::size_t i = 0; i < a.vars.size(); ++i)
            crossed |= !a.vars[i].empty() && !b.vars[i].empty() && a.vars[i] != b.vars[i];
        if (!crossed)
            return false;
        std::int64_t elements = 1;
        for (const Expr& extent : buffer.shape)
            elements *= ir::asInt(extent) ? *ir::asInt(extent) : 1;
        return a.writes || b.writes || elements > kReplicableElements;
    }

    void report(const ir::BufferNode& buffer, const Access& access, const Access& other)
    {
        if (!reported_.insert(&buffer).second)
            return;
        const auto text = [&](const Access& a) {
            std::string indices;
            for (const Expr& index : a.indices)
                indices += (indices.empty() ? "" : ", ") + ir::print(index);
            return fmt::format("{}[{}]", buffer.name, indices);
        };
        context_.diagnostics
            .error(Code::kLayout, access.range,
                   fmt::format("the fragment {} is indexed as {} and as {} in one T.Parallel nest, and no layout of its registers "
                               "gives both elements to one thread; read one of them from a shared copy",
                               buffer.name, text(access), text(other)))
            .notes.push_back({other.range, fmt::format("the other indexing, {}", text(other))});
    }

    const CheckContext& context_;
    std::unordered_map<const ir::BufferNode*, std::vector<Access>> accesses_;
    std::set<const ir::BufferNode*> reported_;
};

}  // namespace

void checkFragments(const CheckContext& context)
{
    FragmentWalk walk(context);
    ir::Visitor& visitor = walk;
    visitor.visit(context.function.body);
}

}  // namespace tw::analysis
