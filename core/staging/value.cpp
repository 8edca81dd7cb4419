#include "core/staging/value.h"

#include "core/staging/kernel_value.h"

namespace tw::staging {

namespace {

// Values nest as deep as a program makes them, through tuples, closures, objects. Their end must not use stack as deep: beyond a
// depth they wait, and the outermost end of this thread takes them one by one. (It belongs to the thread because destructors take no arguments.)
constexpr int kDeepestEnd = 200;
struct Ending {
    int depth = 0;
    std::vector<Value::Storage> waiting;
};
thread_local Ending ending;

}  // namespace

Value::Value() noexcept = default;
Value::Value(const Value& other) = default;
Value::Value(Value&& other) noexcept = default;
Value& Value::operator=(const Value& other) = default;
Value& Value::operator=(Value&& other) noexcept = default;
Value::~Value()
{
    constexpr std::size_t kFirstThatNests = 7;
    static_assert(std::is_same_v<std::variant_alternative_t<kFirstThatNests, Storage>, std::shared_ptr<const TupleValue>>);
    if (data.index() < kFirstThatNests)
        return;
    if (ending.depth >= kDeepestEnd) {
        ending.waiting.push_back(std::move(data));
        return;
    }
    ++ending.depth;
    data = NoneValue{};
    while (ending.depth == 1 && !ending.waiting.empty()) {
        const Storage next = std::move(ending.waiting.back());
        ending.waiting.pop_back();
    }
    --ending.depth;
}
Value::Value(Storage s) : data(std::move(s)) {}
Value::Value(bool b) : data(b) {}
Value::Value(int i) : data(static_cast<Integer>(i)) {}
Value::Value(std::int64_t i) : data(static_cast<Integer>(i)) {}
Value::Value(Integer i) : data(i) {}
Value::Value(double d) : data(d) {}
Value::Value(std::string s) : data(std::make_shared<const std::string>(std::move(s))) {}
Value::Value(const char* s) : Value(std::string(s)) {}
Value::Value(ir::DType t) : data(t) {}
Value::Value(ir::Expr e) : data(std::move(e)) {}
Value::Value(ir::Buffer b) : data(std::move(b)) {}

Value makeTuple(std::vector<Value> items)
{
    return std::make_shared<const TupleValue>(TupleValue{std::move(items)});
}

Value makeList(std::vector<Value> items)
{
    auto list = std::make_shared<ListValue>();
    list->items = std::move(items);
    return list;
}

Value makeNative(std::string name, std::function<Value(Evaluator&, const CallArguments&)> call)
{
    return std::make_shared<const NativeFunction>(NativeFunction{std::move(name), std::move(call)});
}

Value makeOpaque(std::string path)
{
    return std::make_shared<const OpaqueValue>(OpaqueValue{std::move(path), {}});
}

std::string typeName(const Value& value)
{
    struct Names {
        std::string operator()(const NoneValue&) const { return "None"; }
        std::string operator()(bool) const { return "bool"; }
        std::string operator()(Integer) const { return "int"; }
        std::string operator()(double) const { return "float"; }
        std::string operator()(const Str&) const { return "str"; }
        std::string operator()(const EllipsisValue&) const { return "ellipsis"; }
        std::string operator()(const ir::DType&) const { return "dtype"; }
        std::string operator()(const std::shared_ptr<const TupleValue>&) const { return "tuple"; }
        std::string operator()(const std::shared_ptr<ListValue>&) const { return "list"; }
        std::string operator()(const std::shared_ptr<DictValue>&) const { return "dict"; }
        std::string operator()(const std::shared_ptr<SetValue>& s) const { return s->frozen ? "frozenset" : "set"; }
        std::string operator()(const RangeValue&) const { return "range"; }
        std::string operator()(const std::shared_ptr<const SliceValue>&) const { return "slice"; }
        std::string operator()(const std::shared_ptr<IteratorValue>&) const { return "iterator"; }
        std::string operator()(const std::shared_ptr<FunctionValue>& f) const
        {
            return f->kind == FunctionKind::kMacro ? "macro" : "function";
        }
        std::string operator()(const std::shared_ptr<const BoundMethod>&) const { return "method"; }
        std::string operator()(const std::shared_ptr<const NativeFunction>&) const { return "function"; }
        std::string operator()(const std::shared_ptr<ClassValue>&) const { return "class"; }
        std::string operator()(const std::shared_ptr<InstanceValue>& i) const { return i->type->name; }
        std::string operator()(const std::shared_ptr<ModuleValue>&) const { return "module"; }
        std::string operator()(const std::shared_ptr<const OpaqueValue>& o) const { return "value of " + o->path; }
        std::string operator()(const std::shared_ptr<const MetaTensor>&) const { return "tensor"; }
        std::string operator()(const ir::Expr&) const { return "expression"; }
        std::string operator()(const ir::Buffer&) const { return "buffer"; }
        std::string operator()(const std::shared_ptr<const ir::Region>&) const { return "region"; }
        std::string operator()(const VarValue&) const { return "variable"; }
        std::string operator()(const std::shared_ptr<const RefValue>&) const { return "reference"; }
        std::string operator()(const LayoutValue&) const { return "layout"; }
        std::string operator()(const std::shared_ptr<const LoopSpec>&) const { return "loop"; }
        std::string operator()(const std::shared_ptr<const ContextValue>&) const { return "context"; }
        std::string operator()(const std::shared_ptr<KernelValue>&) const { return "kernel"; }
        std::string operator()(const std::shared_ptr<const ArrayValue>&) const { return "array"; }
    };
    return std::visit(Names{}, value.data);
}

std::optional<ir::DType> asDType(const Value& value)
{
    if (const auto* dtype = value.get<ir::DType>())
        return *dtype;
    if (const auto* text = value.str())
        return ir::parseDType(*text);
    if (const auto* type = value.object<ClassValue>()) {
        if (type->name == "int")
            return ir::kInt32;
        if (type->name == "float")
            return ir::kFloat32;
        if (type->name == "bool")
            return ir::kBool;
    }
    return std::nullopt;
}

bool isDevice(const Value& value)
{
    return value.get<ir::Expr>() || value.get<ir::Buffer>() || value.get<std::shared_ptr<const ir::Region>>() ||
           value.get<VarValue>() || value.get<std::shared_ptr<const RefValue>>() || value.get<std::shared_ptr<const ArrayValue>>();
}

}  // namespace tw::staging
