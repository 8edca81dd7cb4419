// On-chip buffers and workspaces that are certainly read before anything has been written to them.
//
// Certain means: no write of the buffer stands before the read in program order, and the read stands under no condition (or
// the launch never writes the buffer at all). What a loop writes further down does not help its first iteration.
#include <set>

#include <fmt/format.h>

#include "core/analysis/checks.h"
#include "core/analysis/effects.h"
#include "core/analysis/walk.h"

namespace tw::analysis {

namespace {

using ir::as;
using ir::MemoryScope;
using Buffers = std::set<const ir::BufferNode*>;

bool startsUndefined(MemoryScope scope)
{
    return scope == MemoryScope::kShared || scope == MemoryScope::kFragment || scope == MemoryScope::kLocal ||
           scope == MemoryScope::kTensorMemory;
}

// Everything that is written somewhere, conditions or not.
class WriteSearch final : public ir::Visitor {
public:
    using ir::Visitor::visit;
    Buffers written;

    void visit(const ir::Stmt& s) override
    {
        if (const auto* store = as<ir::Store>(s))
            written.insert(storageOf(store->buffer.get()));
        ir::Visitor::visit(s);
    }
    void visit(const ir::OpCall& call) override
    {
        for (std::size_t i = 0; i < call.operands.size(); ++i) {
            const auto* region = std::get_if<ir::Region>(&call.operands[i]);
            // Extern code may write what it gets the address of, whatever the stated access.
            if (region && (effectOf(call, i).writes || call.op == ir::OpId::kAddressOf))
                written.insert(storageOf(region->buffer.get()));
        }
        ir::Visitor::visit(call);
    }
};

class InitWalk final : public Walk {
public:
    explicit InitWalk(const CheckContext& context) : context_(context)
    {
        ir::Visitor& search = everything_;
        search.visit(context.function.body);
        for (const ir::Param& param : context.function.params)
            if (const auto* buffer = std::get_if<ir::Buffer>(&param.value))
                parameters_.insert(buffer->get());
    }

    using Walk::visit;
    void visit(const ir::OpCall& call) override
    {
        const ir::Expr clear = ir::info(call.op).cls == ir::OpClass::kProduct && call.op != ir::OpId::kDp4a
                                   ? ir::exprOperand(call, "clear_accum")
                                   : ir::Expr{};
        for (std::size_t i = 0; i < call.operands.size(); ++i) {
            const auto* region = std::get_if<ir::Region>(&call.operands[i]);
            if (!region || !effectOf(call, i).reads || isAnnotation(call))
                continue;
            // clear_accum=(k == 0): whether the result is read is known at run time only.
            const bool isResult = clear && ir::info(call.op).operands[i].role == ir::Role::kReadWrite && !ir::asInt(clear);
            if (!isResult)
                read(*region->buffer, statement() ? statement()->where.range : SourceRange{}, operandName(call, i));
        }
        Walk::visit(call);
        for (std::size_t i = 0; i < call.operands.size(); ++i) {
            const auto* region = std::get_if<ir::Region>(&call.operands[i]);
            if (region && (effectOf(call, i).writes || call.op == ir::OpId::kAddressOf))
                written_.insert(storageOf(region->buffer.get()));
        }
    }

protected:
    void enterExpr(const ir::Expr& e) override
    {
        if (const auto* load = as<ir::Load>(e))
            read(*load->buffer, rangeOf(e), {});
    }
    void leave(const ir::Stmt& s) override
    {
        if (const auto* store = as<ir::Store>(s))
            written_.insert(storageOf(store->buffer.get()));
    }

private:
    static bool isAnnotation(const ir::OpCall& call)
    {
        const auto cls = ir::info(call.op).cls;
        return cls == ir::OpClass::kAnnotation || call.op == ir::OpId::kAddressOf;
    }

    static std::string_view operandName(const ir::OpCall& call, std::size_t index)
    {
        const auto& operand = ir::info(call.op).operands[std::min(index, ir::info(call.op).operands.size() - 1)];
        return ir::info(call.op).cls == ir::OpClass::kProduct && operand.role == ir::Role::kReadWrite ? "accumulator" : "";
    }

    void read(const ir::BufferNode& buffer, const SourceRange& range, std::string_view what)
    {
        const ir::BufferNode* storage = storageOf(&buffer);
        const bool isWorkspace = storage->scope == MemoryScope::kGlobal && !parameters_.contains(storage);
        if ((!startsUndefined(storage->scope) && !isWorkspace) || written_.contains(storage) || storage->address)
            return;
        // Another block, or an earlier iteration, may have written a workspace: only one that nobody writes is certain.
        const bool certain = (guards().empty() && !insideWhile() && !isWorkspace) || !everything_.written.contains(storage);
        if (!certain || !reported_.insert(storage).second)
            return;
        const std::string remedy = what == "accumulator" ? "T.clear it first, or give clear_accum=True"
                                   : isWorkspace         ? "nothing in this function stores to it"
                                                         : "T.clear or T.fill it first";
        // A whole array of the array dialect is read at the statement; its loads stand where it was made.
        const SourceRange at = range == storage->where.range && statement() ? statement()->where.range : range;
        context_.diagnostics
            .error(Code::kUninitialized, at, fmt::format("{} is read before anything is written to it; {}", buffer.name, remedy))
            .notes.push_back({storage->where.range, fmt::format("{} is allocated here, uninitialised", storage->name)});
    }

    const CheckContext& context_;
    WriteSearch everything_;
    Buffers parameters_, written_, reported_;
};

}  // namespace

void checkInitialization(const CheckContext& context)
{
    InitWalk walk(context);
    ir::Visitor& visitor = walk;
    visitor.visit(context.function.body);
}

}  // namespace tw::analysis
