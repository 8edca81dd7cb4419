// Buffers: declarations, elements, and loops of wide accesses.
#include <fmt/format.h>

#include "codegen/gpu_c/printer.h"
#include "codegen/gpu_c/widening.h"
#include "core/ir/build.h"
#include "core/ir/visit.h"
#include "core/support/check.h"

namespace tw::gpu {

using ir::DType;
using ir::MemoryScope;

namespace {

bool isPacked(DType type) { return type.lanes == 1 && type.bits() < 8 && type.scalar != ir::Scalar::kFloat4E2M1Unpacked; }
bool isRegister(const ir::Buffer& b)
{
    return b->scope == MemoryScope::kLocal || b->scope == MemoryScope::kFragment || b->scope == MemoryScope::kVar;
}

// What memory holds of a buffer's elements.
std::string storageName(DType type) { return isPacked(type) ? "unsigned char" : typeName(type); }

std::int64_t elementCount(const ir::Buffer& buffer)
{
    std::int64_t count = 1;
    for (const ir::Expr& extent : buffer->shape)
        count *= ir::asInt(extent) ? *ir::asInt(extent) : 1;
    return count;
}

bool mentions(const ir::Expr& e, const ir::ExprNode* var)
{
    struct Finder final : ir::Visitor {
        const ir::ExprNode* var = nullptr;
        bool found = false;
        using ir::Visitor::visit;
        void visit(const ir::Expr& x) override
        {
            found = found || x.get() == var;
            ir::Visitor::visit(x);
        }
    } finder;
    finder.var = var;
    finder.visit(e);
    return finder.found;
}
bool mentions(const std::vector<ir::Expr>& list, const ir::ExprNode* var)
{
    return std::any_of(list.begin(), list.end(), [&](const ir::Expr& e) { return mentions(e, var); });
}

bool sameElement(const ir::Buffer& b, const std::vector<ir::Expr>& i, const ir::Buffer& c, const std::vector<ir::Expr>& j)
{
    if (b != c || i.size() != j.size())
        return false;
    for (std::size_t k = 0; k < i.size(); ++k)
        if (!ir::equal(i[k], j[k]))
            return false;
    return true;
}

// What a vectorized loop does: its stores, and the memory accesses that move with the loop.
struct VectorBody {
    struct Item {
        ir::Buffer buffer;
        std::vector<ir::Expr> indices;
        ir::Expr guard;  // a load happens only where this holds
    };
    std::vector<const ir::Store*> stores;
    std::vector<Item> loads, wides;  // `wides`: stores to memory
    bool simple = true;              // false: must be printed element by element
};

class VectorScan final : public ir::Visitor {
public:
    VectorScan(const ir::ExprNode* var, VectorBody& body) : var_(var), body_(body) {}
    using ir::Visitor::visit;

    void visit(const ir::Stmt& s) override
    {
        if (s->kind == ir::StmtKind::kSeq)
            return ir::Visitor::visit(s);
        const auto* store = ir::as<ir::Store>(s);
        if (!store) {
            body_.simple = false;
            return;
        }
        body_.stores.push_back(store);
        for (const ir::Expr& i : store->indices)
            visit(i);
        visit(store->value);
        if (!isRegister(store->buffer) && mentions(store->indices, var_))
            body_.wides.push_back({store->buffer, store->indices, {}});
        else if (!isRegister(store->buffer))
            body_.simple = false;
    }

    void visit(const ir::Expr& e) override
    {
        if (!e)
            return;
        if (const auto* select = ir::as<ir::Select>(e); select && select->lazy) {
            visit(select->condition);
            guarded(select->then, select->condition);
            guarded(select->otherwise, ir::unary(ir::UnaryOp::kNot, select->condition));
            return;
        }
        if (const auto* load = ir::as<ir::Load>(e); load && !isRegister(load->buffer) && mentions(load->indices, var_))
            add(*load);
        if (const auto* call = ir::as<ir::Call>(e); call && ir::info(call->call.op).effect != ir::Effect::kNone)
            body_.simple = false;
        ir::Visitor::visit(e);
    }

private:
    void guarded(const ir::Expr& e, const ir::Expr& condition)
    {
        const ir::Expr before = guard_;
        guard_ = ir::logicalAnd(guard_, condition);
        visit(e);
        guard_ = before;
    }
    void add(const ir::Load& load)
    {
        if (guard_ && mentions(guard_, var_))
            body_.simple = false;
        for (const VectorBody::Item& known : body_.loads)
            if (sameElement(known.buffer, known.indices, load.buffer, load.indices)) {
                body_.simple = body_.simple && !known.guard == !guard_ && (!guard_ || ir::equal(known.guard, guard_));
                return;
            }
        // A load behind a store to the same memory must see it.
        for (const VectorBody::Item& w : body_.wides)
            body_.simple = body_.simple && rootOf(w.buffer) != rootOf(load.buffer);
        body_.loads.push_back({load.buffer, load.indices, guard_});
    }

