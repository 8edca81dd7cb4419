#include "app/gui/models/tile_layout.h"

#include <QCoreApplication>
#include <QStringList>

#include <bit>
#include <map>

#include "core/ir/visit.h"
#include "core/layout/fragment.h"
#include "core/layout/linear.h"
#include "core/passes/layout_reasons.h"

namespace tw::gui {
namespace {

constexpr int kLanes = 32;
constexpr std::size_t kNamedThreads = 4;

QString layoutText(const char* text) { return QCoreApplication::translate("tw::gui::TileLayout", text); }

class Collector final : public ir::Visitor {
public:
    using ir::Visitor::visit;
    std::vector<TileLayout> found;

    void visit(const ir::Stmt& s) override
    {
        if (const auto* allocate = ir::as<ir::Allocate>(s))
            allocated_[allocate->buffer.get()] = s->where;
        const auto* op = ir::as<ir::OpStmt>(s);
        if (op && op->call.op == ir::OpId::kAnnotateLayout)
            add(*op);
        ir::Visitor::visit(s);
    }

private:
    void add(const ir::OpStmt& op)
    {
        const auto* region = std::get_if<ir::Region>(&op.call.operands.at(0));
        const auto* map = std::get_if<Ref<const ir::LayoutMap>>(&op.call.operands.at(1));
        if (!region || !map || !*map)
            return;
        const ir::BufferNode& buffer = *region->buffer;
        TileLayout layout;
        layout.name = QString::fromStdString(buffer.name);
        layout.type = QString::fromStdString(buffer.dtype.name());
        layout.isFragment = (*map)->thread != nullptr;
        layout.shape = (*map)->shape;
        layout.bits = buffer.dtype.bits();
        layout.where = allocated_.contains(&buffer) ? allocated_[&buffer] : op.where;
        layout.map = *map;
        if (const auto known = index_.find(&buffer); known != index_.end()) {
            found[known->second] = std::move(layout);  // the compiler's stands behind the author's
            return;
        }
        index_[&buffer] = found.size();
        found.push_back(std::move(layout));
    }

