// Thread-stage programs of tests as text, and faults put into them.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "core/sim/sim.h"
#include "core/staging/program.h"

namespace tw::sim {

class SimKernel {
public:
    // `body`: a file without its imports; its first kernel is run.
    explicit SimKernel(std::string body) : text_("import tilelang\nimport tilelang.language as T\nimport tw\n" + std::move(body)) {}

    // A fault: `from` stands in the program exactly `times` times.
    SimKernel& replace(const std::string& from, const std::string& to, int times = 1)
    {
        int count = 0;
        for (std::size_t at = 0; (at = text_.find(from, at)) != std::string::npos; at += to.size(), ++count)
            text_.replace(at, from.size(), to);
        EXPECT_EQ(count, times) << from;
        return *this;
    }

    interp::Tensor& tensor(const std::string& name)
    {
        read();
        return arguments_.tensors.at(name);
    }
    template <class F>
    SimKernel& fill(const std::string& name, F&& valueAt)
    {
        interp::Tensor& t = tensor(name);
        for (std::int64_t k = 0; k < t.elementCount(); ++k)
            t.setFloat(k, static_cast<double>(valueAt(k)));
        return *this;
    }
    const ir::Function& function()
    {
        read();
        return *function_;
    }
    interp::Arguments& arguments()
    {
        read();
        return arguments_;
    }
    double at(const std::string& name, std::int64_t index) { return tensor(name).floatAt(index); }

    SimResult& run(const SimOptions& options = {})
    {
        read();
        DiagnosticSink sink;
        if (function_)
            result = simulate(*function_, arguments_, options, sink);
        diagnostics = sink.take();
        return result;
    }
    [[nodiscard]] bool found(FindingKind kind) const
    {
        return std::any_of(result.report.findings.begin(), result.report.findings.end(), [&](const Finding& f) { return f.kind == kind; });
    }
    [[nodiscard]] std::string said() const
    {
        std::string all;
        for (const Diagnostic& d : diagnostics) {
            all += lineOf(d.range) + ": " + d.message + "\n";
            for (const Note& n : d.notes)
                all += "    " + lineOf(n.range) + ": " + n.message + "\n";
        }
        return all;
    }
    // The source line of a place, without its indentation.
    [[nodiscard]] std::string lineOf(const SourceRange& range) const
    {
        const SourceText source("test.py", text_);
        const std::string line(source.lineText(source.lineColumn(range.begin).line));
        return line.substr(std::min(line.size(), line.find_first_not_of(' ')));
    }

    SimResult result;
    std::vector<Diagnostic> diagnostics;

private:
    void read()
    {
        if (isRead_)
            return;
        isRead_ = true;
        DiagnosticSink sink;
        function_ = staging::readFunction(text_, sink);
        const SourceText source("test.py", text_);
        for (const Diagnostic& d : sink.all())
            ADD_FAILURE() << source.lineColumn(d.range.begin).line << ": " << d.message;
        if (!function_)
            return;
        for (const ir::Param& param : function_->params)
            if (const auto* buffer = std::get_if<ir::Buffer>(&param.value)) {
                std::vector<std::int64_t> shape;
                for (const ir::Expr& e : (*buffer)->shape)
                    shape.push_back(*ir::asInt(e));
                arguments_.tensors[param.name()] = interp::makeTensor((*buffer)->dtype, shape);
                interp::poison(arguments_.tensors[param.name()]);
            }
    }

    std::string text_;
    bool isRead_ = false;
    std::shared_ptr<const ir::Function> function_;
    interp::Arguments arguments_;
};

}  // namespace tw::sim
