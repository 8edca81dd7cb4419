// Unrolled loops that convert neighbours of a thread's own array of narrow numbers: the array is converted a word at a time in
// front of the loop.
//
//   for r in 8: g[r] = Cast(bf16, f[r]) * s   ->   f_bfloat16 = tw_widen_e4m3<bf16, 8>(f); for r in 8: g[r] = f_bfloat16[r] * s
#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "codegen/gpu_c/printer.h"
#include "codegen/gpu_c/widening.h"
#include "core/ir/build.h"
#include "core/ir/visit.h"

namespace tw::gpu {

namespace {

constexpr std::int64_t kMostConverted = 64;  // elements at once

bool isOwnArray(const ir::Buffer& b) { return b->scope == ir::MemoryScope::kLocal || b->scope == ir::MemoryScope::kFragment; }

struct FoundCast {
    AccessedElement from;
    ir::DType to;
};

// The casts of elements of the thread's arrays, and what the body stores. `simple` false: it is more than stores under conditions.
class CastFinder final : public ir::Visitor {
public:
    std::vector<FoundCast> casts;
    std::set<const ir::BufferNode*> stored;
    bool simple = true;
    using ir::Visitor::visit;
    void visit(const ir::Stmt& s) override
    {
        if (!s)
            return;
        if (const auto* store = ir::as<ir::Store>(s))
            stored.insert(rootOf(store->buffer));
        simple = simple && (s->kind == ir::StmtKind::kSeq || s->kind == ir::StmtKind::kStore || s->kind == ir::StmtKind::kIf);
        ir::Visitor::visit(s);
    }
    void visit(const ir::Expr& e) override
    {
        const auto* cast = e ? ir::as<ir::Cast>(e) : nullptr;
        const auto* load = cast ? ir::as<ir::Load>(cast->value) : nullptr;
        if (load && isOwnArray(load->buffer))
            casts.push_back({{load->buffer, load->indices}, e->dtype});
        ir::Visitor::visit(e);
    }
};

// Casts become elements of the converted arrays.
class CastReplacer final : public ir::Rewriter {
public:
    std::vector<std::pair<FoundCast, ir::Buffer>> converted;
    using ir::Rewriter::rewrite;
    ir::Expr rewrite(const ir::Expr& e) override
    {
        const auto* cast = e ? ir::as<ir::Cast>(e) : nullptr;
        const auto* load = cast ? ir::as<ir::Load>(cast->value) : nullptr;
        if (load)
            for (const auto& [found, buffer] : converted)
                if (found.to == e->dtype && sameElement(found.from, {load->buffer, load->indices}))
                    return std::make_shared<ir::Load>(e->dtype, buffer, load->indices, e->where);
        return rewriteChildren(e);
    }
};

}  // namespace

// Whether an element moves on by one with each iteration, and the first begins a byte.
bool KernelPrinter::isRun(const ir::Buffer& buffer, const std::vector<ir::Expr>& indices, const ir::Axis& axis) const
{
    const auto at = [&](const ir::Expr& i) {
        std::vector<ir::Expr> moved;
        for (const ir::Expr& index : indices)
            moved.push_back(ir::substitute(index, {{axis.var.get(), i}}));
        return linear(buffer, moved);
    };
    const auto step = arith::addScaled(facts_.normalize(at(ir::add(axis.var, ir::intImm(1)))), facts_.normalize(at(axis.var)), -1).asConstant();
    return step == 1 && (buffer->dtype.bits() >= 8 || facts_.divisor(at(axis.begin)) % 2 == 0);
}

bool KernelPrinter::widensRegisters(const ir::For& loop)
{
    const ir::Axis& axis = loop.axes.front();
    const std::int64_t *begin = ir::asInt(axis.begin), *end = ir::asInt(axis.end), *step = axis.step ? ir::asInt(axis.step) : nullptr;
    if (!begin || !end || (axis.step && !(step && *step == 1)) || !widened_.empty() || *end - *begin > kMostConverted || loop.attrs.contains("unroll_factor"))
        return false;
    const std::int64_t extent = *end - *begin;
    CastFinder finder;
    static_cast<ir::Visitor&>(finder).visit(loop.body);
    CastReplacer replacer;
    std::vector<std::pair<FoundCast, std::string>> wanted;
    for (const FoundCast& cast : finder.casts) {
        const ir::Buffer& from = cast.from.buffer;
        const std::string function = extent * from->dtype.bits() % 16 == 0 ? widenFunction(from->dtype, cast.to, extent) : "";
        const bool known = std::ranges::any_of(wanted, [&](const auto& w) { return w.first.to == cast.to && sameElement(w.first.from, cast.from); });
        if (!function.empty() && !known && !finder.stored.contains(rootOf(from)) && isRun(from, cast.from.indices, axis))
            wanted.emplace_back(cast, function);
    }
    if (!finder.simple || wanted.empty())
        return false;
    const std::size_t named = names_.mark();
    out_.line("{");
    out_.indent();
    for (const auto& [cast, function] : wanted) {
        auto buffer = std::make_shared<ir::BufferNode>(*cast.from.buffer);
        buffer->name = names_.make(cast.from.buffer->name + "_" + cast.to.name());
        buffer->dtype = cast.to;
        buffer->viewOf = {};
        out_.line(fmt::format("const vec<{}, {}> {} = {}({});", typeName(cast.to), extent, buffer->name, function, firstAddress(cast.from, axis)));
        widened_.push_back({{buffer, cast.from.indices}, buffer->name});
        replacer.converted.emplace_back(cast, buffer);
    }
    laneLoop(axis, *begin, *end, [&] { block(replacer.rewrite(loop.body)); });
    out_.outdent();
    out_.line("}");
    names_.rewind(named);
    return true;
}

}  // namespace tw::gpu
