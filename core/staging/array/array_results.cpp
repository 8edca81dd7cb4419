// What a kernel returns: parameters of their own.
#include <fmt/format.h>

#include "core/staging/array/array_impl.h"
#include "core/support/check.h"

namespace tw::staging {

namespace {

// The annotations of the results: one tensor, or the entries of tuple[…] or (…, …).
std::vector<const syntax::Expr*> resultAnnotations(const syntax::Expr& expr)
{
    if (const auto* tuple = std::get_if<syntax::TupleExpr>(&expr.node)) {
        std::vector<const syntax::Expr*> out;
        for (const auto& item : tuple->items)
            out.push_back(item.get());
        return out;
    }
    const auto* subscript = std::get_if<syntax::Subscript>(&expr.node);
    const auto* name = subscript ? std::get_if<syntax::Name>(&subscript->value->node) : nullptr;
    if (name && (name->id == "tuple" || name->id == "Tuple"))
        return resultAnnotations(*subscript->index);
    return {&expr};
}

}  // namespace

std::vector<Value> ArrayTracer::returnedValues()
{
    const Frame& kernel = frames_.front();
    if (!kernel.result || kernel.result->isNone())
        return {};
    if (kernel.result->object<const TupleValue>() || kernel.result->object<ListValue>())
        return evaluator_.iterate(*kernel.result, kernel.resultRange);
    return {*kernel.result};
}

// Checks against the annotation, at the `return`.
void ArrayTracer::checkResults(const std::vector<Value>& values)
{
    if (!function_.def->returns || std::holds_alternative<syntax::NoneLiteral>(function_.def->returns->node))
        return;
    const SourceRange& range = frames_.front().result ? frames_.front().resultRange : function_.def->name.range;
    if (auto inside = unquoted(*function_.def->returns))
        quoted_.push_back(std::move(inside));
    const bool isQuoted = std::holds_alternative<syntax::StringLiteral>(function_.def->returns->node);
    const auto annotations = resultAnnotations(isQuoted ? *quoted_.back() : *function_.def->returns);
    if (annotations.size() != values.size())
        evaluator_.fail(Code::kReturnValue, range,
                        fmt::format("`{}` returns {} value{}, but its annotation says {}", kernel_.name, values.size(),
                                    values.size() == 1 ? "" : "s", annotations.size()));
    for (std::size_t i = 0; i < values.size(); ++i) {
        const auto wanted = tensorAnnotation(*annotations[i]);
        if (!wanted)
            continue;
        if (wanted->columnMajor)
            columnMajorResults_.insert(i);
        const ArrayRef value = array(values[i], range);
        if (wanted->shape.size() != value->shape.size() || !sameShape(wanted->shape, value->shape))
            evaluator_.fail(Code::kReturnValue, range,
                            fmt::format("the returned value has shape {}, but the annotation of the result says {}", arrayShapeText(value->shape),
                                        arrayShapeText(wanted->shape)));
        if (!value->weak && wanted->dtype != value->dtype)
            evaluator_.fail(Code::kReturnValue, range,
                            fmt::format("the returned value is {}, but the annotation of the result says {}; convert it with .astype",
                                        value->dtype.name(), wanted->dtype.name()));
    }
}

// The memory of a result: the value's own where nobody else has it, else a copy.
ir::Buffer ArrayTracer::returnBuffer(const ArrayRef& value, const std::string& name)
{
    if (!isGlobalShape(value->shape))
        evaluator_.fail(Code::kReturnValue, frames_.front().resultRange, "the extents of a returned value must be known before the kernel runs");
    const auto own = std::find(allocations_.begin(), allocations_.end(), value->storage);
    const bool takes = value->storage && own != allocations_.end() && value->storage->scope == ir::MemoryScope::kGlobal &&
                       std::equal(value->shape.begin(), value->shape.end(), value->storage->shape.begin(), value->storage->shape.end(), sameExpr);
    ir::Buffer buffer = value->storage;
    if (takes) {
        allocations_.erase(own);
    } else {
        const ArrayRef copy = [&] {
            auto strong = std::make_shared<ArrayValue>(*value);
            const ir::DType type = value->weak && value->dtype == ir::kFloat64 ? ir::kFloat32 : value->dtype;
            const ir::Buffer out = allocate(name, type, value->shape, ir::MemoryScope::kGlobal);
            const_cast<ir::BufferNode&>(*out).shape = value->shape;  // a scalar result has no axes
            nest(value->shape, ir::ForKind::kParallel, [&](const Exprs& index) { store(out, index, value->at(index)); });
            return memory(out, value->shape);
        }();
        buffer = copy->storage;
        const auto made = std::find(allocations_.begin(), allocations_.end(), buffer);
        TW_CHECK(made != allocations_.end(), "a buffer of extents known before the kernel is allocated there");
        allocations_.erase(made);
    }
    // Nothing outside of this trace has seen the buffer yet.
    const_cast<ir::BufferNode&>(*buffer).name = name;
    return buffer;
}

void ArrayTracer::takeResults(std::vector<ir::Param>& params, std::vector<int>& returned)
{
    const std::vector<Value> values = returnedValues();
    const Frame& kernel = frames_.front();
    range_ = kernel.result ? kernel.resultRange : kernel_.range;
    checkResults(values);
    const auto* tuple = kernel.resultExpr ? std::get_if<syntax::TupleExpr>(&kernel.resultExpr->node) : nullptr;
    std::set<std::string> used;
    for (const ir::Param& p : params)
        used.insert(p.name());
    const auto nameAt = [&](std::size_t i) -> const std::string* {
        const syntax::Expr* expr = tuple && tuple->items.size() == values.size() ? tuple->items[i].get() : values.size() == 1 ? kernel.resultExpr : nullptr;
        const auto* name = expr ? std::get_if<syntax::Name>(&expr->node) : nullptr;
        return name && !used.contains(name->id) ? &name->id : nullptr;
    };
    // Results have their variables' names where all have one, else they are numbered.
    bool named = true;
    for (std::size_t i = 0; i < values.size(); ++i)
        named = named && nameAt(i);
    for (std::size_t i = 0; i < values.size(); ++i) {
        std::string wish = named && nameAt(i) ? *nameAt(i) : fmt::format("out{}", i);
        while (used.contains(wish))
            wish += "_";
        used.insert(wish);
        const ir::Buffer buffer = returnBuffer(array(values[i], range_), wish);
        if (columnMajorResults_.contains(i))
            const_cast<ir::BufferNode&>(*buffer).strides = columnStrides(buffer->shape);
        if (resultShape_.size() < buffer->shape.size())
            resultShape_ = buffer->shape;
        resultRank_ = std::max({resultRank_, buffer->shape.size(), std::size_t{1}});
        returned.push_back(static_cast<int>(params.size()));
        params.push_back({buffer});
    }
    for (const ir::Param& p : params_)
        if (const auto& buffer = std::get<ir::Buffer>(p.value); written_.contains(buffer.get())) {
            if (resultShape_.size() < buffer->shape.size())
                resultShape_ = buffer->shape;
            resultRank_ = std::max(resultRank_, buffer->shape.size());
        }
}

Exprs columnStrides(const Exprs& shape)
{
    Exprs strides;
    for (std::size_t axis = 0; axis < shape.size(); ++axis)
        strides.push_back(axis == 0 ? ir::intImm(1) : ir::mul(strides.back(), shape[axis - 1]));
    return strides;
}

ArrayRef ArrayTracer::undefinedArray(Exprs shape, ir::DType type, ir::MemoryScope scope, const SourceRange& range)
{
    if (scope == ir::MemoryScope::kShared) {
        std::int64_t count = 1;
        for (const ir::Expr& extent : shape) {
            const auto* n = ir::asInt(extent);
            if (!n)
                evaluator_.fail(Code::kRuntimeShape, range, "shared memory has extents that are known while staging");
            count *= *n;
        }
        const std::int64_t bytes = type.storageBytes(count);
        sharedBytes_ += bytes;
        const std::int64_t limit = compileTarget().sharedBytesPerBlock;
        if (limit > 0 && sharedBytes_ > limit)
            evaluator_.fail(Code::kCapacity, range,
                            fmt::format("this array needs {} bytes of shared memory{}, but a block of {} has at most {}", bytes,
                                        sharedBytes_ == bytes ? "" : fmt::format(", {} in all", sharedBytes_), compileTarget().name, limit));
    }
    const ir::Buffer buffer = allocate(scope == ir::MemoryScope::kShared ? "shared" : "array", type, shape, scope);
    unnamed_.insert(buffer.get());
    return memory(buffer, std::move(shape));
}

}  // namespace tw::staging
