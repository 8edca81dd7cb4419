#include "core/passes/copy_hints.h"

#include <algorithm>

#include <fmt/format.h>

#include "core/ir/build.h"
#include "core/ir/call.h"
#include "core/ir/print.h"
#include "core/ir/visit.h"
#include "core/passes/lower_bulk_copy.h"
#include "core/support/hint.h"

namespace tw::passes {

namespace {

bool goesToShared(const ir::Buffer& from, const ir::Buffer& to)
{
    return from->scope == ir::MemoryScope::kGlobal && to->scope == ir::MemoryScope::kShared && from->dtype == to->dtype;
}

const std::string* hintOf(const ir::OpCall& copy)
{
    const auto hint = copy.attrs.find("prefer_instruction");
    return hint == copy.attrs.end() ? nullptr : std::get_if<std::string>(&hint->second);
}

void warn(const std::string& wanted, const std::string& problem, const ir::Provenance& where, PassContext& context)
{
    hintIgnored(context.diagnostics, where.range,
                fmt::format("prefer_instruction=\"{}\" has no effect: {}; the threads copy by loads and stores instead", wanted, problem));
}

class FindHints final : public ir::Visitor {
public:
    std::vector<std::pair<SourceRange, std::string>> found;
    using ir::Visitor::visit;
    void visit(const ir::Stmt& s) override
    {
        const auto* op = ir::as<ir::OpStmt>(s);
        if (const std::string* hint = op && op->call.op == ir::OpId::kCopy ? hintOf(op->call) : nullptr)
            found.emplace_back(s->where.range, *hint);
        ir::Visitor::visit(s);
    }
};

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

bool wantsBulk(const ir::OpCall& copy, std::string problem, const ir::Provenance& where, PassContext& context)
{
    const std::string* wanted = hintOf(copy);
    if (copy.op != ir::OpId::kCopy || !wanted || *wanted != "tma")
        return false;
    if (!context.target.hasTma())
        problem = fmt::format("{} has no TMA unit; it begins with sm_90", context.target.name);
    else if (problem.empty())
        problem = bulkCopyProblem(copy);
    if (!problem.empty())
        warn(*wanted, problem, where, context);
    return problem.empty();
}

bool wantsAsync(const ir::OpCall& copy, const ir::Provenance& where, PassContext& context)
{
    const std::string* wanted = hintOf(copy);
    if (copy.op != ir::OpId::kCopy || !wanted || *wanted != "cp_async")
        return false;
    const ir::Buffer &from = ir::regionOperand(copy, "src")->buffer, &to = ir::regionOperand(copy, "dst")->buffer;
    std::string problem;
    if (!context.target.hasCpAsync())
        problem = fmt::format("{} has no cp.async; it begins with sm_80", context.target.name);
    else if (!goesToShared(from, to))
        problem = fmt::format("cp.async copies from global to shared memory without conversion, not from {} {} to {} {}", ir::scopeName(from->scope),
                              from->dtype.name(), ir::scopeName(to->scope), to->dtype.name());
    if (!problem.empty())
        warn(*wanted, problem, where, context);
    return problem.empty();
}

bool wantsAsync(const ir::For& loop, PassContext& context)
{
    if (loop.loop != ir::ForKind::kParallel || !ir::boolAttr(loop.attrs, "prefer_async", false))
        return false;
    FindCopies copies;
    static_cast<ir::Visitor&>(copies).visit(loop.body);
    if (copies.found && context.target.hasCpAsync())
        return true;
    hintIgnored(context.diagnostics, loop.where.range,
                copies.found ? fmt::format("prefer_async has no effect: {} has no cp.async; it begins with sm_80", context.target.name)
                             : std::string("prefer_async has no effect: no element of global memory goes to shared memory as it is in this loop"));
    return false;
}

void reportAheadBy(const ir::Stmt& before, const ir::Stmt& after, bool byRegisters, PassContext& context)
{
    FindHints wished, left;
    static_cast<ir::Visitor&>(wished).visit(before);
    static_cast<ir::Visitor&>(left).visit(after);
    for (const auto& [range, wanted] : wished.found) {
        if (wanted == "sync" || (wanted == "cp_async" && !byRegisters) || std::ranges::find(left.found, std::pair(range, wanted)) != left.found.end())
            continue;
        const char* use = wanted == "tma" ? "; T.tma_copy with barriers uses the TMA unit" : "";
        hintIgnored(context.diagnostics, range,
                    fmt::format("prefer_instruction=\"{}\" has no effect: this pipelined loop runs the copy ahead by {}{}", wanted,
                                byRegisters ? "loads into registers" : "cp.async", use));
    }
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
