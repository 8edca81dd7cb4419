// Function definitions and what their decorators make of them.
#include "core/staging/builtins.h"
#include "core/staging/guards.h"

namespace tw::staging {

using namespace syntax;

namespace {

// @tilelang.jit, @T.prim_func without a call.
bool namesKernel(const Value& decorator)
{
    const auto* native = decorator.object<const NativeFunction>();
    return native && (native->name == "jit" || native->name == "kernel" || native->name == "prim_func");
}

// @tilelang.jitt: a name that the package has not, but one like it. Without a word the file would just have no kernel.
bool misspells(Evaluator& in, const Attribute& attribute, const Value& package)
{
    const auto* module = package.object<ModuleValue>();
    return module && (module->name == "tilelang" || module->name == "tilelang.language") && !module->attribute(in, attribute.name.text) &&
           !nearestName(attribute.name.text, module->names).empty();
}

}  // namespace

void Interpreter::execFunctionDef(const FunctionDef& node, const std::shared_ptr<Environment>& scope, const SourceRange& range)
{
    const auto isOwn = [&](const ExprPtr& decorator) {
        if (decoratesKernel(*decorator, scope))
            return true;
        const auto* attribute = std::get_if<Attribute>(&decorator->node);
        const auto* package = attribute ? std::get_if<Name>(&attribute->value->node) : nullptr;
        const Value* module = package ? findName(scope, package->id, decorator->range) : nullptr;
        const auto member = module && module->object<ModuleValue>() ? findAttribute(*module, attribute->name.text, decorator->range) : std::nullopt;
        return member && namesKernel(*member);
    };
    const auto make = [&] {
        try {
            return makeFunction(node.parameters, scope);
        } catch (const StagingStop& stop) {  // the default of a kernel's parameter: nobody else would say why there is no kernel
            if (stop.pending && kernelDepth_ == 0 && tryDepth_ == 0 && std::ranges::any_of(node.decorators, isOwn))
                diagnostics().report(*stop.pending);
            throw;
        }
    };
    auto function = make();
    function->name = node.name.text;
    function->def = &node;
    function->range = range;
    Value value(function);
    for (auto it = node.decorators.rbegin(); it != node.decorators.rend(); ++it) {
        // The arguments of our own decorators belong to the kernel: their errors are reported.
        std::optional<KernelExtent> extent;
        if (decoratesKernel(**it, scope))
            extent.emplace(*this);
        const Value decorator = evaluate(**it, scope);
        // A foreign decorator (pytest.mark.…, torch.no_grad()) keeps what it decorates.
        if (isOpaque(decorator))
            continue;
        if (const auto* native = decorator.object<const NativeFunction>(); native && native->name == "prim_func")
            extent.reset();  // tracing decides itself
        Value decorated = call(decorator, {value}, (*it)->range);
        if (!isOpaque(decorated))
            value = std::move(decorated);
    }
    bindName(scope, node.name.text, std::move(value));
}

bool Interpreter::decoratesKernel(const Expr& decorator, const std::shared_ptr<Environment>& scope)
{
    const auto* called = std::get_if<Call>(&decorator.node);
    if (kernelDepth_ > 0)
        return false;
    const Expr& function = called ? *called->callee : decorator;
    const auto* attribute = std::get_if<Attribute>(&function.node);
    const auto* name = std::get_if<Name>(&function.node);
    const std::string last = attribute ? attribute->name.text : name ? name->id : "";
    const auto* root = attribute ? std::get_if<Name>(&attribute->value->node) : name;
    const Value* known = root ? findName(scope, root->id, function.range) : nullptr;
    if (attribute && known && misspells(*this, *attribute, *known))
        return true;
    static const std::set<std::string, std::less<>> kOurs = {"jit", "kernel", "autotune", "prim_func", "macro"};
    if (root && kOurs.contains(last) && !known)
        return true;  // a module that the file forgot to import
    if (last != "autotune" && (!called || (last != "jit" && last != "kernel" && last != "compile")))
        return false;
    const Value callee = evaluate(function, scope);
    const auto* native = callee.object<const NativeFunction>();
    return native && native->name == last;
}

}  // namespace tw::staging
