// Statements, and the frame of a kernel.
#include <fmt/format.h>

#include "codegen/gpu_c/printer.h"
#include "core/ir/build.h"
#include "core/ir/call.h"
#include "core/ir/visit.h"

namespace tw::gpu {

using ir::DType;

namespace {

std::string parenthesized(const Text& t, int level) { return t.level < level ? "(" + t.s + ")" : t.s; }

// Which variables and local buffers are used, and how storage is accessed.
class UseScan final : public ir::Visitor {
public:
    UseScan(std::map<const ir::ExprNode*, int>& uses, std::set<const ir::BufferNode*>& readLocals, std::set<const ir::BufferNode*>& touched,
            std::map<const ir::BufferNode*, Access>& accesses)
        : uses_(uses), readLocals_(readLocals), touched_(touched), accesses_(accesses)
    {
    }
    bool syncsGrid = false;
    using ir::Visitor::visit;

    void visit(const ir::Expr& e) override
    {
        if (!e)
            return;
        if (e->kind == ir::ExprKind::kVar)
            ++uses_[e.get()];
        if (const auto* load = ir::as<ir::Load>(e))
            read(load->buffer);
        ir::Visitor::visit(e);
    }
    void visit(const ir::Stmt& s) override
    {
        if (const auto* store = ir::as<ir::Store>(s))
            write(store->buffer);
        ir::Visitor::visit(s);
    }
    void visit(const ir::OpCall& call) override
    {
        syncsGrid = syncsGrid || call.op == ir::OpId::kSyncGrid || call.op == ir::OpId::kSyncGlobal;
        const ir::OpInfo& op = ir::info(call.op);
        for (std::size_t i = 0; i < call.operands.size(); ++i) {
            const auto* region = std::get_if<ir::Region>(&call.operands[i]);
            if (!region || !region->buffer || op.operands.empty())
                continue;
            const ir::Role role = op.operands[std::min(i, op.operands.size() - 1)].role;
            if (role == ir::Role::kRead || role == ir::Role::kReadWrite || role == ir::Role::kAddress)
                read(region->buffer);
            if (role == ir::Role::kWrite || role == ir::Role::kReadWrite || role == ir::Role::kAddress)
                write(region->buffer);
            if (role == ir::Role::kBarrier)
                read(region->buffer);
        }
        ir::Visitor::visit(call);
    }

private:
    void read(const ir::Buffer& b)
    {
        for (const ir::BufferNode* at = b.get(); at; at = at->viewOf.get())
            readLocals_.insert(at);
        accesses_[rootOf(b)].reads = true;
        touch(b);
    }
    void write(const ir::Buffer& b)
    {
        accesses_[rootOf(b)].writes = true;
        touch(b);
    }
    void touch(const ir::Buffer& b)
    {
        for (const ir::BufferNode* at = b.get(); at; at = at->viewOf.get())
            touched_.insert(at);
        shape(b);
    }
    // Extents and strides take part in the addresses.
    void shape(const ir::Buffer& b)
    {
        if (!shapes_.insert(b.get()).second)
            return;
        for (const ir::Expr& e : b->shape)
            visit(e);
        for (const ir::Expr& e : b->strides)
            visit(e);
        visit(b->address);
        if (b->viewOf)
            shape(b->viewOf);
    }

