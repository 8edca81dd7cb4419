#include "app/cli/select.h"

#include <algorithm>

#include <fmt/ranges.h>

namespace tw::cli {
namespace {

class Selector {
public:
    Selector(const OpenedFile& file, const Options& options, Scope scope, Report& report)
        : file_(file), options_(options), scope_(scope), report_(report)
    {
    }

    Selection run()
    {
        if (!file_.program())
            return stop(kProgramWrong);
        const auto& kernels = file_.program()->kernels();
        if (!options_.kernel.empty()) {
            if (const staging::Kernel* kernel = named())
                add(*kernel);
        } else if (scope_ == Scope::kEverything) {
            for (const staging::Kernel& kernel : kernels)
                add(kernel);
        } else if (!kernels.empty()) {
            add(kernels.front());
        }
        if (kernels.empty())
            noKernels();
        return std::move(out_);
    }

private:
    Selection stop(int exitCode)
    {
        out_.exitCode = exitCode;
        out_.items.clear();
        return std::move(out_);
    }

    void noKernels()
    {
        if (report_.hasErrors())
            out_.exitCode = kProgramWrong;
        else if (scope_ == Scope::kOne || !options_.kernel.empty()) {
            report_.fail(Code::kUsage, "the file has no kernel");
            out_.exitCode = kUsage;
        } else {
            report_.note("the file has no kernel");
        }
    }

    const staging::Kernel* named()
    {
        if (const staging::Kernel* kernel = withInstance(file_.program()->find(options_.kernel)))
            return kernel;
        if (file_.program()->kernels().empty())
            return nullptr;
        std::vector<std::string> names;
        for (const staging::Kernel& kernel : file_.program()->kernels())
            names.push_back(kernel.name);
        const std::string near = nearestName(options_.kernel, names);
        report_.fail(Code::kUsage, fmt::format("the file has no kernel {}{}; it has {}", options_.kernel,
                                               near.empty() ? "" : fmt::format(", did you mean {}", near), fmt::join(names, ", ")));
        out_.exitCode = report_.hasErrors() && !file_.survey().ok() ? kProgramWrong : kUsage;
        return nullptr;
    }

    // Of several kernels of one name ("matmul", "matmul#2") the one that has the instance; else the first.
    const staging::Kernel* withInstance(const staging::Kernel* first) const
    {
        const auto has = [&](const staging::Kernel& kernel) {
            return std::ranges::find(kernel.instances, options_.instance, &staging::Instance::name) != kernel.instances.end();
        };
        if (!first || options_.instance.empty() || has(*first))
            return first;
        for (const staging::Kernel& kernel : file_.program()->kernels())
            if (std::ranges::find(kernel.aliases, first->name) != kernel.aliases.end() && has(kernel))
                return &kernel;
        return first;
    }

    bool overlays() const { return !options_.params.empty() || !options_.dims.empty() || !options_.inputs.empty(); }

    // What is missing after the overlays.
    std::vector<std::string> missing(const staging::Kernel& kernel) const
    {
        std::vector<std::string> names;
        for (const std::string& name : kernel.missing)
            if (!options_.params.contains(name) && !options_.dims.contains(name))
                names.push_back(name);
        return names;
    }

    void add(const staging::Kernel& kernel)
    {
        staging::TraceRequest request;
        request.kernel = kernel.name;
        request.instance = options_.instance;
        request.params = options_.params;
        request.dims = options_.dims;
        if (kernel.instances.empty() && options_.instance.empty()) {
            const auto names = missing(kernel);
            if (names.empty())
                out_.items.push_back({&kernel, request});
            else
                lacks(kernel, names);
            return;
        }
        if (!options_.instance.empty()) {
            named(kernel, request);
        } else if (scope_ == Scope::kOne || overlays()) {
            out_.items.push_back({&kernel, request});
        } else {
            for (const staging::Instance& instance : kernel.instances) {
                request.instance = instance.name;
                out_.items.push_back({&kernel, request});
            }
        }
    }

    void named(const staging::Kernel& kernel, const staging::TraceRequest& request)
    {
        std::vector<std::string> names;
        for (const staging::Instance& instance : kernel.instances) {
            if (instance.name == options_.instance) {
                out_.items.push_back({&kernel, request});
                return;
            }
            names.push_back(instance.name);
        }
        report_.fail(Code::kUsage, names.empty() ? fmt::format("{} has no instance; give --param {}", kernel.name, fmt::join(kernel.missing, ", "))
                                                 : fmt::format("{} has no instance {}; it has {}", kernel.name, options_.instance, fmt::join(names, ", ")));
        out_.exitCode = kUsage;
    }

    void lacks(const staging::Kernel& kernel, const std::vector<std::string>& names)
    {
        const std::string message = fmt::format("{} needs --param {}", kernel.name, fmt::join(names, ", "));
        const bool isNote = options_.verb->bit == VerbBit::kList || options_.verb->bit == VerbBit::kCheck;
        const auto isOfKernel = [&](const Diagnostic& d) { return d.severity == Severity::kError && d.kernel == kernel.name; };
        // A call that does not fit its kernel has said it already.
        if (isNote ? report_.hasErrors() : std::ranges::any_of(file_.survey().diagnostics, isOfKernel)) {
            out_.exitCode = isNote ? out_.exitCode : kProgramWrong;
            return;
        }
        Diagnostic d{Code::kUsage, isNote ? Severity::kNote : Severity::kError, kernel.range, message, {}, {}, kernel.name};
        report_.add(d);
        if (!isNote)
            out_.exitCode = kUsage;
    }

    const OpenedFile& file_;
    const Options& options_;
    Scope scope_;
    Report& report_;
    Selection out_;
};

}  // namespace

Selection select(const OpenedFile& file, const Options& options, Scope scope, Report& report)
{
    return Selector(file, options, scope, report).run();
}

void noteMissing(const Selected& selected, const std::vector<std::string>& names, Report& report)
{
    SourceRange range = selected.kernel->range;
    for (const staging::Instance& instance : selected.kernel->instances)
        if (instance.name == selected.request.instance && instance.range.isKnown())
            range = instance.range;
    const std::string& name = selected.kernel->name;
    const std::string instance = selected.request.instance.empty() ? "" : "@" + selected.request.instance;
    report.add({Code::kUsage, Severity::kNote, range, fmt::format("{}{} needs --param {}", name, instance, fmt::join(names, ", ")), {}, {}, name});
}

void noteNothingFits(std::vector<Diagnostic> diagnostics, Report& report)
{
    for (Diagnostic& d : diagnostics) {
        if (d.code == Code::kUsage)
            d.severity = Severity::kNote;
        report.add(d);
    }
}

tl::expected<OpenedKernel, int> openKernel(const Options& options, Report& report, std::stop_token stop)
{
    auto file = OpenedFile::open(options, report, std::move(stop));
    if (!file)
        return tl::unexpected(static_cast<int>(kUsage));
    Selection selection = select(*file, options, Scope::kOne, report);
    if (selection.exitCode != kFine)
        return tl::unexpected(selection.exitCode);
    if (selection.items.empty())
        return tl::unexpected(static_cast<int>(kProgramWrong));
    return OpenedKernel{std::move(file), std::move(selection.items.front())};
}

}  // namespace tw::cli
