#include "core/interp/compiler.h"
#include "core/ir/build.h"
#include "core/ir/visit.h"
#include "core/support/check.h"

namespace tw::interp {

using ir::DType;
using ir::StmtKind;

int Compiler::bindVar(const ir::Var& v)
{
    const int slot = inHost_ ? permanent() : newSlot();
    vars_[v.get()] = {slot, static_cast<int>(parallelStack_.size())};
    if (!inHost_ && !scopeSlots_.empty())
        scopeSlots_.back().push_back(slot);
    return slot;
}

void Compiler::stmt(const ir::Stmt& s)
{
    TW_CHECK(s != nullptr, "a statement is missing");
    const ir::Provenance* const outside = around_;
    if (s->where.range.isKnown())
        around_ = &s->where;
    switch (s->kind) {
    case StmtKind::kSeq: sequence(*ir::as<ir::Seq>(s)); break;
    case StmtKind::kFor: forStmt(*ir::as<ir::For>(s)); break;
    case StmtKind::kWhile: whileStmt(*ir::as<ir::While>(s)); break;
    case StmtKind::kBreak: breakStmt(s, true); break;
    case StmtKind::kContinue: breakStmt(s, false); break;
    case StmtKind::kIf: ifStmt(*ir::as<ir::If>(s)); break;
    case StmtKind::kBind: bind(*ir::as<ir::Bind>(s)); break;
    case StmtKind::kStore: store(*ir::as<ir::Store>(s)); break;
    case StmtKind::kAllocate: allocate(*ir::as<ir::Allocate>(s)); break;
    case StmtKind::kOp: {
        const auto& op = *ir::as<ir::OpStmt>(s);
        release(operation(op.call, ir::kVoid, op.where, false));
        break;
    }
    case StmtKind::kReturn: wantMarker(emit({.op = Op::kReturn, .where = s->where})); break;
    case StmtKind::kLaunch: launchStmt(*ir::as<ir::Launch>(s)); break;
    case StmtKind::kAssert: {
        const auto& a = *ir::as<ir::Assert>(s);
        const Value condition = expr(a.condition);
        p_.messages.push_back(a.message);
        emit({.op = Op::kHostAssert, .a = condition.slot, .extra = static_cast<int>(p_.messages.size()) - 1, .where = a.where});
        release(condition);
        break;
    }
    }
    around_ = outside;
}

// A body: a scope of its own even where it is a single statement.
void Compiler::block(const ir::Stmt& s)
{
    scopeSlots_.emplace_back();
    if (s)
        stmt(s);
    for (const int slot : scopeSlots_.back())
        freeSlots_.push_back(slot);
    scopeSlots_.pop_back();
}

void Compiler::sequence(const ir::Seq& s)
{
    scopeSlots_.emplace_back();
    for (const ir::Stmt& child : s.stmts)
        stmt(child);
    for (const int slot : scopeSlots_.back())
        freeSlots_.push_back(slot);
    scopeSlots_.pop_back();
}

void Compiler::bind(const ir::Bind& s)
{
    const Value v = exprAs(s.value, s.var->dtype);
    if (!v.temporary || inHost_) {
        move(bindVar(s.var), v, s.var->dtype);
        return;
    }
    vars_[s.var.get()] = {v.slot, static_cast<int>(parallelStack_.size())};
    scopeSlots_.back().push_back(v.slot);
}

void Compiler::store(const ir::Store& s)
{
    if (storeAsUpdate(s))
        return;
    std::vector<Value> temporaries;
    const int first = here();
    const Value value = expr(s.value);
    // What nobody wrote is told where it arrives: the tail of a padded tile lies outside of the tensor.
    const bool copies = (function_.stage == ir::Stage::kThread || s.buffer->scope == ir::MemoryScope::kGlobal) && isCopy(s.value);
    for (int k = here() - 1; copies && k >= first; --k)
        if (p_.code[static_cast<std::size_t>(k)].op == Op::kLoad) {
            p_.code[static_cast<std::size_t>(k)].handsOn = true;  // the value's own load comes behind those of its indices
            break;
        }
    const int access = accessOf(s.buffer, s.indices, temporaries, true);
    const DType stored = p_.buffers[static_cast<std::size_t>(p_.accesses[static_cast<std::size_t>(access)].buffer)].type;
    const Value converted = convert(value, s.value->dtype, stored, s.where);
    emit({.op = Op::kStore, .handsOn = copies, .type = stored, .a = converted.slot, .extra = access, .where = s.where});
    release(converted);
    release(temporaries);
}

// acc[i] += v on a reducer: iterations that meet in one element all count, so it is an update, not a load and a store.
bool Compiler::storeAsUpdate(const ir::Store& s)
{
    const ir::BufferNode& buffer = *s.buffer;
    const bool reducer = buffer.scope == ir::MemoryScope::kReducer || !buffer.replication.empty();
    if (!reducer || parallelStack_.empty())
        return false;
    ir::Expr value = s.value;
    while (const auto* cast = ir::as<ir::Cast>(value))
        value = cast->value;
    const auto* op = ir::as<ir::Binary>(value);
    if (!op)
        return false;
    const auto isSelf = [&](ir::Expr e) {
        while (const auto* cast = ir::as<ir::Cast>(e))
            e = cast->value;
        const auto* load = ir::as<ir::Load>(e);
        if (!load || load->buffer != s.buffer || load->indices.size() != s.indices.size())
            return false;
        for (std::size_t k = 0; k < s.indices.size(); ++k)
            if (!ir::equal(load->indices[k], s.indices[k]))
                return false;
        return true;
    };
    const ir::Expr contribution = isSelf(op->a) ? op->b : isSelf(op->b) ? op->a : ir::Expr{};
    if (!contribution)
        return false;
    ir::Region element{s.buffer, s.indices, std::vector<ir::Expr>(s.indices.size(), ir::intImm(1))};
    ir::OpCall call{ir::OpId::kReducerUpdate, {element, contribution}, {}};
    release(operation(call, ir::kVoid, s.where, false));
    return true;
}

void Compiler::ifStmt(const ir::If& s)
{
    const Value condition = convert(expr(s.condition), s.condition->dtype, ir::kBool, s.where);
    Instr test{.op = Op::kIf, .a = condition.slot, .where = s.where};
    test.heavy = isHeavy(s.then) || (s.otherwise && isHeavy(s.otherwise));
    std::vector<int> joins{-1, -1};
    const bool inHeavyLoop = !loops_.empty() && !loops_.back().parallel;
    bool breaks = false;
    bool continues = false;
    if (inHeavyLoop) {
        breaks = exitsLoop(s.then, true) || (s.otherwise && exitsLoop(s.otherwise, true));
        continues = exitsLoop(s.then, false) || (s.otherwise && exitsLoop(s.otherwise, false));
        test.heavy |= breaks || continues;
    }
    if (breaks || continues) {
        p_.lists.push_back(joins);
        test.extra = static_cast<int>(p_.lists.size()) - 1;
        if (breaks)
            loops_.back().joins.emplace_back(test.extra, 0);
        if (continues)
            loops_.back().joins.emplace_back(test.extra, 1);
    }
    const int at = emit(test);
    release(condition);
    openMarker();
    block(s.then);
    int otherwise = -1;
    if (s.otherwise) {
        otherwise = emit({.op = Op::kElse, .where = s.where});
        closeMarker(otherwise);
        openMarker();
        block(s.otherwise);
    }
    const int end = emit({.op = Op::kEndIf, .where = s.where});
    closeMarker(end);
    wantMarker(end);
    p_.code[static_cast<std::size_t>(at)].target = otherwise >= 0 ? otherwise : end;
    if (otherwise >= 0)
        p_.code[static_cast<std::size_t>(otherwise)].target = end;
}

// The place where a loop is left, and the targets of its breaks and continues.
void Compiler::loopEnd(int next, bool heavy, const ir::Provenance& where)
{
    const int end = emit({.op = Op::kLoopEnd, .heavy = heavy, .where = where});
    wantMarker(end);
    OpenLoop& loop = loops_.back();
    for (const int user : loop.wantEnd)
        p_.code[static_cast<std::size_t>(user)].target = end;
    for (const int user : loop.wantNext)
        p_.code[static_cast<std::size_t>(user)].target = next;
    for (const auto& [list, position] : loop.joins)
        p_.lists[static_cast<std::size_t>(list)][static_cast<std::size_t>(position)] = position == 0 ? end : next;
    loops_.pop_back();
}

void Compiler::forStmt(const ir::For& s)
{
    switch (s.loop) {
    case ir::ForKind::kParallel: parallelFor(s); break;
    case ir::ForKind::kPersistent: persistentFor(s); break;
    default: serialFor(s); break;
    }
}

void Compiler::serialFor(const ir::For& s)
{
    const ir::Axis& axis = s.axes.at(0);
    const DType type = axis.var->dtype;
    const Value begin = exprAs(axis.begin, type);
    const Value end = exprAs(axis.end, type);
    const Value step = axis.step ? exprAs(axis.step, type) : Value{intConstant(1), false};
    scopeSlots_.emplace_back();
    const int var = bindVar(axis.var);
    p_.fors.push_back({var, begin.slot, end.slot, step.slot, type, s.loop == ir::ForKind::kVectorized});
    const int record = static_cast<int>(p_.fors.size()) - 1;
    const bool heavy = isHeavy(s.body);
    loops_.emplace_back();
    loops_.back().parallel = !heavy;
    const int at = emit({.op = Op::kFor, .heavy = heavy, .extra = record, .where = s.where});
    release(begin);
    release(end);
    release(step);
    loops_.back().wantEnd.push_back(at);
    openMarker();
    block(s.body);
    const int next = emit({.op = Op::kForNext, .heavy = heavy, .outer = at + 1, .extra = record, .where = s.where});
    closeMarker(next);
    p_.code[static_cast<std::size_t>(next)].outer = at + 1;  // the body's first instruction
    loops_.back().wantEnd.push_back(next);
    loopEnd(next, heavy, s.where);
    for (const int slot : scopeSlots_.back())
        freeSlots_.push_back(slot);
    scopeSlots_.pop_back();
}

void Compiler::parallelFor(const ir::For& s)
{
    std::vector<ir::Axis> axes = s.axes;
    const ir::Stmt* body = &s.body;
    if (!parallelStack_.empty()) {  // inside an iteration of another one: in order
        ir::Stmt nest = s.body;
        for (std::size_t k = axes.size(); k-- > 0;)
            nest = std::make_shared<const ir::For>(ir::ForKind::kSerial, std::vector<ir::Axis>{axes[k]}, nest, ir::Attrs{},
                                                   s.where);
        stmt(nest);
        return;
    }
    // A nest of parallel loops is one loop.
    while (const auto* inner = ir::as<ir::For>(*body)) {
        if (inner->loop != ir::ForKind::kParallel)
            break;
        axes.insert(axes.end(), inner->axes.begin(), inner->axes.end());
        body = &inner->body;
    }
    std::vector<Value> bounds;
    const int record = static_cast<int>(p_.parallels.size());
    p_.parallels.emplace_back();
    for (const ir::Axis& axis : axes) {
        bounds.push_back(expr(axis.begin));
        p_.parallels.back().begins.push_back(bounds.back().slot);
        bounds.push_back(expr(axis.end));
        p_.parallels.back().ends.push_back(bounds.back().slot);
    }
    const int at = emit({.op = Op::kParallel, .extra = record, .where = s.where});
    release(bounds);
    parallelStack_.push_back(record);
    scopeSlots_.emplace_back();
    for (const ir::Axis& axis : axes) {
        const int var = bindVar(axis.var);
        p_.parallels[static_cast<std::size_t>(record)].vars.push_back(var);
    }
    loops_.emplace_back();
    loops_.back().parallel = true;
    openMarker();
    block(*body);
    const int next = emit({.op = Op::kParallelNext, .extra = record, .where = s.where});
    closeMarker(next);
    p_.code[static_cast<std::size_t>(next)].target = at + 1;
    p_.code[static_cast<std::size_t>(at)].target = next + 1;
    for (const int user : loops_.back().wantNext)
        p_.code[static_cast<std::size_t>(user)].target = next;
    for (const int user : loops_.back().wantEnd)
        p_.code[static_cast<std::size_t>(user)].target = next;
    loops_.pop_back();
    for (const int slot : scopeSlots_.back())
        freeSlots_.push_back(slot);
    scopeSlots_.pop_back();
    parallelStack_.pop_back();
}

void Compiler::persistentFor(const ir::For& s)
{
    TW_CHECK(s.persistent.has_value(), "a persistent loop has no wave");
    PersistentRecord record;
    std::vector<Value> values;
    const auto keep = [&](const ir::Expr& e) {
        values.push_back(expr(e));
        return values.back().slot;
    };
    for (const ir::Axis& axis : s.axes)
        record.extents.push_back(keep(axis.end));
    record.waveSize = keep(s.persistent->waveSize);
    record.index = keep(s.persistent->index);
    record.groupSize = s.persistent->groupSize ? keep(s.persistent->groupSize) : intConstant(8);
    scopeSlots_.emplace_back();
    for (const ir::Axis& axis : s.axes)
        record.vars.push_back(bindVar(axis.var));
    p_.persistents.push_back(record);
    const int index = static_cast<int>(p_.persistents.size()) - 1;
    const bool heavy = isHeavy(s.body);
    loops_.emplace_back();
    loops_.back().parallel = !heavy;
    const int at = emit({.op = Op::kPersistent, .heavy = heavy, .extra = index, .where = s.where});
    release(values);
    loops_.back().wantEnd.push_back(at);
    openMarker();
    block(s.body);
    const int next = emit({.op = Op::kPersistentNext, .heavy = heavy, .extra = index, .where = s.where});
    closeMarker(next);
    p_.code[static_cast<std::size_t>(next)].outer = at + 1;
    loops_.back().wantEnd.push_back(next);
    loopEnd(next, heavy, s.where);
    for (const int slot : scopeSlots_.back())
        freeSlots_.push_back(slot);
    scopeSlots_.pop_back();
}

void Compiler::whileStmt(const ir::While& s)
{
    const bool heavy = isHeavy(s.body);
    loops_.emplace_back();
    loops_.back().parallel = !heavy;
    emit({.op = Op::kWhile, .heavy = heavy, .where = s.where});
    const int condition = here();
    openMarker();
    const Value v = convert(expr(s.condition), s.condition->dtype, ir::kBool, s.where);
    const int test = emit({.op = Op::kWhileTest, .heavy = heavy, .a = v.slot, .where = s.where});
    release(v);
    loops_.back().wantEnd.push_back(test);
    block(s.body);
    const int next = emit({.op = Op::kWhileNext, .heavy = heavy, .where = s.where});
    closeMarker(next);
    p_.code[static_cast<std::size_t>(next)].outer = condition;
    loops_.back().wantEnd.push_back(next);
    loopEnd(next, heavy, s.where);
}

void Compiler::breakStmt(const ir::Stmt& s, bool isBreak)
{
    if (loops_.empty())
        return;
    const int at = emit({.op = isBreak ? Op::kBreak : Op::kContinue, .where = s->where});
    wantMarker(at);
    (isBreak ? loops_.back().wantEnd : loops_.back().wantNext).push_back(at);
}

void Compiler::launchStmt(const ir::Launch& s)
{
    if (s.attrs.contains("source")) {
        unsupported(s.where, "a kernel written in CUDA");
        return;
    }
    LaunchRecord record;
    record.launch = &s;
    std::vector<Value> values;
    for (const ir::Expr& extent : s.grid) {
        values.push_back(expr(extent));
        record.grid.push_back(values.back().slot);
    }
    launches_.push_back(&s);
    p_.launches.push_back(record);
    emit({.op = Op::kLaunch, .extra = static_cast<int>(p_.launches.size()) - 1, .where = s.where});
    release(values);
}

}  // namespace tw::interp
