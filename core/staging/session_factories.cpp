// Plain functions that make kernels: they define a prim_func and return it, or they put together what such functions give.
#include "core/staging/session.h"
#include "core/staging/walk.h"

namespace tw::staging {

namespace {

bool decorated(const syntax::FunctionDef& def, std::string_view name)
{
    return std::any_of(def.decorators.begin(), def.decorators.end(), [&](const auto& d) { return endsWith(*d, name); });
}

// What a function does at its own level, without the functions inside it.
struct Outline {
    bool definesPrimFunc = false;
    std::vector<const syntax::Expr*> returned;
    std::map<std::string, const syntax::Expr*> assigned;  // a = …
};

Outline outlineOf(const syntax::FunctionDef& def)
{
    Outline out;
    int depth = 0;
    Walker walker;
    walker.onExpr = [](const syntax::Expr&) { return false; };
    walker.onStmt = [&](const syntax::Stmt& stmt) {
        if (const auto* ret = std::get_if<syntax::Return>(&stmt.node); ret && ret->value && depth == 0)
            out.returned.push_back(ret->value.get());
        if (const auto* assign = std::get_if<syntax::Assign>(&stmt.node); assign && depth == 0)
            for (const auto& target : assign->targets)
                if (const auto* name = std::get_if<syntax::Name>(&target->node))
                    out.assigned[name->id] = assign->value.get();
        if (const auto* inner = std::get_if<syntax::FunctionDef>(&stmt.node)) {
            if (decorated(*inner, "prim_func"))
                out.definesPrimFunc = true;
            else if (!decorated(*inner, "jit") && !decorated(*inner, "macro")) {
                ++depth;
                walker.walk(inner->body);
                --depth;
            }
            return false;
        }
        return !std::holds_alternative<syntax::ClassDef>(stmt.node);
    };
    walker.walk(def.body);
    return out;
}

// The elements of a dict, list or tuple as written; empty for anything else.
std::vector<const syntax::Expr*> elementsOf(const syntax::Expr& e)
{
    std::vector<const syntax::Expr*> out;
    const auto addAll = [&](const std::vector<syntax::ExprPtr>& items) {
        for (const auto& item : items)
            out.push_back(item.get());
    };
    if (const auto* tuple = std::get_if<syntax::TupleExpr>(&e.node))
        addAll(tuple->items);
    if (const auto* list = std::get_if<syntax::ListExpr>(&e.node))
        addAll(list->items);
    if (const auto* dict = std::get_if<syntax::DictExpr>(&e.node))
        for (const auto& item : dict->items)
            out.push_back(item.value.get());
    if (const auto* made = std::get_if<syntax::Comprehension>(&e.node))
        out.push_back(made->kind == syntax::Comprehension::Kind::kDict ? made->value.get() : made->element.get());
    return out;
}

const Value* lookUp(const Environment* scope, const std::string& name)
{
    for (; scope; scope = scope->parent.get())
        if (const auto found = scope->names.find(name); found != scope->names.end())
            return &found->second;
    return nullptr;
}

}  // namespace

bool Session::isCandidate(const std::shared_ptr<FunctionValue>& function)
{
    const auto* def = function->def;
    if (!def || function->kind != FunctionKind::kPlain)
        return false;
    const auto [it, isNew] = candidates_.try_emplace(def, false);
    if (!isNew)
        return it->second;
    const Outline outline = outlineOf(*def);
    // Whether an expression is what another factory gives, perhaps by way of a variable.
    const auto isMade = [&](const syntax::Expr* e) {
        if (const auto* name = std::get_if<syntax::Name>(&e->node))
            if (const auto assigned = outline.assigned.find(name->id); assigned != outline.assigned.end())
                e = assigned->second;
        const auto* call = std::get_if<syntax::Call>(&e->node);
        const auto* callee = call ? std::get_if<syntax::Name>(&call->callee->node) : nullptr;
        const Value* value = callee ? lookUp(function->closure.get(), callee->id) : nullptr;
        const auto* other = value ? value->get<std::shared_ptr<FunctionValue>>() : nullptr;
        return other && isCandidate(*other);
    };
    const auto isCollection = [&](const syntax::Expr* e) {
        const auto elements = elementsOf(*e);
        return !elements.empty() && std::all_of(elements.begin(), elements.end(), isMade);
    };
    const bool delegates = std::any_of(outline.returned.begin(), outline.returned.end(), isCollection);
    return candidates_[def] = (outline.definesPrimFunc && !outline.returned.empty()) || delegates;
}

std::optional<Value> Session::enterFunction(const std::shared_ptr<FunctionValue>& function, const CallArguments& arguments)
{
    if (!function->def)
        return std::nullopt;
    called_.insert(function->def);
    if (!isCandidate(function))
        return std::nullopt;
    if (!interpreter_->surveying()) {
        entries_[entryFor(function->range, function->name, KernelForm::kFactory)].usedInside = true;
        return std::nullopt;
    }
    return callPlainFactory(function, arguments);
}

// Factories and methods that nothing called are offered all the same.
void Session::discoverUncalled()
{
    noteFactories(*globals_);
}

void Session::noteFactories(Environment& scope)
{
    std::set<const ClassValue*> bases;  // what is derived from them says more than they do
    for (const auto& [name, value] : scope.names)
        if (const auto* type = value.object<ClassValue>())
            for (const auto& base : type->bases)
                bases.insert(base.get());
    for (const auto& [name, value] : scope.names) {
        const auto* function = value.get<std::shared_ptr<FunctionValue>>();
        if (function && (*function)->module == module_ && isCandidate(*function)) {
            Entry& entry = entries_[entryFor((*function)->range, (*function)->name, KernelForm::kFactory)];
            if (!entry.function)
                entry.function = *function;
        }
        if (const auto* type = value.get<std::shared_ptr<ClassValue>>(); type && !bases.contains(type->get()))
            noteMethods(*type);
    }
}

}  // namespace tw::staging
