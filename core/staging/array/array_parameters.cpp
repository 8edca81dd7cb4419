// The parameters of an array kernel: tensors as annotated or as called, compile-time values.
#include <fmt/format.h>

#include "core/staging/array/array_impl.h"

namespace tw::staging {

ArrayTracer::Annotation ArrayTracer::annotationOf(const MetaTensor& tensor) const
{
    Annotation out;
    for (const Value& extent : tensor.shape)
        out.shape.push_back(ir::intImm(static_cast<std::int64_t>(*extent.get<Integer>())));
    out.dtype = tensor.dtype.value_or(ir::kFloat32);
    return out;
}

// A call's shape or dtype against the annotation is an error at the call.
void ArrayTracer::checkCall(const std::string& name, const Annotation& annotation)
{
    const auto it = call_.tensors.find(name);
    const auto* tensor = it == call_.tensors.end() ? nullptr : it->second.object<const MetaTensor>();
    if (!tensor)
        return;
    if (tensor->shape.size() != annotation.shape.size())
        evaluator_.fail(Code::kShapeMismatch, callRange_,
                        fmt::format("`{}` has {} axes in `{}`, but the tensor given has {}", name, annotation.shape.size(), kernel_.name, tensor->shape.size()));
    for (std::size_t i = 0; i < annotation.shape.size(); ++i) {
        const auto* given = tensor->shape[i].get<Integer>();
        const auto* wanted = ir::asInt(annotation.shape[i]);
        if (given && wanted && *given != *wanted)
            evaluator_.fail(Code::kShapeMismatch, callRange_,
                            fmt::format("axis {} of `{}` is {} in `{}`, but the tensor given has {}", i, name, *wanted, kernel_.name,
                                        static_cast<std::int64_t>(*given)));
        if (const auto* symbol = ir::as<ir::VarNode>(annotation.shape[i]); symbol && given)
            noteExtent(symbol->name, static_cast<std::int64_t>(*given), name);
    }
    if (tensor->dtype && *tensor->dtype != annotation.dtype)
        evaluator_.fail(Code::kDtypeMismatch, callRange_,
                        fmt::format("`{}` is {} in `{}`, but the tensor given is {}", name, annotation.dtype.name(), kernel_.name, tensor->dtype->name()));
}

// An extent that several tensors name is the same in all of them.
void ArrayTracer::noteExtent(const std::string& extent, std::int64_t value, const std::string& tensor)
{
    const auto [it, isNew] = callExtents_.try_emplace(extent, CallExtent{value, tensor});
    if (!isNew && it->second.value != value)
        evaluator_.fail(Code::kShapeMismatch, callRange_,
                        fmt::format("the extent `{}` of `{}` is {} in `{}`, but {} in `{}`", extent, kernel_.name, it->second.value,
                                    it->second.tensor, value, tensor));
}

void ArrayTracer::bindTensor(const syntax::Parameter& parameter, const Annotation& annotation)
{
    const std::string& name = parameter.name.text;
    checkCall(name, annotation);
    auto node = std::make_shared<ir::BufferNode>();
    node->name = freshName(name);
    node->dtype = annotation.dtype;
    node->shape = annotation.shape;
    node->where = {parameter.name.range, 0};
    if (annotation.columnMajor)
        node->strides = columnStrides(node->shape);
    const ir::Buffer buffer = node;
    parameters_.insert(buffer.get());
    params_.push_back({buffer});
    frame().scope->names[name] = Value(memory(buffer, annotation.shape));
}

void ArrayTracer::bindParameters()
{
    for (std::size_t i = 0; i < function_.def->parameters.size(); ++i) {
        const auto& parameter = function_.def->parameters[i];
        const std::string& name = parameter.name.text;
        const syntax::Expr* annotation = parameter.annotation.get();
        if (auto inside = annotation ? unquoted(*annotation) : nullptr) {
            quoted_.push_back(std::move(inside));
            annotation = quoted_.back().get();
        }
        if (const auto tensor = annotation ? tensorAnnotation(*annotation) : std::nullopt) {
            bindTensor(parameter, *tensor);
            continue;
        }
        const auto given = call_.tensors.find(name);
        const auto* meta = given == call_.tensors.end() ? nullptr : given->second.object<const MetaTensor>();
        if (meta) {
            const bool known = std::all_of(meta->shape.begin(), meta->shape.end(), [](const Value& v) { return v.get<Integer>(); });
            if (known)
                bindTensor(parameter, annotationOf(*meta));
            else
                missing_.push_back(name);
            continue;
        }
        const auto value = call_.parameters.find(name);
        // A tuple sets the CUDA block, an int the parameter of that name.
        const bool isBlock = value != call_.parameters.end() && name == "block_size" && value->second.object<const TupleValue>();
        if (value != call_.parameters.end() && !isBlock)
            frame().scope->names[name] = value->second;
        else if (function_.defaults[i])
            frame().scope->names[name] = *function_.defaults[i];
        else
            missing_.push_back(name);
    }
}

}  // namespace tw::staging
