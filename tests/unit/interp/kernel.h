// Small functions for tests, built by hand.
#pragma once

#include <gtest/gtest.h>

#include "core/interp/interpreter.h"
#include "core/ir/build.h"
#include "core/ir/visit.h"

namespace tw::interp {

inline ir::Expr num(std::int64_t v) { return ir::intImm(v); }
inline ir::Var var(const std::string& name, ir::DType type = ir::kInt32)
{
    return std::make_shared<const ir::VarNode>(type, name);
}
inline ir::Buffer buffer(const std::string& name, std::vector<std::int64_t> shape, ir::DType type,
                         ir::MemoryScope scope = ir::MemoryScope::kGlobal)
{
    auto node = std::make_shared<ir::BufferNode>();
    node->name = name;
    node->dtype = type;
    node->scope = scope;
    for (const std::int64_t extent : shape)
        node->shape.push_back(num(extent));
    return node;
}
inline ir::Expr at(const ir::Buffer& b, std::vector<ir::Expr> indices)
{
    return std::make_shared<const ir::Load>(b->dtype, b, std::move(indices));
}
inline ir::Stmt put(const ir::Buffer& b, std::vector<ir::Expr> indices, ir::Expr value)
{
    return std::make_shared<const ir::Store>(b, std::move(indices), std::move(value));
}
inline ir::Stmt alloc(const ir::Buffer& b) { return std::make_shared<const ir::Allocate>(b); }
inline ir::Stmt op(ir::OpId id, std::vector<ir::Operand> operands, ir::Attrs attrs = {})
{
    return std::make_shared<const ir::OpStmt>(ir::OpCall{id, std::move(operands), std::move(attrs)});
}
inline ir::Stmt loop(ir::ForKind kind, const std::vector<std::pair<ir::Var, ir::Expr>>& axes, ir::Stmt body)
{
    std::vector<ir::Axis> list;
    for (const auto& [v, end] : axes)
        list.push_back({v, num(0), end, num(1)});
    return std::make_shared<const ir::For>(kind, list, std::move(body));
}
inline ir::Stmt when(ir::Expr condition, ir::Stmt then, ir::Stmt otherwise = {})
{
    return std::make_shared<const ir::If>(std::move(condition), std::move(then), std::move(otherwise));
}
inline ir::Region whole(const ir::Buffer& b)
{
    return {b, std::vector<ir::Expr>(b->shape.size(), num(0)), b->shape};
}
inline ir::Region tile(const ir::Buffer& b, std::vector<ir::Expr> mins, std::vector<std::int64_t> extents)
{
    ir::Region r{b, std::move(mins), {}};
    for (const std::int64_t e : extents)
        r.extents.push_back(num(e));
    return r;
}

// One launch around `body`, the parameters being the given buffers.
struct Kernel {
    ir::Var bx = var("bx"), by = var("by");
    std::array<ir::Var, 3> tx{var("tx"), var("ty"), var("tz")};
    std::vector<ir::Expr> grid{num(1)};
    std::array<std::int64_t, 3> threads{128, 1, 1};
    std::vector<std::int64_t> cluster;
    std::vector<ir::Buffer> params;
    std::map<std::string, ir::Attr> passConfigs;

    [[nodiscard]] ir::Function function(std::vector<ir::Stmt> body) const
    {
        ir::Function f;
        f.name = "main";
        for (const ir::Buffer& b : params)
            f.params.push_back({b});
        std::vector<ir::Var> blockVars{bx, by};
        blockVars.resize(grid.size());
        auto launch = std::make_shared<ir::Launch>(grid, blockVars, threads, tx, ir::sequence(std::move(body)));
        launch->cluster = cluster;
        f.body = launch;
        f.passConfigs = passConfigs;
        return f;
    }
};

struct Outcome {
    RunResult result;
    std::vector<Diagnostic> diagnostics;
};
inline Outcome execute(const ir::Function& f, Arguments& arguments, const RunOptions& options = {})
{
    DiagnosticSink sink;
    Outcome outcome;
    outcome.result = run(f, arguments, options, sink);
    outcome.diagnostics = sink.take();
    return outcome;
}
inline Outcome executeWell(const ir::Function& f, Arguments& arguments, const RunOptions& options = {})
{
    Outcome outcome = execute(f, arguments, options);
    EXPECT_TRUE(outcome.result.ok) << (outcome.diagnostics.empty() ? "" : outcome.diagnostics[0].message);
    return outcome;
}

}  // namespace tw::interp
