#include "profiler/device/const_extents.h"

namespace tw::device {
namespace {

// The items of a shape as written: a tuple's, a list's, or the one expression of a rank-1 tensor.
std::vector<const syntax::Expr*> shapeItems(const syntax::Expr& shape)
{
    std::vector<const syntax::Expr*> out;
    const auto* tuple = std::get_if<syntax::TupleExpr>(&shape.node);
    const auto* list = std::get_if<syntax::ListExpr>(&shape.node);
    if (!tuple && !list)
        return {&shape};
    for (const syntax::ExprPtr& item : tuple ? tuple->items : list->items)
        out.push_back(item.get());
    return out;
}

// The shape of `T.Tensor(shape, …)` or `T.Tensor[shape, …]`; null for other annotations.
const syntax::Expr* shapeOfAnnotation(const syntax::Expr& annotation)
{
    if (const auto* call = std::get_if<syntax::Call>(&annotation.node)) {
        const bool isPositional = !call->arguments.empty() && call->arguments[0].kind == syntax::Argument::Kind::kPositional;
        return isPositional ? call->arguments[0].value.get() : nullptr;
    }
    if (const auto* subscript = std::get_if<syntax::Subscript>(&annotation.node)) {
        const auto* items = std::get_if<syntax::TupleExpr>(&subscript->index->node);
        return items && !items->items.empty() ? items->items[0].get() : nullptr;
    }
    return nullptr;
}

class Binder {
public:
    explicit Binder(const std::map<std::string, std::vector<std::int64_t>>& shapes) : shapes_(shapes) {}

    void bind(const std::string& tensor, const syntax::Expr* annotation)
    {
        const auto given = shapes_.find(tensor);
        const syntax::Expr* shape = annotation && given != shapes_.end() ? shapeOfAnnotation(*annotation) : nullptr;
        if (!shape)
            return;
        const auto items = shapeItems(*shape);
        if (items.size() != given->second.size())
            return;
        for (std::size_t axis = 0; axis < items.size(); ++axis)
            if (const auto* name = std::get_if<syntax::Name>(&items[axis]->node))
                out.try_emplace(name->id, given->second[axis]);
    }

    Extents out;

private:
    const std::map<std::string, std::vector<std::int64_t>>& shapes_;
};

}  // namespace

Extents extentsFromAnnotations(const syntax::Module& module, const staging::Kernel& kernel,
                               const std::map<std::string, std::vector<std::int64_t>>& shapes)
{
    Binder binder(shapes);
    for (const syntax::StmtPtr& statement : module.body) {
        const auto* function = std::get_if<syntax::FunctionDef>(&statement->node);
        if (!function || function->name.text != kernel.name)
            continue;
        for (const syntax::Parameter& p : function->parameters)
            binder.bind(p.name.text, p.annotation.get());
        for (const syntax::StmtPtr& inner : function->body) {
            const auto* annotated = std::get_if<syntax::AnnAssign>(&inner->node);
            const auto* name = annotated && !annotated->value ? std::get_if<syntax::Name>(&annotated->target->node) : nullptr;
            if (name)
                binder.bind(name->id, annotated->annotation.get());
        }
    }
    return std::move(binder.out);
}

}  // namespace tw::device
