#include "profiler/analysis/operation_name.h"

#include <algorithm>

#include <fmt/ranges.h>

#include "core/analysis/effects.h"
#include "core/ir/visit.h"

namespace tw::profile_analysis {
namespace {

struct Stores final : ir::Visitor {
    using ir::Visitor::visit;
    std::vector<std::string> names;
    void visit(const ir::Stmt& s) override
    {
        if (const auto* store = ir::as<ir::Store>(s); store && std::find(names.begin(), names.end(), store->buffer->name) == names.end())
            names.push_back(store->buffer->name);
        ir::Visitor::visit(s);
    }
};

}  // namespace

std::string operationName(const ir::OpCall& call)
{
    std::vector<std::string> read, written;
    for (std::size_t i = 0; i < call.operands.size(); ++i) {
        const auto* region = std::get_if<ir::Region>(&call.operands[i]);
        if (!region || !region->buffer)
            continue;
        const analysis::Effect effect = analysis::effectOf(call, i);
        if (effect.writes)
            written.push_back(region->buffer->name);
        else if (effect.reads)
            read.push_back(region->buffer->name);
    }
    std::string name(ir::info(call.op).name);
    if (!read.empty())
        name += fmt::format(" {}", fmt::join(read, ", "));
    if (!written.empty())
        name += fmt::format("{}{}", read.empty() ? " " : " → ", fmt::join(written, ", "));
    return name;
}

std::string nestName(const ir::For& nest)
{
    std::vector<std::string> axes;
    const ir::For* inner = &nest;
    while (inner) {
        for (const ir::Axis& axis : inner->axes)
            axes.push_back(axis.var->name);
        const auto* next = ir::as<ir::For>(inner->body);
        inner = next && next->loop == ir::ForKind::kParallel ? next : nullptr;
    }
    Stores stores;
    stores.visit(nest.body);
    std::string name = fmt::format("parallel {}", fmt::join(axes, ", "));
    return stores.names.empty() ? name : fmt::format("{} → {}", name, fmt::join(stores.names, ", "));
}

}  // namespace tw::profile_analysis