    const ir::ExprNode* var_;
    VectorBody& body_;
    ir::Expr guard_;
};

// Casts of what is loaded wide become elements of arrays that are converted as a whole.
class WideCasts final : public ir::Rewriter {
public:
    struct Converted {
        std::size_t load;  // in body.loads
        ir::Buffer buffer;
        std::string function;
    };
    WideCasts(const VectorBody& body, std::int64_t extent) : body_(body), extent_(extent) {}
    std::vector<Converted> made;

    using ir::Rewriter::rewrite;
    ir::Expr rewrite(const ir::Expr& e) override
    {
        const auto* cast = ir::as<ir::Cast>(e);
        const auto* load = cast ? ir::as<ir::Load>(cast->value) : nullptr;
        if (!load)
            return rewriteChildren(e);
        for (std::size_t k = 0; k < body_.loads.size(); ++k)
            if (sameElement(body_.loads[k].buffer, body_.loads[k].indices, load->buffer, load->indices))
                if (const ir::Buffer to = converted(k, e->dtype))
                    return std::make_shared<ir::Load>(e->dtype, to, load->indices, e->where);
        return rewriteChildren(e);
    }

private:
    ir::Buffer converted(std::size_t load, DType to)
    {
        for (const Converted& c : made)
            if (c.load == load && c.buffer->dtype == to)
                return c.buffer;
        const ir::Buffer& from = body_.loads[load].buffer;
        const std::string function = widenFunction(from->dtype, to, extent_);
        if (function.empty())
            return {};
        auto buffer = std::make_shared<ir::BufferNode>(*from);
        buffer->name = from->name + "_" + to.name();
        buffer->dtype = to;
        buffer->scope = MemoryScope::kLocal;
        buffer->viewOf = {};
        made.push_back({load, buffer, function});
        return buffer;
    }

