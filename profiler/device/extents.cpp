#include "profiler/device/extents.h"

#include <set>
#include <utility>

#include <fmt/ranges.h>

#include "core/ir/visit.h"
#include "core/support/check.h"
#include "profiler/device/index_value.h"
#include "profiler/device/pointers.h"

namespace tw::device {
namespace {

// How far a chosen extent may move to fit what the kernel assumes.
constexpr std::int64_t kSearchWidth = 8192;
constexpr std::int64_t kLargestExtent = std::int64_t{1} << 40;
// Elements of one tensor: where chosen extents give more than the first, smaller ones are chosen that give at most the second.
constexpr double kMostElements = 1 << 26, kFewerElements = 1 << 24;

struct Unknowns final : ir::Visitor {
    std::set<std::string> names;
    using ir::Visitor::visit;
    void visit(const ir::Expr& e) override
    {
        if (const auto* var = ir::as<ir::VarNode>(e))
            names.insert(var->name);
        ir::Visitor::visit(e);
    }
};

std::set<std::string> variablesOf(const ir::Expr& e)
{
    Unknowns unknowns;
    unknowns.visit(e);
    return unknowns.names;
}

// The host-side conditions: T.assume and assert before the launches.
struct Conditions final : ir::Visitor {
    std::vector<ir::Expr> found;
    using ir::Visitor::visit;
    void visit(const ir::Stmt& s) override
    {
        if (const auto* assertion = ir::as<ir::Assert>(s))
            found.push_back(assertion->condition);
        if (const auto* op = ir::as<ir::OpStmt>(s); op && ir::info(op->call.op).name == "assume" && !op->call.operands.empty())
            if (const auto* condition = std::get_if<ir::Expr>(&op->call.operands[0]))
                found.push_back(*condition);
        ir::Visitor::visit(s);
    }
};

class Resolver {
public:
    Resolver(const ir::Function& function, const ExtentSources& sources) : sources_(sources)
    {
        for (const ir::Var& v : function.symbols)
            symbols_.push_back(v->name);
        for (const ir::Buffer& b : parameterTensors(function))
            if (b)
                tensors_.push_back(b);
        for (const ir::Param& p : function.params)
            if (const auto* var = std::get_if<ir::Var>(&p.value); var && (*var)->dtype.isInteger())
                scalars_.insert((*var)->name);
        for (const ir::Buffer& b : tensors_)
            for (const ir::Expr& e : b->shape)
                for (const std::string& name : variablesOf(e))
                    if (scalars_.contains(name) && std::find(symbols_.begin(), symbols_.end(), name) == symbols_.end())
                        symbols_.push_back(name);
        Conditions conditions;
        if (function.body)
            conditions.visit(function.body);
        conditions_ = std::move(conditions.found);
    }

    tl::expected<ResolvedExtents, std::string> run()
    {
        for (const auto& [name, value] : sources_.given)
            if (isSymbol(name))
                out_.values[name] = value;
        solveFromInputs();
        if (error_.empty())
            checkInputs();
        if (!error_.empty())
            return tl::unexpected(error_);
        for (const std::string& name : symbols_)
            if (const auto call = sources_.call.find(name); !out_.values.contains(name) && call != sources_.call.end())
                out_.values[name] = call->second;
        const ResolvedExtents known = out_;
        chooseShapes(sources_.chosen);
        const bool isLarge = error_.empty() && largestTensor() > kMostElements;
        for (std::int64_t fewer = sources_.chosen / 2; isLarge && fewer > 0 && largestTensor() > kFewerElements; fewer /= 2) {
            const ResolvedExtents before = std::exchange(out_, known);
            chooseShapes(fewer);
            if (!error_.empty()) {  // nothing so small fits
                error_.clear();
                out_ = before;
                break;
            }
        }
        solveStrides();
        checkShapes();
        if (!error_.empty())
            return tl::unexpected(error_);
        return std::move(out_);
    }

private:
    bool isSymbol(const std::string& name) const { return std::find(symbols_.begin(), symbols_.end(), name) != symbols_.end(); }

    LeafValue leaf(const std::string& extra = {}, std::int64_t value = 0) const
    {
        return [this, extra, value](const ir::Expr& e) -> std::optional<std::int64_t> {
            const auto* var = ir::as<ir::VarNode>(e);
            if (!var)
                return std::nullopt;
            if (!extra.empty() && var->name == extra)
                return value;
            const auto found = out_.values.find(var->name);
            return found == out_.values.end() ? std::nullopt : std::optional(found->second);
        };
    }

    // The one unknown variable of `e`, if it has exactly one.
    std::optional<std::string> onlyUnknown(const ir::Expr& e) const
    {
        std::optional<std::string> unknown;
        for (const std::string& name : variablesOf(e)) {
            if (out_.values.contains(name))
                continue;
            if (unknown)
                return std::nullopt;
            unknown = name;
        }
        return unknown;
    }

    // The value of the unknown for which `e` is `wanted`, where `e` is linear in it.
    bool solve(const ir::Expr& e, std::int64_t wanted)
    {
        const auto unknown = onlyUnknown(e);
        if (!unknown)
            return false;
        const auto at0 = indexValue(e, leaf(*unknown, 0)), at1 = indexValue(e, leaf(*unknown, 1));
        if (!at0 || !at1 || *at1 == *at0 || (wanted - *at0) % (*at1 - *at0) != 0)
            return false;
        const std::int64_t value = (wanted - *at0) / (*at1 - *at0);
        if (indexValue(e, leaf(*unknown, value)) != wanted)
            return false;
        out_.values[*unknown] = value;
        return true;
    }

