// Small kernels made by hand, and running them through the CPU pipeline.
#pragma once

#include <string>
#include <vector>

#include "core/interp/tensor.h"
#include "core/ir/build.h"
#include "core/ir/stmt.h"
#include "core/support/diagnostic.h"

namespace tw::test {

ir::Buffer globalBuffer(const std::string& name, ir::DType type, std::vector<ir::Expr> shape);
ir::Buffer chipBuffer(const std::string& name, ir::DType type, std::vector<std::int64_t> shape, ir::MemoryScope scope);
ir::Var intVar(const std::string& name);
ir::Expr load(const ir::Buffer& buffer, std::vector<ir::Expr> indices);
ir::Stmt store(const ir::Buffer& buffer, std::vector<ir::Expr> indices, ir::Expr value);
ir::Stmt loop(ir::ForKind kind, std::vector<ir::Var> vars, std::vector<std::int64_t> extents, ir::Stmt body);
ir::Region whole(const ir::Buffer& buffer);
ir::Region tile(const ir::Buffer& buffer, std::vector<ir::Expr> mins, std::vector<std::int64_t> extents);
ir::Stmt op(ir::OpId id, std::vector<ir::Operand> operands, ir::Attrs attrs = {});
// One launch over `grid` with these block indices.
struct LaunchParts {
    std::vector<ir::Expr> grid;
    std::vector<ir::Var> blockVars;
    std::int64_t threads = 128;
    ir::Var thread = {};  // threadIdx.x; made up if empty
};
ir::Function kernel(std::vector<ir::Buffer> params, const LaunchParts& parts, std::vector<ir::Stmt> body);

interp::Tensor tensor(ir::DType type, std::vector<std::int64_t> shape, const std::vector<double>& values);

struct Outcome {
    bool ok = false;
    std::string log;
    std::vector<Diagnostic> diagnostics;
};
// Through the CPU pipeline and the JIT.
Outcome runOnCpu(const ir::Function& function, interp::Arguments& arguments, int threads = 2);

}  // namespace tw::test
