#include "codegen/llvm/cpu_kernel.h"

#include <cstdlib>
#include <cstring>
#include <thread>

#include "codegen/llvm/jit.h"
#include "codegen/llvm/panel_store.h"
#include "codegen/llvm/runtime.h"
#include "codegen/llvm/thread_pool.h"
#include "core/support/check.h"

namespace tw::llvm_backend {

namespace {

// Arguments in the order and form that the host function takes them.
struct Marshalled {
    std::vector<void*> tensors;
    std::vector<std::int64_t> scalars;  // doubles as their bits
    std::vector<std::int64_t> symbols;
};

std::int64_t scalarBits(const std::variant<std::int64_t, double>& value, ir::DType type)
{
    const bool isFloat = type.isFloating();
    if (!isFloat)
        return std::holds_alternative<double>(value) ? static_cast<std::int64_t>(std::get<double>(value)) : std::get<std::int64_t>(value);
    const double number = std::holds_alternative<double>(value) ? std::get<double>(value) : static_cast<double>(std::get<std::int64_t>(value));
    std::int64_t bits = 0;
    std::memcpy(&bits, &number, sizeof bits);
    return bits;
}

bool marshal(const ir::Function& function, interp::Arguments& arguments, Marshalled& out, DiagnosticSink& diagnostics)
{
    const auto missing = [&](const std::string& what, const std::string& name) {
        diagnostics.error(Code::kArgument, function.range, what + " " + name + " has no value");
        return false;
    };
    for (const ir::Param& param : function.params) {
        if (const auto* var = std::get_if<ir::Var>(&param.value)) {
            if (const auto tensor = arguments.tensors.find(param.name()); tensor != arguments.tensors.end()) {
                out.scalars.push_back(reinterpret_cast<std::int64_t>(tensor->second.bytes.data()));  // a pointer parameter
                continue;
            }
            const auto found = arguments.scalars.find(param.name());
            if (found == arguments.scalars.end())
                return missing("the scalar", param.name());
            out.scalars.push_back(scalarBits(found->second, (*var)->dtype));
            continue;
        }
        const auto found = arguments.tensors.find(param.name());
        if (found == arguments.tensors.end())
            return missing("the tensor", param.name());
        out.tensors.push_back(found->second.bytes.data());
    }
    for (const ir::Var& symbol : function.symbols) {
        const auto found = arguments.dims.find(symbol->name);
        if (found == arguments.dims.end())
            return missing("the extent", symbol->name);
        out.symbols.push_back(found->second);
    }
    return true;
}

class Kernel final : public CpuKernel {
public:
    Kernel(std::shared_ptr<const ir::Function> function, std::unique_ptr<CompiledCode> code)
        : function_(std::move(function)), code_(std::move(code))
    {
    }

    bool run(interp::Arguments& arguments, int threads, std::string& log, DiagnosticSink& diagnostics, std::stop_token stop) override
    {
        Marshalled in;
        if (!marshal(*function_, arguments, in, diagnostics))
            return false;
        if (threads <= 0)
            threads = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
        if (!pool_ || pool_->size() != threads)
            pool_ = std::make_unique<ThreadPool>(threads);
        RunState state;
        state.pool = pool_.get();
        state.panelMemory = &panelMemory_;
        state.threads = threads;
        state.stop = std::move(stop);
        state.provenances = &code_->provenances;
        state.diagnostics = &diagnostics;
        code_->host(&state, in.tensors.data(), in.scalars.data(), in.symbols.data());
        for (void* memory : state.allocations)
            std::free(memory);
        log += state.log;
        return !state.over();
    }

private:
    std::shared_ptr<const ir::Function> function_;
    std::unique_ptr<CompiledCode> code_;
    std::unique_ptr<ThreadPool> pool_;
    PanelMemory panelMemory_;
};

}  // namespace

EmittedText emitLlvmIr(const ir::Function& function, bool optimized, DiagnosticSink& diagnostics)
{
    return compileToText(function, optimized ? TextKind::kOptimizedIr : TextKind::kUnoptimizedIr, diagnostics);
}

EmittedText emitAssembly(const ir::Function& function, DiagnosticSink& diagnostics)
{
    return compileToText(function, TextKind::kAssembly, diagnostics);
}

std::string emitObject(const ir::Function& function, DiagnosticSink& diagnostics) { return compileToObject(function, diagnostics); }

std::unique_ptr<CpuKernel> compileForCpu(std::shared_ptr<const ir::Function> function, DiagnosticSink& diagnostics)
{
    auto code = compileToMemory(*function, diagnostics);
    if (!code)
        return nullptr;
    return std::make_unique<Kernel>(std::move(function), std::move(code));
}

}  // namespace tw::llvm_backend
