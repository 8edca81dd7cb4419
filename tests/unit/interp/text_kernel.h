// Kernels of tests as TileLang text.
#pragma once

#include <gtest/gtest.h>

#include <cmath>

#include "core/interp/interpreter.h"
#include "core/staging/program.h"
#include "core/syntax/parser.h"

namespace tw::interp {

class TextKernel {
public:
    // `body`: a file without its imports. `kernel`: the one to run.
    TextKernel(const std::string& body, std::string kernel, staging::Bindings params = {}, staging::Bindings dims = {})
    {
        const std::string text = "import tilelang\nimport tilelang.language as T\n" + body;
        DiagnosticSink sink;
        const auto source = std::make_shared<const SourceText>("test.py", text);
        staging::Options options;
        options.target = *target::parse("sm_90a");
        const auto program = staging::survey(syntax::parse(source, 0, sink), options, sink);
        staging::TraceRequest request;
        request.kernel = std::move(kernel);
        request.params = std::move(params);
        request.dims = dims;
        function = staging::trace(*program, request, options, sink).function;
        for (const Diagnostic& d : sink.all())
            if (d.severity == Severity::kError)
                ADD_FAILURE() << source->lineColumn(d.range.begin).line << ": " << d.message;
        for (const auto& [name, value] : dims)
            arguments.dims[name] = std::stoll(value);
    }

    // Fills a tensor parameter; the shape is the parameter's.
    template <class F>
    TextKernel& fill(const std::string& name, F&& valueAt)
    {
        Tensor& t = tensor(name);
        for (std::int64_t k = 0; k < t.elementCount(); ++k)
            t.setFloat(k, static_cast<double>(valueAt(k)));
        return *this;
    }
    Tensor& tensor(const std::string& name)
    {
        makeTensors();
        return arguments.tensors.at(name);
    }
    [[nodiscard]] double at(const std::string& name, std::int64_t index) { return tensor(name).floatAt(index); }
    // The tensor that the kernel returns k-th.
    [[nodiscard]] double returned(std::size_t k, std::int64_t index)
    {
        return at(function->params.at(static_cast<std::size_t>(function->returned.at(k))).name(), index);
    }

    bool run(const RunOptions& options = {})
    {
        if (!function)
            return false;
        makeTensors();
        DiagnosticSink sink;
        const RunResult result = interp::run(*function, arguments, options, sink);
        log = result.log;
        diagnostics = sink.take();
        return result.ok;
    }
    void runWell(const RunOptions& options = {})
    {
        ASSERT_TRUE(run(options)) << (diagnostics.empty() ? "no function" : diagnostics[0].message);
    }

    std::shared_ptr<const ir::Function> function;
    Arguments arguments;
    std::vector<Diagnostic> diagnostics;
    std::string log;

private:
    std::int64_t extent(const ir::Expr& e)
    {
        if (const std::int64_t* value = ir::asInt(e))
            return *value;
        if (const auto* var = ir::as<ir::VarNode>(e))
            return arguments.dims.at(var->name);
        ADD_FAILURE() << "an extent that is no number and no name";
        return 1;
    }
    void makeTensors()
    {
        if (!function)
            return;
        for (const ir::Param& param : function->params) {
            const auto* buffer = std::get_if<ir::Buffer>(&param.value);
            if (!buffer || arguments.tensors.contains(param.name()))
                continue;
            std::vector<std::int64_t> shape;
            for (const ir::Expr& e : (*buffer)->shape)
                shape.push_back(extent(e));
            Tensor t = makeTensor((*buffer)->dtype, shape);
            poison(t);
            arguments.tensors[param.name()] = std::move(t);
        }
    }
};

}  // namespace tw::interp
