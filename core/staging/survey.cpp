// survey(): from a run of the file to its list of kernels and instances.
#include <fmt/format.h>

#include "core/staging/builtins.h"
#include "core/staging/literals.h"
#include "core/staging/session.h"

namespace tw::staging {

std::string_view formName(KernelForm form)
{
    switch (form) {
    case KernelForm::kLazy: return "lazy";
    case KernelForm::kEager: return "eager";
    case KernelForm::kPrimFunc: return "primfunc";
    case KernelForm::kFactory: return "factory";
    case KernelForm::kArray: return "array";
    }
    return "";
}

Program::Program(std::shared_ptr<const State> state) : state_(std::move(state)) {}

const std::vector<Kernel>& Program::kernels() const { return state_->kernels; }
const SourceSet& Program::sources() const { return state_->sources; }

const Kernel* Program::find(const std::string& name) const
{
    for (const Kernel& kernel : state_->kernels)
        if (kernel.name == name)
            return &kernel;
    for (const Kernel& kernel : state_->kernels)
        if (std::find(kernel.aliases.begin(), kernel.aliases.end(), name) != kernel.aliases.end())
            return &kernel;
    return nullptr;
}

namespace {

class Listing {
public:
    Listing(Session& session, Program::State& state) : session_(session), state_(state) {}

    void list()
    {
        std::vector<const Entry*> order;
        for (const Entry& entry : session_.entries())
            if (isOffered(entry))
                order.push_back(&entry);
        std::sort(order.begin(), order.end(), [](const Entry* a, const Entry* b) { return placeOf(a->range) < placeOf(b->range); });
        for (const Entry* entry : order)
            listKernel(*entry);
    }

private:
    // A helper that only other kernels use is no kernel of its own; nor is what a sibling file defines and nobody calls.
    bool isOffered(const Entry& entry) const
    {
        const bool called = !entry.records.empty();
        if (entry.range.file != 0)
            return std::any_of(entry.records.begin(), entry.records.end(),
                               [&](std::uint32_t i) { return !session_.records()[i].isDefault; });
        if (entry.form == KernelForm::kFactory)
            return (called || !entry.usedInside) && !isNoKernel(entry);
        return true;
    }

    // A function with a prim_func inside whose calls gave no kernel and no error.
    bool isNoKernel(const Entry& entry) const
    {
        return !entry.records.empty() && std::all_of(entry.records.begin(), entry.records.end(), [&](std::uint32_t i) {
            const Traced& traced = session_.records()[i].traced;
            return traced.attempted && traced.functions.empty() && traced.diagnostics.empty();
        });
    }

    std::vector<std::string> selectors(const Entry& entry) const
    {
        for (const std::uint32_t i : entry.records) {
            const Traced& traced = session_.records()[i].traced;
            if (!traced.isContainer)
                continue;
            std::vector<std::string> out;
            for (const auto& [selector, function] : traced.functions)
                out.push_back(selector);
            return out;
        }
        return {""};
    }

    void listKernel(const Entry& entry)
    {
        for (const std::string& selector : selectors(entry)) {
            Kernel kernel;
            kernel.name = selector.empty() ? entry.name : entry.name + "." + selector;
            kernel.form = entry.form;
            kernel.range = entry.range;
            kernel.id = static_cast<std::uint32_t>(state_.kernels.size());
            if (selector.empty())
                kernel.aliases = {entry.aliases.begin(), entry.aliases.end()};
            else
                addInnerAliases(entry, selector, kernel);
            std::erase(kernel.aliases, kernel.name);
            if (const int nth = ++named_[kernel.name]; nth > 1) {
                kernel.aliases.push_back(kernel.name);
                kernel.name += fmt::format("#{}", nth);
            }
            listParameters(entry, kernel);
            listConfigs(entry, kernel);
            listInstances(entry, selector, kernel);
            if (kernel.instances.empty())
                for (const std::string& name : session_.stagingParameters(entry))
                    if (!session_.hasDefault(entry, name))
                        kernel.missing.push_back(name);
            state_.entryOf.push_back(placeOf(entry.range));
            state_.selectorOf.push_back(selector);
            state_.kernels.push_back(std::move(kernel));
        }
    }

