#include "core/staging/trace/native.h"

#include <unordered_map>

#include <fmt/format.h>

#include "core/ir/print.h"
#include "core/support/hint.h"

namespace tw::staging {

using ir::Expr;

Tracer& Native::tracer() const
{
    if (auto* tracer = dynamic_cast<Tracer*>(ev.hooks()))
        return *tracer;
    fail(Code::kNotInKernel, fmt::format("{} is legal inside a kernel only (@T.prim_func, an eager @tilelang.jit function, @T.macro)", name));
}

Tracer& Native::launch() const
{
    Tracer& t = tracer();
    if (!t.inLaunch())
        fail(Code::kNotInKernel, fmt::format("{} is legal inside a launch only; open one with `with T.Kernel(…)`", name));
    return t;
}

Expr Native::expr(const char* argument) const
{
    return toExpr(ev, args[argument], range(argument), fmt::format("{} of {}", argument, name));
}

Expr Native::index(const char* argument) const
{
    return toIndex(ev, args[argument], range(argument), fmt::format("{} of {}", argument, name));
}

std::int64_t Native::integer(const char* argument, std::int64_t otherwise) const
{
    if (!has(argument))
        return otherwise;
    return requireInt(ev, args[argument], range(argument), fmt::format("{} of {}", argument, name));
}

bool Native::flag(const char* argument, bool otherwise) const
{
    if (!args.has(argument))
        return otherwise;
    return requireBool(ev, args[argument], range(argument), fmt::format("{} of {}", argument, name));
}

std::string Native::text(const char* argument, std::string otherwise) const
{
    if (!has(argument))
        return otherwise;
    return requireString(ev, args[argument], range(argument), fmt::format("{} of {}", argument, name));
}

TileOperand Native::tile(const char* argument) const
{
    return requireTile(ev, args[argument], range(argument), fmt::format("{} of {}", argument, name));
}

ir::Region Native::barrier(const char* argument) const
{
    auto operand = tile(argument);
    const auto scope = operand.region.buffer->scope;
    if (scope != ir::MemoryScope::kBarrier && scope != ir::MemoryScope::kClusterBarrier)
        ev.fail(Code::kScopeIllegal, range(argument),
                fmt::format("{} of {} must be a barrier (T.alloc_barrier), but {} is a {} buffer", argument, name,
                            operand.region.buffer->name, ir::scopeName(scope)));
    operand.region.extents.assign(operand.region.mins.size(), ir::intImm(1));
    return operand.region;
}

namespace {

const std::unordered_map<std::string_view, const NativeRow*>& index()
{
    static const auto kIndex = [] {
        std::unordered_map<std::string_view, const NativeRow*> result;
        for (const Rows rows : {allocationRows(), launchRows(), loopRows(), copyRows(), productRows(), reductionRows(), atomicRows(),
                                mathRows(), castRows(), memoryRows(), warpRows(), barrierRows(), annotationRows(), debugRows(),
                                layoutRows(), declarationRows(), scheduleRows(), scriptRows()})
            for (const auto& row : rows)
                result.emplace(row.name, &row);
        return result;
    }();
    return kIndex;
}

Value run(Evaluator& ev, const NativeRow& row, const CallArguments& arguments, const std::string& shown)
{
    const BoundArguments bound = ev.bind(row.signature, arguments, shown);
    return row.run(Native{ev, bound, arguments, row, shown});
}

const DictValue& annotations(const Native& n)
{
    const auto* dict = n["annotations"].object<DictValue>();
    if (!dict)
        n.ev.fail(Code::kTypeMismatch, n.range("annotations"), fmt::format("annotations of {} must be a dict", n.name));
    return *dict;
}

void annotationIgnored(const Native& n, const std::string& name)
{
    if (name != "ws_id")
        tw::hintIgnored(n.ev.diagnostics(), n.range("annotations"), fmt::format("the annotation \"{}\" of {} has no effect: it has no such option", name, n.name));
}

}  // namespace

const NativeRow* findRow(std::string_view name)
{
    const auto it = index().find(name);
    return it == index().end() ? nullptr : it->second;
}

Value nativeValue(const NativeRow& row)
{
    return makeNative(row.name, [&row](Evaluator& ev, const CallArguments& arguments) {
        return run(ev, row, arguments, std::string("T.") + row.name);
    });
}

Value callNative(Evaluator& ev, std::string_view row, const CallArguments& arguments, const std::string& shown)
{
    return run(ev, *findRow(row), arguments, shown);
}

void addAttr(ir::OpCall& call, const char* name, ir::Attr value) { call.attrs[name] = std::move(value); }

std::optional<ir::Attr> toAttr(const Value& value)
{
    if (const auto* b = value.get<bool>())
        return ir::Attr(*b);
    if (const auto i = constantInt(value))
        return ir::Attr(*i);
    if (const auto* d = value.get<double>())
        return ir::Attr(*d);
    if (const auto* s = value.str())
        return ir::Attr(*s);
    if (!value.object<ListValue>() && !value.object<const TupleValue>())
        return std::nullopt;
    std::vector<std::int64_t> numbers;
    std::vector<std::string> texts;
    for (const auto& item : itemsOf(value)) {
        const auto i = constantInt(item);
        if (i)
            numbers.push_back(*i);
        else if (item.str())
            texts.push_back(*item.str());
        if ((!i && !item.str()) || (!numbers.empty() && !texts.empty()))
            return std::nullopt;
    }
    return texts.empty() ? ir::Attr(std::move(numbers)) : ir::Attr(std::move(texts));
}

void addAnnotations(const Native& n, ir::OpCall& call)
{
    if (!n.has("annotations"))
        return;
    const auto& allowed = ir::info(call.op).attrs;
    for (const auto& [key, value] : annotations(n).items) {
        const auto* name = key.str();
        auto attr = toAttr(value);
        if (name && attr && std::find(allowed.begin(), allowed.end(), *name) != allowed.end())
            call.attrs[*name] = *std::move(attr);
        else if (name)
            annotationIgnored(n, *name);
    }
}

void ignoreAnnotations(const Native& n)
{
    if (!n.has("annotations"))
        return;
    for (const auto& [key, value] : annotations(n).items)
        if (const auto* name = key.str())
            annotationIgnored(n, *name);
}

void refuseOffset(const Native& n)
{
    if (!n.has("elem_offset"))
        return;
    const auto offset = constantInt(n["elem_offset"]);
    if (!offset || *offset != 0)
        n.ev.fail(Code::kNotSupported, n.range("elem_offset"), fmt::format("not supported: elem_offset of {}; index the buffer from there on", n.name));
}

void hintIgnored(const Native& n, const char* argument, std::string_view why)
{
    tw::hintIgnored(n.ev.diagnostics(), n.range(argument), fmt::format("{} of {} has no effect: {}", argument, n.name, why));
}

}  // namespace tw::staging
