// Instructions of tensor cores and of the bulk copy engine, and the tensor maps of the latter.
#include <fmt/format.h>

#include "codegen/gpu_c/printer.h"
#include "core/ir/build.h"
#include "core/ir/call.h"
#include "core/ir/visit.h"

namespace tw::gpu {

using ir::OpId;

// Adds the tensor map of a bulk copy's global side; gives its parameter's name.
std::string KernelPrinter::tensorMap(const ir::Region& region, const ir::OpCall& call)
{
    const ir::BufferNode* root = rootOf(region.buffer);
    TensorMap map;
    if (const auto found = roots_.tensors.find(root); found != roots_.tensors.end()) {
        map.index = found->second;
    } else {
        map.isWorkspace = true;
        map.index = static_cast<int>(std::find(roots_.workspaces.begin(), roots_.workspaces.end(), root) - roots_.workspaces.begin());
    }
    map.type = region.buffer->dtype;
    map.shape = region.buffer->shape;
    map.strides = region.buffer->strides;
    ir::Expr stride = ir::intImm(1);
    if (map.strides.empty()) {
        map.strides.resize(map.shape.size());
        for (std::size_t axis = map.shape.size(); axis-- > 0;) {
            map.strides[axis] = stride;
            stride = ir::mul(map.shape[axis], stride);
        }
    }
    for (const ir::Expr& extent : region.extents)
        map.box.push_back(constantOf(extent, 1));
    map.elementStrides.assign(map.box.size(), 1);
    map.swizzleBytes = static_cast<int>(ir::intAttr(call.attrs, "swizzle", 0));
    auto& all = program_.tensorMaps;
    const auto same = std::find_if(all.begin(), all.end(), [&](const TensorMap& m) {
        return m.isWorkspace == map.isWorkspace && m.index == map.index && m.type == map.type && m.box == map.box && m.swizzleBytes == map.swizzleBytes &&
               m.shape.size() == map.shape.size() && std::equal(m.shape.begin(), m.shape.end(), map.shape.begin(), [](const ir::Expr& a, const ir::Expr& b) { return ir::equal(a, b); });
    });
    const int number = static_cast<int>(same - all.begin());
    if (same == all.end())
        all.push_back(std::move(map));
    if (std::find(usedMaps_.begin(), usedMaps_.end(), number) == usedMaps_.end())
        usedMaps_.push_back(number);
    return fmt::format("tensor_map_{}", number);
}

// Operands in the order of the prelude's function: addresses, then coordinates (innermost first) of a bulk copy.
Text KernelPrinter::instruction(const ir::OpCall& call)
{
    const std::string function = spelling_.instruction(call);
    std::vector<std::string> arguments;
    if (call.op == OpId::kMma || call.op == OpId::kWgmma) {
        for (const char* name : {"C", "A", "B"})
            arguments.push_back(address(*ir::regionOperand(call, name)));
        if (call.op == OpId::kWgmma) {
            const ir::Expr scale = ir::exprOperand(call, "scale_d");
            arguments.push_back(scale ? value(ir::cast(ir::kBool, scale)).s : "true");
        }
        return {fmt::format("{}({})", function, fmt::join(arguments, ", "))};
    }
    const bool loads = call.op == OpId::kTmaLoad;
    const ir::Region& global = *ir::regionOperand(call, loads ? "src" : "dst");
    arguments.push_back("&" + tensorMap(global, call));
    arguments.push_back(address(*ir::regionOperand(call, loads ? "dst" : "src")));
    if (loads)
        arguments.push_back(address(*ir::regionOperand(call, "barrier")));
    for (std::size_t axis = global.mins.size(); axis-- > 0;)
        arguments.push_back(value(ir::cast(ir::kInt32, global.mins[axis])).s);
    return {fmt::format("{}({})", function, fmt::join(arguments, ", "))};
}

}  // namespace tw::gpu
