// Buffers, views of them, and the operands that name them.
#include "core/interp/compiler.h"
#include "core/ir/build.h"
#include "core/support/check.h"

namespace tw::interp {

using ir::DType;
using ir::MemoryScope;

namespace {

const ir::BufferNode& rootOf(const ir::BufferNode& buffer)
{
    const ir::BufferNode* root = &buffer;
    while (root->viewOf)
        root = root->viewOf.get();
    return *root;
}

std::int64_t constantElements(const ir::BufferNode& buffer)
{
    std::int64_t n = 1;
    for (const ir::Expr& extent : buffer.shape) {
        const std::int64_t* value = ir::asInt(extent);
        n *= value ? *value : 1;
    }
    return n;
}

// A reducer adds 16- and 8-bit floats up in float32.
DType storedType(const ir::BufferNode& buffer)
{
    const bool reducer = buffer.scope == MemoryScope::kReducer;
    return reducer && buffer.dtype.isFloating() && buffer.dtype.bits() < 32 ? ir::kFloat32 : buffer.dtype;
}

}  // namespace

Space Compiler::spaceOf(const ir::BufferNode& root) const
{
    if (root.address)
        return Space::kAddress;
    switch (root.scope) {
    case MemoryScope::kGlobal: return Space::kGlobal;
    case MemoryScope::kShared: return Space::kShared;
    case MemoryScope::kFragment: case MemoryScope::kReducer: case MemoryScope::kTensorMemory: return Space::kFragment;
    case MemoryScope::kLocal: case MemoryScope::kVar: case MemoryScope::kDescriptor:
        return parallelStack_.empty() ? Space::kThread : Space::kLane;
    case MemoryScope::kBarrier: case MemoryScope::kClusterBarrier: return Space::kBarrier;
    }
    return Space::kShared;
}

int Compiler::storageOf(const ir::BufferNode& root, Space space)
{
    if (const auto found = storages_.find(&root); found != storages_.end())
        return found->second;
    StorageInfo info{&root, 0, storedType(root)};
    info.bytes = storedType(root).storageBytes(constantElements(root));
    if (space == Space::kThread || space == Space::kLane)
        info.bytes = (info.bytes + 23) / 24 * 24;  // a whole number of elements of every type: rows follow one another
    std::vector<StorageInfo>* list = nullptr;
    switch (space) {
    case Space::kGlobal: list = &p_.globals; break;
    case Space::kShared: list = &p_.shared; break;
    case Space::kFragment: list = &p_.fragments; break;
    case Space::kThread: list = &p_.threads; break;
    case Space::kLane: list = &p_.lanes; break;
    case Space::kBarrier: list = &p_.barriers; break;
    case Space::kAddress: return -1;
    }
    list->push_back(info);
    const int index = static_cast<int>(list->size()) - 1;
    storages_[&root] = index;
    spaces_[&root] = space;
    return index;
}

Number Compiler::number(const ir::Expr& e, std::vector<Value>& temporaries)
{
    if (const std::int64_t* value = ir::asInt(e))
        return {*value, -1};
    const Value v = expr(e);
    temporaries.push_back(v);
    return {0, v.slot};
}

int Compiler::makeBuffer(const ir::Buffer& buffer, std::vector<Value>& temporaries)
{
    const ir::BufferNode& root = rootOf(*buffer);
    BufferInfo info;
    info.node = buffer.get();
    info.type = storedType(*buffer);
    info.space = spaces_.contains(&root) ? spaces_[&root] : spaceOf(root);
    info.storage = storageOf(root, info.space);
    info.isVar = root.scope == MemoryScope::kVar;
    std::int64_t offset = 0;
    for (const ir::BufferNode* b = buffer.get(); b->viewOf; b = b->viewOf.get())
        offset += b->viewOffset;
    const int bits = info.type.bits() * std::max<int>(1, info.type.lanes);
    TW_CHECK(offset * 8 % bits == 0, "a view begins in the middle of an element");
    info.first = offset * 8 / bits;
    info.predicated = (info.space == Space::kGlobal || info.space == Space::kAddress) && p_.safeMemory;
    for (const ir::Expr& extent : buffer->shape)
        info.shape.push_back(number(extent, temporaries));
    // Parameters lie contiguous in host memory whatever their strides.
    if (!buffer->strides.empty() && !p_.tensors.contains(buffer.get())) {
        for (const ir::Expr& stride : buffer->strides)
            info.strides.push_back(number(stride, temporaries));
    } else {
        ir::Expr stride = ir::intImm(1, ir::kInt64);
        info.strides.resize(buffer->shape.size());
        for (std::size_t axis = buffer->shape.size(); axis-- > 0;) {
            info.strides[axis] = number(stride, temporaries);
            stride = ir::mul(stride, ir::cast(ir::kInt64, buffer->shape[axis]));
        }
    }
    if (info.space == Space::kAddress) {
        const Value address = expr(root.address);
        temporaries.push_back(address);
        info.addressSlot = address.slot;
    }
    p_.buffers.push_back(std::move(info));
    return static_cast<int>(p_.buffers.size()) - 1;
}

int Compiler::bufferOf(const ir::Buffer& buffer, std::vector<Value>& temporaries)
{
    if (const auto found = buffers_.find(buffer.get()); found != buffers_.end())
        return found->second;
    std::vector<Value> own;
    const int index = makeBuffer(buffer, own);
    if (own.empty())
        buffers_[buffer.get()] = index;  // nothing to evaluate: good everywhere
    temporaries.insert(temporaries.end(), own.begin(), own.end());
    return index;
}

void Compiler::allocate(const ir::Allocate& s)
{
    const ir::BufferNode& node = *s.buffer;
    if (node.viewOf || node.address)
        return;
    std::vector<Value> own;
    if (inHost_ || node.scope == MemoryScope::kGlobal) {
        if (!parallelStack_.empty()) {
            unsupported(s.where, "a global allocation inside a parallel loop");
            return;
        }
        const int index = makeBuffer(s.buffer, own);
        buffers_[&node] = index;
        for (const Value v : own)  // the extents stay in their slots as long as the buffer lives
            if (v.temporary && !inHost_)
                scopeSlots_.back().push_back(v.slot);
        emit({.op = Op::kAllocate, .extra = index, .where = s.where});
        return;
    }
    storages_.erase(&node);
    spaces_.erase(&node);
    buffers_.erase(&node);
    const int index = bufferOf(s.buffer, own);
    const Space space = p_.buffers[static_cast<std::size_t>(index)].space;
    if (space == Space::kThread || space == Space::kLane)
        emit({.op = Op::kAllocate, .extra = index, .where = s.where});
}

void Compiler::noteUse(const BufferInfo& info, bool store)
{
    if (parallelStack_.empty() || info.space != Space::kThread)
        return;
    ParallelRecord& record = p_.parallels[static_cast<std::size_t>(parallelStack_.back())];
    record.threadBound |= store;
    record.outerLocals.push_back(info.storage);
}

int Compiler::accessOf(const ir::Buffer& buffer, const std::vector<ir::Expr>& indices, std::vector<Value>& temporaries,
                       bool store)
{
    Access access;
    access.buffer = bufferOf(buffer, temporaries);
    noteUse(p_.buffers[static_cast<std::size_t>(access.buffer)], store);
    for (const ir::Expr& index : indices) {
        const Value v = expr(index);
        temporaries.push_back(v);
        access.indices.push_back(v.slot);
    }
    p_.accesses.push_back(std::move(access));
    return static_cast<int>(p_.accesses.size()) - 1;
}

RegionRecord Compiler::regionOf(const ir::Region& region, std::vector<Value>& temporaries)
{
    RegionRecord record;
    record.buffer = bufferOf(region.buffer, temporaries);
    noteUse(p_.buffers[static_cast<std::size_t>(record.buffer)], true);
    for (const ir::Expr& min : region.mins) {
        const Value v = expr(min);
        temporaries.push_back(v);
        record.mins.push_back(v.slot);
    }
    for (const ir::Expr& extent : region.extents) {
        record.extents.push_back(number(extent, temporaries));
        const std::int64_t* value = ir::asInt(extent);
        record.unit.push_back(value && *value == 1);
    }
    return record;
}

}  // namespace tw::interp
