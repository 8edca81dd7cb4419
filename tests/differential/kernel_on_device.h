// One random kernel on a device, judged as `tilec verify` judges it (language.md g.2b). Half of the seeds have small whole numbers as
// inputs: nothing that is exact in every order may then differ in a bit.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <string>

#include <fmt/ranges.h>

#include "core/interp/interpreter.h"
#include "profiler/device/arguments.h"
#include "profiler/device/device.h"
#include "profiler/device/verify.h"
#include "tests/differential/random_kernel.h"

namespace tw::test {

struct Seeds {
    std::uint32_t first = 1, count = 0;
};

// From an environment variable of the form first:count.
inline Seeds seedsFrom(const char* variable, Seeds otherwise)
{
    const char* text = std::getenv(variable);
    if (text && std::sscanf(text, "%u:%u", &otherwise.first, &otherwise.count) != 2)
        std::fprintf(stderr, "%s is first:count\n", variable);
    return otherwise;
}

inline std::string firstError(const std::vector<Diagnostic>& diagnostics)
{
    for (const Diagnostic& d : diagnostics)
        if (d.severity == Severity::kError)
            return d.message;
    return "nothing was said";
}

// Empty where the device agrees; else what is wrong.
inline std::string verifyKernel(device::Device& device, const std::optional<std::string>& target, std::uint32_t seed)
{
    driver::CompileRequest request;
    request.source = std::make_shared<SourceText>("random.py", randomKernel(seed));
    request.target = target ? target : device.target();
    request.stages = device.stages();
    const auto snapshot = driver::compile(request);
    if (!snapshot->ok())
        return "compiling: " + firstError(snapshot->diagnostics);
    DiagnosticSink sink;
    const auto executable = device.load(*snapshot, sink);
    if (!executable)
        return "loading: " + firstError(sink.all());
    const ir::Function& function = *snapshot->function;
    const device::ArgumentOptions fill{seed, seed % 2 == 0 ? device::Fill::kNormal : device::Fill::kSmallIntegers};
    const auto prepared = device::prepareArguments(function, {}, {}, fill);
    if (!prepared)
        return prepared.error();
    interp::Arguments reference = prepared->arguments, perturbed = reference, reversed = reference, answer = reference;
    interp::RunOptions perturb, reverse;
    perturb.perturb = true;
    perturb.tf32Products = snapshot->target.isCuda() && snapshot->target.compute >= 80;
    reverse.reverseBlocks = true;
    if (!interp::run(function, reference, {}, sink).ok || !interp::run(function, perturbed, perturb, sink).ok ||
        !interp::run(function, reversed, reverse, sink).ok)
        return "the interpreter: " + firstError(sink.all());
    device::RunReport report;
    if (!executable->run(answer, 1, report, sink, {}, {}))
        return "running: " + firstError(sink.all());
    for (const std::size_t k : device::outputOrder(function, prepared->roles, false)) {
        const std::string name = function.params[k].name();
        const auto c = device::compareAnswers(
            name, {reference.tensors.at(name), perturbed.tensors.at(name), reversed.tensors.at(name), answer.tensors.at(name)}, {});
        if (c.wrong > 0)
            return fmt::format("{}: {} of {} wrong, first [{}]: expected {}, got {}", name, c.wrong, c.total,
                               fmt::join(c.firstWrong.value_or(std::vector<std::int64_t>{}), ", "), c.expected, c.got);
    }
    return {};
}

}  // namespace tw::test
