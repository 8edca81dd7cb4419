// Tensors without data: operators, methods, subscripts, as far as shapes and dtypes are certain.
#include "core/staging/meta_tensor.h"

#include "core/staging/builtins.h"
#include "core/staging/containers.h"

namespace tw::staging {
namespace {

using Shape = std::vector<Value>;

const MetaTensor& tensorOf(const Value& v) { return *v.object<const MetaTensor>(); }

Value unknown(const MetaTensor& tensor) { return makeOpaque(tensor.path); }

std::optional<ir::DType> promoted(std::optional<ir::DType> a, std::optional<ir::DType> b)
{
    return a && b ? ir::promote(*a, *b) : std::nullopt;
}

// NumPy's broadcasting; opaque where it cannot be known.
std::optional<Shape> broadcast(const Shape& a, const Shape& b)
{
    Shape out(std::max(a.size(), b.size()));
    for (std::size_t i = 0; i < out.size(); ++i) {
        const auto at = [&](const Shape& s) { return i < s.size() ? s[s.size() - 1 - i] : Value(1); };
        const Value x = at(a), y = at(b);
        const auto m = asInteger(x), n = asInteger(y);
        if (m && n && *m != *n && *m != 1 && *n != 1)
            return std::nullopt;
        out[out.size() - 1 - i] = !m ? (n && *n != 1 ? y : x) : *m == 1 ? y : x;
    }
    return out;
}

Value method(const std::string& name, std::function<Value(Interpreter&, const CallArguments&)> f)
{
    return makeNative(name, [f = std::move(f)](Evaluator& e, const CallArguments& a) { return f(static_cast<Interpreter&>(e), a); });
}

// (2, 3), [2, 3] or 2, 3.
Shape shapeArguments(Interpreter& in, const CallArguments& arguments)
{
    Shape out;
    for (const CallArgument& argument : arguments.items)
        if (argument.keyword.empty() || argument.keyword == "shape" || argument.keyword == "size")
            out.push_back(*argument.value);
    if (out.size() == 1 && (out[0].object<ListValue>() || out[0].object<const TupleValue>()))
        return in.iterate(out[0], arguments.call);
    return out;
}

std::optional<Integer> elements(const Shape& shape)
{
    Integer n = 1;
    for (const Value& extent : shape) {
        const auto i = asInteger(extent);
        if (!i || *i < 0 || (*i > 0 && n > (Integer{1} << 100) / *i))
            return std::nullopt;
        n *= *i;
    }
    return n;
}

Value reshaped(Interpreter& in, const MetaTensor& tensor, const CallArguments& arguments)
{
    Shape shape = shapeArguments(in, arguments);
    if (shape.size() == 1)
        if (const auto dtype = shape[0].get<ir::DType>())  // x.view(torch.int8)
            return dtype->bits() == (tensor.dtype ? tensor.dtype->bits() : 0) ? makeTensor(tensor.shape, *dtype, tensor.path)
                                                                             : unknown(tensor);
    Integer known = 1;
    Value* open = nullptr;
    for (Value& extent : shape) {
        const auto i = asInteger(extent);
        if (!i)
            return makeTensor(shape, tensor.dtype, tensor.path);
        if (*i == -1)
            open = &extent;
        else
            known *= *i;
    }
    if (open) {
        const auto all = elements(tensor.shape);
        *open = all && known > 0 ? Value(*all / known) : makeOpaque(tensor.path);
    }
    return makeTensor(std::move(shape), tensor.dtype, tensor.path);
}

std::optional<std::size_t> axisOf(const Value& value, std::size_t rank)
{
    auto i = asInteger(value);
    if (i && *i < 0)
        *i += static_cast<Integer>(rank);
    return i && *i >= 0 && *i < static_cast<Integer>(rank) ? std::optional(static_cast<std::size_t>(*i)) : std::nullopt;
}

Value permuted(Interpreter& in, const MetaTensor& tensor, const CallArguments& arguments)
{
    Shape shape;
    for (const Value& axis : shapeArguments(in, arguments)) {
        const auto i = axisOf(axis, tensor.shape.size());
        if (!i)
            return unknown(tensor);
        shape.push_back(tensor.shape[*i]);
    }
    return shape.size() == tensor.shape.size() ? makeTensor(std::move(shape), tensor.dtype, tensor.path) : unknown(tensor);
}

// x.transpose(0, 1); without arguments, or with a full list, NumPy's permutation.
Value transposed(Interpreter& in, const MetaTensor& tensor, const CallArguments& arguments)
{
    const Shape axes = shapeArguments(in, arguments);
    Shape shape = tensor.shape;
    if (axes.empty()) {
        std::reverse(shape.begin(), shape.end());
        return makeTensor(std::move(shape), tensor.dtype, tensor.path);
    }
    if (axes.size() != 2 || shape.size() < 2)
        return permuted(in, tensor, arguments);
    const auto i = axisOf(axes[0], shape.size()), j = axisOf(axes[1], shape.size());
    if (!i || !j)
        return unknown(tensor);
    std::swap(shape[*i], shape[*j]);
    return makeTensor(std::move(shape), tensor.dtype, tensor.path);
}

Value converted(const MetaTensor& tensor, const CallArguments& arguments)
{
    std::optional<ir::DType> dtype = tensor.dtype;
    for (const CallArgument& argument : arguments.items) {
        if (argument.value->get<ir::DType>() || argument.value->object<ClassValue>() || argument.keyword == "dtype")
            dtype = wideDType(*argument.value);
        else if (const auto* text = argument.value->str(); text && ir::parseDType(*text))
            dtype = ir::parseDType(*text);
        else if (const auto* other = argument.value->object<const MetaTensor>())
            dtype = other->dtype;
    }
    return makeTensor(tensor.shape, dtype, tensor.path);
}

Value chunked(Interpreter& in, const MetaTensor& tensor, const CallArguments& arguments)
{
    const auto bound = in.bind("chunks, dim=0", arguments, "chunk");
    const auto n = asInteger(bound["chunks"]);
    const auto axis = axisOf(bound.has("dim") ? bound["dim"] : Value(0), tensor.shape.size());
    if (!n || *n <= 0 || *n > 1024 || !axis || !asInteger(tensor.shape[*axis]))
        return unknown(tensor);
    const Integer extent = asInteger(tensor.shape[*axis]).value_or(0);
    const Integer each = (extent + *n - 1) / *n;
    std::vector<Value> parts;
    for (Integer at = 0; at < extent; at += each) {
        Shape shape = tensor.shape;
        shape[*axis] = Value(std::min(each, extent - at));
        parts.push_back(makeTensor(std::move(shape), tensor.dtype, tensor.path));
    }
    return makeTuple(std::move(parts));
}

// x.repeat(2, 1): NumPy's repeat is another one.
Value repeated(Interpreter& in, const MetaTensor& tensor, const CallArguments& arguments)
{
    const Shape times = shapeArguments(in, arguments);
    if (times.size() < tensor.shape.size() || tensor.path.starts_with("numpy"))
        return unknown(tensor);
    Shape shape;
    for (std::size_t i = 0; i < times.size(); ++i) {
        const std::size_t fresh = times.size() - tensor.shape.size();
        const auto n = asInteger(times[i]), extent = i < fresh ? std::optional<Integer>(1) : asInteger(tensor.shape[i - fresh]);
        shape.push_back(n && extent && *n >= 0 && *n < (Integer{1} << 40) ? Value(*n * *extent) : makeOpaque(tensor.path));
    }
    return makeTensor(std::move(shape), tensor.dtype, tensor.path);
}

Value interleaved(Interpreter& in, const MetaTensor& tensor, const CallArguments& arguments)
{
    const auto bound = in.bind("repeats, dim=None, output_size=None", arguments, "repeat_interleave");
    const auto n = asInteger(bound["repeats"]);
    const auto axis = bound["dim"].isNone() ? std::nullopt : axisOf(bound["dim"], tensor.shape.size());
    const auto extent = axis ? asInteger(tensor.shape[*axis]) : std::nullopt;
    if (!n || !extent || *n < 0 || *n >= (Integer{1} << 40))
        return unknown(tensor);
    Shape shape = tensor.shape;
    shape[*axis] = Value(*n * *extent);
    return makeTensor(std::move(shape), tensor.dtype, tensor.path);
}

// x.split(16, dim=1): parts of that extent, the last one smaller.
Value split(Interpreter& in, const MetaTensor& tensor, const CallArguments& arguments)
{
    const auto bound = in.bind("split_size, dim=0", arguments, "split");
    const auto axis = axisOf(bound.has("dim") ? bound["dim"] : Value(0), tensor.shape.size());
    const auto extent = axis ? asInteger(tensor.shape[*axis]) : std::nullopt;
    const auto each = asInteger(bound["split_size"]);
    std::vector<Value> sizes;
    if (bound["split_size"].object<ListValue>() || bound["split_size"].object<const TupleValue>())
        sizes = in.iterate(bound["split_size"], arguments.call);
    else if (extent && each && *each > 0 && *extent / *each < 1024)
        for (Integer at = 0; at < *extent; at += *each)
            sizes.emplace_back(std::min(*each, *extent - at));
    if (!axis || sizes.empty())
        return unknown(tensor);
    std::vector<Value> parts;
    for (const Value& size : sizes) {
        Shape shape = tensor.shape;
        shape[*axis] = size;
        parts.push_back(makeTensor(std::move(shape), tensor.dtype, tensor.path));
    }
    return makeTuple(std::move(parts));
}

// x.new_empty((4, 4), dtype=…): another shape of the same type.
Value another(Interpreter& in, const MetaTensor& tensor, const CallArguments& arguments)
{
    CallArguments shape = arguments;
    std::erase_if(shape.items, [](const CallArgument& a) { return a.keyword == "dtype" || a.keyword == "device"; });
    const Value made = converted(tensor, arguments);
    return makeTensor(shapeArguments(in, shape), made.object<const MetaTensor>()->dtype, tensor.path);
}

Value sized(const MetaTensor& tensor, const CallArguments& arguments)
{
    if (arguments.items.empty())
        return makeTuple(tensor.shape);
    const auto axis = axisOf(*arguments.items[0].value, tensor.shape.size());
    return axis ? tensor.shape[*axis] : unknown(tensor);
}

Value unsqueezed(const MetaTensor& tensor, const CallArguments& arguments)
{
    const auto axis = arguments.items.empty() ? std::nullopt : axisOf(*arguments.items[0].value, tensor.shape.size() + 1);
    if (!axis)
        return unknown(tensor);
    Shape shape = tensor.shape;
    shape.insert(shape.begin() + static_cast<std::ptrdiff_t>(*axis), Value(1));
    return makeTensor(std::move(shape), tensor.dtype, tensor.path);
}

Value flattened(const MetaTensor& tensor)
{
    const auto n = elements(tensor.shape);
    return makeTensor({n ? Value(*n) : makeOpaque(tensor.path)}, tensor.dtype, tensor.path);
}

const std::map<std::string_view, ir::DType>& casts()
{
    static const std::map<std::string_view, ir::DType> kCasts = {
        {"half", ir::kFloat16}, {"float", ir::kFloat32}, {"double", ir::kFloat64}, {"bfloat16", ir::kBFloat16},
        {"int", ir::kInt32},    {"long", ir::kInt64},    {"bool", ir::kBool},      {"char", ir::kInt8},
        {"byte", ir::kUInt8}};
    return kCasts;
}

// Methods that keep shape and dtype.
bool keeps(std::string_view name)
{
    static const std::set<std::string_view> kSame = {
        "cuda", "cpu", "contiguous", "clone", "detach", "copy", "numpy", "requires_grad_", "fill_", "zero_", "normal_",
        "uniform_", "random_", "mul_", "add_", "div_", "sub_", "abs", "clamp", "clamp_", "clip", "exp", "relu", "neg",
        "sigmoid", "tanh", "round", "floor", "pin_memory", "masked_fill", "masked_fill_", "softmax", "cumsum", "flip", "tril",
        "triu", "copy_", "ceil", "sin", "cos", "erf", "absolute", "bernoulli_", "clip_", "scatter_", "index_fill_", "to_device", "square", "sqrt", "rsqrt", "log", "roll", "uniform", "normal"};
    return kSame.contains(name);
}

}  // namespace

std::optional<ir::DType> wideDType(const Value& value)
{
    const auto* type = value.object<ClassValue>();
    return type && type->name == "int" ? ir::kInt64 : type && type->name == "float" ? ir::kFloat64 : asDType(value);
}

Value makeTensor(Shape shape, std::optional<ir::DType> dtype, std::string path)
{
    return std::make_shared<const MetaTensor>(MetaTensor{std::move(shape), dtype, std::move(path)});
}

std::optional<Value> tensorAttribute(Interpreter&, const Value& value, const std::string& name)
{
    const MetaTensor& tensor = tensorOf(value);
    if (name == "shape")
        return makeTuple(tensor.shape);
    if (name == "dtype")
        return tensor.dtype ? Value(*tensor.dtype) : unknown(tensor);
    if (name == "ndim")
        return Value(static_cast<std::int64_t>(tensor.shape.size()));
    if (name == "T" || name == "mT") {
        Shape shape = tensor.shape;
        if (name == "T")
            std::reverse(shape.begin(), shape.end());
        else if (shape.size() > 1)
            std::swap(shape[shape.size() - 1], shape[shape.size() - 2]);
        return makeTensor(std::move(shape), tensor.dtype, tensor.path);
    }
    if (name == "data" || name == "grad")
        return value;
    if (name == "is_cuda")
        return Value(true);
    if (const auto it = casts().find(name); it != casts().end())
        return method(name, [value, to = it->second](Interpreter&, const CallArguments&) {
            return makeTensor(tensorOf(value).shape, to, tensorOf(value).path);
        });
    if (keeps(name))
        return method(name, [value](Interpreter&, const CallArguments&) { return value; });
    using Function = Value (*)(Interpreter&, const MetaTensor&, const CallArguments&);
    static const std::map<std::string_view, Function> kMethods = {
        {"to", [](Interpreter&, const MetaTensor& t, const CallArguments& a) { return converted(t, a); }},
        {"type", [](Interpreter&, const MetaTensor& t, const CallArguments& a) { return converted(t, a); }},
        {"astype", [](Interpreter&, const MetaTensor& t, const CallArguments& a) { return converted(t, a); }},
        {"repeat", repeated}, {"repeat_interleave", interleaved}, {"split", split}, {"swapaxes", transposed},
        {"new_empty", another}, {"new_zeros", another}, {"new_ones", another},
        {"view", reshaped}, {"reshape", reshaped}, {"permute", permuted}, {"transpose", transposed}, {"chunk", chunked},
        {"t", [](Interpreter& in, const MetaTensor& t, const CallArguments& a) { return transposed(in, t, {{}, a.call, a.callee}); }},
        {"size", [](Interpreter&, const MetaTensor& t, const CallArguments& a) { return sized(t, a); }},
        {"unsqueeze", [](Interpreter&, const MetaTensor& t, const CallArguments& a) { return unsqueezed(t, a); }},
        {"dim", [](Interpreter&, const MetaTensor& t, const CallArguments&) { return Value(static_cast<std::int64_t>(t.shape.size())); }},
        {"flatten", [](Interpreter&, const MetaTensor& t, const CallArguments& a) { return a.items.empty() ? flattened(t) : unknown(t); }},
        {"ravel", [](Interpreter&, const MetaTensor& t, const CallArguments&) { return flattened(t); }},
        {"numel", [](Interpreter&, const MetaTensor& t, const CallArguments&) {
             const auto n = elements(t.shape);
             return n ? Value(*n) : unknown(t);
         }},
        {"expand", [](Interpreter& in, const MetaTensor& t, const CallArguments& a) {
             Shape shape = shapeArguments(in, a);
             for (std::size_t i = 0; i < shape.size() && i < t.shape.size(); ++i)
                 if (asInteger(shape[shape.size() - 1 - i]) == Integer{-1})
                     shape[shape.size() - 1 - i] = t.shape[t.shape.size() - 1 - i];
             return makeTensor(std::move(shape), t.dtype, t.path);
         }}};
    if (const auto it = kMethods.find(name); it != kMethods.end())
        return method(name, [value, f = it->second](Interpreter& in, const CallArguments& a) { return f(in, tensorOf(value), a); });
    return tensorReduction(value, name).value_or(makeOpaque(tensor.path + "." + name));
}

Value tensorBinary(syntax::BinaryOp op, const Value& a, const Value& b)
{
    const auto* x = a.object<const MetaTensor>();
    const auto* y = b.object<const MetaTensor>();
    const MetaTensor& any = x ? *x : *y;
    if (op == syntax::BinaryOp::kMatMul) {
        if (!x || !y || x->shape.size() != 2 || y->shape.size() != 2)
            return unknown(any);
        return makeTensor({x->shape[0], y->shape[1]}, promoted(x->dtype, y->dtype), any.path);
    }
    if (x && y) {
        const auto shape = broadcast(x->shape, y->shape);
        return shape ? makeTensor(*shape, promoted(x->dtype, y->dtype), any.path) : unknown(any);
    }
    const Value& scalar = x ? b : a;
    if (!asNumber(scalar))
        return unknown(any);
    const bool widens = any.dtype && any.dtype->isInteger() && (scalar.get<double>() || op == syntax::BinaryOp::kDiv);
    return makeTensor(any.shape, widens ? std::optional(ir::kFloat32) : any.dtype, any.path);
}

Value tensorSubscript(Interpreter& in, const MetaTensor& tensor, const Value& index, const SourceRange& range)
{
    const auto* tuple = index.object<const TupleValue>();
    const std::vector<Value> items = tuple ? tuple->items : std::vector<Value>{index};
    std::size_t consumed = 0;
    for (const Value& item : items)
        consumed += !item.isNone() && !item.get<EllipsisValue>();
    if (consumed > tensor.shape.size())
        return unknown(tensor);
    Shape shape;
    std::size_t axis = 0;
    for (const Value& item : items) {
        if (item.isNone()) {
            shape.push_back(Value(1));
        } else if (item.get<EllipsisValue>()) {
            for (; axis < tensor.shape.size() - consumed; ++axis)
                shape.push_back(tensor.shape[axis]);
        } else if (const auto* slice = item.object<const SliceValue>()) {
            const Value& extent = tensor.shape[axis++];
            --consumed;
            const auto n = asInteger(extent);
            const bool whole = slice->lower.isNone() && slice->upper.isNone() && slice->step.isNone();
            if (whole || !n || isOpaque(slice->lower) || isOpaque(slice->upper) || isOpaque(slice->step)) {
                shape.push_back(whole ? extent : makeOpaque(tensor.path));
                continue;
            }
            const Value part = in.subscript(Value(Value::Storage(RangeValue{0, *n, 1})), item, range);
            shape.push_back(Value(rangeLength(*part.get<RangeValue>())));
        } else if (asInteger(item)) {
            ++axis;
            --consumed;
        } else {
            return unknown(tensor);
        }
    }
    for (; axis < tensor.shape.size(); ++axis)
        shape.push_back(tensor.shape[axis]);
    return makeTensor(std::move(shape), tensor.dtype, tensor.path);
}

}  // namespace tw::staging
