// Wide accesses by hand (T.ldg128 and its like, T.ptx_cp_async) that certainly do not begin at a multiple of their width: a
// GPU stops the launch there.
//
// Tensors and shared buffers begin at multiples of 16 bytes. Terms of the place that are multiples of the width whatever
// their variables are do not matter; where the others are variables of threads, blocks and loops that no condition
// restricts, their first values are tried.
//
// Also, as a warning: code of single threads in which neighbours store the two 4-bit elements of a byte. That is right, and
// takes two atomic operations for each.
#include <algorithm>
#include <numeric>
#include <set>

#include <fmt/format.h>

#include "core/analysis/checks.h"
#include "core/analysis/walk.h"
#include "core/arith/facts.h"
#include "core/ir/build.h"
#include "core/ir/call.h"
#include "core/ir/print.h"
#include "core/ir/search.h"

namespace tw::analysis {

namespace {

using I = std::int64_t;
using ir::Expr;
using ir::OpId;

constexpr int kHalfByte = 4;  // bits
constexpr I kWidest = 128;  // bits; wider accesses are made of such, PTX ISA, "Vectors" of ld and st

class LayoutFinder final : public ir::Visitor {
public:
    std::set<const ir::BufferNode*> arranged;  // by the author: places are not indices
    using ir::Visitor::visit;
    void visit(const ir::OpCall& call) override
    {
        if (call.op == OpId::kAnnotateLayout)
            if (const auto* region = std::get_if<ir::Region>(&call.operands[0]))
                arranged.insert(storageOf(region->buffer.get()));
        ir::Visitor::visit(call);
    }
};

// A variable and the values that it certainly takes: first, first + step, …
struct Values {
    I first = 0, step = 1, count = 1;
};

class AlignmentWalk final : public Walk {
public:
    explicit AlignmentWalk(const CheckContext& context) : context_(context)
    {
        static_cast<ir::Visitor&>(layouts_).visit(context.function.body);
    }

    using Walk::visit;
    void visit(const ir::Stmt& s) override
    {
        if (const auto* launch = ir::as<ir::Launch>(s))
            launchExits_ = leavesEarly(launch->body);
        Walk::visit(s);
    }

    void visit(const ir::OpCall& call) override
    {
        switch (call.op) {
        case OpId::kLdg: case OpId::kLds: check(call, *ir::regionOperand(call, "src"), ir::intAttr(call.attrs, "bits", 0)); break;
        case OpId::kStg: case OpId::kSts: check(call, *ir::regionOperand(call, "dst"), ir::intAttr(call.attrs, "bits", 0)); break;
        case OpId::kCpAsync:
            for (const char* side : {"dst", "src"}) {
                const ir::Region& region = *ir::regionOperand(call, side);
                check(call, region, ir::intAttr(call.attrs, "count", 1) * region.buffer->dtype.bits() * region.buffer->dtype.lanes);
            }
            break;
        default: break;
        }
        Walk::visit(call);
    }

protected:
    void enter(const ir::Stmt& s) override
    {
        const auto* store = ir::as<ir::Store>(s);
        if (store && !parallelNest())
            checkHalves(*store);
    }

private:
    void checkHalves(const ir::Store& store)
    {
        const ir::DType type = store.buffer->dtype;
        const auto scope = storageOf(store.buffer.get())->scope;
        const bool packed = type.bits() == kHalfByte && type.lanes == 1 && type.scalar != ir::Scalar::kFloat4E2M1Unpacked;
        if (!packed || !launch() || (scope != ir::MemoryScope::kGlobal && scope != ir::MemoryScope::kShared))
            return;
        const arith::Affine place = placeOf({store.buffer, store.indices, {}});
        for (std::size_t k = 0; place.valid && k < launch()->threadVars.size(); ++k)
            if (launch()->threads[k] > 1 && place.coefficientOf(launch()->threadVars[k].get()) % 8 != 0) {
                context_.diagnostics.warning(Code::kRace, store.where.range,
                                             fmt::format("neighbouring threads store the two {} elements of one byte of {}, each by two atomic operations; "
                                                         "let a thread store both",
                                                         type.name(), store.buffer->name));
                return;
            }
    }

    // The first bit from the start of the storage; invalid where strides or the start are known at run time.
    [[nodiscard]] arith::Affine placeOf(const ir::Region& region) const
    {
        const ir::BufferNode& buffer = *region.buffer;
        arith::Affine place = arith::Affine::of(0);
        I stride = I{buffer.dtype.bits()} * buffer.dtype.lanes;
        const I unit = stride;
        for (std::size_t axis = region.mins.size(); axis-- > 0;) {
            if (!buffer.strides.empty()) {
                const I* own = ir::asInt(buffer.strides[axis]);
                if (!own)
                    return arith::Affine::unknown();
                stride = *own * unit;
            }
            place = arith::addScaled(place, facts_.normalize(expand(region.mins[axis])), stride);
            const I* extent = ir::asInt(buffer.shape[axis]);
            if (buffer.strides.empty() && axis > 0 && !extent)
                return arith::Affine::unknown();
            stride *= extent ? *extent : 1;
        }
        for (const ir::BufferNode* b = &buffer; b; b = b->viewOf.get()) {
            if (b->address)
                return arith::Affine::unknown();
            place.constant += 8 * b->viewOffset;
        }
        return place;
    }

