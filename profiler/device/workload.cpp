#include "profiler/device/workload.h"

#include <fmt/ranges.h>

#include "profiler/device/const_extents.h"

namespace tw::device {
namespace {

using protocol::Outcome;

tl::unexpected<Refusal> refuse(Outcome outcome, Code code, std::string message)
{
    return tl::unexpected(Refusal{outcome, Diagnostic{code, Severity::kError, {}, std::move(message), {}, {}, {}}});
}

Extents numbers(const staging::Bindings& bindings)
{
    Extents out;
    for (const auto& [name, text] : bindings) {
        char* end = nullptr;
        const long long value = std::strtoll(text.c_str(), &end, 10);
        if (end != text.c_str() && *end == '\0')
            out[name] = value;
    }
    return out;
}

// What is missing and no parameter: T.const extents.
struct Missing {
    std::vector<std::string> parameters, extents;
};
Missing sortMissing(const driver::CompileSnapshot& snapshot)
{
    Missing out;
    const staging::Kernel* kernel = snapshot.program ? snapshot.program->find(snapshot.kernel) : nullptr;
    for (const std::string& name : snapshot.missing) {
        const bool isParameter = kernel && std::any_of(kernel->parameters.begin(), kernel->parameters.end(),
                                                       [&](const staging::KernelParameter& p) { return p.name == name; });
        (isParameter ? out.parameters : out.extents).push_back(name);
    }
    return out;
}

// `chosen`, and the values that a kernel's own asserts on T.const extents, and the tiles that they size, may want: the nearest first.
std::vector<std::int64_t> candidates(std::int64_t chosen)
{
    std::vector<std::int64_t> out{chosen};
    const auto add = [&](std::int64_t value) {
        if (std::find(out.begin(), out.end(), value) == out.end())
            out.push_back(value);
    };
    for (const std::int64_t multiple : {16, 64, 128, 256})
        add((chosen + multiple - 1) / multiple * multiple);
    for (const std::int64_t value : {1024, 768, 512, 256, 128, 96, 64, 48, 32, 16, 8})
        add(value);
    return out;
}

std::vector<Diagnostic> errorsOf(const driver::CompileSnapshot& snapshot)
{
    std::vector<Diagnostic> out;
    for (const Diagnostic& d : snapshot.diagnostics)
        if (d.severity == Severity::kError)
            out.push_back(d);
    return out;
}

// An assert or an exception of the file's own code may be about the extents, whatever it says.
bool isOfOwnCode(const std::vector<Diagnostic>& errors)
{
    return std::any_of(errors.begin(), errors.end(),
                       [](const Diagnostic& d) { return d.code == Code::kAssertFailed || d.code == Code::kRaised; });
}

// Whether two choices failed for one reason, said of different extents.
bool isSameMistake(const std::vector<Diagnostic>& a, const std::vector<Diagnostic>& b)
{
    return !isOfOwnCode(a) && std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const Diagnostic& x, const Diagnostic& y) {
        return x.code == y.code && x.range == y.range;
    });
}

// `snapshot`, which was made with `chosen`, with its errors told as what they are: of a choice that is not the author's.
std::shared_ptr<const driver::CompileSnapshot> nothingFits(const driver::CompileSnapshot& snapshot, const std::vector<std::string>& extents,
                                                           std::int64_t chosen)
{
    auto out = std::make_shared<driver::CompileSnapshot>(snapshot);
    std::erase_if(out->diagnostics, [](const Diagnostic& d) { return d.severity == Severity::kError; });
    const Diagnostic first = errorsOf(snapshot).front();
    out->diagnostics.push_back({Code::kUsage, Severity::kError, first.range,
                                fmt::format("{} needs --dim {}: of the extents that were tried, none fits", snapshot.kernel,
                                            fmt::join(extents, ", ")),
                                {{first.range, fmt::format("with {}: {}", chosen, first.message)}}, {}, snapshot.kernel});
    return out;
}

}  // namespace

driver::CompileRequest compileRequest(const protocol::Job& job, unsigned stages)
{
    driver::CompileRequest request;
    request.source = std::make_shared<const SourceText>(job.fileName, job.text);
    request.readSibling = [siblings = job.siblings](const std::string& path) -> std::optional<std::string> {
        const auto found = siblings.find(path);
        return found == siblings.end() ? std::nullopt : std::optional(found->second);
    };
    request.kernel = job.kernel;
    request.target = job.target;
    request.stages = stages;
    return request;
}

Outcome outcomeOf(const driver::CompileSnapshot& snapshot)
{
    bool hasError = false, isOnlyRefused = true, isUsage = false;
    for (const Diagnostic& d : snapshot.diagnostics) {
        if (d.severity != Severity::kError)
            continue;
        hasError = true;
        isOnlyRefused = isOnlyRefused && d.code == Code::kNotSupported;
        isUsage = isUsage || d.code == Code::kUsage;
    }
    if (isUsage)
        return Outcome::kUsage;
    return !hasError ? Outcome::kFine : isOnlyRefused ? Outcome::kCannot : Outcome::kProgramWrong;
}

std::vector<std::string> missingParameters(const driver::CompileSnapshot& snapshot) { return sortMissing(snapshot).parameters; }

