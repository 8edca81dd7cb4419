#include "core/staging/value.h"

#include <cmath>
#include <functional>

#include "core/staging/containers.h"
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
    return std::make_shared<const OpaqueValue>(OpaqueValue{std::move(path)});
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

namespace {

std::size_t mix(std::size_t a, std::size_t b) { return a * 1000003U ^ b; }

std::size_t hashNumber(double value)
{
    if (std::floor(value) == value && std::abs(value) < 9e15)
        return std::hash<std::int64_t>{}(static_cast<std::int64_t>(value));
    return std::hash<double>{}(value);
}

std::size_t hashInteger(Integer value)
{
    const auto low = static_cast<std::int64_t>(value);
    if (low == value)
        return value < Integer{9'000'000'000'000'000} && value > -Integer{9'000'000'000'000'000}
                   ? std::hash<std::int64_t>{}(low)
                   : std::hash<double>{}(static_cast<double>(value));
    return std::hash<double>{}(static_cast<double>(value));
}

// The address of what a shared value points to; the identity of everything that is compared by identity.
const void* identity(const Value& value)
{
    return std::visit(
        [](const auto& v) -> const void* {
            using T = std::decay_t<decltype(v)>;
            if constexpr (requires { v.get(); })
                return v.get();
            else if constexpr (std::is_same_v<T, VarValue>)
                return v.buffer.get();
            else if constexpr (std::is_same_v<T, LayoutValue>)
                return v.map.get();
            else
                return nullptr;
        },
        value.data);
}

std::optional<double> numberOf(const Value& value)
{
    if (const auto* b = value.get<bool>())
        return *b ? 1.0 : 0.0;
    if (const auto* i = value.get<Integer>())
        return static_cast<double>(*i);
    if (const auto* d = value.get<double>())
        return *d;
    return std::nullopt;
}

std::optional<Integer> integerOf(const Value& value)
{
    if (const auto* b = value.get<bool>())
        return *b ? 1 : 0;
    if (const auto* i = value.get<Integer>())
        return *i;
    return std::nullopt;
}

// Containers may hold themselves: below this depth nothing is equal, as Python would give up with an error.
constexpr int kMaxEqualDepth = 200;
bool equalAt(const Value& a, const Value& b, int depth);

bool equalItems(const std::vector<Value>& a, const std::vector<Value>& b, int depth)
{
    if (a.size() != b.size())
        return false;
    for (std::size_t i = 0; i < a.size(); ++i)
        if (!equalAt(a[i], b[i], depth + 1))
            return false;
    return true;
}

bool equalDicts(const DictValue& a, const DictValue& b, int depth)
{
    if (a.items.size() != b.items.size())
        return false;
    for (const auto& [key, value] : a.items) {
        const Value* other = dictFind(b, key);
        if (!other || !equalAt(value, *other, depth + 1))
            return false;
    }
    return true;
}

bool equalInstances(const InstanceValue& a, const InstanceValue& b, int depth)
{
    if (&a == &b)
        return true;
    if (a.type != b.type || !a.type->attributes.contains("__dataclass_fields__"))
        return false;
    if (a.attributes.size() != b.attributes.size())
        return false;
    for (const auto& [name, value] : a.attributes) {
        const auto it = b.attributes.find(name);
        if (it == b.attributes.end() || !equalAt(value, it->second, depth + 1))
            return false;
    }
    return true;
}

// A dtype and a string are equal where the string names it.
std::optional<bool> equalDTypes(const Value& a, const Value& b)
{
    const auto* left = a.get<ir::DType>();
    const auto* right = b.get<ir::DType>();
    if (!left && !right)
        return std::nullopt;
    if (left && right)
        return *left == *right;
    const auto* text = left ? b.str() : a.str();
    if (!text)
        return false;
    return ir::parseDType(*text) == (left ? *left : *right);
}

std::optional<bool> equalContainers(const Value& a, const Value& b, int depth)
{
    if (const auto* x = a.object<const TupleValue>())
        if (const auto* y = b.object<const TupleValue>())
            return equalItems(x->items, y->items, depth);
    if (const auto* x = a.object<ListValue>())
        if (const auto* y = b.object<ListValue>())
            return equalItems(x->items, y->items, depth);
    if (const auto* x = a.object<DictValue>())
        if (const auto* y = b.object<DictValue>())
            return equalDicts(*x, *y, depth);
    if (const auto* x = a.object<SetValue>())
        if (const auto* y = b.object<SetValue>()) {
            if (x->items.size() != y->items.size())
                return false;
            for (const Value& item : x->items)
                if (!setContains(*y, item))
                    return false;
            return true;
        }
    if (const auto* x = a.get<RangeValue>())
        if (const auto* y = b.get<RangeValue>()) {
            const Integer n = rangeLength(*x);
            return n == rangeLength(*y) && (n == 0 || (x->start == y->start && (n == 1 || x->step == y->step)));
        }
    return std::nullopt;
}

bool equalAt(const Value& a, const Value& b, int depth)
{
    if (depth > kMaxEqualDepth)
        return false;
    if (const auto i = integerOf(a), j = integerOf(b); i && j)
        return *i == *j;
    if (const auto x = numberOf(a), y = numberOf(b); x && y)
        return *x == *y;
    if (const auto* s = a.str())
        if (const auto* t = b.str())
            return *s == *t;
    if (const auto same = equalDTypes(a, b))
        return *same;
    if (a.isNone() || b.isNone())
        return a.isNone() && b.isNone();
    if (const auto same = equalContainers(a, b, depth))
        return *same;
    if (const auto* x = a.object<InstanceValue>())
        if (const auto* y = b.object<InstanceValue>())
            return equalInstances(*x, *y, depth);
    if (a.data.index() != b.data.index())
        return false;
    if (a.get<EllipsisValue>())
        return true;
    if (const auto* x = a.object<const BoundMethod>()) {
        const auto* y = b.object<const BoundMethod>();
        return identity(x->self) == identity(y->self) && identity(x->function) == identity(y->function);
    }
    return identity(a) != nullptr && identity(a) == identity(b);
}

}  // namespace

