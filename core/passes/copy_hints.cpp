#include "core/passes/copy_hints.h"

#include <fmt/format.h>

#include "core/ir/build.h"
#include "core/ir/call.h"
#include "core/ir/print.h"
#include "core/ir/visit.h"

namespace tw::passes {

namespace {

bool goesToShared(const ir::Buffer& from, const ir::Buffer& to)
{
    return from->scope == ir::MemoryScope::kGlobal && to->scope == ir::MemoryScope::kShared && from->dtype == to->dtype;
}

class FindCopies final : public ir::Visitor {
public:
    bool found = false;
    using ir::Visitor::visit;
    void visit(const ir::Stmt& s) override
    {
        const auto* store = ir::as<ir::Store>(s);
        const auto* load = store ? ir::as<ir::Load>(store->value) : nullptr;
        found = found || (load && goesToShared(load->buffer, store->buffer));
        ir::Visitor::visit(s);
    }
};

}  // namespace

bool wantsAsync(const ir::OpCall& copy, const ir::Provenance& where, PassContext& context)
{
    const auto hint = copy.attrs.find("prefer_instruction");
    const auto* wanted = hint == copy.attrs.end() ? nullptr : std::get_if<std::string>(&hint->second);
    if (copy.op != ir::OpId::kCopy || !wanted || *wanted == "sync")
        return false;
    const bool isTma = *wanted == "tma";
    const ir::Buffer &from = ir::regionOperand(copy, "src")->buffer, &to = ir::regionOperand(copy, "dst")->buffer;
    std::string problem;
    if (isTma ? !context.target.hasTma() : !context.target.hasCpAsync())
        problem = fmt::format("{} has no {}; it begins with {}", context.target.name, isTma ? "TMA" : "cp.async", isTma ? "sm_90" : "sm_80");
    else if (isTma)
        problem = "T.copy does not use the TMA unit by itself; T.tma_copy with a barrier does";
    else if (!goesToShared(from, to))
        problem = fmt::format("cp.async copies from global to shared memory without conversion, not from {} {} to {} {}", ir::scopeName(from->scope),
                              from->dtype.name(), ir::scopeName(to->scope), to->dtype.name());
    if (!problem.empty())
        context.diagnostics.error(Code::kNotSupported, where.range, fmt::format("not supported: prefer_instruction=\"{}\": {}", *wanted, problem));
    return problem.empty();
}

bool wantsAsync(const ir::For& loop, const PassContext& context)
{
    if (loop.loop != ir::ForKind::kParallel || !ir::boolAttr(loop.attrs, "prefer_async", false) || !context.target.hasCpAsync())
        return false;
    FindCopies copies;
    static_cast<ir::Visitor&>(copies).visit(loop.body);
    return copies.found;
}

ir::Stmt finished(const ir::Stmt& started, bool wait)
{
    if (!wait)
        return started;
    const auto op = [&](ir::OpId id, std::vector<ir::Operand> operands) -> ir::Stmt {
        return std::make_shared<ir::OpStmt>(ir::OpCall{id, std::move(operands), {}}, started->where);
    };
    return ir::sequence({started, op(ir::OpId::kCommitGroup, {}), op(ir::OpId::kWaitGroup, {ir::intImm(0)})});
}

}  // namespace tw::passes
