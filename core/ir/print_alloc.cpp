// Allocations and views.
#include <fmt/format.h>

#include "core/ir/build.h"
#include "core/ir/print_stmt.h"

namespace tw::ir {

namespace {

const char* allocatorOf(MemoryScope scope)
{
    switch (scope) {
    case MemoryScope::kGlobal: return "global";
    case MemoryScope::kShared: return "shared";
    case MemoryScope::kFragment: return "fragment";
    case MemoryScope::kLocal: return "local";
    case MemoryScope::kTensorMemory: return "tmem";
    default: return nullptr;
    }
}

}  // namespace

// A view of another buffer or of an address: T.view and T.make_tensor; with strides of its own, tw.view.
std::string StmtPrinter::view(const BufferNode& buffer)
{
    const std::string shape = exprs_.tuple(buffer.shape);
    const std::string type = quoted(buffer.dtype.name());
    const std::string strides = buffer.strides.empty() ? "" : ", strides=" + exprs_.tuple(buffer.strides);
    if (buffer.address)
        return fmt::format("T.make_tensor({}, {}, {}{})", exprs_.expr(buffer.address), shape, type, strides);
    const std::string& base = exprs_.names().of(buffer.viewOf.get());
    if (buffer.scope != buffer.viewOf->scope || !strides.empty() || buffer.viewOffset != 0)
        return fmt::format("{}({}, {}, {}, scope={}{}{})", exprs_.reserved("view"), base, shape, type, quoted(scopeName(buffer.scope)), strides,
                           buffer.viewOffset ? fmt::format(", offset={}", buffer.viewOffset) : "");
    return fmt::format("T.view({}, {}, {})", base, shape, type);
}

std::string StmtPrinter::allocation(const BufferNode& buffer, const Expr& initial)
{
    const std::string shape = exprs_.tuple(buffer.shape);
    const std::string type = quoted(buffer.dtype.name());
    if (buffer.viewOf || buffer.address)
        return view(buffer);
    switch (buffer.scope) {
    case MemoryScope::kVar: return fmt::format("T.alloc_var({}{})", type, initial ? ", " + exprs_.operand(initial) : "");
    case MemoryScope::kBarrier: return fmt::format("T.alloc_barrier([{}])", fmt::join(buffer.arrivals, ", "));
    case MemoryScope::kClusterBarrier: return fmt::format("T.alloc_cluster_barrier([{}])", fmt::join(buffer.arrivals, ", "));
    case MemoryScope::kDescriptor: return fmt::format("T.alloc_descriptor(dtype={})", type);
    default: break;
    }
    if (!buffer.reducer.empty()) {
        const std::string replication = buffer.replication.empty() ? "" : ", replication=" + quoted(buffer.replication);
        return fmt::format("T.alloc_reducer({}, {}, op={}{})", shape, type, quoted(buffer.reducer), replication);
    }
    const char* scope = buffer.staticShared && !buffer.dtype.isBool() ? ", scope=\"shared\"" : "";
    return fmt::format("T.alloc_{}({}, {}{})", allocatorOf(buffer.scope), shape, type, scope);
}

void StmtPrinter::allocate(const BufferNode& buffer, const Provenance& where, int indent, const Expr& initial)
{
    const std::string value = allocation(buffer, initial);
    lines_.add(indent, fmt::format("{} = {}", exprs_.names().of(&buffer), value), where);
}

}  // namespace tw::ir
