// Annotations of parameters, symbolic extents, decorators (language.md a.2 to a.9).
#include <fmt/format.h>

#include "core/ir/print.h"
#include "core/staging/trace/native.h"
#include "core/staging/trace/shapes.h"

namespace tw::staging {

using ir::Expr;
using ir::MemoryScope;

namespace {

std::vector<std::string> splitNames(const std::string& text)
{
    std::vector<std::string> names;
    std::string name;
    for (const char c : text + " ") {
        if (c != ' ' && c != ',') {
            name += c;
        } else if (!name.empty()) {
            names.push_back(std::move(name));
            name.clear();
        }
    }
    return names;
}

Value oneOrTuple(std::vector<Value> items) { return items.size() == 1 ? items.front() : makeTuple(std::move(items)); }

std::vector<std::string> namesOf(const Native& n)
{
    auto names = splitNames(n.text("names"));
    if (names.empty())
        n.fail(Code::kValueRange, fmt::format("{} needs at least one name, such as {}(\"M, N\")", n.name, n.name));
    return names;
}

ir::DType symbolType(const Native& n)
{
    const auto type = n.has("dtype") ? requireDType(n.ev, n["dtype"], n.range("dtype")) : ir::kInt32;
    if (!type.isInteger())
        n.ev.fail(Code::kTypeMismatch, n.range("dtype"), fmt::format("an extent is an integer, not {}", type.name()));
    return type;
}

Value dynamic(const Native& n)
{
    std::vector<Value> items;
    const auto type = symbolType(n);
    for (const auto& name : namesOf(n))
        items.emplace_back(Expr(std::make_shared<ir::VarNode>(type, name, n.where())));
    return oneOrTuple(std::move(items));
}

Value constant(const Native& n)
{
    auto* tracer = dynamic_cast<Tracer*>(n.ev.hooks());
    if (!tracer || tracer->form() != Tracer::Form::kEager)
        n.fail(Code::kStructure, "T.const is legal inside an eager kernel only; in a factory or T.prim_func pass the extent as a parameter, or use T.dynamic");
    const auto type = symbolType(n);
    std::vector<Value> items;
    for (const auto& name : namesOf(n)) {
        if (const auto known = tracer->consts.find(name); known != tracer->consts.end()) {
            items.emplace_back(known->second);
            continue;
        }
        if (std::find(tracer->missingConsts.begin(), tracer->missingConsts.end(), name) == tracer->missingConsts.end())
            tracer->missingConsts.push_back(name);
        const auto var = std::make_shared<ir::VarNode>(type, name, n.where());
        if (tracer->survey)
            tracer->survey->variables[name] = var;
        items.emplace_back(Expr(var));
    }
    return oneOrTuple(std::move(items));
}

// ---- tensors as annotations ----

MemoryScope annotationScope(const Native& n)
{
    return static_cast<MemoryScope>(n.row.tag);
}

// A tensor's annotation is a buffer without a name; with `data`, a view of other storage that is declared here.
Value tensor(const Native& n)
{
    refuseOffset(n);
    ir::BufferNode node;
    node.name = "tensor";
    const bool isScalar = itemsOf(n["shape"]).empty() && annotationScope(n) == MemoryScope::kGlobal;  // T.Tensor((), …): x[()]
    if (!isScalar)
        node.shape = globalShape(n, "shape");
    node.dtype = n.has("dtype") ? requireDType(n.ev, n["dtype"], n.range("dtype")) : ir::kFloat32;
    node.scope = annotationScope(n);
    node.where = n.where();
    if (n.args.has("strides") && n.has("strides")) {
        node.strides = globalShape(n, "strides");
        if (node.strides.size() != node.shape.size())
            n.ev.fail(Code::kShapeMismatch, n.range("strides"), fmt::format("{} strides do not fit {} extents: give one for every axis", node.strides.size(), node.shape.size()));
    }
    if (n.args.has("data") && n.has("data")) {
        const Expr data = toExpr(n.ev, n["data"], n.range("data"), "data");
        node.viewOf = baseOf(data);
        if (node.viewOf)
            node.scope = node.viewOf->scope;
        else
            node.address = data;
        return n.tracer().allocate(std::move(node), n.range());
    }
    return ir::Buffer(std::make_shared<const ir::BufferNode>(std::move(node)));
}

constexpr NativeRow kTensorRows[] = {
    {"Tensor", "shape, dtype='float32', data=None, scope=None", tensor, static_cast<int>(MemoryScope::kGlobal)},
    {"StridedTensor", "shape, strides, dtype='float32', scope=None", tensor, static_cast<int>(MemoryScope::kGlobal)},
    {"Buffer", "shape, dtype='float32', data=None, strides=None, elem_offset=None, scope=None, align=0, offset_factor=0, buffer_type='', axis_separators=None", tensor, static_cast<int>(MemoryScope::kGlobal)},
    {"FragmentBuffer", "shape, dtype='float32', data=None, scope=None", tensor, static_cast<int>(MemoryScope::kFragment)},
    {"SharedBuffer", "shape, dtype='float32', data=None, scope=None", tensor, static_cast<int>(MemoryScope::kShared)},
    {"LocalBuffer", "shape, dtype='float32', data=None, scope=None", tensor, static_cast<int>(MemoryScope::kLocal)},
};

// T.Tensor[(M, N), dt], T.Tensor[[M, N], dt], T.Tensor[M, N].
Value subscripted(Evaluator& ev, const NativeRow& row, const Value& index, const SourceRange& range)
{
    CallArguments arguments;
    arguments.call = arguments.callee = range;
    const auto add = [&](Value v) { arguments.items.push_back({"", std::make_shared<Value>(std::move(v)), range}); };
    const auto items = itemsOf(index);
    const auto* tuple = index.object<const TupleValue>();
    const bool hasType = tuple && (asDType(items.back()) || items.size() < 2 || !constantInt(items.back())) && !items.back().expr();
    if (!hasType)
        add(makeTuple(items));  // extents only
    else if (items.size() == 2 || std::string_view(row.name) == "StridedTensor")
        for (const auto& item : items)
            add(item);
    else {
        add(makeTuple({items.begin(), items.end() - 1}));
        add(items.back());
    }
    return callNative(ev, row.name, arguments, std::string("T.") + row.name);
}

// ---- decorators ----

std::shared_ptr<FunctionValue> functionArgument(const Native& n)
{
    const auto* function = n["func"].get<std::shared_ptr<FunctionValue>>();
    if (!function)
        n.fail(Code::kTypeMismatch, fmt::format("@{} decorates a function, not {}", n.name, typeName(n["func"])));
    return *function;
}

// @T.prim_func and @T.prim_func(): without a function, the decorator itself.
Value decorator(const Native& n)
{
    if (n.args.has("func"))
        return Value();
    const NativeRow& row = n.row;
    return makeNative(row.name, [&row](Evaluator& ev, const CallArguments& arguments) {
        return callNative(ev, row.name, arguments, std::string("T.") + row.name);
    });
}

Value primFunc(const Native& n)
{
    if (!n.has("func"))
        return decorator(n);
    if (n.has("private"))
        n.ev.fail(Code::kNotSupported, n.range("private"), "not supported: @T.prim_func(private=True) is TVM's own script, another language");
    return n.ev.definePrimFunc(functionArgument(n), n.range());
}

Value macro(const Native& n)
{
    if (!n.has("func"))
        return decorator(n);
    auto function = std::make_shared<FunctionValue>(*functionArgument(n));
    function->kind = FunctionKind::kMacro;
    return Value(std::move(function));
}

Value metaClass(const Native& n)
{
    const auto* type = n["cls"].get<std::shared_ptr<ClassValue>>();
    if (!type)
        n.fail(Code::kTypeMismatch, fmt::format("@T.meta_class decorates a class, not {}", typeName(n["cls"])));
    (*type)->isMeta = true;
    return *type;
}

Value pointer(const Native& n)
{
    return Value(n.has("dtype") || n.has("storage_scope") ? ir::kHandle : ir::kHandle);
}

constexpr NativeRow kDeclarationRows[] = {
    {"dynamic", "names, dtype='int32'", dynamic},
    {"symbolic", "names, dtype='int32'", dynamic},
    {"const", "names, dtype='int32'", constant},
    {"ptr", "dtype=None, storage_scope='global'", pointer},
    {"prim_func", "func=None, private=None, check_well_formed=None, eager_jit=None", primFunc},
    {"macro", "func=None, hygienic=None", macro},
    {"inline", "func=None", macro},
    {"meta_class", "cls", metaClass},
    kTensorRows[0], kTensorRows[1], kTensorRows[2], kTensorRows[3], kTensorRows[4], kTensorRows[5],
};

}  // namespace

Rows declarationRows() { return kDeclarationRows; }

std::optional<Value> tensorClass(const std::string& name)
{
    for (const auto& row : kTensorRows) {
        if (name != row.name)
            continue;
        auto type = std::make_shared<ClassValue>();
        type->name = name;
        type->construct = [&row](Evaluator& ev, const CallArguments& arguments) {
            return callNative(ev, row.name, arguments, std::string("T.") + row.name);
        };
        type->attributes["__class_getitem__"] = makeNative("__class_getitem__", [&row](Evaluator& ev, const CallArguments& arguments) {
            return subscripted(ev, row, *arguments.items.back().value, arguments.call);
        });
        return Value(std::move(type));
    }
    return std::nullopt;
}

}  // namespace tw::staging
