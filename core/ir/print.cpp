// Functions and statements as a TileLang file.
#include "core/ir/print.h"

#include <algorithm>

#include <fmt/format.h>

#include "core/ir/build.h"
#include "core/ir/call.h"
#include "core/ir/print_stmt.h"
#include "core/ir/search.h"
#include "core/ir/visit.h"

namespace tw::ir {

namespace {

// The function's file: imports, factory, signature, configuration, body.
class FunctionPrinter {
public:
    explicit FunctionPrinter(const Function& f) : f_(f), names_(), exprs_(names_, ExprPrinter::Mode::kSource) {}

    Printed print()
    {
        // Parameters and symbols keep their names; whatever else has one of them is renamed.
        for (const Param& param : f_.params)
            match(param.value, [&](const Var& v) { names_.of(v.get()); }, [&](const Buffer& b) { names_.of(b.get()); });
        for (const Var& symbol : f_.symbols)
            names_.of(symbol.get());
        const bool isFactory = !f_.symbols.empty() || !f_.returned.empty() || !f_.target.empty();
        if (isFactory)
            factory();
        else
            primFunc(0);
        return withImports();
    }

private:
    void line(int indent, const std::string& text, const Provenance& where = {})
    {
        lines_.add(indent, text, where);
    }

    void factory()
    {
        const std::string name = names_.fresh("make_" + f_.name);
        std::string options;
        if (!f_.returned.empty())
            options = fmt::format("out_idx=[{}]", fmt::join(f_.returned, ", "));
        if (!f_.target.empty())
            options += fmt::format("{}target={}", options.empty() ? "" : ", ", quoted(f_.target));
        if (!options.empty())
            line(0, fmt::format("@tilelang.jit({})", options));
        line(0, fmt::format("def {}():", name));
        for (const Var& symbol : f_.symbols) {
            const std::string type = symbol->dtype == kInt32 ? "" : ", " + quoted(symbol->dtype.name());
            line(1, fmt::format("{} = T.dynamic({}{})", names_.of(symbol.get()), quoted(symbol->name), type));
        }
        lines_.blank();
        primFunc(1);
        lines_.blank();
        line(1, "return " + f_.name);
    }

    // Whether a shape or stride names a scalar parameter: such an annotation stands in the body, where the name is known.
    bool usesScalar(const Buffer& buffer) const
    {
        const auto isParameter = [&](const Expr& e) {
            return std::ranges::any_of(f_.params, [&](const Param& p) { return std::holds_alternative<Var>(p.value) && std::get<Var>(p.value).get() == e.get(); });
        };
        const auto names = [&](const Expr& extent) { return anyExpr(extent, isParameter); };
        return std::ranges::any_of(buffer->shape, names) || std::ranges::any_of(buffer->strides, names);
    }

    std::string annotation(const Buffer& buffer)
    {
        const std::string type = quoted(buffer->dtype.name());
        if (buffer->strides.empty())
            return fmt::format("T.Tensor({}, {})", exprs_.tuple(buffer->shape), type);
        return fmt::format("T.StridedTensor({}, {}, {})", exprs_.tuple(buffer->shape), exprs_.tuple(buffer->strides), type);
    }

    void primFunc(int indent)
    {
        std::string parameters;
        std::vector<Buffer> late;
        for (const Param& param : f_.params) {
            std::string text = match(
                param.value,
                [&](const Var& v) {
                    return fmt::format("{}: {}", names_.of(v.get()), v->dtype.isHandle() ? "T.ptr" : "T." + v->dtype.name());
                },
                [&](const Buffer& b) {
                    if (!usesScalar(b))
                        return fmt::format("{}: {}", names_.of(b.get()), annotation(b));
                    late.push_back(b);
                    return names_.of(b.get());
                });
            parameters += (parameters.empty() ? "" : ", ") + text;
        }
        line(indent, "@T.prim_func");
        line(indent, fmt::format("def {}({}):", f_.name, parameters), {f_.range, 0});
        for (const Buffer& buffer : late)
            line(indent + 1, fmt::format("{}: {}", names_.of(buffer.get()), annotation(buffer)));
        configuration(indent + 1);
        StmtPrinter(exprs_, lines_).body(f_.body, indent + 1);
    }

    void configuration(int indent)
    {
        if (f_.stage != Stage::kTile || f_.dialect != Dialect::kTile) {
            const char* stage = f_.stage == Stage::kTile ? "tile" : "thread";
            const char* dialect = f_.dialect == Dialect::kTile ? "tile" : "array";
            line(indent, fmt::format("{}(stage=\"{}\", dialect=\"{}\")", exprs_.reserved("function"), stage, dialect));
        }
        if (!f_.passConfigs.empty()) {
            std::string entries;
            for (const auto& [key, value] : f_.passConfigs)
                entries += fmt::format("{}{}: {}", entries.empty() ? "" : ", ", quoted(key), exprs_.attr(value));
            line(indent, fmt::format("T.annotate_pass_configs({{{}}})", entries));
        }
        if (!f_.compileFlags.empty())
            line(indent, fmt::format("T.annotate_compile_flags({})", exprs_.attr(f_.compileFlags)));
    }

    Printed withImports()
    {
        TextLines file;
        file.add(0, "import tilelang");
        file.add(0, "import tilelang.language as T");
        if (exprs_.usesReserved())
            file.add(0, "import tw");
        file.blank();
        file.blank();
        Printed result = file.take();
        Printed body = lines_.take();
        result.text += body.text;
        result.lines.insert(result.lines.end(), body.lines.begin(), body.lines.end());
        return result;
    }

    const Function& f_;
    Names names_;
    ExprPrinter exprs_;
    TextLines lines_;
};

}  // namespace

Printed print(const Function& f)
{
    return FunctionPrinter(f).print();
}

std::string print(const Expr& e)
{
    Names names(true);
    return ExprPrinter(names, ExprPrinter::Mode::kMessage).operand(e);
}

std::string print(const Region& r)
{
    Names names(true);
    return ExprPrinter(names, ExprPrinter::Mode::kMessage).region(r, ExprPrinter::Points::kElement);
}

std::string_view scopeName(MemoryScope scope)
{
    switch (scope) {
    case MemoryScope::kGlobal: return "global";
    case MemoryScope::kShared: return "shared.dyn";
    case MemoryScope::kFragment: return "local.fragment";
    case MemoryScope::kLocal: return "local";
    case MemoryScope::kVar: return "local.var";
    case MemoryScope::kReducer: return "local.reducer";
    case MemoryScope::kBarrier: return "shared.barrier";
    case MemoryScope::kClusterBarrier: return "shared.cluster_barrier";
    case MemoryScope::kDescriptor: return "local.descriptor";
    case MemoryScope::kTensorMemory: return "shared.tmem";
    }
    return "";
}

}  // namespace tw::ir