    const VectorBody& body_;
    std::int64_t extent_;
};

}  // namespace

const ir::BufferNode* rootOf(const ir::Buffer& buffer)
{
    const ir::BufferNode* at = buffer.get();
    while (at->viewOf)
        at = at->viewOf.get();
    return at;
}

std::string KernelPrinter::nameOf(const ir::Buffer& buffer)
{
    usedTensors_.insert(buffer.get());
    return buffers_.at(buffer.get());
}

void KernelPrinter::declareView(const ir::Buffer& buffer)
{
    const bool readOnly = !buffer->address && !accesses_[rootOf(buffer)].writes;
    const std::string type = (readOnly ? "const " : "") + storageName(buffer->dtype) + "*";
    std::string from = buffer->address ? value(buffer->address).s : nameOf(buffer->viewOf);
    if (buffer->address && !buffer->address->dtype.isHandle())
        from = "(" + from + ")";
    if (buffer->viewOffset != 0) {
        const bool bytes = storageName(buffer->viewOf->dtype) == "unsigned char";
        from = fmt::format("({}{} + {})", bytes ? "" : "(char*)", from, buffer->viewOffset);
    }
    const std::string name = names_.make(buffer->name);
    buffers_[buffer.get()] = name;
    if (buffer->scope == MemoryScope::kVar)
        return notSupported(buffer->where, "a view of a variable");
    if (buffer->viewOf && buffer->viewOf->scope == MemoryScope::kVar)
        from = "&" + from;
    out_.line(fmt::format("{} const {} = ({}){};", type, name, type, from));
}

void KernelPrinter::declare(const ir::Buffer& buffer, const std::string& initial)
{
    if (!touched_.contains(buffer.get()))
        return;
    if (buffer->viewOf || buffer->address)
        return declareView(buffer);
    const std::string name = names_.make(buffer->name);
    buffers_[buffer.get()] = name;
    const DType type = buffer->dtype;
    if (type.family() == ir::Family::kFloat6)
        return notSupported(buffer->where, "memory of " + type.name());
    const std::int64_t count = isPacked(type) ? type.storageBytes(elementCount(buffer)) : elementCount(buffer);
    const std::string unused = readLocals_.contains(buffer.get()) ? "" : "[[maybe_unused]] ";
    switch (buffer->scope) {
    case MemoryScope::kVar: out_.line(fmt::format("{}{} {}{};", unused, typeName(type), name, initial.empty() ? "" : " = " + initial)); return;
    case MemoryScope::kLocal: case MemoryScope::kFragment:
        out_.line(fmt::format("{}alignas(16) {} {}[{}];", unused, storageName(type), name, count));
        return;
    case MemoryScope::kShared: {
        const auto dynamic = launch_.attrs.find("dynamic_shared_bytes");
        if (!buffer->staticShared && dynamic != launch_.attrs.end()) {
            out_.line(spelling_.sharedArena(name));
            return;
        }
        const std::int64_t bytes = type.storageBytes(elementCount(buffer) * type.lanes), align = spelling_.sharedAlignment(bytes);
        staticShared_ = (staticShared_ + align - 1) / align * align + bytes;
        out_.line(spelling_.sharedArray(storageName(type), name, count, align));
        return;
    }
    case MemoryScope::kBarrier: case MemoryScope::kClusterBarrier:
        staticShared_ = (staticShared_ + 7) / 8 * 8 + 8 * static_cast<std::int64_t>(buffer->arrivals.size());
        out_.line(spelling_.sharedArray("unsigned long long", name, static_cast<std::int64_t>(buffer->arrivals.size()), 8));
        return;
    case MemoryScope::kGlobal: return notSupported(buffer->where, "global memory allocated inside a launch");
    case MemoryScope::kReducer: return notSupported(buffer->where, "a reducer in the thread stage");
    case MemoryScope::kDescriptor: return notSupported(buffer->where, "T.alloc_descriptor");
    case MemoryScope::kTensorMemory: return notSupported(buffer->where, "tensor memory");
    }
}

ir::Expr KernelPrinter::linear(const ir::Buffer& buffer, const std::vector<ir::Expr>& indices) const
{
    ir::Expr sum = ir::intImm(0);
    ir::Expr stride = ir::intImm(1);
    for (std::size_t axis = indices.size(); axis-- > 0;) {
        const ir::Expr by = buffer->strides.empty() ? stride : buffer->strides[axis];
        sum = ir::add(ir::mul(indices[axis], by), sum);
        if (buffer->strides.empty() && axis > 0)
            stride = ir::mul(buffer->shape[axis], stride);
    }
    return facts_.simplify(sum);
}

const KernelPrinter::Widened* KernelPrinter::findWidened(const ir::Buffer& buffer, const std::vector<ir::Expr>& indices) const
{
    for (const Widened& w : widened_)
        if (sameElement(w.buffer, w.indices, buffer, indices))
            return &w;
    return nullptr;
}

Text KernelPrinter::element(const ir::Buffer& buffer, const std::vector<ir::Expr>& indices)
{
    const auto packed = [&](const std::string& base, const std::string& at) {
        const char* load = buffer->dtype.isSigned() ? "tw_load_s4" : "tw_load_u4";
        const std::string bits = fmt::format("{}({}, {})", load, base, at);
        return Text{buffer->dtype.isFloating() ? fmt::format("e2m1::of({})", bits) : bits};
    };
    if (const Widened* w = findWidened(buffer, indices))
        return isPacked(buffer->dtype) ? packed(w->name + ".e", laneName_) : Text{fmt::format("{}[{}]", w->name, laneName_)};
    const std::string name = nameOf(buffer);
    if (buffer->scope == MemoryScope::kVar)
        return {name};
    const std::string at = index(linear(buffer, indices)).s;
    return isPacked(buffer->dtype) ? packed(name, at) : Text{fmt::format("{}[{}]", name, at)};
}

std::string KernelPrinter::elementStore(const ir::Buffer& buffer, const std::vector<ir::Expr>& indices, const std::string& stored)
{
    const std::string bits = buffer->dtype.isFloating() ? stored + ".bits" : fmt::format("(unsigned){}", stored);
    if (const Widened* w = findWidened(buffer, indices))
        return isPacked(buffer->dtype) ? fmt::format("tw_store_4({}.e, {}, {});", w->name, laneName_, bits)
                                       : fmt::format("{}[{}] = {};", w->name, laneName_, stored);
    const std::string name = nameOf(buffer);
    if (buffer->scope == MemoryScope::kVar)
        return fmt::format("{} = {};", name, stored);
    const std::string at = index(linear(buffer, indices)).s;
    if (isPacked(buffer->dtype))
        return fmt::format("tw_store_4{}({}, {}, {});", isRegister(buffer) ? "" : "_atomic", name, at, bits);
    return fmt::format("{}[{}] = {};", name, at, stored);
}

std::string KernelPrinter::address(const ir::Region& region)
{
    const std::string name = nameOf(region.buffer);
    if (region.buffer->scope == MemoryScope::kVar)
        return "&" + name;
    const Text at = index(linear(region.buffer, region.mins));
    if (at.s == "0")
        return name;
    if (isPacked(region.buffer->dtype))
        return fmt::format("{} + {} / 2", name, parenthesized(at, 13));
    return fmt::format("&{}[{}]", name, at.s);
}

// Wide loads, a loop over the lanes, wide stores. False where the loop has to be printed element by element.
bool KernelPrinter::vectorized(const ir::For& loop)
{
    const ir::Axis& axis = loop.axes.front();
    const std::int64_t* begin = ir::asInt(axis.begin);
    const std::int64_t* end = ir::asInt(axis.end);
    if (!begin || !end || !widened_.empty())
        return false;
    const std::int64_t extent = *end - *begin;
    VectorBody body;
    VectorScan scan(axis.var.get(), body);
    scan.visit(loop.body);
    const auto fitsWord = [&](const VectorBody::Item& item) {
        const std::int64_t bits = extent * item.buffer->dtype.bits() * item.buffer->dtype.lanes;
        return bits % 8 == 0 && bits <= 256 && ((bits / 8) & (bits / 8 - 1)) == 0;
    };
    if (!body.simple || extent < 2 || !std::all_of(body.loads.begin(), body.loads.end(), fitsWord) ||
        !std::all_of(body.wides.begin(), body.wides.end(), fitsWord) || (body.loads.empty() && body.wides.empty()))
        return false;
    const auto vectorType = [&](const ir::Buffer& b) {
        if (isPacked(b->dtype))
            return fmt::format("vec<unsigned char, {}>", b->dtype.storageBytes(extent));
        return fmt::format("vec<{}, {}>", typeName(b->dtype), extent);
    };
    const auto firstAddress = [&](const VectorBody::Item& item) {
        ir::Region region{item.buffer, {}, {}};
        for (const ir::Expr& i : item.indices)
            region.mins.push_back(ir::substitute(i, {{axis.var.get(), axis.begin}}));
        return address(region);
    };
    // A copy of neighbouring elements is one line.
    if (body.stores.size() == 1 && body.wides.size() == 1 && body.loads.size() == 1 && !body.loads[0].guard &&
        body.stores[0]->value->kind == ir::ExprKind::kLoad && body.loads[0].buffer->dtype == body.wides[0].buffer->dtype) {
        out_.line(fmt::format("tw_store({}, tw_load<{}>({}));", firstAddress(body.wides[0]), vectorType(body.loads[0].buffer), firstAddress(body.loads[0])));
        return true;
    }
    const std::size_t named = names_.mark();
    out_.line("{");
    out_.indent();
    std::vector<Widened> made;
    for (const VectorBody::Item& load : body.loads) {
        const std::string name = names_.make(load.buffer->name + "_wide");
        const std::string type = vectorType(load.buffer);
        const std::string from = fmt::format("tw_load<{}>({})", type, firstAddress(load));
        out_.line(load.guard ? fmt::format("{} {} = {} ? {} : {}{{}};", type, name, parenthesized(value(load.guard), 4), from, type)
                             : fmt::format("{} {} = {};", type, name, from));
        made.push_back({load.buffer, load.indices, name});
    }
    WideCasts casts(body, extent);
    const ir::Stmt inner = casts.rewrite(loop.body);
    for (const WideCasts::Converted& c : casts.made) {
        const std::string name = names_.make(c.buffer->name);
        out_.line(fmt::format("const vec<{}, {}> {} = {}(&{});", typeName(c.buffer->dtype), extent, name, c.function, made[c.load].name));
        made.push_back({c.buffer, body.loads[c.load].indices, name});
    }
    std::vector<std::pair<std::string, std::string>> stores;
    for (const VectorBody::Item& store : body.wides) {
        std::string name;
        for (const Widened& w : made)
            if (sameElement(w.buffer, w.indices, store.buffer, store.indices))
                name = w.name;  // read, changed, written back
        if (name.empty()) {
            name = names_.make(store.buffer->name + "_wide");
            out_.line(fmt::format("{} {};", vectorType(store.buffer), name));
            made.push_back({store.buffer, store.indices, name});
        }
        const std::pair<std::string, std::string> item{firstAddress(store), name};
        if (std::find(stores.begin(), stores.end(), item) == stores.end())
            stores.push_back(item);
    }
    const std::string var = names_.make(axis.var->name);
    vars_[axis.var.get()] = {var, false};
    laneName_ = *begin == 0 ? var : fmt::format("{} - {}", var, *begin);
    widened_ = std::move(made);
    const auto mark = facts_.mark();
    facts_.bound(axis.var, {*begin, *end - 1});
    out_.directive("#pragma unroll");
    out_.line(fmt::format("for (int {0} = {1}; {0} < {2}; ++{0}) {{", var, *begin, *end));
    out_.indent();
    VectorBody lines;
    VectorScan(axis.var.get(), lines).visit(inner);
    for (const ir::Store* store : lines.stores)
        out_.line(elementStore(store->buffer, store->indices, value(store->value).s));
    out_.outdent();
    out_.line("}");
    facts_.rewind(mark);
    widened_.clear();
    for (const auto& [to, name] : stores)
        out_.line(fmt::format("tw_store({}, {});", to, name));
    out_.outdent();
    out_.line("}");
    names_.rewind(named);
    return true;
}

}  // namespace tw::gpu
