#include "tests/unit/llvm/build_kernel.h"

#include "codegen/llvm/cpu_kernel.h"
#include "core/ir/visit.h"
#include "core/passes/pass.h"
#include "core/target/target.h"

namespace tw::test {

ir::Buffer globalBuffer(const std::string& name, ir::DType type, std::vector<ir::Expr> shape)
{
    auto buffer = std::make_shared<ir::BufferNode>();
    buffer->name = name;
    buffer->dtype = type;
    buffer->shape = std::move(shape);
    return buffer;
}

ir::Buffer chipBuffer(const std::string& name, ir::DType type, std::vector<std::int64_t> shape, ir::MemoryScope scope)
{
    auto buffer = std::make_shared<ir::BufferNode>();
    buffer->name = name;
    buffer->dtype = type;
    for (const std::int64_t extent : shape)
        buffer->shape.push_back(ir::intImm(extent));
    buffer->scope = scope;
    return buffer;
}

ir::Var intVar(const std::string& name) { return std::make_shared<const ir::VarNode>(ir::kInt32, name); }

ir::Expr load(const ir::Buffer& buffer, std::vector<ir::Expr> indices)
{
    return std::make_shared<ir::Load>(buffer->dtype, buffer, std::move(indices));
}

ir::Stmt store(const ir::Buffer& buffer, std::vector<ir::Expr> indices, ir::Expr value)
{
    return std::make_shared<ir::Store>(buffer, std::move(indices), std::move(value));
}

ir::Stmt loop(ir::ForKind kind, std::vector<ir::Var> vars, std::vector<std::int64_t> extents, ir::Stmt body)
{
    std::vector<ir::Axis> axes;
    for (std::size_t i = 0; i < vars.size(); ++i)
        axes.push_back({vars[i], ir::intImm(0), ir::intImm(extents[i]), {}});
    return std::make_shared<ir::For>(kind, std::move(axes), std::move(body));
}

ir::Region whole(const ir::Buffer& buffer)
{
    return {buffer, std::vector<ir::Expr>(buffer->shape.size(), ir::intImm(0)), buffer->shape};
}

ir::Region tile(const ir::Buffer& buffer, std::vector<ir::Expr> mins, std::vector<std::int64_t> extents)
{
    ir::Region region{buffer, std::move(mins), {}};
    for (const std::int64_t extent : extents)
        region.extents.push_back(ir::intImm(extent));
    return region;
}

ir::Stmt op(ir::OpId id, std::vector<ir::Operand> operands, ir::Attrs attrs)
{
    return std::make_shared<ir::OpStmt>(ir::OpCall{id, std::move(operands), std::move(attrs)});
}

ir::Function kernel(std::vector<ir::Buffer> params, const LaunchParts& parts, std::vector<ir::Stmt> body)
{
    ir::Function function;
    function.name = "kernel";
    for (const ir::Buffer& buffer : params)
        function.params.push_back({buffer});
    const std::array<ir::Var, 3> threads{parts.thread ? parts.thread : intVar("tx"), intVar("ty"), intVar("tz")};
    function.body = std::make_shared<ir::Launch>(parts.grid, parts.blockVars, std::array<std::int64_t, 3>{parts.threads, 1, 1}, threads,
                                                 ir::sequence(std::move(body)));
    return function;
}

interp::Tensor tensor(ir::DType type, std::vector<std::int64_t> shape, const std::vector<double>& values)
{
    interp::Tensor result = interp::makeTensor(type, std::move(shape));
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (type.isFloating())
            result.setFloat(static_cast<std::int64_t>(i), values[i]);
        else
            result.setInt(static_cast<std::int64_t>(i), static_cast<std::int64_t>(values[i]));
    }
    return result;
}

Outcome runOnCpu(const ir::Function& function, interp::Arguments& arguments, int threads)
{
    Outcome outcome;
    DiagnosticSink sink;
    const target::Target cpu = target::parse("cpu").value();
    passes::PassContext context{cpu, sink, {}};
    const auto lowered = passes::runPipeline(std::make_shared<const ir::Function>(function), context);
    if (lowered.complete)
        if (const auto compiled = llvm_backend::compileForCpu(lowered.function, sink))
            outcome.ok = compiled->run(arguments, threads, outcome.log, sink, {});
    outcome.diagnostics = sink.take();
    return outcome;
}

}  // namespace tw::test