std::shared_ptr<const driver::CompileSnapshot> compileWithExtents(driver::CompileRequest request, std::int64_t chosen,
                                                                  ExtentChoice& choice, std::stop_token stop)
{
    auto snapshot = driver::compile(request, stop);
    const Missing missing = sortMissing(*snapshot);
    const bool mustChoose = !missing.extents.empty() && missing.parameters.empty();
    choice = mustChoose ? ExtentChoice::kChosen : ExtentChoice::kNone;
    if (!mustChoose)
        return snapshot;
    std::shared_ptr<const driver::CompileSnapshot> first;
    std::vector<Diagnostic> errors;  // of the first
    bool isMistake = true;
    for (const std::int64_t value : candidates(chosen)) {
        for (const std::string& name : missing.extents)
            request.kernel.dims[name] = std::to_string(value);
        request.previous = snapshot;
        snapshot = driver::compile(request, stop);
        if (snapshot->ok() || stop.stop_requested())
            return snapshot;
        if (!first) {
            first = snapshot;
            errors = errorsOf(*first);
            continue;
        }
        const std::vector<Diagnostic> now = errorsOf(*snapshot);
        if (now == errors && !isOfOwnCode(now))
            return first;
        isMistake = isMistake && isSameMistake(now, errors);
    }
    if (isMistake || outcomeOf(*first) != Outcome::kProgramWrong)
        return first;
    choice = ExtentChoice::kNothingFits;
    return nothingFits(*first, missing.extents, chosen);
}

namespace {

// T.const extents that the given inputs determine, where the trace of `snapshot` lacked them or used others.
void bindConstants(driver::CompileRequest& request, const driver::CompileSnapshot& snapshot, const GivenInputs& inputs)
{
    const staging::Kernel* kernel = snapshot.program ? snapshot.program->find(snapshot.kernel) : nullptr;
    if (!kernel || !snapshot.module)
        return;
    for (const auto& [name, extent] : extentsFromAnnotations(*snapshot.module, *kernel, inputs.shapes())) {
        const auto used = snapshot.instance.dims.find(name);
        const bool isMissing = std::find(snapshot.missing.begin(), snapshot.missing.end(), name) != snapshot.missing.end();
        const bool isOther = used != snapshot.instance.dims.end() && used->second != std::to_string(extent);
        if ((isMissing || isOther) && !request.kernel.dims.contains(name) && !request.kernel.params.contains(name))
            request.kernel.dims[name] = std::to_string(extent);
    }
}

// The first --dim that names no extent of the kernel; empty if all do. What an array kernel or a call in the file names is known
// to staging; a T.const extent that only --dim gives is missing without it.
std::string unknownDim(driver::CompileRequest request, const driver::CompileSnapshot& snapshot, const std::stop_token& stop)
{
    const staging::Kernel* kernel = snapshot.program->find(snapshot.kernel);
    if (!kernel || kernel->form == staging::KernelForm::kArray)
        return {};
    const auto isKnown = [&](const std::string& name) {
        const auto& symbols = snapshot.function->symbols;
        const auto& params = snapshot.function->params;
        return std::any_of(symbols.begin(), symbols.end(), [&](const ir::Var& v) { return v->name == name; }) ||
               std::any_of(params.begin(), params.end(), [&](const ir::Param& p) { return p.name() == name; }) ||
               std::any_of(kernel->instances.begin(), kernel->instances.end(),
                           [&](const staging::Instance& i) { return i.dims.contains(name); });
    };
    for (const auto& [name, value] : staging::Bindings(request.kernel.dims)) {
        if (isKnown(name))
            continue;
        request.kernel.dims.erase(name);
        request.stages = static_cast<unsigned>(driver::StageWanted::kTrace);
        const auto without = driver::compile(request, stop);
        request.kernel.dims[name] = value;
        if (std::find(without->missing.begin(), without->missing.end(), name) == without->missing.end())
            return name;
    }
    return {};
}

}  // namespace

tl::expected<void, Refusal> prepareWorkload(const driver::CompileRequest& given, const GivenInputs& inputs, std::int64_t chosen,
                                            Workload& workload, std::stop_token stop)
{
    driver::CompileRequest request = given;
    if (!inputs.arrays.empty()) {
        for (const auto& [name, array] : inputs.arrays)
            if (const auto dtype = ir::parseDType(array.typeName()))
                request.kernel.tensors[name] = {*dtype, array.shape};
        driver::CompileRequest traceOnly = request;
        traceOnly.stages = static_cast<unsigned>(driver::StageWanted::kTrace);
        const auto first = driver::compile(traceOnly, stop);
        request.previous = first;
        bindConstants(request, *first, inputs);
    }
    ExtentChoice choice{};
    workload.snapshot = compileWithExtents(request, chosen, choice, stop);
    workload.choseExtents = choice != ExtentChoice::kNone;
    if (const auto missing = missingParameters(*workload.snapshot); !missing.empty())
        return refuse(Outcome::kUsage, Code::kUsage, fmt::format("{} needs --param {}", workload.snapshot->kernel, fmt::join(missing, ", ")));
    if (!workload.snapshot->ok() || !workload.snapshot->function)
        return tl::unexpected(Refusal{outcomeOf(*workload.snapshot), {}});
    if (const std::string name = unknownDim(request, *workload.snapshot, stop); !name.empty())
        return refuse(Outcome::kUsage, Code::kUsage, fmt::format("{} has no extent {}", workload.snapshot->kernel, name));

    ExtentSources sources;
    sources.given = numbers(inputs.literals);  // a scalar parameter may be an extent as well
    for (const auto& [name, value] : numbers(given.kernel.params))  // --param may name a symbolic extent, --dim goes first
        sources.given[name] = value;
    for (const auto& [name, value] : numbers(given.kernel.dims))
        sources.given[name] = value;
    sources.inputs = inputs.shapes();
    sources.call = numbers(workload.snapshot->instance.dims);
    sources.chosen = chosen;
    auto extents = resolveExtents(*workload.snapshot->function, sources);
    if (!extents)
        return refuse(Outcome::kUsage, Code::kArgument, extents.error());
    workload.extents = std::move(*extents);
    workload.choseExtents = workload.choseExtents || !workload.extents.chosen.empty();
    return {};
}

}  // namespace tw::device