    std::map<const ir::BufferNode*, ir::Provenance> allocated_;
    std::map<const ir::BufferNode*, std::size_t> index_;
};

int bitsOf(std::int64_t extent) { return std::countr_zero(static_cast<std::uint64_t>(extent)); }

// The coordinates of a tile, the last axis in the low bits.
std::vector<layout::BitField> coordinateBits(const std::vector<std::int64_t>& shape)
{
    std::vector<layout::BitField> fields;
    for (std::size_t axis = shape.size(); axis-- > 0;)
        fields.push_back({shape.size() <= 3 ? std::string(1, static_cast<char>('i' + axis)) : "i" + std::to_string(axis) + ".", bitsOf(shape[axis])});
    return fields;
}

}  // namespace

QString TileLayout::bitText() const
{
    if (!isFragment) {
        const auto bits = layout::linearOf(*map);
        return bits ? QString::fromStdString(layout::describe(*bits, coordinateBits(shape), {{"element", bits->outputs}})) : QString();
    }
    const auto table = layout::tabulateFragment(*map);
    const auto fragment = table ? layout::fromMap(*map, table->threadCount) : std::nullopt;
    const auto bits = fragment ? layout::linearOf(*fragment) : std::nullopt;
    if (!bits)
        return {};
    return QString::fromStdString(layout::describe(*bits, {{"r", bitsOf(fragment->registers())}, {"t", bitsOf(fragment->threads)}}, coordinateBits(shape)));
}

QString TileLayout::shapeText() const
{
    QStringList parts;
    for (const auto extent : shape)
        parts << QString::number(extent);
    return parts.join(QStringLiteral(" × "));
}

std::vector<TileLayout> collectLayouts(const driver::CompileSnapshot& snapshot)
{
    const auto record = std::find_if(snapshot.passes.begin(), snapshot.passes.end(),
                                     [](const passes::PassRecord& r) { return r.name == "inferLayouts"; });
    if (record == snapshot.passes.end() || !record->after)
        return {};
    Collector collector;
    static_cast<ir::Visitor&>(collector).visit(record->after->body);
    // Buffers of one name (two launches) have their reasons in the same order.
    std::map<std::string, std::size_t> used;
    for (TileLayout& layout : collector.found) {
        const std::string name = layout.name.toStdString();
        std::size_t skip = used[name]++;
        for (const auto& reason : snapshot.layoutReasons) {
            if (reason.buffer != name)
                continue;
            layout.why = QString::fromStdString(snapshot.program ? passes::reasonText(reason, snapshot.program->sources()) : reason.why).trimmed();
            if (skip-- == 0)
                break;
        }
    }
    return std::move(collector.found);
}

std::optional<LayoutPlaces> LayoutPlaces::make(const TileLayout& layout)
{
    LayoutPlaces places;
    places.shape_ = layout.shape;
    places.bits_ = layout.bits;
    if (layout.isFragment)
        places.fragment_ = layout::tabulateFragment(*layout.map);
    else
        places.memory_ = layout::tabulate(*layout.map);
    return places.fragment_ || places.memory_ ? std::optional(std::move(places)) : std::nullopt;
}

std::int64_t LayoutPlaces::count() const
{
    std::int64_t total = 1;
    for (const auto extent : shape_)
        total *= extent;
    return total;
}

std::vector<std::int64_t> LayoutPlaces::coordinates(std::int64_t element) const
{
    std::vector<std::int64_t> at(shape_.size());
    for (std::size_t k = shape_.size(); k-- > 0; element /= shape_[k])
        at[k] = element % shape_[k];
    return at;
}

std::int64_t LayoutPlaces::thread(std::int64_t element, std::int64_t copy) const
{
    return fragment_->threads[static_cast<std::size_t>(element * fragment_->copies + copy)];
}
std::int64_t LayoutPlaces::registerOf(std::int64_t element) const { return fragment_->registers[static_cast<std::size_t>(element)]; }
std::int64_t LayoutPlaces::address(std::int64_t element) const { return memory_->physical[static_cast<std::size_t>(element)] * bits_ / 8; }
std::int64_t LayoutPlaces::bytes() const { return memory_ ? (memory_->size * bits_ + 7) / 8 : 0; }

bool LayoutPlaces::isRowMajor() const
{
    for (std::size_t n = 0; memory_ && n < memory_->physical.size(); ++n)
        if (memory_->physical[n] != static_cast<std::int64_t>(n))
            return false;
    return memory_.has_value();
}

QString LayoutPlaces::coordinateText(std::int64_t element) const
{
    QStringList parts;
    for (const auto c : coordinates(element))
        parts << QString::number(c);
    return QLatin1Char('[') + parts.join(QStringLiteral(", ")) + QLatin1Char(']');
}

QString LayoutPlaces::threadText(std::int64_t element) const
{
    const std::int64_t first = thread(element), last = thread(element, copies() - 1);
    if (copies() == 1)
        return QString::number(first);
    if (last - first + 1 == copies())
        return QStringLiteral("%1–%2").arg(first).arg(last);
    QStringList parts;
    for (std::int64_t c = 0; c < copies() && static_cast<std::size_t>(c) < kNamedThreads; ++c)
        parts << QString::number(thread(element, c));
    return parts.join(QStringLiteral(", ")) + (static_cast<std::size_t>(copies()) > kNamedThreads ? QStringLiteral(", …") : QString());
}

QString LayoutPlaces::describe(std::int64_t element) const
{
    const QString at = coordinateText(element);
    if (!isFragment())
        return layoutText("%1  —  byte %2 of the buffer, bank %3").arg(at).arg(address(element)).arg(bank(element));
    if (copies() > 1)
        return layoutText("%1  —  threads %2 (%3 copies), register %4").arg(at, threadText(element)).arg(copies()).arg(registerOf(element));
    const auto t = thread(element);
    return layoutText("%1  —  thread %2 (warp %3, lane %4), register %5").arg(at).arg(t).arg(t / kLanes).arg(t % kLanes).arg(registerOf(element));
}

}  // namespace tw::gui
