// The frame of a kernel: what it uses, its head and parameters.
#include <fmt/format.h>

#include "codegen/gpu_c/printer.h"
#include "core/ir/build.h"
#include "core/ir/visit.h"

namespace tw::gpu {

namespace {

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

void KernelPrinter::boundIndices()
{
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
}

void KernelPrinter::nameArguments()
{
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
    nameRecorder();
}

void KernelPrinter::declareIndices(Writer& to)
{
    const auto declare = [&](const ir::Var& var, const std::string& index) {
        if (!var || uses_[var.get()] == 0)
            return;
        const std::string name = names_.make(var->name);
        vars_[var.get()] = {name, false};
        to.line(fmt::format("const int {} = {};", name, index));
    };
    for (std::size_t axis = 0; axis < launch_.blockVars.size(); ++axis)
        declare(launch_.blockVars[axis], spelling_.blockIndex(static_cast<int>(axis)));
    for (int axis = 0; axis < 3; ++axis)
        declare(launch_.threadVars[static_cast<std::size_t>(axis)], spelling_.threadIndex(axis));
}

void KernelPrinter::declareThreadNumber(Writer& to) const
{
    std::string flat = spelling_.threadIndex(0);
    if (launch_.threads[1] > 1)
        flat += fmt::format(" + {} * {}", launch_.threads[0], spelling_.threadIndex(1));
    if (launch_.threads[2] > 1)
        flat += fmt::format(" + {} * {}", launch_.threads[0] * launch_.threads[1], spelling_.threadIndex(2));
    to.plain(fmt::format("const int thread_number = {};", flat));
}

Writer KernelPrinter::print(KernelLaunch& out)
{
    UseScan scan(uses_, readLocals_, touched_, accesses_);
    scan.visit(launch_.body);
    gridSync_ = scan.syncsGrid;
    boundIndices();
    nameArguments();  // what belongs to the whole kernel has its name before any block begins

    out_.indent();
    for (const ir::Buffer& view : roots_.views)
        if (touched_.contains(view.get()))
            declareView(view);
    Writer top(sources_);
    top.indent();
    declareIndices(top);
    const bool records = !recordsName_.empty();
    if (records)
        bothBodies();
    else
        statement(launch_.body);
    if (usesThreadNumber_ || records)
        declareThreadNumber(top);
    if (usesRandom_)
        top.plain("tw_random random_state;");
    if (records)
        startRecords(top);

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
    const auto noalias = function_.passConfigs.find("tirx.noalias");
    const bool mayOverlap = noalias != function_.passConfigs.end() && noalias->second == ir::Attr(false);
    const auto pointer = [&](const ir::BufferNode* buffer, ArgumentKind kind, int index) {
        const Access& access = accesses_[buffer];
        // Storage that is both read and written may carry values from one thread to another.
        const bool alone = !gridSync_ && !mayOverlap && !(access.reads && access.writes) && !aliased.contains(buffer->name);
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
    if (!recordsName_.empty())
        parameters.push_back(recordParameter(out));
    return fmt::format("{}", fmt::join(parameters, ", "));
}

const char* KernelPrinter::threadNumber()
{
    usesThreadNumber_ = true;
    return "thread_number";
}

}  // namespace tw::gpu
