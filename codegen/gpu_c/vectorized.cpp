// Loops of wide accesses: wide loads, a loop over the lanes, wide stores.
#include <algorithm>

#include <fmt/format.h>

#include "codegen/gpu_c/printer.h"
#include "codegen/gpu_c/vector_body.h"

namespace tw::gpu {

std::string KernelPrinter::firstAddress(const AccessedElement& element, const ir::Axis& axis)
{
    ir::Region region{element.buffer, {}, {}};
    for (const ir::Expr& i : element.indices)
        region.mins.push_back(ir::substitute(i, {{axis.var.get(), axis.begin}}));
    return address(region);
}

std::string KernelPrinter::vectorType(const ir::Buffer& buffer, std::int64_t extent)
{
    if (isPacked(buffer->dtype))
        return fmt::format("vec<unsigned char, {}>", buffer->dtype.storageBytes(extent));
    return fmt::format("vec<{}, {}>", typeName(buffer->dtype), extent);
}

const KernelPrinter::Widened* KernelPrinter::findWidened(const AccessedElement& element) const
{
    const auto found = std::find_if(widened_.begin(), widened_.end(), [&](const Widened& w) { return sameElement(w.element, element); });
    return found == widened_.end() ? nullptr : &*found;
}

void KernelPrinter::laneLoop(const ir::Axis& axis, std::int64_t begin, std::int64_t end, const std::function<void()>& body)
{
    const std::string var = names_.make(axis.var->name);
    vars_[axis.var.get()] = {var, false};
    laneName_ = begin == 0 ? var : fmt::format("{} - {}", var, begin);
    const auto mark = facts_.mark();
    facts_.bound(axis.var, {begin, end - 1});
    out_.directive("#pragma unroll");
    out_.line(fmt::format("for (int {0} = {1}; {0} < {2}; ++{0}) {{", var, begin, end));
    body();
    out_.line("}");
    facts_.rewind(mark);
    widened_.clear();
}

std::vector<KernelPrinter::Widened> KernelPrinter::loadWide(const VectorBody& body, const ir::Axis& axis, std::int64_t extent)
{
    std::vector<Widened> made;
    for (const auto& [element, guard] : body.loads) {
        const std::string name = names_.make(element.buffer->name + "_wide");
        const std::string type = vectorType(element.buffer, extent);
        const std::string from = fmt::format("tw_load<{}>({})", type, firstAddress(element, axis));
        out_.line(guard ? fmt::format("{} {} = {} ? {} : {}{{}};", type, name, parenthesized(value(guard), 4), from, type)
                        : fmt::format("{} {} = {};", type, name, from));
        made.push_back({element, name});
    }
    return made;
}

std::vector<std::string> KernelPrinter::declareWideStores(const VectorBody& body, const ir::Axis& axis, std::int64_t extent, std::vector<Widened>& made)
{
    std::vector<std::string> stores;
    for (const AccessedElement& element : body.wides) {
        std::string name;
        for (const Widened& w : made)
            if (sameElement(w.element, element))
                name = w.name;  // read, changed, written back
        if (name.empty()) {
            name = names_.make(element.buffer->name + "_wide");
            out_.line(fmt::format("{} {};", vectorType(element.buffer, extent), name));
            made.push_back({element, name});
        }
        std::string line = fmt::format("tw_store({}, {});", firstAddress(element, axis), name);
        if (std::find(stores.begin(), stores.end(), line) == stores.end())
            stores.push_back(std::move(line));
    }
    return stores;
}

// False where the loop has to be printed element by element.
bool KernelPrinter::vectorized(const ir::For& loop)
{
    const ir::Axis& axis = loop.axes.front();
    const std::int64_t* begin = ir::asInt(axis.begin);
    const std::int64_t* end = ir::asInt(axis.end);
    if (!begin || !end || !widened_.empty())
        return false;
    const std::int64_t extent = *end - *begin;
    const VectorBody body(loop.body, axis.var.get());
    if (!body.simple || extent < 2 || !body.fitsWords(extent) || (body.loads.empty() && body.wides.empty()))
        return false;
    if (body.isCopy()) {  // one line
        const AccessedElement& from = body.loads[0].element;
        out_.line(fmt::format("tw_store({}, tw_load<{}>({}));", firstAddress(body.wides[0], axis), vectorType(from.buffer, extent), firstAddress(from, axis)));
        return true;
    }
    const std::size_t named = names_.mark();
    out_.line("{");
    out_.indent();
    std::vector<Widened> made = loadWide(body, axis, extent);
    WideCasts casts(body, extent);
    const ir::Stmt inner = casts.rewrite(loop.body);
    for (const WideCasts::Converted& c : casts.made) {
        const std::string name = names_.make(c.buffer->name);
        out_.line(fmt::format("const vec<{}, {}> {} = {}(&{});", typeName(c.buffer->dtype), extent, name, c.function, made[c.load].name));
        made.push_back({{c.buffer, body.loads[c.load].element.indices}, name});
    }
    const std::vector<std::string> stores = declareWideStores(body, axis, extent, made);
    widened_ = std::move(made);
    laneLoop(axis, *begin, *end, [&] {
        out_.indent();
        for (const ir::Store* store : VectorBody(inner, axis.var.get()).stores)
            out_.line(elementStore(store->buffer, store->indices, value(store->value).s));
        out_.outdent();
    });
    for (const std::string& store : stores)
        out_.line(store);
    out_.outdent();
    out_.line("}");
    names_.rewind(named);
    return true;
}

}  // namespace tw::gpu
