#include "core/staging/trace/copy_extents.h"

#include <fmt/format.h>

#include "core/ir/print.h"

namespace tw::staging {

using ir::Expr;
using Form = TileOperand::Form;

namespace {

bool isUnit(const Expr& e) { return ir::isOne(e); }

std::vector<Expr> nonUnit(const std::vector<Expr>& extents)
{
    std::vector<Expr> result;
    for (const auto& e : extents)
        if (!isUnit(e))
            result.push_back(e);
    return result;
}

bool sameExtents(const std::vector<Expr>& a, const std::vector<Expr>& b)
{
    if (a.size() != b.size())
        return false;
    for (std::size_t i = 0; i < a.size(); ++i)
        if (!provablyEqual(a[i], b[i]))
            return false;
    return true;
}

std::string describe(const TileOperand& side)
{
    if (side.form == Form::kBuffer)
        return fmt::format("{} has shape {}", side.region.buffer->name, shapeText(side.region.buffer->shape));
    return fmt::format("{} has extents {}", ir::print(side.region), shapeText(side.region.extents));
}

[[noreturn]] void failShapes(Evaluator& ev, const TileOperand& src, const TileOperand& dst, const std::string& name,
                             const SourceRange& range)
{
    ev.fail(Code::kShapeMismatch, range,
            fmt::format("the shapes of {} do not fit: the source {}, the destination {}", name, describe(src), describe(dst)));
}

// Step 5: pads the shorter list on the left and joins the two axis by axis.
void align(std::vector<Expr>& a, std::vector<Expr>& b)
{
    const std::size_t rank = std::max(a.size(), b.size());
    a.insert(a.begin(), rank - a.size(), ir::intImm(1));
    b.insert(b.begin(), rank - b.size(), ir::intImm(1));
    for (std::size_t i = 0; i < rank; ++i) {
        if (provablyEqual(a[i], b[i]))
            continue;
        if (isUnit(a[i]))
            a[i] = b[i];
        else if (isUnit(b[i]))
            b[i] = a[i];
        else
            a[i] = b[i] = ir::max(a[i], b[i]);
    }
}

// Step 6: the inferred extents on the axes of one side, matched from the right. Empty if an extent has no axis.
std::optional<ir::Region> form(const TileOperand& side, std::vector<Expr> inferred)
{
    ir::Region region = side.region;
    const std::size_t rank = region.mins.size();
    while (inferred.size() > rank) {
        if (!isUnit(inferred.front()))
            return std::nullopt;
        inferred.erase(inferred.begin());
    }
    inferred.insert(inferred.begin(), rank - inferred.size(), ir::intImm(1));
    if (side.form == Form::kAnchor) {
        region.extents = std::move(inferred);
        return region;
    }
    for (std::size_t i = 0; i < rank; ++i)
        if (!provablyEqual(region.extents[i], inferred[i]) && ir::asInt(region.extents[i]) && ir::asInt(inferred[i]))
            region.extents[i] = ir::min(region.extents[i], inferred[i]);
    return region;
}

int depth(ir::MemoryScope scope)
{
    switch (scope) {
    case ir::MemoryScope::kGlobal: return 0;
    case ir::MemoryScope::kShared: return 1;
    default: return 2;
    }
}

// Step 7: the deeper side says how far the loops run; the other side's axes follow it. False if they cannot.
bool follow(ir::Region& leader, ir::Region& follower, bool leaderIsSource)
{
    const auto lead = nonUnit(leader.extents);
    if (nonUnit(follower.extents).size() != lead.size())
        return false;
    std::size_t k = 0;
    for (auto& extent : follower.extents) {
        if (isUnit(extent))
            continue;
        const auto* mine = ir::asInt(extent);
        const auto* wanted = ir::asInt(lead[k]);
        // The destination is certainly smaller than what is copied into it.
        if (mine && wanted && (leaderIsSource ? *mine < *wanted : *mine > *wanted))
            return false;
        extent = lead[k++];
    }
    return true;
}

}  // namespace

CopyRegions inferCopyRegions(Evaluator& ev, const TileOperand& src, const TileOperand& dst, const std::string& name,
                             const SourceRange& range)
{
    if (src.form == Form::kBuffer && dst.form == Form::kBuffer &&
        !sameExtents(nonUnit(src.region.extents), nonUnit(dst.region.extents)))
        failShapes(ev, src, dst, name, range);
    std::vector<Expr> a = src.region.extents, b = dst.region.extents;
    if (src.form == Form::kAnchor)
        a.assign(b.size(), ir::intImm(1));
    if (dst.form == Form::kAnchor)
        b.assign(a.size(), ir::intImm(1));
    if (nonUnit(a).size() != nonUnit(b).size())
        align(a, b);
    auto source = form(src, a);
    auto target = form(dst, b);
    if (!source || !target)
        failShapes(ev, src, dst, name, range);
    const bool targetLeads = depth(target->buffer->scope) > depth(source->buffer->scope);
    const bool fits = targetLeads ? follow(*target, *source, false) : follow(*source, *target, true);
    if (!fits)
        failShapes(ev, src, dst, name, range);
    return {*std::move(source), *std::move(target)};
}

}  // namespace tw::staging
