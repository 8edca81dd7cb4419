// Runs snippets of Python as the module level of a file.
#pragma once

#include <gtest/gtest.h>

#include "core/staging/program.h"
#include "core/staging/session.h"
#include "core/syntax/parser.h"

namespace tw::staging {

inline std::shared_ptr<const syntax::Module> parsed(const std::string& text, DiagnosticSink& sink)
{
    return syntax::parse(std::make_shared<const SourceText>("file.py", text), 0, sink);
}

inline Options plainOptions()
{
    Options options;
    options.target = target::defaultTarget();
    return options;
}

// The repr of `name` after the text has run, or the first diagnostic.
inline std::string after(const std::string& text, const std::string& name = "x")
{
    DiagnosticSink sink;
    const auto module = parsed(text, sink);
    Session session(module, plainOptions(), sink, {});
    session.run();
    const Value* value = session.global(name);
    return value ? repr(*value) : "undefined";
}

struct Surveyed {
    DiagnosticSink sink;
    std::shared_ptr<const Program> program;

    explicit Surveyed(const std::string& text, const Options& options = plainOptions())
        : program(survey(parsed(text, sink), options, sink))
    {
    }
    [[nodiscard]] std::vector<std::string> kernels() const
    {
        std::vector<std::string> names;
        for (const Kernel& kernel : program->kernels())
            names.push_back(kernel.name);
        return names;
    }
    [[nodiscard]] std::vector<std::string> instances(const std::string& kernel) const
    {
        std::vector<std::string> names;
        if (const Kernel* found = program->find(kernel))
            for (const Instance& instance : found->instances)
                names.push_back(instance.name);
        return names;
    }
};

// @tilelang.jit on lines 4 to 11.
inline const std::string kCopy = R"(import tilelang
import tilelang.language as T
import torch
@tilelang.jit(out_idx=[1])
def copy(n, block=128):
    @T.prim_func
    def main(X: T.Tensor((n,), T.float32), Y: T.Tensor((n,), T.float32)):
        with T.Kernel(T.ceildiv(n, block), threads=128) as bx:
            for i in T.Parallel(block):
                Y[bx * block + i] = X[bx * block + i]
    return main
)";

}  // namespace tw::staging
