#include <fmt/ranges.h>

#include "app/cli/literal.h"
#include "app/cli/opened_file.h"
#include "app/cli/select.h"
#include "app/cli/verbs.h"
#include "core/ir/print.h"
#include "profiler/device/pointers.h"
#include "profiler/device/workload.h"

namespace tw::cli {
namespace {

const char* roleName(analysis::TensorRole role)
{
    switch (role) {
        case analysis::TensorRole::kOut: return "out";
        case analysis::TensorRole::kInOut: return "inout";
        case analysis::TensorRole::kIn:
        case analysis::TensorRole::kUnused: return "in";
    }
    return "in";
}

const char* originName(staging::Instance::Origin origin)
{
    switch (origin) {
        case staging::Instance::Origin::kDefault: return "default";
        case staging::Instance::Origin::kCall: return "call";
        case staging::Instance::Origin::kParam: return "param";
    }
    return "default";
}

Json tensors(const ir::Function& function)
{
    Json out = Json::array();
    const auto roles = device::parameterRoles(function);
    const std::vector<ir::Buffer> buffers = device::parameterTensors(function);  // what pointers point to as well
    for (std::size_t i = 0; i < buffers.size(); ++i) {
        const ir::Buffer& buffer = buffers[i];
        if (!buffer)
            continue;
        Json shape = Json::array();
        for (const ir::Expr& extent : buffer->shape) {
            if (const std::int64_t* constant = ir::asInt(extent))
                shape.push_back(*constant);
            else
                shape.push_back(ir::print(extent));
        }
        out.push_back({{"name", buffer->name}, {"dtype", buffer->dtype.name()}, {"shape", shape}, {"role", roleName(roles[i])}});
    }
    return out;
}

class Lister {
public:
    Lister(const OpenedFile& file, Report& report, std::stop_token stop) : file_(file), report_(report), stop_(std::move(stop)) {}

    Json kernel(const staging::Kernel& kernel, const std::vector<Selected>& selected)
    {
        const SourceText& text = file_.program()->sources().file(kernel.range.file);
        Json parameters = Json::array(), tunable = Json::object(), instances = Json::array();
        for (const staging::KernelParameter& p : kernel.parameters)
            parameters.push_back({{"name", p.name}, {"default", p.defaultText ? Json(*p.defaultText) : Json(nullptr)}});
        for (const auto& [name, values] : kernel.tunable) {
            tunable[name] = Json::array();
            for (const std::string& value : values)
                tunable[name].push_back(literalToJson(value));
        }
        for (const Selected& s : selected)
            if (s.kernel == &kernel)
                instances.push_back(instance(kernel, s));
        const std::uint32_t last = kernel.range.end > kernel.range.begin ? kernel.range.end - 1 : kernel.range.end;
        Json out = {{"name", kernel.name},
                    {"line", text.lineColumn(kernel.range.begin).line},
                    {"endLine", text.lineColumn(last).line},
                    {"form", staging::formName(kernel.form)},
                    {"parameters", parameters},
                    {"tunable", tunable},
                    {"instances", instances},
                    {"aliases", kernel.aliases}};
        if (instances.empty() && !kernel.missing.empty())
            out["missing"] = kernel.missing;
        return out;
    }

private:
    Json instance(const staging::Kernel& kernel, const Selected& selected)
    {
        device::ExtentChoice choice{};
        const auto snapshot = device::compileWithExtents(
            file_.request(selected.request, static_cast<unsigned>(driver::StageWanted::kTrace)), 1024, choice, stop_);
        const staging::Instance* known = nullptr;
        for (const staging::Instance& i : kernel.instances)
            if (i.name == selected.request.instance)
                known = &i;
        const staging::Instance& shown = snapshot->function || !known ? snapshot->instance : *known;
        Json out = {{"name", known ? known->name : shown.name.empty() ? "default" : shown.name},
                    {"line", line(known ? known->range : shown.range.isKnown() ? shown.range : kernel.range)},
                    {"params", paramsToJson(shown.params)},
                    {"dims", paramsToJson(shown.dims)},
                    {"origin", originName(known ? known->origin : shown.origin)},
                    {"tensors", snapshot->function ? tensors(*snapshot->function) : Json::array()}};
        if (choice == device::ExtentChoice::kNothingFits) {
            noteNothingFits(snapshot->diagnostics, report_);
            return out;
        }
        report_.addAll(snapshot->diagnostics);
        if (const auto missing = device::missingParameters(*snapshot); !snapshot->function && !missing.empty())
            noteMissing(selected, missing, report_);
        for (const Diagnostic& d : snapshot->diagnostics) {
            const auto& survey = snapshot->surveyDiagnostics;
            if (d.severity == Severity::kError && std::find(survey.begin(), survey.end(), d) == survey.end()) {
                out["error"] = toJson(d, &file_.program()->sources(), file_.survey().source->name());
                break;
            }
        }
        return out;
    }

    int line(const SourceRange& range) const { return file_.program()->sources().file(range.file).lineColumn(range.begin).line; }

    const OpenedFile& file_;
    Report& report_;
    std::stop_token stop_;
};

std::string shapeText(const Json& shape)
{
    std::vector<std::string> extents;
    for (const Json& e : shape)
        extents.push_back(e.is_string() ? e.get<std::string>() : e.dump());
    return fmt::format("{}", fmt::join(extents, ", "));
}

std::string textOf(const Json& kernels)
{
    std::string out;
    for (const Json& kernel : kernels) {
        std::vector<std::string> parameters;
        for (const Json& p : kernel["parameters"])
            parameters.push_back(p["default"].is_null() ? p["name"].get<std::string>()
                                                        : fmt::format("{}={}", p["name"].get<std::string>(), p["default"].get<std::string>()));
        out += fmt::format("{}({})  {}, line {}\n", kernel["name"].get<std::string>(), fmt::join(parameters, ", "),
                           kernel["form"].get<std::string>(), kernel["line"].get<int>());
        for (const auto& [name, values] : kernel["tunable"].items())
            out += fmt::format("  tunable {} in {}\n", name, values.dump());
        for (const Json& instance : kernel["instances"]) {
            out += fmt::format("  @{}  line {}\n", instance["name"].get<std::string>(), instance["line"].get<int>());
            for (const Json& t : instance["tensors"])
                out += fmt::format("    {:5} {}: {}[{}]\n", t["role"].get<std::string>(), t["name"].get<std::string>(),
                                   t["dtype"].get<std::string>(), shapeText(t["shape"]));
        }
    }
    return out;
}

}  // namespace

int runList(const Options& options, Report& report, std::stop_token stop)
{
    report.json()["kernels"] = Json::array();
    const auto file = OpenedFile::open(options, report, stop);
    if (!file)
        return kUsage;
    const Selection selection = select(*file, options, Scope::kEverything, report);
    if (selection.exitCode != kFine)
        return selection.exitCode;
    Lister lister(*file, report, stop);
    for (const staging::Kernel& kernel : file->program()->kernels())
        if (options.kernel.empty() || file->program()->find(options.kernel) == &kernel)
            report.json()["kernels"].push_back(lister.kernel(kernel, selection.items));
    report.text() = textOf(report.json()["kernels"]);
    return report.hasErrors() ? kProgramWrong : kFine;
}

}  // namespace tw::cli
