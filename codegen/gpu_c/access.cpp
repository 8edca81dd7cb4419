// Buffers: declarations and elements.
#include <fmt/format.h>

#include "codegen/gpu_c/printer.h"
#include "codegen/gpu_c/vector_body.h"
#include "core/ir/build.h"
#include "core/ir/shape.h"
#include "core/support/check.h"

namespace tw::gpu {

using ir::DType;
using ir::MemoryScope;

namespace {

// What memory holds of a buffer's elements.
std::string storageName(DType type) { return isPacked(type) ? "unsigned char" : typeName(type); }

}  // namespace

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
    const std::int64_t count = isPacked(type) ? type.storageBytes(ir::elementsOnChip(*buffer)) : ir::elementsOnChip(*buffer);
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
        const std::int64_t bytes = type.storageBytes(ir::elementsOnChip(*buffer) * type.lanes), align = spelling_.sharedAlignment(bytes);
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

Text KernelPrinter::element(const ir::Buffer& buffer, const std::vector<ir::Expr>& indices)
{
    const auto packed = [&](const std::string& base, const std::string& at) {
        const char* load = buffer->dtype.isSigned() ? "tw_load_s4" : "tw_load_u4";
        const std::string bits = fmt::format("{}({}, {})", load, base, at);
        return Text{buffer->dtype.isFloating() ? fmt::format("e2m1::of({})", bits) : bits};
    };
    if (const Widened* w = findWidened({buffer, indices}))
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
    if (const Widened* w = findWidened({buffer, indices}))
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

}  // namespace tw::gpu
