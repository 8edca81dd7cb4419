// T.alloc_*, T.empty and views of run-time addresses (language.md d.2, a.7).
#include <fmt/format.h>

#include "core/ir/print.h"
#include "core/staging/trace/native.h"
#include "core/staging/trace/shapes.h"

namespace tw::staging {

using ir::Expr;
using ir::MemoryScope;

namespace {

std::optional<MemoryScope> parseScope(const std::string& text)
{
    if (text == "global")
        return MemoryScope::kGlobal;
    if (text == "shared" || text == "shared.dyn")
        return MemoryScope::kShared;
    if (text == "local.fragment")
        return MemoryScope::kFragment;
    if (text == "local")
        return MemoryScope::kLocal;
    if (text == "local.var")
        return MemoryScope::kVar;
    return std::nullopt;
}

MemoryScope scopeArgument(const Native& n, const std::string& otherwise, bool& isStatic)
{
    const std::string text = n.text("scope", otherwise);
    const auto scope = parseScope(text);
    if (!scope)
        n.ev.fail(Code::kScopeIllegal, n.range("scope"),
                  fmt::format("'{}' is no memory scope; there are global, shared, shared.dyn, local.fragment, local and local.var", text));
    isStatic = text == "shared";
    return *scope;
}

Value allocateTile(const Native& n, const char* scope, const char* name)
{
    ir::BufferNode node;
    node.name = name;
    node.dtype = requireDType(n.ev, n["dtype"], n.range("dtype"));
    bool isStatic = false;
    node.scope = scopeArgument(n, scope, isStatic);
    node.staticShared = isStatic || (node.scope == MemoryScope::kShared && node.dtype.isBool());
    if (node.scope == MemoryScope::kGlobal) {
        node.shape = globalShape(n, "shape");
        return n.tracer().allocate(std::move(node), n.range());
    }
    node.shape = constantShape(n, "shape");
    return n.launch().allocate(std::move(node), n.range());
}

// T.alloc_var(dtype, init, scope), T.alloc_var(dtype, init), T.alloc_var(dtype, scope).
Value initialValue(const Native& n)
{
    Value init = n.has("init") ? n["init"] : Value(0);
    const auto& extras = n.args.rest();
    if (extras.size() > 2 || (extras.size() == 2 && !extras[1].str()) || (n.has("init") && !extras.empty() && !extras[0].str()))
        n.fail(Code::kCallArguments, fmt::format("{} takes a dtype, one initial value and the scope 'local.var'; for an array use T.alloc_local", n.name));
    for (const auto& extra : extras) {
        if (!extra.str())
            init = extra;
        else if (*extra.str() != "local.var")
            n.fail(Code::kScopeIllegal, fmt::format("a variable lives in local.var, not in '{}'", *extra.str()));
    }
    return init;
}

Value allocateVariable(const Native& n)
{
    Tracer& t = n.launch();
    ir::BufferNode node;
    node.name = "var";
    node.dtype = requireDType(n.ev, n["dtype"], n.range("dtype"));
    node.scope = MemoryScope::kVar;
    node.shape = {ir::intImm(1)};
    const Value init = initialValue(n);
    checkLiteral(n.ev, node.dtype, init, n.range());
    // What the initial value reads is evaluated before the variable exists.
    const Expr value = toType(n.ev, node.dtype, init, n.range(), "the initial value of T.alloc_var");
    const ir::Buffer buffer = t.allocate(std::move(node), n.range());
    t.emitStore(buffer, zeros(1), value, n.range());
    return Value(Value::Storage(VarValue{buffer}));
}

Value allocateBarriers(const Native& n)
{
    ir::BufferNode node;
    node.name = "barrier";
    node.dtype = ir::kUInt64;
    node.scope = static_cast<MemoryScope>(n.row.tag);
    for (const auto& count : itemsOf(n["arrive_count"])) {
        const std::int64_t arrivals = requireInt(n.ev, count, n.range("arrive_count"), fmt::format("an arrival count of {}", n.name));
        if (arrivals < 1)
            n.ev.fail(Code::kValueRange, n.range("arrive_count"), fmt::format("an arrival count must be positive, not {}", arrivals));
        node.arrivals.push_back(arrivals);
    }
    if (node.arrivals.empty())
        n.fail(Code::kValueRange, fmt::format("{} needs at least one arrival count", n.name));
    node.shape = {ir::intImm(static_cast<std::int64_t>(node.arrivals.size()))};
    return n.launch().allocate(std::move(node), n.range());
}

Value allocateReducer(const Native& n)
{
    ir::BufferNode node;
    node.name = "reducer";
    node.dtype = requireDType(n.ev, n["dtype"], n.range("dtype"));
    node.scope = MemoryScope::kReducer;
    node.shape = constantShape(n, "shape");
    node.reducer = n.text("op", "sum");
    static const std::vector<std::string> kOps = {"sum", "max", "min", "bitand", "bitor", "bitxor"};
    if (std::find(kOps.begin(), kOps.end(), node.reducer) == kOps.end())
        n.ev.fail(Code::kValueRange, n.range("op"), fmt::format("'{}' is no reduction; there are sum, max, min, bitand, bitor and bitxor", node.reducer));
    node.replication = n.text("replication");
    if (!node.replication.empty() && node.replication != "all" && node.replication != "none")
        n.ev.fail(Code::kValueRange, n.range("replication"), fmt::format("replication is 'all' or 'none', not '{}'", node.replication));
    return n.launch().allocate(std::move(node), n.range());
}

Value allocateTensorMemory(const Native& n)
{
    ir::BufferNode node;
    node.name = "tmem";
    node.dtype = requireDType(n.ev, n["dtype"], n.range("dtype"));
    node.scope = MemoryScope::kTensorMemory;
    node.shape = constantShape(n, "shape");
    const std::int64_t columns = *ir::asInt(node.shape.back());
    if (node.shape.size() < 2 || columns < 32 || (columns & (columns - 1)) != 0)
        n.ev.fail(Code::kValueRange, n.range("shape"),
                  fmt::format("tensor memory has at least two axes and a power of two of at least 32 columns, not the shape {}", shapeText(node.shape)));
    return n.launch().allocate(std::move(node), n.range());
}

// T.empty((M, N), dt), T.empty(M, N, dtype=dt).
Value makeOutput(const Native& n)
{
    Tracer& t = n.tracer();
    if (t.inLaunch())
        n.fail(Code::kStructure, "T.empty makes an output and belongs before the launch");
    std::vector<Value> shape = n.args.rest();
    Value dtype = n.has("dtype") ? n["dtype"] : Value(ir::kFloat32);
    if (shape.size() == 2 && (shape[1].str() || asDType(shape[1])) && !constantInt(shape[1])) {
        dtype = shape[1];
        shape.pop_back();
    }
    if (shape.size() == 1)
        shape = itemsOf(shape.front());
    ir::BufferNode node;
    node.name = "out";
    node.dtype = requireDType(n.ev, dtype, n.range());
    node.shape = globalExtents(n, shape, n.range());
    return t.makeOutput(std::move(node), n.range());
}

Value makeTensor(const Native& n)
{
    refuseOffset(n);
    ir::BufferNode node;
    node.name = "tensor";
    node.dtype = n.has("dtype") ? requireDType(n.ev, n["dtype"], n.range("dtype")) : ir::kFloat32;
    node.shape = globalShape(n, "shape");
    if (n.has("strides"))
        node.strides = globalShape(n, "strides");
    const Value& pointer = n["ptr"];
    if (const auto buffer = pointer.buffer()) {
        node.viewOf = buffer;
        node.scope = buffer->scope;
    } else {
        const Expr address = toExpr(n.ev, pointer, n.range("ptr"), fmt::format("the address of {}", n.name));
        if (!address->dtype.isHandle() && !address->dtype.isInteger())
            n.ev.fail(Code::kTypeMismatch, n.range("ptr"), fmt::format("an address (T.ptr or an int64) is expected here, not {}", address->dtype.name()));
        node.viewOf = baseOf(address);
        if (node.viewOf)
            node.scope = node.viewOf->scope;
        else
            node.address = address;
    }
    return n.tracer().allocate(std::move(node), n.range());
}

// T.alloc_buffer, T.decl_buffer, T.sblock_alloc_buffer.
Value rawBuffer(const Native& n)
{
    refuseOffset(n);
    if (n.has("data")) {
        const Expr data = toExpr(n.ev, n["data"], n.range("data"), "data");
        if (const auto base = baseOf(data)) {
            ir::BufferNode node;
            node.name = "view";
            node.dtype = n.has("dtype") ? requireDType(n.ev, n["dtype"], n.range("dtype")) : ir::kFloat32;
            node.viewOf = base;
            node.scope = base->scope;
            node.shape = globalShape(n, "shape");
            return n.tracer().allocate(std::move(node), n.range());
        }
    }
    return allocateTile(n, "global", "buffer");
}

constexpr NativeRow kAllocationRows[] = {
    {"alloc_shared", "shape, dtype, scope='shared.dyn'", [](const Native& n) { return allocateTile(n, "shared.dyn", "shared"); }},
    {"alloc_fragment", "shape, dtype, scope='local.fragment'", [](const Native& n) { return allocateTile(n, "local.fragment", "fragment"); }},
    {"alloc_local", "shape, dtype, scope='local'", [](const Native& n) { return allocateTile(n, "local", "local"); }},
    {"alloc_global", "shape, dtype, scope='global'", [](const Native& n) { return allocateTile(n, "global", "workspace"); }},
    {"alloc_var", "dtype, *args, init=None, scope='local.var'", allocateVariable},
    {"alloc_barrier", "arrive_count", allocateBarriers, static_cast<int>(MemoryScope::kBarrier)},
    {"alloc_cluster_barrier", "arrive_count", allocateBarriers, static_cast<int>(MemoryScope::kClusterBarrier)},
    {"alloc_reducer", "shape, dtype, op='sum', replication=None", allocateReducer},
    {"alloc_tmem", "shape, dtype", allocateTensorMemory},
    {"deallocate_tmem", "buffer", [](const Native& n) { (void)n.tile("buffer"); return Value(); }},
    {"empty", "*shape, dtype='float32'", makeOutput},
    {"make_tensor", "ptr, shape, dtype='float32', strides=None", makeTensor},
    {"make_tensor_from_addr", "ptr, shape, dtype='float32', strides=None, storage_scope='global'", makeTensor},
    {"match_buffer", "ptr, shape, dtype='float32', data=None, strides=None, elem_offset=None, scope='global', align=-1, offset_factor=0, buffer_type='', axis_separators=None", makeTensor},
    {"alloc_buffer", "shape, dtype='float32', scope='global', data=None, strides=None, elem_offset=None, align=-1, offset_factor=0, buffer_type='', axis_separators=None", rawBuffer},
    {"sblock_alloc_buffer", "shape, dtype='float32', data=None, strides=None, elem_offset=None, scope='global', align=-1", rawBuffer},
    {"decl_buffer", "shape, dtype='float32', data=None, strides=None, elem_offset=None, scope='global', align=-1, offset_factor=0, buffer_type='', axis_separators=None", rawBuffer},
};

}  // namespace

Rows allocationRows() { return kAllocationRows; }

std::vector<Expr> globalExtents(const Native& n, const std::vector<Value>& items, const SourceRange& range)
{
    constexpr std::size_t kMostAxes = 32;
    if (items.size() > kMostAxes)
        n.ev.fail(Code::kValueRange, range, fmt::format("the shape of {} has {} axes, but at most {} are possible", n.name, items.size(), kMostAxes));
    std::vector<Expr> shape;
    for (const auto& item : items) {
        shape.push_back(toIndex(n.ev, item, range, fmt::format("an extent of {}", n.name)));
        if (const auto* extent = ir::asInt(shape.back()); extent && *extent < 0)
            n.ev.fail(Code::kValueRange, range, fmt::format("an extent of {} is {}, but extents cannot be negative", n.name, *extent));
    }
    if (shape.empty())
        n.ev.fail(Code::kValueRange, range, fmt::format("the shape of {} has no axis", n.name));
    return shape;
}

std::vector<Expr> globalShape(const Native& n, const char* argument)
{
    return globalExtents(n, itemsOf(n[argument]), n.range(argument));
}

std::vector<Expr> constantShape(const Native& n, const char* argument)
{
    constexpr std::int64_t kMost = std::int64_t{1} << 40;  // far beyond every chip; sizes of what is smaller are computed in 64 bits
    auto shape = globalShape(n, argument);
    std::int64_t elements = 1;
    for (std::size_t axis = 0; axis < shape.size(); ++axis) {
        const auto* extent = ir::asInt(shape[axis]);
        if (!extent)
            n.ev.fail(Code::kRuntimeShape, n.range(argument),
                      fmt::format("the shape of {} must be constant at compile time, but axis {} is {}, a run-time value; on-chip "
                                  "memory has a fixed size (pass the extent as a parameter of the factory, or T.const)",
                                  n.name, axis, ir::print(shape[axis])));
        if (*extent < 1)
            n.ev.fail(Code::kValueRange, n.range(argument), fmt::format("axis {} of the shape of {} is {}, but extents must be positive", axis, n.name, *extent));
        if (*extent > kMost / elements)
            n.ev.fail(Code::kCapacity, n.range(argument), fmt::format("{} of shape {} is far larger than the memory of any chip", n.name, shapeText(shape)));
        elements *= *extent;
    }
    return shape;
}

ir::Buffer baseOf(const Expr& address)
{
    const auto* call = ir::as<ir::Call>(address);
    if (!call || call->call.op != ir::OpId::kAccessPtr)
        return nullptr;
    const auto& region = std::get<ir::Region>(call->call.operands.front());
    for (const auto& min : region.mins)
        if (!ir::isZero(min))
            return nullptr;
    return region.buffer;
}

}  // namespace tw::staging
