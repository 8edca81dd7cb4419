// One array kernel to one function: parameters, the body, the launch around it.
#include "core/staging/array/array_tracer.h"

#include <fmt/format.h>

#include "core/ir/visit.h"
#include "core/staging/array/array_impl.h"
#include "core/staging/walk.h"
#include "core/syntax/parser.h"

namespace tw::staging {

namespace {

// Python's own functions that also take run-time values in this dialect.
Value shadowOf(const std::string& name)
{
    if (name == "min" || name == "max")
        return makeNative(name, [name](Evaluator& evaluator, const CallArguments& arguments) -> Value {
            const bool device = std::any_of(arguments.items.begin(), arguments.items.end(), [](const auto& a) { return isDevice(*a.value); });
            if (!device)
                return evaluator.call(evaluator.builtinFunction(name), arguments);
            CallArguments all = arguments;
            const auto function = makeArrayModule()->attribute(evaluator, name == "min" ? "minimum" : "maximum");
            if (all.items.size() == 1)
                return evaluator.call(*makeArrayModule()->attribute(evaluator, name), all);
            Value best = *all.items[0].value;
            for (std::size_t i = 1; i < all.items.size(); ++i)
                best = evaluator.call(*function, {best, *all.items[i].value}, arguments.call);
            return best;
        });
    if (name == "len")
        return makeNative(name, [](Evaluator& evaluator, const CallArguments& arguments) -> Value {
            if (arguments.items.size() == 1 && isDevice(*arguments.items[0].value)) {
                const Value shape = evaluator.attribute(*arguments.items[0].value, {"shape", arguments.call});
                if (const auto* tuple = shape.object<const TupleValue>(); tuple && !tuple->items.empty())
                    return tuple->items[0];
            }
            return evaluator.call(evaluator.builtinFunction("len"), arguments);
        });
    // float, int, bool of a run-time scalar.
    const ir::DType type = name == "int" ? ir::kInt32 : name == "bool" ? ir::kBool : ir::kFloat32;
    auto shadow = std::make_shared<ClassValue>();  // still a type: a dtype, and what isinstance asks for
    shadow->name = name;
    shadow->construct = [name, type](Evaluator& evaluator, const CallArguments& arguments) -> Value {
        if (arguments.items.size() != 1 || !isDevice(*arguments.items[0].value))
            return evaluator.call(evaluator.builtinFunction(name), arguments);
        ArrayTracer& tracer = ArrayTracer::current(evaluator, arguments.call, name);
        return Value(tracer.cast(tracer.array(*arguments.items[0].value, arguments.call), type));
    };
    return Value(shadow);
}

bool isDefined(const Environment* scope, const std::string& name)
{
    for (; scope; scope = scope->parent.get())
        if (scope->names.contains(name))
            return true;
    return false;
}

// The subscript of tl.Tensor[…], or null.
const syntax::Subscript* tensorSubscript(const syntax::Expr& expr)
{
    const auto* node = std::get_if<syntax::Subscript>(&expr.node);
    if (!node)
        return nullptr;
    const auto* name = std::get_if<syntax::Name>(&node->value->node);
    const auto* attribute = std::get_if<syntax::Attribute>(&node->value->node);
    return (name && name->id == "Tensor") || (attribute && attribute->name.text == "Tensor") ? node : nullptr;
}

// Every tl.Tensor[…] in an annotation: itself, or inside tuple[…] and (…, …).
void tensorsIn(const syntax::Expr& expr, std::vector<const syntax::Expr*>& out)
{
    if (tensorSubscript(expr)) {
        out.push_back(&expr);
    } else if (const auto* subscript = std::get_if<syntax::Subscript>(&expr.node)) {
        tensorsIn(*subscript->index, out);
    } else if (const auto* tuple = std::get_if<syntax::TupleExpr>(&expr.node)) {
        for (const auto& item : tuple->items)
            tensorsIn(*item, out);
    }
}

void extentNames(const syntax::Expr& tensor, std::vector<std::string>& out)
{
    const auto* node = tensorSubscript(tensor);
    const auto* items = node ? std::get_if<syntax::TupleExpr>(&node->index->node) : nullptr;
    if (!items || items->items.empty())
        return;
    Walker walker;
    walker.onExpr = [&](const syntax::Expr& e) {
        if (std::holds_alternative<syntax::Attribute>(e.node) || std::holds_alternative<syntax::Call>(e.node))
            return false;
        if (const auto* name = std::get_if<syntax::Name>(&e.node))
            out.push_back(name->id);
        return true;
    };
    walker.walk(*items->items[0]);
}

// What is in quotes is parsed and kept in `parsed`.
std::vector<const syntax::Expr*> annotationsOf(const syntax::FunctionDef& def, std::vector<syntax::ExprPtr>& parsed)
{
    std::vector<const syntax::Expr*> tensors;
    const auto add = [&](const syntax::Expr* annotation) {
        if (!annotation)
            return;
        if (auto inside = unquoted(*annotation)) {
            parsed.push_back(std::move(inside));
            annotation = parsed.back().get();
        }
        tensorsIn(*annotation, tensors);
    };
    for (const auto& parameter : def.parameters)
        add(parameter.annotation.get());
    add(def.returns.get());
    return tensors;
}

}  // namespace

syntax::ExprPtr unquoted(const syntax::Expr& annotation)
{
    const auto* quoted = std::get_if<syntax::StringLiteral>(&annotation.node);
    DiagnosticSink ignored;
    return quoted ? syntax::parseExpression(quoted->value, annotation.range, ignored) : nullptr;
}

std::set<std::string> symbolicExtents(const FunctionValue& function)
{
    std::set<std::string> out;
    if (!function.def)
        return out;
    std::vector<std::string> names;
    std::vector<syntax::ExprPtr> parsed;
    for (const syntax::Expr* tensor : annotationsOf(*function.def, parsed))
        extentNames(*tensor, names);
    for (const std::string& name : names)
        if (!isDefined(function.closure.get(), name))
            out.insert(name);
    return out;
}

ArrayTracer::ArrayTracer(Evaluator& evaluator, const KernelValue& kernel, const ArrayCall& call, SourceRange callRange)
    : evaluator_(evaluator), kernel_(kernel), function_(*kernel.python), call_(call), callRange_(callRange), range_(kernel.range)
{
}

ArrayTracer::~ArrayTracer() = default;

ArrayTracer& ArrayTracer::current(Evaluator& evaluator, const SourceRange& range, const std::string& what)
{
    auto* tracer = dynamic_cast<ArrayTracer*>(evaluator.hooks());
    if (!tracer)
        evaluator.fail(Code::kNotInKernel, range, fmt::format("`{}` works inside an array kernel (@tl.kernel) only", what));
    return *tracer;
}

// Names that every function of the dialect sees: bare dtypes, and Python's functions for run-time values.
void ArrayTracer::bindNames(const Scope& scope)
{
    for (const char* name : {"float16", "bfloat16", "float32", "float64", "float8_e4m3fn", "float8_e5m2", "float8_e4m3", "int8", "int16",
                             "int32", "int64", "uint8", "uint16", "uint32", "uint64"})
        if (!isDefined(scope.get(), name))
            scope->names[name] = Value(*ir::parseDType(name));
    for (const char* name : {"min", "max", "len", "float", "int", "bool"})
        if (!isDefined(scope.get(), name))
            scope->names[name] = shadowOf(name);
    for (const auto& [name, value] : extents_)
        if (!isDefined(scope.get(), name))
            scope->names[name] = value;
}

// ---- extents ----------------------------------------------------------------------------------------------------------

void ArrayTracer::declareExtents()
{
    std::vector<std::string> names;
    for (const syntax::Expr* tensor : annotationsOf(*function_.def, quoted_))
        extentNames(*tensor, names);
    for (const auto& parameter : function_.def->parameters) {
        const auto inside = parameter.annotation ? unquoted(*parameter.annotation) : nullptr;
        const syntax::Expr* annotation = inside ? inside.get() : parameter.annotation.get();
        const auto* node = annotation ? tensorSubscript(*annotation) : nullptr;
        const auto* items = node ? std::get_if<syntax::TupleExpr>(&node->index->node) : nullptr;
        const auto* shape = items && !items->items.empty() ? std::get_if<syntax::TupleExpr>(&items->items[0]->node) : nullptr;
        if (shape)
            for (const auto& extent : shape->items)
                if (const auto* name = std::get_if<syntax::Name>(&extent->node))
                    standing_.insert(name->id);
    }
    const std::set<std::string> symbolic = kernel_.symbolic ? *kernel_.symbolic : symbolicExtents(function_);
    for (const std::string& name : names) {
        if (!symbolic.contains(name) || extents_.contains(name))
            continue;
        std::optional<std::int64_t> value;
        if (const auto it = call_.dims.find(name); it != call_.dims.end())
            value = it->second;
        else if (const auto option = call_.parameters.find(name); option != call_.parameters.end())
            if (const auto* n = option->second.get<Integer>())
                value = static_cast<std::int64_t>(*n);
        if (const auto other = call_.otherwise.find(name); !value && !standing_.contains(name) && other != call_.otherwise.end())
            value = other->second;
        if (value) {
            dims_[name] = *value;
            extents_[name] = Value(*value);
            continue;
        }
        if (!standing_.contains(name))
            missing_.push_back(name);
        const auto var = std::make_shared<const ir::VarNode>(ir::kInt32, name);
        ++names_[name];
        symbolOrder_.push_back(var);
        facts_.extents.insert(var.get());
        auto scalar = std::make_shared<ArrayValue>();
        scalar->dtype = ir::kInt32;
        scalar->weak = true;
        scalar->at = [var](const Exprs&) -> ir::Expr { return var; };
        extents_[name] = Value(ArrayRef(scalar));
    }
}

std::optional<ArrayTracer::Annotation> ArrayTracer::tensorAnnotation(const syntax::Expr& expr)
{
    const auto* node = tensorSubscript(expr);
    if (!node)
        return std::nullopt;
    const auto* items = std::get_if<syntax::TupleExpr>(&node->index->node);
    if (!items || items->items.size() < 2 || items->items.size() > 3)
        evaluator_.fail(Code::kParameter, expr.range, "a tensor annotation is tl.Tensor[shape, dtype] or tl.Tensor[shape, dtype, layout]");
    Annotation out;
    const Scope scope = frame().scope;
    const auto* shape = std::get_if<syntax::TupleExpr>(&items->items[0]->node);
    if (shape) {
        for (const auto& one : shape->items) {
            out.shape.push_back(extent(evaluator_.evaluate(*one, scope), one->range, "an extent"));
            out.extentRanges.push_back(one->range);
        }
    } else {
        out.shape = shapeOf(evaluator_.evaluate(*items->items[0], scope), items->items[0]->range);
    }
    const Value dtype = evaluator_.evaluate(*items->items[1], scope);
    const auto type = asDType(dtype);
    if (!type)
        evaluator_.fail(Code::kTypeMismatch, items->items[1]->range, fmt::format("`{}` is no dtype", repr(dtype)));
    out.dtype = *type;
    if (items->items.size() == 3) {
        const Value layout = evaluator_.evaluate(*items->items[2], scope);
        const std::string name = layout.str() ? *layout.str() : repr(layout);
        if (name != "row_major" && name != "column_major") {
            const std::string near = name.starts_with("c") ? "column_major" : name.starts_with("r") ? "row_major" : nearestName(name, {"row_major", "column_major"});
            evaluator_.fail(Code::kParameter, items->items[2]->range,
                            fmt::format("`{}` is no layout; {}", name,
                                        near.empty() ? "a tensor is row_major or column_major" : fmt::format("did you mean `{}`?", near)));
        }
        out.columnMajor = name == "column_major";
    }
    return out;
}

// ---- the whole --------------------------------------------------------------------------------------------------------

ArrayResult ArrayTracer::trace()
{
    if (!function_.def)
        evaluator_.fail(Code::kTypeMismatch, kernel_.range, "a kernel is a function with a name, not a lambda");
    Frame kernel;
    kernel.body = &function_.def->body;
    kernel.scope = evaluator_.scopeFor(function_, false);
    kernel.isKernel = true;
    frames_.push_back(std::move(kernel));
    current_ = &root_;
    // Annotations compute with extents: 4 * features.
    DeviceHooks* const before = evaluator_.hooks();
    evaluator_.setHooks(this);
    struct Restore {
        Evaluator& evaluator;
        DeviceHooks* hooks;
        ~Restore() { evaluator.setHooks(hooks); }
    } restore{evaluator_, before};
    declareExtents();
    // A symbolic extent's name means the extent, whatever the module binds it to later.
    for (const auto& [name, value] : extents_)
        frame().scope->names[name] = value;
    bindNames(frame().scope);
    bindParameters();
    ArrayResult result;
    result.dims = dims_;
    for (const auto& [name, extent] : callExtents_)
        result.dims.emplace(name, extent.value);
    result.dims.insert(call_.otherwise.begin(), call_.otherwise.end());
    result.missing = missing_;
    if (!missing_.empty())
        return result;
    run(function_.def->body);
    result.function = finish();
    checkOptions();
    return result;
}

std::shared_ptr<const ir::Function> ArrayTracer::finish()
{
    auto function = std::make_shared<ir::Function>();
    function->name = kernel_.name;
    function->range = kernel_.range;
    function->dialect = ir::Dialect::kArray;
    function->symbols = symbolOrder_;
    std::vector<ir::Param> params = params_;
    takeResults(params, function->returned);
    const bool stores = std::any_of(params_.begin(), params_.end(), [&](const ir::Param& p) {
        return written_.contains(std::get<ir::Buffer>(p.value).get());
    });
    if (function->returned.empty() && !stores)
        evaluator_.fail(Code::kNoEffect, function_.def->name.range,
                        fmt::format("`{}` returns nothing and stores into no parameter, so it has no effect: return a result or write one",
                                    kernel_.name));
    std::vector<ir::Stmt> stmts, host;
    for (const ir::Buffer& buffer : allocations_) {
        (buffer->scope == ir::MemoryScope::kGlobal ? host : stmts).push_back(std::make_shared<const ir::Allocate>(buffer, buffer->where));
        if (buffer->scope != ir::MemoryScope::kVar)
            continue;
        // A variable starts at 0, as T.alloc_var's does.
        const ir::Expr zero = buffer->dtype.isFloating() ? ir::constant(buffer->dtype, 0.0) : ir::constant(buffer->dtype, std::int64_t{0});
        stmts.push_back(std::make_shared<const ir::Store>(buffer, Exprs{ir::intImm(0)}, zero, buffer->where));
    }
    stmts.insert(stmts.end(), root_.begin(), root_.end());
    const auto var = [](const char* name) { return std::make_shared<const ir::VarNode>(ir::kInt32, name); };
    function->params = std::move(params);
    host.push_back(std::make_shared<const ir::Launch>(
        Exprs{ir::intImm(1)}, std::vector<ir::Var>{var("bx")}, std::array<std::int64_t, 3>{1, 1, 1},
        std::array<ir::Var, 3>{var("tx"), var("ty"), var("tz")}, ir::sequence(std::move(stmts)), ir::Provenance{kernel_.range, 0}));
    function->body = ir::sequence(std::move(host));
    return function;
}

ArrayResult traceArray(Evaluator& evaluator, const KernelValue& kernel, const ArrayCall& call, const SourceRange& callRange)
{
    return ArrayTracer(evaluator, kernel, call, callRange).trace();
}

}  // namespace tw::staging
