// The values of staging Python: what names of a file hold while its compile-time part runs.
//
// Device objects (expressions, buffers, regions, loops, launches) are values among others; what an operator, subscript,
// attribute or statement does with them is decided by DeviceHooks (hooks.h), which the tracer implements.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "core/ir/stmt.h"
#include "core/support/integer.h"
#include "core/syntax/ast.h"

namespace tw::staging {

class Evaluator;
struct Value;
struct Environment;

struct NoneValue {
    bool operator==(const NoneValue&) const = default;
};
struct EllipsisValue {
    bool operator==(const EllipsisValue&) const = default;
};
using Str = std::shared_ptr<const std::string>;

// Containers are Python's: shared and mutable, except tuples.
struct TupleValue {
    std::vector<Value> items;
};
struct ListValue {
    std::vector<Value> items;
};
struct SetValue {
    std::vector<Value> items;  // in order of insertion, no two equal
    std::multimap<std::size_t, std::size_t> index;  // hash -> position in items
    bool frozen = false;                            // frozenset
};
struct DictValue {  // in order of insertion
    std::vector<std::pair<Value, Value>> items;
    std::multimap<std::size_t, std::size_t> index;  // hash of the key -> position in items
};
struct RangeValue {
    Integer start = 0, stop = 0, step = 1;
};
struct SliceValue;

// A lazily produced sequence (zip, map, enumerate, a generator): `next` gives values until it is empty.
struct IteratorValue {
    std::function<std::optional<Value>(Evaluator&)> next;
};

// def, lambda, and what decorators make of them.
enum class FunctionKind {
    kPlain,
    kMacro,     // @T.macro, @T.inline, methods of meta classes that store: inlined where called, body in kernel mode
    kPrimFunc,  // not yet traced body (tracing happens at decoration: the value is then a KernelValue)
};
struct FunctionValue {
    std::string name;
    FunctionKind kind = FunctionKind::kPlain;
    // Exactly one of these; both stay alive through `module`.
    const syntax::FunctionDef* def = nullptr;
    const syntax::Lambda* lambda = nullptr;
    std::shared_ptr<const syntax::Module> module;
    SourceRange range;
    std::shared_ptr<Environment> closure;
    std::vector<std::optional<Value>> defaults;  // one a parameter
    std::shared_ptr<struct ClassValue> owner;    // the class whose body defines it, for super()
    std::map<std::string, Value> attributes;     // f.x = …
};
struct BoundMethod;

// Arguments of a call, in order, as written. `range` is the argument's text.
struct CallArgument {
    std::string keyword;  // empty: positional
    std::shared_ptr<Value> value;
    SourceRange range;
};
struct CallArguments {
    std::vector<CallArgument> items;
    SourceRange call;    // the whole call expression
    SourceRange callee;  // what is called
};
// A function of ours: builtins, methods, T.*.
struct NativeFunction {
    std::string name;  // as the user writes it after the module: "copy", "ceil"
    std::function<Value(Evaluator&, const CallArguments&)> call;
};

struct ClassValue {
    std::string name;
    std::vector<std::shared_ptr<ClassValue>> bases;  // in method resolution order, without itself
    std::map<std::string, Value> attributes;
    bool isMeta = false;       // @T.meta_class: instances live while tracing
    bool isOpaqueBase = false;  // a base is foreign (torch.nn.Module): unknown attributes are opaque
    SourceRange range;
    // Set for classes of ours (dtype, argparse.ArgumentParser, dataclass fields, exceptions): makes an instance.
    std::function<Value(Evaluator&, const CallArguments&)> construct;
};
struct InstanceValue {
    std::shared_ptr<ClassValue> type;
    std::map<std::string, Value> attributes;
    std::shared_ptr<void> native;  // payload of classes of ours
};
struct ModuleValue {
    std::string name;  // "math", "tilelang.language"
    std::shared_ptr<Environment> globals;  // a module of the file's folder
    // A module of ours: the attribute, or nothing if it has none.
    std::function<std::optional<Value>(Evaluator&, const std::string&)> attribute;
    std::vector<std::string> names;  // for star imports and suggestions
};

// What a module that we do not know gives: may be passed around, called, indexed and compared (each gives an opaque value
// again), but may not enter a kernel. `path` says where it came from: "torch.exp".
struct OpaqueValue {
    std::string path;
    std::vector<Value> choices;  // what the arms of an opaque condition give, as far as that is known
};
// torch.randn(4096, 256): shape and dtype, no data. The dtype is empty where it is not known.
struct MetaTensor {
    std::vector<Value> shape;  // integers, or opaque where unknown
    std::optional<ir::DType> dtype;
    std::string path;  // the call that made it
};

// A name bound to T.alloc_var: reading it loads, assigning to it stores.
struct VarValue {
    ir::Buffer buffer;
};
// What a T.Ref parameter of a macro holds: an element or region to read and to store through.
struct RefValue {
    ir::Region region;
    bool isElement = true;
};
struct LayoutValue {
    std::shared_ptr<const ir::LayoutMap> map;
};

// What `for … in` and `with …` take in kernels; made by T.serial, T.Parallel, T.Kernel, T.ws, …
struct LoopSpec {
    ir::ForKind kind{};
    std::vector<ir::Axis> axes;  // variables unnamed; the target of `for` names them
    ir::Attrs attrs;
    std::optional<ir::Persistent> persistent;
    std::shared_ptr<const ir::LayoutMap> layout;
    bool nested = false;  // T.grid: one serial loop an axis
    std::vector<SourceRange> axisRanges;
};
// A context of ours. `enter` opens it and gives the value of `as`; `leave` closes it. What they are is the tracer's business.
struct ContextValue {
    std::string name;  // "Kernel", "ws", "attr"
    std::function<Value(Evaluator&, const SourceRange&)> enter;
    std::function<void(Evaluator&)> leave;
    bool isDeviceScope = true;  // names bound inside end with it
};

// A traced function, or the means to trace one.
struct KernelValue;  // kernel_value.h: jit factories, eager kernels, prim_funcs, compiled kernels, array kernels
// A whole-array value of the array dialect (array/array_value.h).
struct ArrayValue;

struct Value {
    using Storage =
        std::variant<NoneValue, bool, Integer, double, Str, EllipsisValue, ir::DType, std::shared_ptr<const TupleValue>,
                     std::shared_ptr<ListValue>, std::shared_ptr<DictValue>, std::shared_ptr<SetValue>, RangeValue,
                     std::shared_ptr<const SliceValue>, std::shared_ptr<IteratorValue>, std::shared_ptr<FunctionValue>,
                     std::shared_ptr<const BoundMethod>, std::shared_ptr<const NativeFunction>,
                     std::shared_ptr<ClassValue>, std::shared_ptr<InstanceValue>, std::shared_ptr<ModuleValue>,
                     std::shared_ptr<const OpaqueValue>, std::shared_ptr<const MetaTensor>, ir::Expr, ir::Buffer,
                     std::shared_ptr<const ir::Region>, VarValue, std::shared_ptr<const RefValue>, LayoutValue,
                     std::shared_ptr<const LoopSpec>, std::shared_ptr<const ContextValue>,
                     std::shared_ptr<KernelValue>, std::shared_ptr<const ArrayValue>>;
    Storage data;

