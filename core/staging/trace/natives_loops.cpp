// Loop constructs (language.md d.4, d.5).
#include <fmt/format.h>

#include "core/ir/print.h"
#include "core/staging/trace/native.h"
#include "core/support/hint.h"

namespace tw::staging {

using ir::Expr;

namespace {

Value makeLoop(LoopSpec spec) { return Value(std::make_shared<const LoopSpec>(std::move(spec))); }

ir::Axis axisFrom(const Native& n)
{
    ir::Axis axis;
    axis.begin = n.has("stop") ? n.index("start") : ir::intImm(0);
    axis.end = n.has("stop") ? n.index("stop") : n.index("start");
    if (n.has("step"))
        axis.step = n.index("step");
    else if (!n.args.has("step"))
        axis.step = ir::intImm(1);  // None is a step of 1 too: the text form says it of loops that a pass made without one
    if (axis.step && ir::isZero(axis.step))
        n.ev.fail(Code::kValueRange, n.range("step"), fmt::format("the step of {} is 0, so the loop would never end; it must be positive or negative", n.name));
    return axis;
}

void loopAnnotations(const Native& n, LoopSpec& spec)
{
    if (!n.has("annotations"))
        return;
    const auto* dict = n["annotations"].object<DictValue>();
    if (!dict)
        n.ev.fail(Code::kTypeMismatch, n.range("annotations"), fmt::format("annotations of {} must be a dict", n.name));
    for (const auto& [key, value] : dict->items) {
        auto attr = toAttr(value);
        if (attr && key.str() && *key.str() != "ws_id")
            spec.attrs[*key.str()] = *std::move(attr);
        else if (!attr)
            tw::hintIgnored(n.ev.diagnostics(), n.range("annotations"), fmt::format("the annotation {} of {} has no effect: its value is no number, text or list", repr(key), n.name));
    }
}

Value serial(const Native& n)
{
    LoopSpec spec;
    spec.kind = static_cast<ir::ForKind>(n.row.tag);
    spec.axes = {axisFrom(n)};
    loopAnnotations(n, spec);
    return makeLoop(std::move(spec));
}

Value unroll(const Native& n)
{
    LoopSpec spec;
    spec.kind = ir::ForKind::kUnrolled;
    spec.axes = {axisFrom(n)};
    loopAnnotations(n, spec);
    for (const auto& [annotation, option] : {std::pair("pragma_unroll_explicit", "explicit"), std::pair("pragma_unroll_factor", "unroll_factor")})
        if (auto node = spec.attrs.extract(annotation)) {
            node.key() = option;
            spec.attrs.insert(std::move(node));
        }
    if (n.flag("explicit"))
        spec.attrs["explicit"] = true;
    if (n.has("unroll_factor"))
        spec.attrs["unroll_factor"] = n.integer("unroll_factor", 1);
    if (n.flag("explicit") && n.has("unroll_factor"))
        n.ev.fail(Code::kOption, n.range("unroll_factor"), "unroll_factor and explicit=True exclude each other");
    return makeLoop(std::move(spec));
}

Value vectorized(const Native& n)
{
    LoopSpec spec;
    spec.kind = ir::ForKind::kVectorized;
    spec.axes = {axisFrom(n)};
    loopAnnotations(n, spec);
    const Expr extent = ir::sub(spec.axes[0].end, spec.axes[0].begin);
    const auto* lanes = ir::asInt(extent);
    if (!lanes)
        n.fail(Code::kRuntimeCondition, fmt::format("the extent of {} must be constant, but it is {}", n.name, ir::print(extent)));
    if (*lanes < 1 || (*lanes & (*lanes - 1)) != 0)
        n.fail(Code::kValueRange, fmt::format("{} makes a vector, whose length is a power of two, not {}; use T.unroll for other extents", n.name, *lanes));
    return makeLoop(std::move(spec));
}

std::vector<ir::Axis> axesOf(const Native& n, const std::vector<Value>& extents)
{
    std::vector<ir::Axis> axes;
    for (const auto& extent : extents) {
        Expr end = toIndex(n.ev, extent, n.range(), fmt::format("an extent of {}", n.name));
        if (const auto* value = ir::asInt(end); value && *value < 0)
            n.fail(Code::kValueRange, fmt::format("an extent of {} is {}, but it cannot be negative", n.name, *value));
        axes.push_back({{}, ir::intImm(0), std::move(end), ir::intImm(1)});
    }
    if (axes.empty())
        n.fail(Code::kCallArguments, fmt::format("{} needs at least one extent", n.name));
    return axes;
}

Value parallel(const Native& n)
{
    LoopSpec spec;
    spec.kind = ir::ForKind::kParallel;
    spec.axes = axesOf(n, n.args.rest());
    loopAnnotations(n, spec);
    if (n.has("coalesced_width")) {
        const std::int64_t width = n.integer("coalesced_width", 0);
        if (width < 1)
            n.ev.fail(Code::kValueRange, n.range("coalesced_width"), fmt::format("coalesced_width is a positive number of elements, not {}", width));
        spec.attrs["coalesced_width"] = width;
    }
    if (n.has("prefer_async"))
        spec.attrs["prefer_async"] = n.flag("prefer_async");
    if (n.has("loop_layout")) {
        const auto* layout = n["loop_layout"].get<LayoutValue>();
        if (!layout || !layout->map->thread)
            n.ev.fail(Code::kLayout, n.range("loop_layout"), fmt::format("loop_layout must be a T.Fragment, not {}", typeName(n["loop_layout"])));
        if (layout->map->vars.size() != spec.axes.size())
            n.ev.fail(Code::kLayout, n.range("loop_layout"),
                      fmt::format("loop_layout has {} axes, but the loop has {}", layout->map->vars.size(), spec.axes.size()));
        spec.layout = layout->map;
    }
    return makeLoop(std::move(spec));
}

Value rawParallel(const Native& n)  // T.parallel(start, stop)
{
    LoopSpec spec;
    spec.kind = ir::ForKind::kParallel;
    spec.axes = {axisFrom(n)};
    loopAnnotations(n, spec);
    return makeLoop(std::move(spec));
}

Value grid(const Native& n)
{
    LoopSpec spec;
    spec.kind = ir::ForKind::kSerial;
    spec.axes = axesOf(n, n.args.rest());
    spec.nested = true;
    return makeLoop(std::move(spec));
}

std::optional<std::vector<std::int64_t>> intList(const Native& n, const char* argument)
{
    if (!n.has(argument))
        return std::nullopt;
    std::vector<std::int64_t> result;
    for (const auto& item : itemsOf(n[argument]))
        for (const auto& one : itemsOf(item))  // group=[[0, 1], [2]]
            result.push_back(requireInt(n.ev, one, n.range(argument), fmt::format("an entry of {}", argument)));
    return result;
}

void manualSchedule(const Native& n, LoopSpec& spec)
{
    const auto order = intList(n, "order");
    const auto stage = intList(n, "stage");
    if (order.has_value() != stage.has_value())
        n.fail(Code::kOption, "T.Pipelined takes order and stage together: one entry of each for every statement of the loop");
    if (!order || (order->empty() && stage->empty()))
        return;
    if (order->size() != stage->size())
        n.fail(Code::kOption, fmt::format("order has {} entries but stage has {}; both need one for every statement of the loop", order->size(), stage->size()));
    for (const auto s : *stage)
        if (s < 0)
            n.ev.fail(Code::kValueRange, n.range("stage"), fmt::format("a stage must not be negative, but one is {}", s));
    spec.attrs["order"] = *order;
    spec.attrs["stage"] = *stage;
}

Value pipelined(const Native& n)
{
    LoopSpec spec;
    spec.kind = ir::ForKind::kPipelined;
    spec.axes = {axisFrom(n)};
    loopAnnotations(n, spec);
    const std::int64_t stages = n.integer("num_stages", 0);
    if (stages < 0)
        n.ev.fail(Code::kValueRange, n.range("num_stages"), fmt::format("num_stages must not be negative, but it is {}; 0 means no pipelining", stages));
    if (stages > 0)
        spec.attrs["num_stages"] = stages;
    manualSchedule(n, spec);
    if (const auto group = intList(n, "group"); group && !group->empty())
        spec.attrs["group"] = *group;
    if (n.has("sync") && !(n["sync"].object<ListValue>() && itemsOf(n["sync"]).empty()))
        hintIgnored(n, "sync", "where threads wait follows from what the statements read and write");
    return makeLoop(std::move(spec));
}

Value persistent(const Native& n)
{
    LoopSpec spec;
    spec.kind = ir::ForKind::kPersistent;
    spec.axes = axesOf(n, itemsOf(n["domain"]));
    ir::Persistent order;
    order.waveSize = n.index("wave_size");
    if (const auto* wave = ir::asInt(order.waveSize); wave && *wave < 1)
        n.ev.fail(Code::kValueRange, n.range("wave_size"), fmt::format("wave_size of {} must be positive, not {}", n.name, *wave));
    order.index = n.index("index");
    order.groupSize = n.has("group_size") ? n.index("group_size") : ir::intImm(8);
    spec.persistent = std::move(order);
    return makeLoop(std::move(spec));
}

Value loopBreak(const Native& n)
{
    n.launch().breakLoop(n.range());
    return Value();
}

Value threadReturn(const Native& n)
{
    n.launch().emit(std::make_shared<ir::Return>(ir::Provenance{n.range(), 0}), n.range());
    return Value();
}

constexpr int kSerial = static_cast<int>(ir::ForKind::kSerial);
constexpr NativeRow kLoopRows[] = {
    {"serial", "start, stop=None, step=None, annotations=None", serial, kSerial},
    {"Serial", "start, stop=None, step=None, annotations=None", serial, kSerial},
    {"unroll", "start, stop=None, step=None, explicit=False, unroll_factor=None, annotations=None", unroll},
    {"Unroll", "start, stop=None, step=None, explicit=False, unroll_factor=None, annotations=None", unroll},
    {"vectorized", "start, stop=None, annotations=None", vectorized},
    {"Vectorized", "start, stop=None, annotations=None", vectorized},
    {"Parallel", "*extents, coalesced_width=None, loop_layout=None, prefer_async=None, annotations=None", parallel},
    {"parallel", "start, stop=None, annotations=None", rawParallel},
    {"grid", "*extents", grid},
    {"Pipelined", "start, stop=None, num_stages=0, order=None, stage=None, sync=None, group=None, annotations=None", pipelined},
    {"Persistent", "domain, wave_size, index, group_size=8", persistent},
    {"loop_break", "", loopBreak},
    {"thread_return", "", threadReturn},
};

}  // namespace

Rows loopRows() { return kLoopRows; }

}  // namespace tw::staging
