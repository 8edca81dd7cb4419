#include "core/staging/compile_options.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/staging/builtins.h"
#include "core/staging/containers.h"
#include "core/staging/library.h"
#include "core/staging/text.h"
#include "core/target/names.h"

namespace tw::staging {
namespace {

std::optional<ir::Attr> asAttr(const Value& value)
{
    if (const auto* b = value.get<bool>())
        return ir::Attr(*b);
    if (const auto* i = value.get<Integer>())
        return ir::Attr(static_cast<std::int64_t>(*i));
    if (const auto* d = value.get<double>())
        return ir::Attr(*d);
    if (const auto* s = value.str())
        return ir::Attr(*s);
    const auto* list = value.object<ListValue>();
    const auto* tuple = value.object<const TupleValue>();
    if (!list && !tuple)
        return std::nullopt;
    std::vector<std::string> texts;
    for (const Value& item : list ? list->items : tuple->items)
        texts.push_back(plainText(item));
    return ir::Attr(std::move(texts));
}

std::optional<std::vector<std::int64_t>> readIndices(Interpreter& in, const Value& value, const SourceRange& range)
{
    if (isOpaque(value))
        return std::nullopt;
    std::vector<std::int64_t> out;
    if (const auto i = asInteger(value))
        return std::vector{static_cast<std::int64_t>(*i)};
    if (value.str() || value.get<double>())
        in.fail(Code::kTypeMismatch, range, fmt::format("out_idx is an int or a list of ints, not {}", typeName(value)));
    for (const Value& item : in.iterate(value, range)) {
        if (isOpaque(item))
            return std::nullopt;
        out.push_back(static_cast<std::int64_t>(integerArgument(in, item, range, "an entry of out_idx")));
    }
    return out;
}

void readPassConfigs(Interpreter& in, const Value& value, const SourceRange& range, CompileOptions& out)
{
    const Value data = underlying(value);
    const auto* dict = data.object<DictValue>();
    if (!dict) {
        if (!isOpaque(data))
            in.fail(Code::kTypeMismatch, range, fmt::format("pass_configs is a dict, not {}", typeName(value)));
        return;
    }
    for (const auto& [key, setting] : dict->items) {
        if (isOpaque(key))
            continue;
        const std::string name = plainText(key);
        if (!isPassConfigString(name) && !name.starts_with("tir.") && !name.starts_with("tirx.")) {
            std::vector<std::string> known;
            for (const std::string& member : passConfigNames())
                known.push_back(*passConfigKey(member));
            const std::string near = nearestName(name, known);
            in.diagnostics().warning(Code::kOption, range,
                                     fmt::format("`{}` is no known pass configuration{}", name,
                                                 near.empty() ? "" : fmt::format("; did you mean `{}`?", near)));
        }
        if (auto attr = asAttr(setting))
            out.passConfigs[name] = std::move(*attr);
    }
}

std::string targetText(const Value& value)
{
    const auto* dict = value.object<DictValue>();
    return dict ? repr(value) : value.str() ? *value.str() : "";
}

}  // namespace

void checkTarget(Evaluator& in, const std::string& text, const SourceRange& range)
{
    if (text.empty() || text == "webgpu" || target::parse(text))  // webgpu is a kind that upstream knows; what it lacks here is said later
        return;
    in.fail(Code::kOption, range,
            fmt::format("`{}` is no target; there are auto, cuda, hip, metal, llvm, c and the architectures {}", text, target::names()));
}

CompileOptions readOptions(Interpreter& in, const KernelValue& kernel)
{
    CompileOptions out;
    for (const auto& [name, value] : kernel.options) {
        const auto at = kernel.optionRanges.find(name);
        const SourceRange range = at == kernel.optionRanges.end() ? kernel.range : at->second;
        if (name == "out_idx") {
            out.outIdx = readIndices(in, value, range);
            out.outIdxRange = range;
        } else if (name == "target") {
            if (asInteger(value) || value.get<double>())
                in.fail(Code::kTypeMismatch, range, fmt::format("a target is a string such as \"cuda\", not {}", typeName(value)));
            out.target = targetText(value);
            checkTarget(in, out.target, range);
        } else if (name == "pass_configs") {
            readPassConfigs(in, value, range, out);
        } else if (name == "compile_flags") {
            if (value.str())
                out.compileFlags.push_back(*value.str());
            else if (!isOpaque(value))
                for (const Value& flag : in.iterate(value, range))
                    out.compileFlags.push_back(plainText(flag));
        }
    }
    if (out.target == "auto")
        out.target.clear();
    return out;
}

CompileOptions merged(CompileOptions outer, const CompileOptions& inner)
{
    if (inner.outIdx) {
        outer.outIdx = inner.outIdx;
        outer.outIdxRange = inner.outIdxRange;
    }
    if (!inner.target.empty())
        outer.target = inner.target;
    for (const auto& [name, value] : inner.passConfigs)
        outer.passConfigs[name] = value;
    outer.compileFlags.insert(outer.compileFlags.end(), inner.compileFlags.begin(), inner.compileFlags.end());
    return outer;
}

std::shared_ptr<const ir::Function> applyOptions(Interpreter& in, const ir::Function& function, const CompileOptions& options)
{
    auto out = std::make_shared<ir::Function>(function);
    if (!options.target.empty())
        out->target = options.target;
    for (const auto& [name, value] : options.passConfigs)
        out->passConfigs[name] = value;
    out->compileFlags.insert(out->compileFlags.end(), options.compileFlags.begin(), options.compileFlags.end());
    if (!options.outIdx)
        return out;
    if (!function.returned.empty())
        in.fail(Code::kOutIndex, options.outIdxRange,
                "out_idx cannot be combined with tensors that the kernel returns itself (T.empty); drop one of the two");
    const auto count = static_cast<std::int64_t>(function.params.size());
    for (const std::int64_t index : *options.outIdx) {
        const std::int64_t at = index < 0 ? index + count : index;
        if (at < 0 || at >= count)
            in.fail(Code::kOutIndex, options.outIdxRange,
                    fmt::format("out_idx {} is out of range: `{}` has {} parameters", index, function.name, count));
        if (!std::holds_alternative<ir::Buffer>(function.params[static_cast<std::size_t>(at)].value))
            in.fail(Code::kOutIndex, options.outIdxRange,
                    fmt::format("out_idx {} names the scalar parameter `{}`; an output is a tensor", index,
                                function.params[static_cast<std::size_t>(at)].name()));
        if (std::ranges::count(out->returned, static_cast<int>(at)) > 0)
            in.fail(Code::kOutIndex, options.outIdxRange,
                    fmt::format("out_idx names the parameter `{}` twice; every output is returned once",
                                function.params[static_cast<std::size_t>(at)].name()));
        out->returned.push_back(static_cast<int>(at));
    }
    return out;
}

}  // namespace tw::staging
