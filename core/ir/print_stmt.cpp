#include "core/ir/print_stmt.h"

#include <algorithm>

#include <fmt/format.h>

#include "core/ir/build.h"
#include "core/ir/call.h"

namespace tw::ir {

void TextLines::add(int indent, const std::string& text, const Provenance& where)
{
    if (!text.empty())
        printed_.text.append(static_cast<std::size_t>(indent) * 4, ' ');
    printed_.text += text;
    printed_.text += '\n';
    printed_.lines.push_back({where.range, where.op});
}

void StmtPrinter::body(const Stmt& s, int indent)
{
    const auto* seq = as<Seq>(s);
    if (!s || (seq && seq->stmts.empty()))
        return lines_.add(indent, "pass", s ? s->where : Provenance{});
    statement(s, indent);
}

// A variable's first store right behind its allocation is its initial value.
void StmtPrinter::sequence(const Seq& seq, int indent)
{
    for (std::size_t i = 0; i < seq.stmts.size(); ++i) {
        const auto* made = as<Allocate>(seq.stmts[i]);
        if (!made || made->buffer->scope != MemoryScope::kVar || i + 1 == seq.stmts.size()) {
            statement(seq.stmts[i], indent);
            continue;
        }
        const auto* first = as<Store>(seq.stmts[i + 1]);
        const bool isInitial = first && first->buffer == made->buffer;
        allocate(*made->buffer, made->where, indent, isInitial ? first->value : Expr{});
        i += isInitial ? 1 : 0;
    }
}

void StmtPrinter::statement(const Stmt& s, int indent)
{
    const auto add = [&](const std::string& text) { lines_.add(indent, text, s->where); };
    switch (s->kind) {
    case StmtKind::kSeq: return sequence(*as<Seq>(s), indent);
    case StmtKind::kFor: return loop(*as<For>(s), indent);
    case StmtKind::kWhile:
        add(fmt::format("while {}:", exprs_.expr(as<While>(s)->condition)));
        return body(as<While>(s)->body, indent + 1);
    case StmtKind::kBreak: return add("break");
    case StmtKind::kContinue: return add("continue");
    case StmtKind::kIf: return branch(*as<If>(s), indent, false);
    case StmtKind::kBind: return bind(*as<Bind>(s), indent);
    case StmtKind::kStore: return store(*as<Store>(s), indent);
    case StmtKind::kAllocate: return allocate(*as<Allocate>(s)->buffer, s->where, indent, {});
    case StmtKind::kOp: return add(exprs_.call(as<OpStmt>(s)->call, kVoid));
    case StmtKind::kReturn: return add("T.thread_return()");
    case StmtKind::kLaunch: return launch(*as<Launch>(s), indent);
    case StmtKind::kAssert:
        return add(fmt::format("assert {}, {}", exprs_.expr(as<Assert>(s)->condition), quoted(as<Assert>(s)->message)));
    }
}

// A name is bound to a plain value only where the front end makes a variable of it: inside a launch, and not for
// constants, variables and mutable variables, which it would alias.
void StmtPrinter::bind(const Bind& bind, int indent)
{
    std::string value = exprs_.expr(bind.value);
    const auto* load = as<Load>(bind.value);
    const bool isAlias = isConstant(bind.value) || bind.value->kind == ExprKind::kVar || bind.value->dtype.isHandle() ||
                         (load && load->buffer->scope == MemoryScope::kVar);
    if (isAlias || launchDepth_ == 0)
        value = fmt::format("{}({})", exprs_.reserved("bind"), value);
    lines_.add(indent, fmt::format("{} = {}", exprs_.names().of(bind.var.get()), value), bind.where);
}

void StmtPrinter::store(const Store& store, int indent)
{
    const std::string& name = exprs_.names().of(store.buffer.get());
    const bool isVariable = store.buffer->scope == MemoryScope::kVar && store.indices.size() == 1 && isZero(store.indices[0]);
    const std::string target = isVariable ? name : fmt::format("{}[{}]", name, store.indices.empty() ? "()" : exprs_.list(store.indices));
    lines_.add(indent, fmt::format("{} = {}", target, exprs_.operand(store.value)), store.where);
}

void StmtPrinter::branch(const If& branch, int indent, bool continues)
{
    lines_.add(indent, fmt::format("{} {}:", continues ? "elif" : "if", exprs_.expr(branch.condition)), branch.where);
    body(branch.then, indent + 1);
    if (!branch.otherwise)
        return;
    if (const auto* next = as<If>(branch.otherwise))
        return this->branch(*next, indent, true);
    lines_.add(indent, "else:", branch.where);
    body(branch.otherwise, indent + 1);
}

namespace {

bool startsAtZero(const Axis& axis)
{
    return isZero(axis.begin) && axis.begin->dtype == kInt32;
}

const char* kindName(ForKind kind)
{
    switch (kind) {
    case ForKind::kSerial: return "serial";
    case ForKind::kUnrolled: return "unroll";
    case ForKind::kVectorized: return "vectorized";
    case ForKind::kParallel: return "parallel";
    case ForKind::kPipelined: return "pipelined";
    case ForKind::kPersistent: return "persistent";
    }
    return "";
}

std::vector<std::string_view> loopOptions(ForKind kind)
{
    switch (kind) {
    case ForKind::kUnrolled: return {"explicit", "unroll_factor"};
    case ForKind::kParallel: return {"coalesced_width", "prefer_async"};
    case ForKind::kPipelined: return {"num_stages", "order", "stage", "group", "sync"};
    default: return {};
    }
}

// Whether TileLang's own loop of this kind can say it.
bool isOrdinary(const For& loop)
{
    const bool severalAxes = loop.loop == ForKind::kParallel || loop.loop == ForKind::kPersistent;
    if (loop.axes.size() != 1 && !severalAxes)
        return false;
    for (const Axis& axis : loop.axes) {
        if (severalAxes && !startsAtZero(axis))
            return false;
        if (!isOne(axis.step) && loop.loop != ForKind::kSerial && loop.loop != ForKind::kUnrolled)
            return false;
        const auto bounds = promote(axis.begin->dtype, axis.end->dtype);
        if (!bounds || *bounds != axis.var->dtype)
            return false;
    }
    return loop.loop != ForKind::kPersistent || loop.persistent.has_value();
}

}  // namespace

// tw.loop("kind", (begin, end, step), …, option=value)
std::string StmtPrinter::reservedLoop(const For& loop)
{
    std::string text = fmt::format("{}({}", exprs_.reserved("loop"), quoted(kindName(loop.loop)));
    for (const Axis& axis : loop.axes)
        text += fmt::format(", ({}, {}, {})", exprs_.expr(axis.begin), exprs_.expr(axis.end), exprs_.expr(axis.step));
    const std::string layout = loop.layout ? ", loop_layout=" + exprs_.layout(*loop.layout) : "";
    return text + exprs_.options(loop.attrs, loopOptions(loop.loop)) + layout + ")";
}

std::string StmtPrinter::loopHead(const For& loop)
{
    if (!isOrdinary(loop))
        return reservedLoop(loop);
    std::string options = exprs_.options(loop.attrs, loopOptions(loop.loop));
    if (loop.layout)
        options += ", loop_layout=" + exprs_.layout(*loop.layout);
    if (loop.loop == ForKind::kParallel || loop.loop == ForKind::kPersistent) {
        std::vector<Expr> extents;
        for (const Axis& axis : loop.axes)
            extents.push_back(axis.end);
        if (loop.loop == ForKind::kParallel)
            return fmt::format("T.Parallel({}{})", exprs_.list(extents), options);
        return fmt::format("T.Persistent([{}], {}, {}, group_size={}{})", exprs_.list(extents),
                           exprs_.expr(loop.persistent->waveSize), exprs_.expr(loop.persistent->index),
                           exprs_.expr(loop.persistent->groupSize), options);
    }
    const Axis& axis = loop.axes[0];
    const bool unitStep = isOne(axis.step);
    std::string bounds = exprs_.expr(axis.end);
    if (!startsAtZero(axis) || !unitStep)
        bounds = exprs_.expr(axis.begin) + ", " + bounds;
    if (!unitStep)
        bounds += ", " + exprs_.expr(axis.step);
    return fmt::format("T.{}({}{})", loop.loop == ForKind::kPipelined ? "Pipelined" : kindName(loop.loop), bounds, options);
}

void StmtPrinter::loop(const For& loop, int indent)
{
    const std::string head = loopHead(loop);
    std::string vars;
    for (const Axis& axis : loop.axes)
        vars += (vars.empty() ? "" : ", ") + exprs_.names().of(axis.var.get());
    lines_.add(indent, fmt::format("for {} in {}:", vars, head), loop.where);
    body(loop.body, indent + 1);
}

void StmtPrinter::launch(const Launch& launch, int indent)
{
    const auto [x, y, z] = launch.threads;
    std::string arguments = exprs_.list(launch.grid);
    if (launch.attrs.contains("source")) {
        Attrs attrs = launch.attrs;
        const std::string source = exprs_.attr(attrs["source"]);
        attrs.erase("source");
        const std::string threads = fmt::format("[{}, {}, {}]", x, y, z);
        const std::string cluster = launch.cluster.empty() ? "" : fmt::format(", cluster_dims=({},)", fmt::join(launch.cluster, ", "));
        return lines_.add(indent,
                          fmt::format("T.CUDASourceCodeKernel({}, threads={}, source_code_or_path={}{}{})", arguments, threads,
                                      source, cluster, exprs_.options(attrs, {"prelude", "entry_name"})),
                          launch.where);
    }
    if (!launch.cluster.empty())
        arguments += fmt::format(", cluster_dims=({},)", fmt::join(launch.cluster, ", "));
    arguments += y == 1 && z == 1 ? fmt::format(", threads={}", x) : fmt::format(", threads=({}, {}, {})", x, y, z);
    arguments += exprs_.options(launch.attrs, {"prelude"});
    for (std::size_t i = 0; i < launch.threadVars.size(); ++i)
        if (launch.threadVars[i])
            exprs_.names().alias(launch.threadVars[i].get(), fmt::format("T.get_thread_binding({})", i));
    std::string blocks;
    for (const Var& var : launch.blockVars)
        blocks += (blocks.empty() ? "" : ", ") + exprs_.names().of(var.get());
    if (launch.blockVars.size() > 1)
        blocks = "(" + blocks + ")";
    const std::string target = blocks.empty() ? "" : " as " + blocks;
    lines_.add(indent,
               fmt::format("with T.{}({}){}:", launch.cluster.empty() ? "Kernel" : "ClusterKernel", arguments, target),
               launch.where);
    ++launchDepth_;
    body(launch.body, indent + 1);
    --launchDepth_;
}

}  // namespace tw::ir
