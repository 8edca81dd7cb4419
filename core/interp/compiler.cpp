#include "core/interp/compiler.h"

#include "core/ir/build.h"
#include "core/ir/visit.h"
#include "core/support/check.h"

namespace tw::interp {

using ir::DType;

namespace {

// Grid-wide barriers need every block of the launch to be there.
class GridSync final : public ir::Visitor {
public:
    using ir::Visitor::visit;
    bool found = false;
    void visit(const ir::OpCall& call) override
    {
        if (call.op == ir::OpId::kSyncGrid || call.op == ir::OpId::kSyncGlobal)
            found = true;
        ir::Visitor::visit(call);
    }
};

}  // namespace

Compiler::Compiler(const ir::Function& function, DiagnosticSink& diagnostics)
    : function_(function), diagnostics_(diagnostics)
{
}

bool Compiler::compile(Program& out)
{
    const auto safe = function_.passConfigs.find("tl.disable_safe_memory_legalize");
    if (safe != function_.passConfigs.end())
        if (const auto* off = std::get_if<bool>(&safe->second))
            p_.safeMemory = !*off;
    compileInputs();
    compileHost();
    inHost_ = false;
    for (std::size_t k = 0; k < launches_.size(); ++k)
        compileLaunch(k);
    out = std::move(p_);
    return !failed_;
}

void Compiler::compileInputs()
{
    scopeSlots_.emplace_back();
    const auto input = [&](const ir::Var& var) {
        const int slot = permanent();
        vars_[var.get()] = {slot, 0};
        p_.inputs[var.get()] = slot;
    };
    for (const ir::Var& symbol : function_.symbols)
        input(symbol);
    for (const ir::Param& param : function_.params)
        if (const auto* var = std::get_if<ir::Var>(&param.value); var && !p_.inputs.contains(var->get()))
            input(*var);
    for (const ir::Param& param : function_.params)
        if (const auto* buffer = std::get_if<ir::Buffer>(&param.value)) {
            const int storage = static_cast<int>(p_.globals.size());
            p_.globals.push_back({buffer->get(), 0, (*buffer)->dtype});
            p_.tensors[buffer->get()] = storage;
            storages_[buffer->get()] = storage;
            spaces_[buffer->get()] = Space::kGlobal;
        }
    // Extents are numbers of the host part: evaluated once, before anything else.
    for (const ir::Param& param : function_.params)
        if (const auto* buffer = std::get_if<ir::Buffer>(&param.value)) {
            std::vector<Value> keep;
            buffers_[buffer->get()] = makeBuffer(*buffer, keep);
        }
}

void Compiler::compileHost()
{
    openMarker();
    stmt(function_.body);
    const int end = emit({.op = Op::kEnd});
    closeMarker(end);
}

void Compiler::compileLaunch(std::size_t index)
{
    const ir::Launch& launch = *launches_[index];
    p_.launches[index].entry = here();
    for (std::size_t k = 0; k < launch.blockVars.size() && k < 3; ++k)
        if (launch.blockVars[k])
            p_.launches[index].blockVars[k] = bindVar(launch.blockVars[k]);
    for (std::size_t k = 0; k < 3; ++k)
        if (launch.threadVars[k])
            p_.launches[index].threadVars[k] = bindVar(launch.threadVars[k]);
    GridSync grid;
    grid.visit(launch.body);
    p_.launches[index].allBlocks = grid.found;
    const auto outside = buffers_;
    openMarker();
    stmt(launch.body);
    const int end = emit({.op = Op::kEnd, .where = launch.where});
    closeMarker(end);
    buffers_ = outside;
}

int Compiler::emit(Instr instr)
{
    if (around_ && !instr.where.range.isKnown())  // what passes made has no place of its own
        instr.where = *around_;
    p_.code.push_back(std::move(instr));
    return here() - 1;
}

int Compiler::newSlot()
{
    if (!freeSlots_.empty()) {
        const int slot = freeSlots_.back();
        freeSlots_.pop_back();
        return slot;
    }
    return p_.slotCount++;
}

int Compiler::permanent() { return p_.slotCount++; }

void Compiler::release(Value v)
{
    if (v.temporary)
        freeSlots_.push_back(v.slot);
}

void Compiler::release(std::vector<Value>& values)
{
    for (const Value v : values)
        release(v);
    values.clear();
}

int Compiler::constantSlot(Lane value, bool isFloat)
{
    const auto key = std::make_pair(isFloat, value.i);
    if (const auto found = constants_.find(key); found != constants_.end())
        return found->second;
    const int slot = permanent();
    constants_[key] = slot;
    p_.constants.emplace_back(slot, value);
    return slot;
}

int Compiler::intConstant(std::int64_t value)
{
    Lane lane{};
    lane.i = value;
    return constantSlot(lane, false);
}

void Compiler::unsupported(const ir::Provenance& where, const std::string& what)
{
    failed_ = true;
    diagnostics_.error(Code::kNotSupported, where.range, "not supported: " + what + " in the interpreter");
}

void Compiler::openMarker() { open_.emplace_back(); }

void Compiler::closeMarker(int pc)
{
    for (const int user : open_.back().wantMarker)
        p_.code[static_cast<std::size_t>(user)].outer = pc;
    open_.pop_back();
}

void Compiler::wantMarker(int pc) { open_.back().wantMarker.push_back(pc); }

}  // namespace tw::interp
