// The module `tw`: what the text form of the IR needs beyond TileLang (core/ir/README.md).
#include <fmt/format.h>

#include "core/ir/number.h"
#include "core/ir/print.h"
#include "core/staging/trace/module.h"
#include "core/staging/trace/native.h"
#include "core/staging/trace/shapes.h"

namespace tw::staging {

using ir::Expr;

namespace {

Value function(const Native& n)
{
    auto& f = n.tracer().function();
    const std::string stage = n.text("stage", "tile"), dialect = n.text("dialect", "tile");
    if ((stage != "tile" && stage != "thread") || (dialect != "tile" && dialect != "array"))
        n.fail(Code::kOption, "stage is tile or thread, dialect is tile or array");
    f.stage = stage == "tile" ? ir::Stage::kTile : ir::Stage::kThread;
    f.dialect = dialect == "tile" ? ir::Dialect::kTile : ir::Dialect::kArray;
    return Value();
}

Value bits(const Native& n)
{
    const auto type = requireDType(n.ev, n["dtype"], n.range("dtype"));
    const auto* pattern = n["bits"].get<Integer>();
    if (!pattern || !type.isFloating())
        n.fail(Code::kTypeMismatch, "tw.bits takes a floating dtype and an integer");
    // The pattern decides everything, a NaN's payload included: no constructor that rounds.
    return Expr(std::make_shared<ir::FloatImm>(type, ir::decodeFloat(type, static_cast<std::uint64_t>(*pattern)), n.where()));
}

ir::Operand operand(const Native& n, const ir::OperandInfo& info, const Value& value)
{
    if (value.isNone())
        return Expr{};
    switch (info.role) {
    case ir::Role::kValue:
        if (const auto* text = value.str())
            return Expr(std::make_shared<ir::StringImm>(*text, n.where()));
        return toExpr(n.ev, value, n.range(), fmt::format("operand {}", info.name));
    case ir::Role::kLayout:
        if (const auto* layout = value.get<LayoutValue>())
            return layout->map;
        n.fail(Code::kTypeMismatch, fmt::format("operand {} must be a layout", info.name));
    default: return requireTile(n.ev, value, n.range(), fmt::format("operand {}", info.name)).region;
    }
}

void addOption(const Native& n, ir::OpCall& call, const std::string& name, const Value& value)
{
    auto attr = toAttr(value);
    if (!attr)
        n.fail(Code::kTypeMismatch, fmt::format("option {} has no value that an operation can keep", name));
    call.attrs[name] = *std::move(attr);
}

ir::OpCall reservedCall(const Native& n, const std::string& name, const std::vector<Value>& values)
{
    const auto op = ir::findOp(name);
    if (!op)
        n.fail(Code::kAttributeUnknown, fmt::format("there is no operation '{}'", name));
    const auto& info = ir::info(*op);
    ir::OpCall call{*op, {}, {}};
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (info.operands.empty() || (i >= info.operands.size() && !info.operands.back().variadic))
            n.fail(Code::kCallArguments, fmt::format("{} takes {} operands", name, info.operands.size()));
        call.operands.push_back(operand(n, info.operands[std::min(i, info.operands.size() - 1)], values[i]));
    }
    for (const auto& [key, value] : n.args.keywords()) {
        if (key != "annotations") {
            addOption(n, call, key, value);
            continue;
        }
        if (const auto* dict = value.object<DictValue>())
            for (const auto& [inner, item] : dict->items)
                if (inner.str())
                    addOption(n, call, *inner.str(), item);
    }
    return call;
}

Value call(const Native& n)
{
    const auto type = requireDType(n.ev, n["dtype"], n.range("dtype"));
    return ir::call(type, reservedCall(n, n.text("name"), n.args.rest()), n.where());
}

Value operation(const Native& n)
{
    n.tracer().emitOp(reservedCall(n, n.text("name"), n.args.rest()), n.range());
    return Value();
}

Value loop(const Native& n)
{
    static const std::vector<std::pair<std::string, ir::ForKind>> kKinds = {
        {"serial", ir::ForKind::kSerial},       {"unroll", ir::ForKind::kUnrolled},       {"vectorized", ir::ForKind::kVectorized},
        {"parallel", ir::ForKind::kParallel},   {"pipelined", ir::ForKind::kPipelined},   {"persistent", ir::ForKind::kPersistent}};
    LoopSpec spec;
    const std::string kind = n.text("kind");
    const auto it = std::find_if(kKinds.begin(), kKinds.end(), [&](const auto& k) { return k.first == kind; });
    if (it == kKinds.end())
        n.fail(Code::kOption, fmt::format("'{}' is no kind of loop", kind));
    spec.kind = it->second;
    for (const auto& axis : n.args.rest()) {
        const auto bounds = itemsOf(axis);
        if (bounds.size() != 3)
            n.fail(Code::kCallArguments, "an axis of tw.loop is (begin, end, step)");
        spec.axes.push_back({{}, toIndex(n.ev, bounds[0], n.range(), "a bound"), toIndex(n.ev, bounds[1], n.range(), "a bound"),
                             bounds[2].isNone() ? Expr() : toIndex(n.ev, bounds[2], n.range(), "a step")});
    }
    ir::OpCall options;
    for (const auto& [key, value] : n.args.keywords()) {
        const auto* dict = value.object<DictValue>();
        if (const auto* layout = value.get<LayoutValue>(); layout && key == "loop_layout")
            spec.layout = layout->map;
        else if (key != "annotations" || !dict)
            addOption(n, options, key, value);
        else
            for (const auto& [inner, item] : dict->items)
                if (inner.str())
                    addOption(n, options, *inner.str(), item);
    }
    spec.attrs = std::move(options.attrs);
    return Value(std::make_shared<const LoopSpec>(std::move(spec)));
}

Value bufferView(const Native& n)
{
    const auto base = n.tile("buffer").region.buffer;
    ir::BufferNode node;
    node.name = "view";
    node.viewOf = base;
    node.scope = base->scope;
    node.dtype = requireDType(n.ev, n["dtype"], n.range("dtype"));
    node.shape = globalShape(n, "shape");
    if (n.has("strides"))
        node.strides = globalShape(n, "strides");
    node.viewOffset = n.integer("offset", 0);
    const std::string scope = n.text("scope");
    for (const auto s : {ir::MemoryScope::kGlobal, ir::MemoryScope::kShared, ir::MemoryScope::kFragment, ir::MemoryScope::kLocal, ir::MemoryScope::kVar,
                         ir::MemoryScope::kBarrier, ir::MemoryScope::kTensorMemory})
        if (ir::scopeName(s) == scope)
            node.scope = s;
    return n.tracer().allocate(std::move(node), n.range());
}

constexpr NativeRow kReservedRows[] = {
    {"function", "stage='tile', dialect='tile'", function},
    {"bind", "value", [](const Native& n) { return n.tracer().bindFresh(n.expr("value"), n.range()); }},
    {"bits", "dtype, bits", bits},
    {"call", "dtype, name, *operands, **options", call},
    {"op", "name, *operands, **options", operation},
    {"loop", "kind, *axes, **options", loop},
    {"view", "buffer, shape, dtype, scope='', strides=None, offset=0", bufferView},
};

}  // namespace

std::shared_ptr<ModuleValue> makeReservedModule()
{
    auto module = std::make_shared<ModuleValue>();
    module->name = "tw";
    for (const auto& row : kReservedRows)
        module->names.emplace_back(row.name);
    module->attribute = [](Evaluator&, const std::string& name) -> std::optional<Value> {
        for (const auto& row : kReservedRows)
            if (name == row.name)
                return makeNative(name, [&row](Evaluator& ev, const CallArguments& arguments) {
                    const std::string shown = std::string("tw.") + row.name;
                    const BoundArguments bound = ev.bind(row.signature, arguments, shown);
                    return row.run(Native{ev, bound, arguments, row, shown});
                });
        return std::nullopt;
    };
    return module;
}

}  // namespace tw::staging
