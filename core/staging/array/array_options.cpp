// The options of tl.compile: names, values, and whether the kernel and the target can honour them.
#include <fmt/format.h>

#include "core/staging/array/array_impl.h"
#include "core/staging/compile_options.h"
#include "core/syntax/parser.h"

namespace tw::staging {

namespace {

constexpr const char* kOptions[] = {"use_tensor_core", "block_size", "grid_size", "num_stages", "tile", "layout"};

// The least compute capability whose tensor instructions take operands of `type`; 0: none do.
int tensorCompute(ir::DType type)
{
    if (type == ir::kFloat16)
        return 70;
    if (type == ir::kInt8 || type == ir::kUInt8)
        return 72;
    if (type == ir::kBFloat16 || type == ir::kFloat32 || type == ir::kFloat64)
        return 80;
    return type.isFloating() && type.bits() == 8 ? 89 : 0;
}

bool isTrue(const Value& value)
{
    const auto* b = value.get<bool>();
    return b && *b;
}

std::vector<std::int64_t> integers(const Value& value)
{
    std::vector<std::int64_t> out;
    const auto* tuple = value.object<const TupleValue>();
    const auto* list = value.object<ListValue>();
    if (tuple || list)
        for (const Value& item : tuple ? tuple->items : list->items)
            if (const auto* n = item.get<Integer>())
                out.push_back(static_cast<std::int64_t>(*n));
    return out;
}

}  // namespace

target::Target ArrayTracer::compileTarget() const
{
    if (call_.compiled)
        for (const auto& [name, value] : call_.compiled->options)
            if (name == "target" && value.str())
                if (const auto target = target::parse(*value.str()); target && *value.str() != "cuda")
                    return *target;
    return evaluator_.target();
}

// Where `key` stands in the text of options={…}; else the options, else the call.
SourceRange ArrayTracer::optionRange(const std::string& key) const
{
    if (!call_.compiled)
        return callRange_;
    const auto it = call_.compiled->optionRanges.find("options");
    if (it == call_.compiled->optionRanges.end())
        return callRange_;
    const SourceRange& range = it->second;
    const auto& module = function_.module;
    if (!module || module->file != range.file)
        return range;
    DiagnosticSink ignored;
    const std::string_view text = module->source->slice(range);
    const std::size_t brace = text.find('{');
    if (brace == std::string_view::npos)
        return range;
    const SourceRange dictRange{range.file, range.begin + static_cast<std::uint32_t>(brace), range.end};
    const auto expr = syntax::parseExpression(text.substr(brace), dictRange, ignored);
    if (const auto* dict = std::get_if<syntax::DictExpr>(&expr->node))
        for (const auto& item : dict->items)
            if (const auto* written = item.key ? std::get_if<syntax::StringLiteral>(&item.key->node) : nullptr; written && written->value == key)
                return cover(item.key->range, item.value->range);
    return range;
}

void ArrayTracer::checkOptions()
{
    if (call_.compiled)
        for (const auto& [name, value] : call_.compiled->options)
            if (const auto at = call_.compiled->optionRanges.find(name); name == "target" && value.str())
                checkTarget(evaluator_, *value.str(), at == call_.compiled->optionRanges.end() ? callRange_ : at->second);
    std::vector<std::string> known(std::begin(kOptions), std::end(kOptions));
    std::set<std::string> parameters;
    for (const auto& parameter : function_.def->parameters) {
        known.push_back(parameter.name.text);
        parameters.insert(parameter.name.text);
    }
    for (const auto& [name, value] : extents_)
        known.push_back(name);
    for (const auto& [key, value] : call_.parameters) {
        const bool own = parameters.contains(key) && !(key == "block_size" && value.object<const TupleValue>());
        if (own || extents_.contains(key))
            continue;
        const SourceRange range = optionRange(key);
        if (key == "use_tensor_core")
            checkTensorCore(value, range);
        else if (key == "block_size")
            checkThreads(key, value, range);
        else if (key == "tile")
            checkTile(value, range);
        else if (key == "grid_size")
            checkGrid(value, range);
        else if (key == "num_stages") {
            if (const auto* n = value.get<Integer>(); n && *n < 0)
                evaluator_.fail(Code::kValueRange, range, "num_stages must not be negative");
        } else if (std::find(known.begin(), known.end(), key) == known.end()) {
            const std::string near = nearestName(key, known);
            evaluator_.fail(Code::kOption, range,
                            fmt::format("`{}` is no option and no parameter or extent of `{}`{}", key, kernel_.name,
                                        near.empty() ? "" : fmt::format("; did you mean `{}`?", near)));
        }
    }
}

void ArrayTracer::checkTensorCore(const Value& value, const SourceRange& range)
{
    if (!value.get<bool>() && !value.isNone())
        evaluator_.fail(Code::kTypeMismatch, range, fmt::format("use_tensor_core is True or False, not {}", typeName(value)));
    if (!isTrue(value))
        return;
    if (!products_)
        evaluator_.fail(Code::kTargetFeature, range,
                        fmt::format("use_tensor_core asks for tensor instructions, but `{}` has no matrix product (tl.dot or @) that could use them",
                                    kernel_.name));
    const target::Target target = compileTarget();
    const bool matrix = target.isCuda() || target.kind == target::Kind::kHip;
    std::string reason;
    for (const ir::DType type : productTypes_) {
        const int compute = tensorCompute(type);
        if (matrix && compute > 0 && (!target.isCuda() || target.compute >= compute))
            return;
        reason = compute == 0 || !matrix ? fmt::format("{} has none for {} products", target.name, type.name())
                                         : fmt::format("{} products need sm_{}, the target is {}", type.name(), compute, target.name);
    }
    evaluator_.fail(Code::kTargetFeature, range, fmt::format("use_tensor_core asks for tensor instructions, but {}", reason));
}

void ArrayTracer::checkThreads(const std::string& key, const Value& value, const SourceRange& range)
{
    std::vector<std::int64_t> sizes = integers(value);
    if (const auto* n = value.get<Integer>())
        sizes = {static_cast<std::int64_t>(*n)};
    if (sizes.empty() || sizes.size() > 3)
        evaluator_.fail(Code::kTypeMismatch, range, fmt::format("{} is a number of threads or a tuple of up to three", key));
    std::int64_t threads = 1;
    for (const std::int64_t size : sizes) {
        if (size < 1)
            evaluator_.fail(Code::kThreadCount, range, fmt::format("{} has an extent of {}; each must be positive", key, size));
        threads *= size;
    }
    const int limit = compileTarget().maxThreadsPerBlock;
    if (limit > 0 && threads > limit)
        evaluator_.fail(Code::kCapacity, range, fmt::format("{} gives a block {} threads; a block has at most {}", key, threads, limit));
}

void ArrayTracer::checkTile(const Value& value, const SourceRange& range)
{
    const auto* dict = value.object<DictValue>();
    if (!dict)
        evaluator_.fail(Code::kTypeMismatch, range, fmt::format("tile is a dict of loop variables and sizes, not {}", typeName(value)));
    std::vector<std::string> names;
    for (const NamedLoop& loop : loops_)
        names.push_back(loop.name);
    for (const auto& [key, size] : dict->items) {
        const auto* n = size.get<Integer>();
        if (!n || *n < 1)
            evaluator_.fail(Code::kValueRange, range, fmt::format("the tile of {} is {}; it must be a positive integer", repr(key), repr(size)));
        if (const auto* axis = key.get<Integer>()) {
            if (*axis < 0 || *axis >= static_cast<Integer>(std::max<std::size_t>(resultRank_, 1)))
                evaluator_.fail(Code::kOption, range, fmt::format("tile names axis {}, but the result has {} axes", repr(key), resultRank_));
        } else if (key.str() && std::find(names.begin(), names.end(), *key.str()) == names.end()) {
            const std::string near = nearestName(*key.str(), names);
            evaluator_.fail(Code::kOption, range,
                            fmt::format("tile names `{}`, but `{}` has no such loop{}", *key.str(), kernel_.name,
                                        near.empty() ? "" : fmt::format("; did you mean `{}`?", near)));
        }
    }
}

// grid × tile must reach the end of every result axis; x is the last axis.
void ArrayTracer::checkGrid(const Value& grid, const SourceRange& range)
{
    std::vector<std::int64_t> blocks = integers(grid);
    if (const auto* n = grid.get<Integer>())
        blocks = {static_cast<std::int64_t>(*n)};
    if (blocks.empty() || blocks.size() > 3 || std::any_of(blocks.begin(), blocks.end(), [](auto n) { return n < 1; }))
        evaluator_.fail(Code::kTypeMismatch, range, "grid_size is a tuple of up to three positive numbers of blocks");
    const auto given = call_.parameters.find("tile");
    const auto* dict = given == call_.parameters.end() ? nullptr : given->second.object<DictValue>();
    // Without loops the axes are those of the result, 0, 1, ….
    std::vector<NamedLoop> spans = loops_;
    if (spans.empty())
        for (std::size_t axis = 0; axis < resultShape_.size(); ++axis) {
            const auto* extent = ir::asInt(resultShape_[axis]);
            spans.push_back({std::to_string(axis), extent ? std::optional(*extent) : std::nullopt, std::nullopt});
        }
    const std::size_t axes = std::min({spans.size(), resultRank_, std::size_t{3}});
    for (std::size_t a = 0; a < axes; ++a) {
        const NamedLoop& loop = spans[a];
        std::optional<std::int64_t> tile;
        if (loop.step && *loop.step > 1)
            tile = loop.step;
        if (dict)
            for (const auto& [key, size] : dict->items)
                if (const auto* n = size.get<Integer>(); n && (key.str() ? *key.str() : repr(key)) == loop.name)
                    tile = static_cast<std::int64_t>(*n);
        const std::size_t dim = axes - 1 - a;  // x is the last axis
        const std::int64_t count = dim < blocks.size() ? blocks[dim] : 1;
        if (tile && loop.extent && count * *tile < *loop.extent)
            evaluator_.fail(Code::kOption, range,
                            fmt::format("grid_size has {} blocks along `{}`: with a tile of {} they reach {} of {}", count, loop.name, *tile,
                                        count * *tile, *loop.extent));
    }
}

}  // namespace tw::staging
