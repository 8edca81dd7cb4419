// The host part: launches in order, with what they are given.
#include "codegen/gpu_c/emit.h"

#include <fmt/format.h>

#include "codegen/gpu_c/printer.h"
#include "core/ir/build.h"
#include "core/ir/search.h"
#include "core/ir/visit.h"

namespace tw::gpu {

namespace {

class HostWalk {
public:
    HostWalk(const ir::Function& function, Spelling& spelling, const SourceSet* sources, DiagnosticSink& diagnostics)
        : function_(function), spelling_(spelling), sources_(sources), diagnostics_(diagnostics), kernels_(sources)
    {
    }

    std::optional<GpuProgram> run()
    {
        program_.language = spelling_.language();
        const auto fast = function_.passConfigs.find("tl.enable_fast_math");
        program_.fastMath = fast != function_.passConfigs.end() && std::holds_alternative<bool>(fast->second) && std::get<bool>(fast->second);
        for (const std::string& flag : function_.compileFlags)
            program_.fastMath = program_.fastMath || flag == "--use_fast_math" || flag == "-use_fast_math";
        for (std::size_t i = 0; i < function_.params.size(); ++i) {
            if (const auto* buffer = std::get_if<ir::Buffer>(&function_.params[i].value))
                roots_.tensors[buffer->get()] = static_cast<int>(i);
        }
        const int before = diagnostics_.errorCount();
        statement(function_.body, {});
        if (diagnostics_.errorCount() > before)
            return std::nullopt;
        assemble();
        return std::move(program_);
    }

private:
    ir::Expr resolved(const ir::Expr& e) const { return e ? ir::substitute(e, bound_) : e; }
    std::vector<ir::Expr> resolved(std::vector<ir::Expr> list) const
    {
        for (ir::Expr& e : list)
            e = resolved(e);
        return list;
    }
    void notSupported(const ir::Provenance& where, const std::string& what)
    {
        diagnostics_.error(Code::kNotSupported, where.range.isKnown() ? where.range : function_.range, "not supported: " + what);
    }

    void statement(const ir::Stmt& s, const ir::Expr& condition)
    {
        if (!s)
            return;
        switch (s->kind) {
        case ir::StmtKind::kSeq:
            for (const ir::Stmt& child : ir::as<ir::Seq>(s)->stmts)
                statement(child, condition);
            return;
        case ir::StmtKind::kBind: {
            const auto& b = *ir::as<ir::Bind>(s);
            bound_[b.var.get()] = resolved(b.value);
            return;
        }
        case ir::StmtKind::kAssert: {
            const auto& a = *ir::as<ir::Assert>(s);
            program_.asserts.push_back({resolved(a.condition), a.message, s->where.range});
            return;
        }
        case ir::StmtKind::kAllocate: return allocate(ir::as<ir::Allocate>(s)->buffer);
        case ir::StmtKind::kIf: {
            const auto& branch = *ir::as<ir::If>(s);
            const ir::Expr test = resolved(branch.condition);
            statement(branch.then, ir::logicalAnd(condition, test));
            return statement(branch.otherwise, ir::logicalAnd(condition, ir::unary(ir::UnaryOp::kNot, test)));
        }
        case ir::StmtKind::kOp:
            if (ir::info(ir::as<ir::OpStmt>(s)->call.op).cls == ir::OpClass::kAnnotation)
                return;
            return notSupported(s->where, fmt::format("T.{} outside of a launch", ir::info(ir::as<ir::OpStmt>(s)->call.op).name));
        case ir::StmtKind::kLaunch: return launch(*ir::as<ir::Launch>(s), condition);
        default: return notSupported(s->where, "a loop around launches");
        }
    }

    void allocate(const ir::Buffer& buffer)
    {
        if (buffer->viewOf || buffer->address)
            return roots_.views.push_back(buffer);  // the kernels that use it declare it
        if (buffer->scope != ir::MemoryScope::kGlobal)
            return notSupported(buffer->where, "on-chip memory outside of a launch");
        roots_.workspaces.push_back(buffer.get());
        program_.workspaces.push_back({buffer->name, buffer->dtype, resolved(buffer->shape), false});
    }

