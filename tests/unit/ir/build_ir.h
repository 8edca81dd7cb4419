// Short hands for IR in tests.
#pragma once

#include "core/ir/build.h"
#include "core/ir/stmt.h"
#include "core/ir/visit.h"

namespace tw::ir::test {

inline Var makeVar(const char* name, DType type = kInt32)
{
    return std::make_shared<VarNode>(type, name);
}

inline Buffer makeBuffer(const char* name, std::vector<Expr> shape, DType type = kFloat32,
                         MemoryScope scope = MemoryScope::kGlobal)
{
    BufferNode node;
    node.name = name;
    node.dtype = type;
    node.shape = std::move(shape);
    node.scope = scope;
    return std::make_shared<BufferNode>(std::move(node));
}

inline Region whole(const Buffer& buffer)
{
    return {buffer, std::vector<Expr>(buffer->shape.size(), intImm(0)), buffer->shape};
}

inline Expr load(const Buffer& buffer, std::vector<Expr> indices)
{
    return std::make_shared<Load>(buffer->dtype, buffer, std::move(indices));
}

inline Stmt store(const Buffer& buffer, std::vector<Expr> indices, Expr value)
{
    return std::make_shared<Store>(buffer, std::move(indices), std::move(value));
}

inline Stmt allocate(const Buffer& buffer)
{
    return std::make_shared<Allocate>(buffer);
}

inline Stmt op(OpId id, std::vector<Operand> operands, Attrs attrs = {}, Provenance where = {})
{
    return std::make_shared<OpStmt>(OpCall{id, std::move(operands), std::move(attrs)}, where);
}

inline Stmt loop(ForKind kind, std::vector<std::pair<Var, Expr>> axes, Stmt body, Attrs attrs = {})
{
    std::vector<Axis> list;
    for (auto& [var, extent] : axes)
        list.push_back({var, intImm(0), extent, intImm(1)});
    return std::make_shared<For>(kind, std::move(list), std::move(body), std::move(attrs));
}

inline Stmt launch(std::vector<Expr> grid, std::vector<Var> blocks, Stmt body, std::int64_t threads = 128)
{
    return std::make_shared<Launch>(std::move(grid), std::move(blocks), std::array<std::int64_t, 3>{threads, 1, 1},
                                    std::array<Var, 3>{makeVar("tx"), makeVar("ty"), makeVar("tz")}, std::move(body));
}

inline Function function(std::vector<Buffer> params, Stmt body)
{
    Function f;
    f.name = "main";
    for (Buffer& buffer : params)
        f.params.push_back(Param{std::move(buffer)});
    f.body = std::move(body);
    return f;
}

}  // namespace tw::ir::test