    void addInnerAliases(const Entry& entry, const std::string& selector, Kernel& kernel) const
    {
        for (const std::uint32_t i : entry.records)
            for (const auto& [name, function] : session_.records()[i].traced.functions)
                if (name == selector && function) {
                    kernel.aliases = {function->name, entry.name + "." + function->name};
                    return;
                }
    }

    void listParameters(const Entry& entry, Kernel& kernel) const
    {
        if (!entry.function || !entry.function->def)
            return;
        for (const std::string& name : session_.stagingParameters(entry)) {
            KernelParameter parameter;
            parameter.name = name;
            parameter.range = session_.rangeOf(entry, name);
            if (const auto value = session_.defaultOf(entry, name)) {
                parameter.defaultText = literalText(*value).value_or(repr(*value));
                parameter.isNumber = value->get<Integer>() != nullptr;
            }
            for (const std::uint32_t i : entry.records) {
                const auto& arguments = session_.records()[i].arguments;
                if (const auto given = arguments.find(name); given != arguments.end() && !parameter.defaultText)
                    parameter.isNumber = given->second.get<Integer>() != nullptr;
            }
            kernel.parameters.push_back(std::move(parameter));
        }
    }

    static void listConfigs(const Entry& entry, Kernel& kernel)
    {
        if (!entry.kernel)
            return;
        for (const auto& config : entry.kernel->configs) {
            Bindings bindings;
            for (const auto& [name, value] : config) {
                const auto text = literalText(value);
                if (!text)
                    continue;
                bindings[name] = *text;
                auto& values = kernel.tunable[name];
                if (std::find(values.begin(), values.end(), *text) == values.end())
                    values.push_back(*text);
            }
            kernel.configs.push_back(std::move(bindings));
        }
    }

    void listInstances(const Entry& entry, const std::string& selector, Kernel& kernel)
    {
        std::map<int, int> onLine;
        for (const std::uint32_t index : entry.records) {
            const Record& record = session_.records()[index];
            Instance instance;
            instance.id = static_cast<std::uint32_t>(state_.instances.size());
            instance.range = record.callRange.isKnown() ? record.callRange : entry.range;
            if (record.isDefault) {
                if (!kernel.instances.empty())
                    continue;  // a prim_func that is defined several times
                instance.name = "default";
            } else {
                const int line = session_.interpreter().line(record.callRange);
                const int nth = ++onLine[line];
                instance.name = nth == 1 ? fmt::format("call:{}", line) : fmt::format("call:{}#{}", line, nth);
                instance.origin = Instance::Origin::kCall;
            }
            for (const std::string& name : session_.stagingParameters(entry))
                if (const auto it = record.arguments.find(name); it != record.arguments.end())
                    if (auto text = literalText(it->second))
                        instance.params[name] = std::move(*text);
            InstanceSource source;
            source.entry = placeOf(entry.range);
            if (!record.isDefault || entry.form == KernelForm::kPrimFunc)
                source.call = record.key;
            source.selector = selector;
            source.traced = record.traced;
            source.dims = record.dims;
            source.dims.insert(record.traced.dims.begin(), record.traced.dims.end());
            source.compileOptions = record.compileOptions;
            for (const auto& [name, value] : source.dims)
                instance.dims[name] = std::to_string(value);
            state_.instances.push_back(std::move(source));
            kernel.instances.push_back(std::move(instance));
        }
    }

    Session& session_;
    Program::State& state_;
    std::map<std::string, int> named_;  // how many kernels have a name: local functions and sibling files repeat them
};

}  // namespace

std::shared_ptr<const Program> survey(std::shared_ptr<const syntax::Module> module, const Options& options,
                                      DiagnosticSink& diagnostics, std::stop_token stop)
{
    auto state = std::make_shared<Program::State>();
    state->module = module;
    Options recording = options;
    if (options.readSibling)
        recording.readSibling = [&](const std::string& path) {
            auto text = options.readSibling(path);
            if (text)
                state->siblings[path] = *text;
            return text;
        };
    Session session(std::move(module), recording, diagnostics, stop);
    session.run();
    try {
        if (!stop.stop_requested())
            session.traceDefaults();
    } catch (const StagingStop&) {
        // cancelled: what was found until here is listed
    }
    state->sources = session.sources();
    state->results = session.results();
    Listing(session, *state).list();
    return std::make_shared<const Program>(std::move(state));
}

}  // namespace tw::staging