    std::map<const ir::ExprNode*, int>& uses_;
    std::set<const ir::BufferNode*>& readLocals_;
    std::set<const ir::BufferNode*>& touched_;
    std::map<const ir::BufferNode*, Access>& accesses_;
    std::set<const ir::BufferNode*> shapes_;
};

// Whether evaluating `e` must not be left out.
class EffectScan final : public ir::Visitor {
public:
    bool found = false;
    using ir::Visitor::visit;
    void visit(const ir::OpCall& call) override
    {
        found = found || ir::info(call.op).effect != ir::Effect::kNone;
        ir::Visitor::visit(call);
    }
};

// Whether `e` reads memory or calls something: then it may have another value later.
bool mayChange(const ir::Expr& e)
{
    struct Finder final : ir::Visitor {
        bool found = false;
        using ir::Visitor::visit;
        void visit(const ir::Expr& x) override
        {
            found = found || (x && (x->kind == ir::ExprKind::kLoad || x->kind == ir::ExprKind::kCall));
            ir::Visitor::visit(x);
        }
    } finder;
    finder.visit(e);
    return finder.found;
}

bool loads(const ir::Expr& e, const ir::Buffer& buffer)
{
    struct Finder final : ir::Visitor {
        const ir::BufferNode* buffer = nullptr;
        bool found = false;
        using ir::Visitor::visit;
        void visit(const ir::Expr& x) override
        {
            const auto* load = ir::as<ir::Load>(x);
            found = found || (load && load->buffer.get() == buffer);
            ir::Visitor::visit(x);
        }
    } finder;
    finder.buffer = buffer.get();
    finder.visit(e);
    return finder.found;
}

bool endsBlock(const ir::Stmt& s)
{
    return s->kind == ir::StmtKind::kBreak || s->kind == ir::StmtKind::kContinue || s->kind == ir::StmtKind::kReturn;
}

}  // namespace

KernelPrinter::KernelPrinter(const ir::Function& function, const ir::Launch& launch, const Roots& roots, GpuProgram& program, Spelling& spelling,
                             const SourceSet* sources, DiagnosticSink& diagnostics)
    : function_(function), launch_(launch), roots_(roots), program_(program), spelling_(spelling), diagnostics_(diagnostics), sources_(sources), out_(sources)
{
}

void KernelPrinter::notSupported(const ir::Provenance& where, const std::string& what)
{
    diagnostics_.error(Code::kNotSupported, where.range.isKnown() ? where.range : function_.range, "not supported: " + what);
}

Writer KernelPrinter::print(KernelLaunch& out)
{
    UseScan scan(uses_, readLocals_, touched_, accesses_);
    scan.visit(launch_.body);
    gridSync_ = scan.syncsGrid;
    for (const ir::Var& symbol : function_.symbols)
        facts_.bound(symbol, {0, symbol->dtype.bits() == 64 ? std::optional<std::int64_t>() : INT32_MAX});
    for (const HostAssert& a : program_.asserts)
        facts_.assume(a.condition);
    for (std::size_t axis = 0; axis < launch_.blockVars.size(); ++axis) {
        const std::int64_t* extent = ir::asInt(launch_.grid[axis]);
        facts_.bound(launch_.blockVars[axis], {0, extent ? *extent - 1 : axis == 0 ? std::int64_t{INT32_MAX} - 1 : 65534});
        facts_.assume(ir::less(launch_.blockVars[axis], launch_.grid[axis]));
    }
    for (std::size_t axis = 0; axis < 3; ++axis)
        if (launch_.threadVars[axis])
            facts_.bound(launch_.threadVars[axis], {0, launch_.threads[axis] - 1});

    // What belongs to the whole kernel has its name before any block begins.
    for (const ir::Param& param : function_.params) {
        if (const auto* buffer = std::get_if<ir::Buffer>(&param.value))
            buffers_[buffer->get()] = names_.make(param.name());
        else
            vars_[std::get<ir::Var>(param.value).get()] = {names_.make(param.name()), false};
    }
    for (const ir::Var& symbol : function_.symbols)
        vars_[symbol.get()] = {names_.make(symbol->name), false};
    for (const ir::BufferNode* buffer : roots_.workspaces)
        if (buffer)
            buffers_[buffer] = names_.make(buffer->name);

    out_.indent();
    for (const ir::Buffer& view : roots_.views)
        if (touched_.contains(view.get()))
            declareView(view);
    Writer top(sources_);
    top.indent();
    for (std::size_t axis = 0; axis < launch_.blockVars.size() + 3; ++axis) {
        const bool isBlock = axis < launch_.blockVars.size();
        const std::size_t k = isBlock ? axis : axis - launch_.blockVars.size();
        const ir::Var& var = isBlock ? launch_.blockVars[k] : launch_.threadVars[k];
        if (!var || uses_[var.get()] == 0)
            continue;
        const std::string name = names_.make(var->name);
        vars_[var.get()] = {name, false};
        top.line(fmt::format("const int {} = {};", name, isBlock ? spelling_.blockIndex(static_cast<int>(k)) : spelling_.threadIndex(static_cast<int>(k))));
    }
    statement(launch_.body);

    if (usesThreadNumber_) {
        std::string flat = spelling_.threadIndex(0);
        if (launch_.threads[1] > 1)
            flat += fmt::format(" + {} * {}", launch_.threads[0], spelling_.threadIndex(1));
        if (launch_.threads[2] > 1)
            flat += fmt::format(" + {} * {}", launch_.threads[0] * launch_.threads[1], spelling_.threadIndex(2));
        top.plain(fmt::format("const int thread_number = {};", flat));
    }
    if (usesRandom_)
        top.plain("tw_random random_state;");

    out.cooperative = gridSync_;
    out.staticSharedBytes = staticShared_;
    const std::string parameters = signature(out);
    Writer result(sources_);
    head(result, out);
    result.at({launch_.where.range, launch_.where.op});
    result.line(spelling_.kernelHead(out) + "(" + parameters + ")");
    result.plain("{");
    result.append(std::move(top));
    result.append(std::move(out_));
    result.plain("}");
    return result;
}

void KernelPrinter::head(Writer& to, KernelLaunch& out)
{
    const std::int64_t threads = out.block[0] * out.block[1] * out.block[2];
    to.plain(fmt::format("// {}: {} threads a block{}{}{}", out.entry, threads,
                         out.cluster.empty() ? "" : fmt::format(", clusters of {} blocks", [&] {
                             std::int64_t n = 1;
                             for (const std::int64_t extent : out.cluster)
                                 n *= extent;
                             return n;
                         }()),
                         out.staticSharedBytes + out.dynamicSharedBytes > 0 ? fmt::format(", {} bytes of shared memory", out.staticSharedBytes + out.dynamicSharedBytes) : "",
                         out.cooperative ? ", all blocks resident" : ""));
}

// The parameters of the kernel, and the arguments that the host gives for them: tensors and scalars in the order of the
// function, then workspaces, symbols, tensor maps.
std::string KernelPrinter::signature(KernelLaunch& out)
{
    std::vector<std::string> parameters;
    std::set<std::string> aliased;
    if (const auto found = launch_.attrs.find("may_alias"); found != launch_.attrs.end())
        if (const auto* list = std::get_if<std::vector<std::string>>(&found->second))
            aliased.insert(list->begin(), list->end());
    const auto pointer = [&](const ir::BufferNode* buffer, ArgumentKind kind, int index) {
        const Access& access = accesses_[buffer];
        // Storage that is both read and written may carry values from one thread to another.
        const bool alone = !gridSync_ && !(access.reads && access.writes) && !aliased.contains(buffer->name);
        const std::string type = buffer->dtype.bits() < 8 && buffer->dtype.lanes == 1 ? "unsigned char" : typeName(buffer->dtype);
        const std::string& name = buffers_.at(buffer);
        parameters.push_back(fmt::format("{}{}*{} {}", access.writes ? "" : "const ", type, alone ? " __restrict__" : "", name));
        out.arguments.push_back({kind, index, name, ir::kHandle});
    };
    for (std::size_t i = 0; i < function_.params.size(); ++i) {
        if (const auto* buffer = std::get_if<ir::Buffer>(&function_.params[i].value)) {
            if (usedTensors_.contains(buffer->get()))
                pointer(buffer->get(), ArgumentKind::kTensor, static_cast<int>(i));
        } else if (const ir::Var& var = std::get<ir::Var>(function_.params[i].value); usedScalars_.contains(var.get())) {
            parameters.push_back(fmt::format("{} {}", typeName(var->dtype), vars_.at(var.get()).name));
            out.arguments.push_back({ArgumentKind::kScalar, static_cast<int>(i), vars_.at(var.get()).name, var->dtype});
        }
    }
    for (std::size_t i = 0; i < roots_.workspaces.size(); ++i)
        if (roots_.workspaces[i] && usedTensors_.contains(roots_.workspaces[i]))
            pointer(roots_.workspaces[i], ArgumentKind::kWorkspace, static_cast<int>(i));
    for (std::size_t i = 0; i < function_.symbols.size(); ++i) {
        const ir::Var& var = function_.symbols[i];
        if (!usedScalars_.contains(var.get()))
            continue;
        parameters.push_back(fmt::format("{} {}", typeName(var->dtype), vars_.at(var.get()).name));
        out.arguments.push_back({ArgumentKind::kSymbol, static_cast<int>(i), vars_.at(var.get()).name, var->dtype});
    }
    for (const int map : usedMaps_) {
        const std::string name = fmt::format("tensor_map_{}", map);
        parameters.push_back(spelling_.tensorMapParameter(name));
        out.arguments.push_back({ArgumentKind::kTensorMap, map, name, ir::kHandle});
    }
    if (gridSync_) {
        program_.workspaces.push_back({"grid_barrier", ir::kUInt32, {ir::intImm(1)}, true});
        parameters.emplace_back("unsigned* grid_barrier");
        out.arguments.push_back({ArgumentKind::kWorkspace, static_cast<int>(program_.workspaces.size()) - 1, "grid_barrier", ir::kHandle});
    }
    return fmt::format("{}", fmt::join(parameters, ", "));
}

const char* KernelPrinter::threadNumber()
{
    usesThreadNumber_ = true;
    return "thread_number";
}

// What holds in a whole block: conditions on memory may end to hold there.
void KernelPrinter::assume(const ir::Expr& condition, bool holds)
{
    if (!mayChange(condition))
        return facts_.assume(condition, holds);
    const auto* b = ir::as<ir::Binary>(condition);
    if (b && b->op == (holds ? ir::BinaryOp::kAnd : ir::BinaryOp::kOr)) {
        assume(b->a, holds);
        assume(b->b, holds);
    }
}

void KernelPrinter::statement(const ir::Stmt& s)
{
    out_.at(s->where);
    switch (s->kind) {
    case ir::StmtKind::kSeq: return sequence(*ir::as<ir::Seq>(s));
    case ir::StmtKind::kFor: return forLoop(*ir::as<ir::For>(s));
    case ir::StmtKind::kWhile:
        out_.announce();
        out_.line(fmt::format("while ({}) {{", condition(ir::as<ir::While>(s)->condition).s));
        block(ir::as<ir::While>(s)->body);
        return out_.line("}");
    case ir::StmtKind::kBreak: return out_.line("break;");
    case ir::StmtKind::kContinue: return out_.line("continue;");
    case ir::StmtKind::kReturn: return out_.line("return;");
    case ir::StmtKind::kIf: return ifElse(*ir::as<ir::If>(s));
    case ir::StmtKind::kBind: return bind(*ir::as<ir::Bind>(s));
    case ir::StmtKind::kStore: {
        const auto& store = *ir::as<ir::Store>(s);
        out_.announce();
        return out_.line(elementStore(store.buffer, store.indices, value(store.value).s));
    }
    case ir::StmtKind::kAllocate: return declare(ir::as<ir::Allocate>(s)->buffer);
    case ir::StmtKind::kOp: {
        const auto& op = *ir::as<ir::OpStmt>(s);
        out_.announce();
        if (op.call.op == ir::OpId::kAssume)
            return assume(ir::exprOperand(op.call, "condition"));
        if (op.call.op == ir::OpId::kThreadAllreduce)
            return allReduce(op.call, s->where);
        if (op.call.op == ir::OpId::kPrint)
            return print(op.call);
        if (ir::info(op.call.op).cls == ir::OpClass::kAtomic)
            return out_.line(atomic(op.call, ir::kVoid, false, s->where).s + ";");
        const Text t = operation(op.call, ir::kVoid, s->where);
        if (!t.s.empty())
            out_.line(t.s + ";");
        return;
    }
    case ir::StmtKind::kLaunch: case ir::StmtKind::kAssert: return notSupported(s->where, "a launch or an assertion of the host inside a launch");
    }
}

void KernelPrinter::sequence(const ir::Seq& seq)
{
    for (std::size_t i = 0; i < seq.stmts.size(); ++i) {
        const ir::Stmt& child = seq.stmts[i];
        // A variable and its first value are one line.
        const auto* allocate = ir::as<ir::Allocate>(child);
        const auto* store = i + 1 < seq.stmts.size() ? ir::as<ir::Store>(seq.stmts[i + 1]) : nullptr;
        if (allocate && store && store->buffer == allocate->buffer && store->buffer->scope == ir::MemoryScope::kVar && !store->buffer->viewOf &&
            !loads(store->value, store->buffer)) {
            out_.at(store->where);
            out_.announce();
            declare(allocate->buffer, value(store->value).s);
            ++i;
            continue;
        }
        statement(child);
        if (endsBlock(child))
            return;  // what follows is never reached
    }
}

void KernelPrinter::block(const ir::Stmt& s)
{
    const auto mark = facts_.mark();
    const std::size_t named = names_.mark();
    const ir::Provenance where = out_.where();
    out_.indent();
    if (s)
        statement(s);
    out_.outdent();
    out_.at(where);
    names_.rewind(named);
    facts_.rewind(mark);
}

void KernelPrinter::forLoop(const ir::For& loop)
{
    out_.announce();
    if (loop.loop == ir::ForKind::kParallel || loop.loop == ir::ForKind::kPipelined || loop.loop == ir::ForKind::kPersistent)
        return notSupported(loop.where, "a loop that the passes for this target left unlowered");
    if (loop.loop == ir::ForKind::kVectorized && vectorized(loop))
        return;
    const ir::Axis& axis = loop.axes.front();
    const auto mark = facts_.mark();
    const arith::Interval begin = facts_.bounds(axis.begin), end = facts_.bounds(axis.end);
    const std::int64_t* step = axis.step ? ir::asInt(axis.step) : nullptr;
    const bool up = !axis.step || (step && *step > 0);
    const bool down = step && *step < 0;
    const arith::Interval before = end.high ? arith::Interval{{}, *end.high - 1} : arith::Interval{};
    const bool narrow = axis.var->dtype.bits() == 32 && begin.low && begin.high && end.low && end.high && *begin.low >= INT32_MIN && *end.high <= INT32_MAX - 1024 &&
                        *begin.high <= INT32_MAX - 1024 && *end.low >= INT32_MIN + 1024 && (!axis.step || (step && std::abs(*step) <= 1024));
    const Text first = index(axis.begin), last = index(axis.end);
    const std::size_t named = names_.mark();
    std::string limit = last.level < 11 ? "(" + last.s + ")" : last.s;
    const bool hoists = mayChange(axis.end);  // a loop reads its bound once
    if (hoists) {
        limit = names_.make("end");
        out_.line("{");
        out_.indent();
        out_.line(fmt::format("const {} {} = {};", last.wide ? "long long" : "int", limit, last.s));
    }
    const std::string name = names_.make(axis.var->name);
    vars_[axis.var.get()] = {name, !narrow && axis.var->dtype.bits() == 32};
    if (up)
        facts_.bound(axis.var, {begin.low, before.high});
    if (up) {
        assume(ir::less(axis.var, axis.end));
        if (axis.begin->dtype == axis.var->dtype)
            assume(ir::binary(ir::BinaryOp::kLe, axis.begin, axis.var));
    }
    if (down)
        facts_.bound(axis.var, {end.low ? std::optional(*end.low + 1) : std::nullopt, begin.high});
    std::string advance = "++" + name;
    std::string test = fmt::format("{} < {}", name, limit);
    if (axis.step && !(step && *step == 1)) {
        const Text by = index(axis.step);
        advance = fmt::format("{} += {}", name, by.s);
        if (down)
            test = fmt::format("{} > {}", name, limit);
        else if (!up)
            test = fmt::format("{} > 0 ? {} < {} : {} > {}", parenthesized(by, 11), name, limit, name, limit);
    }
    if (loop.loop != ir::ForKind::kSerial) {
        const auto factor = loop.attrs.find("unroll_factor");
        const auto* n = factor == loop.attrs.end() ? nullptr : std::get_if<std::int64_t>(&factor->second);
        out_.directive(n ? fmt::format("#pragma unroll {}", *n) : "#pragma unroll");
    }
    out_.line(fmt::format("for ({} {} = {}; {}; {}) {{", narrow ? "int" : "long long", name, first.s, test, advance));
    block(loop.body);
    out_.line("}");
    if (hoists) {
        out_.outdent();
        out_.line("}");
    }
    names_.rewind(named);
    facts_.rewind(mark);
}

void KernelPrinter::ifElse(const ir::If& s)
{
    out_.announce();
    out_.line(fmt::format("if ({}) {{", condition(s.condition).s));
    const auto mark = facts_.mark();
    assume(s.condition);
    block(s.then);
    facts_.rewind(mark);
    if (s.otherwise) {
        out_.line("} else {");
        assume(s.condition, false);
        block(s.otherwise);
        facts_.rewind(mark);
    }
    out_.line("}");
    // A branch that ends the thread or the iteration leaves the opposite known.
    const auto* last = ir::as<ir::Seq>(s.then);
    if (!s.otherwise && endsBlock(last && !last->stmts.empty() ? last->stmts.back() : s.then))
        assume(s.condition, false);
}

void KernelPrinter::bind(const ir::Bind& s)
{
    out_.announce();
    if (uses_[s.var.get()] == 0) {
        EffectScan effects;
        effects.visit(s.value);
        if (effects.found)
            out_.line(fmt::format("(void){};", parenthesized(value(s.value), 15)));
        return;
    }
    const bool exact = isIndexTree(s.value);
    const Text t = exact ? index(s.value) : value(s.value);
    const bool wide = exact && t.wide && s.var->dtype.bits() == 32;
    const std::string name = names_.make(s.var->name);
    vars_[s.var.get()] = {name, wide};
    if (s.var->dtype.isInteger()) {
        facts_.bound(s.var, facts_.bounds(s.value));
        if (exact)
            facts_.assume(ir::binary(ir::BinaryOp::kEq, s.var, s.value));
    }
    const std::string type = wide ? "long long" : typeName(s.var->dtype);
    out_.line(fmt::format("{}{} {} = {};", s.var->dtype.isHandle() ? "" : "const ", type, name, t.s));
}

}  // namespace tw::gpu
