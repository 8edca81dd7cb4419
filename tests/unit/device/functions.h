// Small functions of the IR for tests, built by hand.
#pragma once

#include "core/ir/build.h"
#include "core/ir/stmt.h"

namespace tw::device::test {

inline ir::Var symbol(const std::string& name) { return std::make_shared<const ir::VarNode>(ir::kInt32, name); }

inline ir::Buffer tensor(const std::string& name, ir::DType dtype, std::vector<ir::Expr> shape, std::vector<ir::Expr> strides = {})
{
    auto buffer = std::make_shared<ir::BufferNode>();
    buffer->name = name;
    buffer->dtype = dtype;
    buffer->shape = std::move(shape);
    buffer->strides = std::move(strides);
    return buffer;
}

inline ir::Stmt store(const ir::Buffer& buffer, ir::Expr index, ir::Expr value)
{
    return std::make_shared<const ir::Store>(buffer, std::vector<ir::Expr>{std::move(index)}, std::move(value));
}

inline ir::Expr load(const ir::Buffer& buffer, ir::Expr index)
{
    return std::make_shared<const ir::Load>(buffer->dtype, buffer, std::vector<ir::Expr>{std::move(index)});
}

// for i in range(end): body(i)
template <class F>
ir::Stmt loop(ir::Expr begin, ir::Expr end, F&& body)
{
    const ir::Var i = symbol("i");
    return std::make_shared<const ir::For>(ir::ForKind::kSerial, std::vector<ir::Axis>{{i, std::move(begin), std::move(end), ir::intImm(1)}}, body(i));
}

}  // namespace tw::device::test
