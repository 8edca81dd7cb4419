#include "profiler/analysis/literal.h"

#include <charconv>

#include "core/staging/walk.h"

namespace tw::profile_analysis {
namespace {

// What the option is given, at the first call inside `loop` that has it.
const syntax::Expr* argumentIn(const syntax::Module& module, const SourceRange& loop, std::string_view keyword)
{
    const syntax::Expr* found = nullptr;
    staging::Walker walker;
    walker.onExpr = [&](const syntax::Expr& e) {
        const auto* call = std::get_if<syntax::Call>(&e.node);
        if (found || !call || e.range.file != loop.file || e.range.begin < loop.begin || e.range.end > loop.end)
            return !found;
        for (const syntax::Argument& a : call->arguments)
            if (a.kind == syntax::Argument::Kind::kKeyword && a.keyword.text == keyword)
                found = a.value.get();
        return !found;
    };
    walker.walk(module.body);
    return found;
}

std::optional<std::int64_t> number(std::string_view text)
{
    std::int64_t value = 0;
    const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    return error == std::errc() && rest == text.data() + text.size() ? std::optional(value) : std::nullopt;
}

}  // namespace

std::optional<Literal> literalOf(const driver::CompileSnapshot& snapshot, const SourceRange& loop, std::string_view keyword, std::int64_t expected)
{
    if (!snapshot.module || !snapshot.program || loop.file != 0)
        return std::nullopt;
    const syntax::Expr* argument = argumentIn(*snapshot.module, loop, keyword);
    if (!argument)
        return std::nullopt;
    const auto checked = [&](const SourceRange& range) -> std::optional<Literal> {
        const auto value = number(snapshot.source->slice(range));
        return value == expected ? std::optional(Literal{range, expected}) : std::nullopt;
    };
    if (std::holds_alternative<syntax::IntLiteral>(argument->node))
        return checked(argument->range);
    const auto* name = std::get_if<syntax::Name>(&argument->node);
    const staging::Kernel* kernel = name ? snapshot.program->find(snapshot.kernel) : nullptr;
    if (!kernel)
        return std::nullopt;
    for (const staging::KernelParameter& p : kernel->parameters) {
        const auto used = snapshot.instance.params.find(p.name);
        if (p.name == name->id && p.defaultText && used != snapshot.instance.params.end() && used->second == *p.defaultText)
            return checked(p.range);
    }
    return std::nullopt;
}

}  // namespace tw::profile_analysis
