// Which form a factory has: lazy (it defines a T.prim_func) or eager (its body is the kernel).
#include "core/staging/trace/tracer.h"
#include "core/staging/walk.h"

namespace tw::staging {

namespace {

struct Evidence {
    bool primFunc = false, launch = false;
};

void scan(const syntax::Block& body, Evidence& evidence)
{
    for (const auto& statement : body) {
        match(
            statement->node,
            [&](const syntax::FunctionDef& f) {
                bool isPrimFunc = false;
                for (const auto& d : f.decorators)
                    isPrimFunc = isPrimFunc || endsWith(*d, "prim_func");
                evidence.primFunc = evidence.primFunc || isPrimFunc;
                Evidence inner;
                scan(f.body, inner);
                evidence.primFunc = evidence.primFunc || inner.primFunc;
            },
            [&](const syntax::With& w) {
                for (const auto& item : w.items)
                    if (endsWith(*item.context, "Kernel") || endsWith(*item.context, "ClusterKernel"))
                        evidence.launch = true;
                scan(w.body, evidence);
            },
            [&](const syntax::If& i) {
                scan(i.then, evidence);
                scan(i.orElse, evidence);
            },
            [&](const syntax::For& f) { scan(f.body, evidence); },
            [&](const syntax::AnnAssign& a) {
                if (!a.value && (endsWith(*a.annotation, "Tensor") || endsWith(*a.annotation, "StridedTensor") || endsWith(*a.annotation, "ptr")))
                    evidence.launch = true;
                if (const auto* subscript = std::get_if<syntax::Subscript>(&a.annotation->node); subscript && !a.value)
                    evidence.launch = evidence.launch || endsWith(*subscript->value, "Tensor") || endsWith(*subscript->value, "StridedTensor");
            },
            [&](const syntax::Assign& a) {
                for (const char* name : {"const", "empty"})
                    if (const auto* call = std::get_if<syntax::Call>(&a.value->node))
                        if (const auto* attribute = std::get_if<syntax::Attribute>(&call->callee->node))
                            if (const auto* module = std::get_if<syntax::Name>(&attribute->value->node))
                                evidence.launch = evidence.launch || (attribute->name.text == name && (module->id == "T" || std::string_view(name) == "const"));
            },
            [](const auto&) {});
    }
}

}  // namespace

FactoryMode factoryMode(const FunctionValue& function)
{
    if (!function.def)
        return FactoryMode::kUnknown;
    Evidence evidence;
    scan(function.def->body, evidence);
    if (evidence.primFunc)
        return FactoryMode::kLazy;
    return evidence.launch ? FactoryMode::kEager : FactoryMode::kUnknown;
}

}  // namespace tw::staging
