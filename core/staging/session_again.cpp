// The file again, up to calls that are known already: one with overlays, or several as they are.
#include <utility>

#include "core/staging/builtins.h"
#include "core/staging/literals.h"
#include "core/staging/session.h"

namespace tw::staging {

bool Session::isTarget(const CallKey& key) const
{
    return together_.empty() ? target_ && target_->call && *target_->call == key : together_.contains(key);
}

void Session::runTarget(const Target& target, const std::map<CallKey, Traced>& known)
{
    target_ = &target;
    known_ = &known;
    run();
    if (targetRecord_ || interpreter_->stopRequested())
        return;
    // The default instance, or a call that the file does not reach any more.
    const auto it = entryAt_.find(target.entry);
    if (it == entryAt_.end()) {
        noteFactories(*globals_);
    }
    const auto found = entryAt_.find(target.entry);
    if (found == entryAt_.end())
        return;
    const Entry& entry = entries_[found->second];
    Record record;
    record.entry = entry.id;
    record.kernel = entry.kernel;
    record.key = {target.entry, target.entry, 0};
    record.isDefault = true;
    if (!entry.function)
        return;
    for (const std::string& name : stagingParameters(entry))
        if (auto value = defaultOf(entry, name))
            record.arguments[name] = std::move(*value);
    addRest(entry, record.arguments);
    try {
        stageTarget(std::move(record));
    } catch (const StagingStop& stop) {
        if (stop.cancelled)
            throw;
    }
}

std::map<CallKey, Session::Staged> Session::runTargets(const std::vector<Target>& targets, const std::map<CallKey, Traced>& known)
{
    for (const Target& target : targets)
        together_.emplace(target.call.value(), &target);
    target_ = &targets.front();
    known_ = &known;
    run();
    return std::move(staged_);
}

// The run has come to a call that is asked for: one alone ends it, of several the last one.
void Session::reachTarget(const Record& record)
{
    if (together_.empty()) {
        stageTarget(record);
        endRun();
    }
    const Target* const outer = std::exchange(target_, together_.at(record.key));
    const std::int64_t budget = interpreter_->stepBudget();
    stageTarget(record);
    staged_[record.key] = {std::move(*targetRecord_), std::exchange(missing_, {})};
    targetRecord_.reset();
    target_ = outer;
    if (staged_.size() == together_.size() || interpreter_->stepBudget() < budget)
        endRun();
}

namespace {

// A literal; the name of a dtype is the dtype, which answers as a string, too.
Value givenValue(const std::string& text)
{
    Value value = parseLiteral(text);
    const auto dtype = value.str() ? ir::parseDType(*value.str()) : std::nullopt;
    return dtype && dtype->name() == *value.str() ? Value(*dtype) : value;
}

}  // namespace

void Session::overlay(Record& record, const Entry& entry)
{
    const auto names = stagingParameters(entry);
    const bool hasParameters = entry.function && entry.function->def;
    const bool overlays = !target_->params.empty() || !target_->dims.empty();
    if (!target_->keepCall && overlays && target_->call)
        for (const std::string& name : names)  // the call gives only what has no default
            if (auto value = defaultOf(entry, name))
                record.arguments[name] = std::move(*value);
    std::set<std::string> settable(names.begin(), names.end());
    if (entry.isMethod || entry.form == KernelForm::kFactory || entry.form == KernelForm::kLazy)
        for (std::size_t i = 0; hasParameters && i < entry.function->def->parameters.size(); ++i)
            if (entry.function->def->parameters[i].kind == syntax::Parameter::Kind::kDoubleStar)
                settable.insert("**");
    const bool byName = entry.form == KernelForm::kEager || entry.form == KernelForm::kArray;
    for (const auto& [name, text] : target_->params) {
        const Value value = givenValue(text);
        if (settable.contains(name)) {
            record.arguments[name] = value;
            usedOverlays_.insert(name);
        } else if (byName && !usedOverlays_.contains(name)) {  // an enclosing factory or constructor took it
            if (const auto i = asInteger(value))
                record.dims[name] = static_cast<std::int64_t>(*i);
            if (entry.form == KernelForm::kArray)
                record.arguments[name] = value;
        }
    }
    if (byName && (overlays || record.isDefault)) {
        // Extents are known by name then; those of the call fill what is left.
        auto& known = entry.form == KernelForm::kArray ? record.callDims : record.dims;
        for (const auto& [name, value] : target_->knownDims)
            known.emplace(name, value);
        if (!target_->dims.empty() || !record.dims.empty())
            record.tensors.clear();
    }
    for (const auto& [name, text] : target_->dims) {
        const auto i = asInteger(parseLiteral(text));
        if (!i)
            continue;
        record.dims[name] = static_cast<std::int64_t>(*i);
        if (settable.contains(name)) {
            record.arguments[name] = Value(*i);
            usedOverlays_.insert(name);
        }
    }
}

// Inputs at hand come before the call's own for what no annotation fixes.
void Session::overlayTensors(Record& record, const Entry& entry)
{
    if (entry.form != KernelForm::kArray || !entry.function || !entry.function->def)
        return;
    for (const syntax::Parameter& parameter : entry.function->def->parameters) {
        const auto given = target_->tensors.find(parameter.name.text);
        if (parameter.annotation || given == target_->tensors.end())
            continue;
        auto tensor = std::make_shared<MetaTensor>();
        for (const std::int64_t extent : given->second.shape)
            tensor->shape.emplace_back(extent);
        tensor->dtype = given->second.dtype;
        tensor->path = "an input";
        record.tensors[parameter.name.text] = std::shared_ptr<const MetaTensor>(std::move(tensor));
    }
}

void Session::stageTarget(Record record)
{
    const Entry& entry = entries_[record.entry];
    overlay(record, entry);
    overlayTensors(record, entry);
    if (target_->compileOptions && !record.compileOptions)
        record.compileOptions = target_->compileOptions;
    for (const std::string& name : stagingParameters(entry))
        if (!record.arguments.contains(name) && !(entry.form == KernelForm::kEager && record.dims.contains(name)))
            missing_.push_back(name);
    if (missing_.empty()) {
        Traced traced;
        traceInto(record, traced);
        record.traced = std::move(traced);
        missing_ = record.traced.missing;
    }
    targetRecord_ = std::move(record);
}

void Session::endRun()
{
    StagingStop done;
    done.fatal = true;
    throw done;
}

}  // namespace tw::staging