    void launch(const ir::Launch& s, const ir::Expr& condition)
    {
        KernelLaunch out;
        const auto attr = [&](const char* name) -> const ir::Attr* {
            const auto found = s.attrs.find(name);
            return found == s.attrs.end() ? nullptr : &found->second;
        };
        const std::string suffix = program_.launches.empty() ? "" : fmt::format("_{}", program_.launches.size());
        out.entry = entries_.make(function_.name + "_kernel" + suffix);
        out.grid = resolved(s.grid);
        out.block = s.threads;
        out.cluster = s.cluster;
        out.condition = condition;
        out.range = s.where.range;
        if (const auto* n = attr("dynamic_shared_bytes"))
            out.dynamicSharedBytes = std::get<std::int64_t>(*n);
        if (const auto* n = attr("min_blocks_per_sm"))
            out.minBlocks = static_cast<int>(std::get<std::int64_t>(*n));
        if (attr("source"))
            return foreign(s, std::move(out));
        if (const auto* text = attr("prelude"))
            addExternal(std::get<std::string>(*text));
        out.programmatic = ir::anyCall(s.body, [](const ir::OpCall& call) { return call.op == ir::OpId::kPdlSync; });
        const auto body = std::make_shared<ir::Launch>(s);
        if (!bound_.empty()) {
            body->grid = resolved(s.grid);
            body->body = ir::substitute(s.body, bound_);
        }
        KernelPrinter printer(function_, *body, roots_, program_, spelling_, sources_, diagnostics_);
        Writer text = printer.print(out);
        if (kernels_.lineCount() > 0)
            kernels_.plain("");
        kernels_.append(std::move(text));
        program_.launches.push_back(std::move(out));
        roots_.workspaces.resize(program_.workspaces.size());  // the counter of a grid barrier is no buffer
    }

    // A kernel that the author wrote in the target's language: it gets the function's parameters in order.
    void foreign(const ir::Launch& s, KernelLaunch out)
    {
        const std::string& source = std::get<std::string>(s.attrs.at("source"));
        if (source.find('{') == std::string::npos)
            return notSupported(s.where, "a kernel in a source file of its own; give its text");
        if (const auto entry = s.attrs.find("entry_name"); entry != s.attrs.end())
            out.entry = std::get<std::string>(entry->second);
        if (const auto prelude = s.attrs.find("prelude"); prelude != s.attrs.end())
            addExternal(std::get<std::string>(prelude->second));
        for (std::size_t i = 0; i < function_.params.size(); ++i) {
            const auto* var = std::get_if<ir::Var>(&function_.params[i].value);
            out.arguments.push_back({var ? ArgumentKind::kScalar : ArgumentKind::kTensor, static_cast<int>(i), function_.params[i].name(), var ? (*var)->dtype : ir::kHandle});
        }
        addExternal(source);
        program_.launches.push_back(std::move(out));
    }

    // Text of the author's, once even where several launches bring it.
    void addExternal(const std::string& text)
    {
        if (external_.find(text) == std::string::npos)
            external_ += text + "\n";
    }

    void assemble()
    {
        Writer all(nullptr);
        all.plain(fmt::format("// {}: generated by Tilewright", function_.name));
        const auto lines = [&](const std::string& text) {
            for (std::size_t at = 0; at < text.size();) {
                const std::size_t end = std::min(text.find('\n', at), text.size());
                all.plain(text.substr(at, end - at));
                at = end + 1;
            }
        };
        lines(spelling_.prelude(external_ + kernels_.text()));
        if (!external_.empty()) {
            all.plain("");
            lines(spelling_.foreign(external_));
        }
        all.plain("");
        all.append(std::move(kernels_));
        program_.text = all.text();
        program_.lines = all.places();
    }

    const ir::Function& function_;
    Spelling& spelling_;
    const SourceSet* sources_;
    DiagnosticSink& diagnostics_;
    GpuProgram program_;
    Roots roots_;
    Names entries_;
    Writer kernels_;
    std::string external_;
    std::map<const ir::ExprNode*, ir::Expr> bound_;
};

}  // namespace

std::optional<GpuProgram> emitProgram(const ir::Function& function, Spelling& spelling, const SourceSet* sources, DiagnosticSink& diagnostics)
{
    return HostWalk(function, spelling, sources, diagnostics).run();
}

}  // namespace tw::gpu