    // Empty for what is no such variable, or what a condition may restrict.
    [[nodiscard]] std::optional<Values> valuesOf(const ir::OpCall& call, const ir::ExprNode* var) const
    {
        const Expr predicate = call.op == OpId::kLdg || call.op == OpId::kStg ? ir::exprOperand(call, "pred")
                               : call.op == OpId::kCpAsync                    ? ir::exprOperand(call, "predicate")
                                                                              : Expr{};
        const auto restricts = [&](const Expr& condition) { return ir::mentions(condition, var) || ir::hasRuntimeValue(condition); };
        if (launchExits_ || insideWhile() || !launch() || (predicate && restricts(expand(predicate))) ||
            std::ranges::any_of(guards(), [&](const Guard& g) { return restricts(expand(g.condition)); }))
            return {};
        for (std::size_t k = 0; k < launch()->threadVars.size(); ++k)
            if (launch()->threadVars[k].get() == var)
                return Values{0, 1, launch()->threads[k]};
        for (std::size_t k = 0; k < launch()->blockVars.size(); ++k)
            if (const I* extent = ir::asInt(launch()->grid[k]); extent && launch()->blockVars[k].get() == var)
                return Values{0, 1, *extent};
        for (const ir::For* loop : loops())
            for (const ir::Axis& axis : loop->axes) {
                const I *begin = ir::asInt(axis.begin), *end = ir::asInt(axis.end), *step = axis.step ? ir::asInt(axis.step) : nullptr;
                if (axis.var.get() == var && begin && end && (step || !axis.step) && loop->loop != ir::ForKind::kPersistent) {
                    const I by = step ? *step : 1;
                    return by > 0 && *end > *begin ? std::optional(Values{*begin, by, (*end - *begin + by - 1) / by}) : std::nullopt;
                }
            }
        return {};
    }

    void check(const ir::OpCall& call, const ir::Region& region, I bits)
    {
        const I width = std::min(bits, kWidest);
        const auto scope = storageOf(region.buffer.get())->scope;
        if (width <= 8 || (scope != ir::MemoryScope::kGlobal && scope != ir::MemoryScope::kShared) ||
            layouts_.arranged.contains(storageOf(region.buffer.get())))
            return;
        const arith::Affine place = placeOf(region);
        if (!place.valid)
            return;
        std::vector<std::pair<const arith::Term*, Values>> free;
        I first = place.constant;
        for (const arith::Term& term : place.terms) {
            if (term.coefficient * std::max<I>(1, facts_.divisor(term.atom)) % width == 0)
                continue;
            const auto values = valuesOf(call, term.atom.get());
            if (!values)
                return;
            free.emplace_back(&term, *values);
            first += term.coefficient * values->first;
        }
        if (first % width != 0)
            return report(call, region, width, free.empty() ? "" : variables(free, nullptr, 0));
        for (const auto& [term, values] : free)
            for (I n = 1; n < std::min(values.count, width); ++n)
                if (term->coefficient * values.step * n % width != 0)
                    return report(call, region, width, variables(free, term, n));
    }

    // " for tx = 1, k = 0"
    static std::string variables(const std::vector<std::pair<const arith::Term*, Values>>& free, const arith::Term* moved, I by)
    {
        std::string text;
        for (const auto& [term, values] : free)
            text += fmt::format("{}{} = {}", text.empty() ? " for " : ", ", ir::print(term->atom), values.first + (term == moved ? by * values.step : 0));
        return text;
    }

    void report(const ir::OpCall& call, const ir::Region& region, I width, const std::string& where)
    {
        std::string name(ir::info(call.op).name);
        if (call.op != OpId::kCpAsync)
            name += std::to_string(ir::intAttr(call.attrs, "bits", 0));
        std::string place;
        for (const Expr& min : region.mins)
            place += (place.empty() ? "" : ", ") + ir::print(min);
        context_.diagnostics.error(Code::kOutOfBounds, statement() ? statement()->where.range : SourceRange{},
                                   fmt::format("T.{} at {}[{}] moves {} bytes at once and has to begin at a multiple of them, which it does not{}; "
                                               "begin elsewhere or move less at once",
                                               name, region.buffer->name, place, width / 8, where));
    }

    const CheckContext& context_;
    LayoutFinder layouts_;
    arith::Facts facts_;
    bool launchExits_ = false;
};

}  // namespace

void checkAlignment(const CheckContext& context)
{
    AlignmentWalk walk(context);
    walk.visit(context.function.body);
}

}  // namespace tw::analysis
