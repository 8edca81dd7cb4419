// Runs a kernel before and after a pass and compares what it leaves in its tensors.
#pragma once

#include "core/ir/print.h"
#include "core/ir/verify.h"
#include "core/passes/pass.h"
#include "tests/unit/interp/text_kernel.h"

namespace tw::passes {

struct PassRun {
    DiagnosticSink sink;
    target::Target target;
    explicit PassRun(const char* name = "sm_80") : target(*target::parse(name)) {}

    ir::Function operator()(Pass pass, const ir::Function& f)
    {
        PassContext context{target, sink, {}};
        ir::Function out = pass(f, context);
        for (const std::string& broken : ir::verify(out))
            ADD_FAILURE() << broken << "\n" << ir::print(out).text;
        return out;
    }
};

// Fills every tensor with small integers, runs `kernel.function` and `after`, and expects equal tensors.
inline void expectSameResults(interp::TextKernel& kernel, const ir::Function& after)
{
    const auto before = kernel.function;
    ASSERT_TRUE(before);
    for (const ir::Param& param : before->params)
        if (std::holds_alternative<ir::Buffer>(param.value)) {
            int k = 0;
            kernel.fill(param.name(), [&](std::int64_t) { return (k = (k * 5 + 3) % 17) % 5 - 2; });
        }
    const interp::Arguments inputs = kernel.arguments;
    kernel.runWell();
    const interp::Arguments expected = kernel.arguments;
    kernel.arguments = inputs;
    kernel.function = std::make_shared<const ir::Function>(after);
    kernel.runWell();
    for (const auto& [name, tensor] : expected.tensors)
        for (std::int64_t i = 0; i < tensor.elementCount(); ++i)
            ASSERT_EQ(tensor.floatAt(i), kernel.at(name, i)) << name << "[" << i << "]\n" << ir::print(after).text;
    kernel.function = before;
    kernel.arguments = inputs;
}

}  // namespace tw::passes