    // Copying and destroying a variant of thirty alternatives is much code: it stands once, in value.cpp.
    Value() noexcept;
    Value(const Value& other);
    Value(Value&& other) noexcept;
    Value& operator=(const Value& other);
    Value& operator=(Value&& other) noexcept;
    ~Value();
    Value(Storage s);
    Value(bool b);
    Value(int i);
    Value(std::int64_t i);
    Value(Integer i);
    Value(double d);
    Value(std::string s);
    Value(const char* s);
    Value(ir::DType t);
    Value(ir::Expr e);
    Value(ir::Buffer b);
    template <class T>
    Value(std::shared_ptr<T> p) : data(std::move(p)) {}

    template <class T>
    [[nodiscard]] const T* get() const { return std::get_if<T>(&data); }
    template <class T>
    [[nodiscard]] T* get() { return std::get_if<T>(&data); }
    // The pointee of a shared alternative, or null: value.object<ListValue>().
    template <class T>
    [[nodiscard]] T* object() const
    {
        const auto* p = std::get_if<std::shared_ptr<T>>(&data);
        return p ? p->get() : nullptr;
    }
    [[nodiscard]] bool isNone() const { return std::holds_alternative<NoneValue>(data); }
    [[nodiscard]] const std::string* str() const
    {
        const auto* s = get<Str>();
        return s ? s->get() : nullptr;
    }
    [[nodiscard]] ir::Expr expr() const
    {
        const auto* e = get<ir::Expr>();
        return e ? *e : nullptr;
    }
    [[nodiscard]] ir::Buffer buffer() const
    {
        const auto* b = get<ir::Buffer>();
        return b ? *b : nullptr;
    }
};

struct SliceValue {
    Value lower, upper, step;  // None where absent
};
struct BoundMethod {
    Value self;
    Value function;  // a FunctionValue or NativeFunction; `self` is passed first
};

[[nodiscard]] Value makeTuple(std::vector<Value> items);
[[nodiscard]] Value makeList(std::vector<Value> items);
[[nodiscard]] Value makeNative(std::string name, std::function<Value(Evaluator&, const CallArguments&)> call);
[[nodiscard]] Value makeOpaque(std::string path);

// "int", "str", "buffer", "expression", …: for messages.
[[nodiscard]] std::string typeName(const Value& value);
// As Python's repr() shows it; device objects by their IR text.
[[nodiscard]] std::string repr(const Value& value);
// Python equality of staging values; opaque values are equal to nothing. dtypes equal strings of their name.
[[nodiscard]] bool equalValues(const Value& a, const Value& b);
[[nodiscard]] std::size_t hashValue(const Value& value);
// A dtype from every spelling of language.md c.1: T.float16, "float16", torch.float16, np.float32, float, int, bool.
[[nodiscard]] std::optional<ir::DType> asDType(const Value& value);
// Whether an expression, buffer, region, variable or reference: what makes an operation a device operation.
[[nodiscard]] bool isDevice(const Value& value);

}  // namespace tw::staging