    void solveFromInputs()
    {
        for (bool found = true; found;) {
            found = false;
            for (const ir::Buffer& b : tensors_) {
                const auto input = sources_.inputs.find(b->name);
                if (input == sources_.inputs.end())
                    continue;
                if (input->second.size() != b->shape.size()) {
                    error_ = fmt::format("{} has {} axes, but the given array has shape ({})", b->name, b->shape.size(),
                                         fmt::join(input->second, ", "));
                    return;
                }
                for (std::size_t axis = 0; axis < b->shape.size(); ++axis)
                    found = solve(b->shape[axis], input->second[axis]) || found;
            }
        }
    }

    void checkInputs()
    {
        for (const ir::Buffer& b : tensors_) {
            const auto input = sources_.inputs.find(b->name);
            if (input == sources_.inputs.end())
                continue;
            for (std::size_t axis = 0; axis < b->shape.size(); ++axis) {
                const bool isPackedAxis = b->dtype.bits() < 8 && axis + 1 == b->shape.size();
                const auto extent = indexValue(b->shape[axis], leaf());
                if (extent && *extent != input->second[axis] && !(isPackedAxis && (*extent + 1) / 2 == input->second[axis])) {
                    error_ = fmt::format("axis {} of {} has extent {}, but the given array has {}", axis, b->name, *extent,
                                         input->second[axis]);
                    return;
                }
            }
        }
    }

    bool appearsInShape(const std::string& name) const
    {
        for (const ir::Buffer& b : tensors_)
            for (const ir::Expr& e : b->shape)
                if (variablesOf(e).contains(name))
                    return true;
        return false;
    }

    // Whether nothing that is decidable speaks against `value`: the conditions hold and extents are positive.
    bool fits(const std::string& name, std::int64_t value) const
    {
        const LeafValue values = leaf(name, value);
        for (const ir::Expr& condition : conditions_)
            if (indexValue(condition, values) == std::int64_t{0})
                return false;
        for (const ir::Buffer& b : tensors_)
            for (const ir::Expr& e : b->shape)
                if (const auto extent = indexValue(e, values); extent && *extent < 1)
                    return false;
        return true;
    }

    double largestTensor() const
    {
        double most = 0;
        for (const ir::Buffer& b : tensors_) {
            double elements = 1;
            for (const ir::Expr& e : b->shape)
                elements *= static_cast<double>(indexValue(e, leaf()).value_or(1));
            most = std::max(most, elements);
        }
        return most;
    }

    void chooseShapes(std::int64_t wanted)
    {
        for (const std::string& name : symbols_) {
            if (out_.values.contains(name) || !(scalars_.contains(name) || appearsInShape(name)))
                continue;
            std::optional<std::int64_t> value;
            for (std::int64_t step = 0; step < kSearchWidth && !value; ++step) {
                if (fits(name, wanted + step))
                    value = wanted + step;
                else if (wanted - step >= 1 && fits(name, wanted - step))
                    value = wanted - step;
            }
            if (!value) {
                error_ = fmt::format("no extent near {} fits what the kernel assumes of {}; give --dim {}=VALUE", wanted, name, name);
                return;
            }
            out_.values[name] = *value;
            out_.chosen.push_back(name);
        }
    }

    // Symbols that only strides name: those of a contiguous tensor.
    void solveStrides()
    {
        for (const ir::Buffer& b : tensors_) {
            std::int64_t contiguous = 1;
            for (std::size_t axis = b->strides.size(); axis-- > 0;) {
                solve(b->strides[axis], contiguous);
                if (const auto extent = indexValue(b->shape[axis], leaf()))
                    contiguous *= std::max<std::int64_t>(1, *extent);
            }
        }
        for (const std::string& name : symbols_) {
            if (!out_.values.contains(name) && error_.empty())
                error_ = fmt::format("the extent {} follows from nothing; give --dim {}=VALUE", name, name);
        }
    }

    void checkShapes()
    {
        for (const ir::Buffer& b : tensors_) {
            for (std::size_t axis = 0; axis < b->shape.size() && error_.empty(); ++axis) {
                const auto extent = indexValue(b->shape[axis], leaf());
                if (!extent)
                    error_ = fmt::format("the extent of axis {} of {} follows from nothing; give --dim", axis, b->name);
                else if (*extent < 0 || *extent > kLargestExtent)
                    error_ = fmt::format("axis {} of {} would have extent {}; give another --dim", axis, b->name, *extent);
            }
        }
    }

    const ExtentSources& sources_;
    std::vector<std::string> symbols_;
    std::set<std::string> scalars_;
    std::vector<ir::Buffer> tensors_;
    std::vector<ir::Expr> conditions_;
    ResolvedExtents out_;
    std::string error_;
};

}  // namespace

tl::expected<ResolvedExtents, std::string> resolveExtents(const ir::Function& function, const ExtentSources& sources)
{
    return Resolver(function, sources).run();
}

std::vector<std::int64_t> shapeOf(const ir::Buffer& buffer, const Extents& extents)
{
    std::vector<std::int64_t> shape;
    for (const ir::Expr& e : buffer->shape) {
        const auto value = indexValue(e, [&](const ir::Expr& v) -> std::optional<std::int64_t> {
            const auto* var = ir::as<ir::VarNode>(v);
            const auto found = var ? extents.find(var->name) : extents.end();
            return found == extents.end() ? std::nullopt : std::optional(found->second);
        });
        TW_CHECK(value.has_value() && *value >= 0, "every extent of a parameter follows from its symbols");
        shape.push_back(*value);
    }
    return shape;
}

}  // namespace tw::device
