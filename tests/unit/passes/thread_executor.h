// Runs lowered statements on all threads of a block at once: enough of the thread stage for the pieces of a pass. Elements are doubles, so
// tests use values that every type holds exactly.
#pragma once

#include <map>
#include <vector>

#include "core/ir/stmt.h"

namespace tw::passes {

class ThreadExecutor {
public:
    explicit ThreadExecutor(std::int64_t threads) : threads_(threads) {}

    // Shared memory that exists before: physical elements.
    void addShared(const ir::Buffer& buffer, std::vector<double> elements) { shared_[buffer.get()] = std::move(elements); }
    // Registers of all threads: [thread][register].
    void addLocal(const ir::Buffer& buffer, std::vector<std::vector<double>> elements) { local_[buffer.get()] = std::move(elements); }
    void setThreadVar(const ir::Var& var);

    void run(const ir::Stmt& s);
    [[nodiscard]] const std::vector<std::vector<double>>& local(const ir::Buffer& buffer) const { return local_.at(buffer.get()); }
    [[nodiscard]] int count(ir::OpId op) const { return counts_.contains(op) ? counts_.at(op) : 0; }  // times that the block ran it

private:
    double value(const ir::Expr& e, std::int64_t thread);
    std::int64_t integer(const ir::Expr& e, std::int64_t thread) { return static_cast<std::int64_t>(value(e, thread)); }
    double& element(const ir::Buffer& buffer, const ir::Expr& index, std::int64_t thread);
    void loop(const ir::For& s);
    void loadMatrices(const ir::OpCall& call);
    void multiply(const ir::OpCall& call);
    void multiplyGroups(const ir::OpCall& call);
    std::vector<double> described(const ir::Region& r, const ir::Attrs& attrs, const std::string& side, std::int64_t thread,
                                  std::int64_t rows, std::int64_t depth, bool kMajor);

    std::int64_t threads_;
    std::map<const ir::BufferNode*, std::vector<double>> shared_;
    std::map<const ir::BufferNode*, std::vector<std::vector<double>>> local_;
    std::map<const ir::ExprNode*, std::vector<double>> vars_;
    std::map<ir::OpId, int> counts_;
};

}  // namespace tw::passes