bool equalValues(const Value& a, const Value& b) { return equalAt(a, b, 0); }

namespace {

// Hashes at most so many values of a nest: equal values are walked alike, so they still hash alike, and a tuple nested a
// hundred thousand times deep costs no more than another.
class Hasher {
public:
    explicit Hasher(int most) : left_(most) {}

    std::size_t of(const Value& value)
    {
        if (left_-- <= 0)
            return 0;
        if (const auto i = integerOf(value))
            return hashInteger(*i);
        if (const auto* d = value.get<double>())
            return hashNumber(*d);
        if (const auto* s = value.str())
            return ofText(*s);
        if (const auto* dtype = value.get<ir::DType>())
            return std::hash<std::string>{}(dtype->name());
        if (const auto* range = value.get<RangeValue>())
            return mix(hashInteger(rangeLength(*range)), hashInteger(range->start));
        if (const auto* method = value.object<const BoundMethod>())
            return std::hash<const void*>{}(identity(method->function));
        return ofParts(value);
    }

private:
    // A dtype hashes like every spelling of its name.
    static std::size_t ofText(const std::string& text)
    {
        if (!text.empty() && text.size() <= 24)
            if (const auto dtype = ir::parseDType(text))
                return std::hash<std::string>{}(dtype->name());
        return std::hash<std::string>{}(text);
    }

    std::size_t ofParts(const Value& value)
    {
        std::size_t h = value.data.index();
        if (const auto* tuple = value.object<const TupleValue>()) {
            for (const Value& item : tuple->items)
                h = mix(h, of(item));
            return h;
        }
        if (const auto* set = value.object<SetValue>()) {
            for (const Value& item : set->items)
                h += Hasher(left_ / 2).of(item);  // they come in any order, so each has a walk of its own
            return h;
        }
        if (const auto* object = value.object<InstanceValue>())
            if (object->type->attributes.contains("__dataclass_fields__")) {
                for (const auto& [name, item] : object->attributes)
                    h = mix(h, of(item));
                return h;
            }
        return std::hash<const void*>{}(identity(value));
    }

    int left_;
};

}  // namespace

std::size_t hashValue(const Value& value) { return Hasher(1000).of(value); }

}  // namespace tw::staging
