#include "core/syntax/dump.h"

#include <fmt/format.h>

#include "core/syntax/dump_impl.h"

namespace tw::syntax {

namespace {

class StmtDumper : public ExprDumper {
public:
    using ExprDumper::ExprDumper;

    void block(const Block& body)
    {
        for (const StmtPtr& stmt : body)
            statement(*stmt);
    }

private:
    void part(const char* name, const Block& body)
    {
        if (body.empty())
            return;
        if (name)
            line(name);
        ++indent_;
        block(body);
        --indent_;
    }
    void line(const std::string& words) { text += fmt::format("{:{}}{}\n", "", indent_ * 2, words); }
    void names(const std::vector<Identifier>& list)
    {
        for (const Identifier& name : list)
            word(name.text);
    }
    void imports(const std::vector<ImportName>& list)
    {
        for (const ImportName& name : list)
            word(name.name.text + (name.alias ? " as " + name.alias->text : ""));
    }
    void types(const std::vector<TypeParameter>& list)
    {
        static constexpr const char* kLead[] = {"", "*", "**"};
        if (list.empty())
            return;
        text += " <";
        for (const TypeParameter& type : list) {
            word(kLead[static_cast<int>(type.kind)] + type.name.text);
            expr(type.bound);
        }
        text += '>';
    }
    void statement(const Stmt& stmt)
    {
        text.append(static_cast<std::size_t>(indent_) * 2, ' ');
        head(stmt);
        text += ")\n";
        parts(stmt);
    }
    void head(const Stmt& stmt);
    void parts(const Stmt& stmt);
    void handlers(const Try& node);
    void cases(const Match& node);
    void pattern(const Pattern& pattern);
    void patterns(const std::vector<PatternPtr>& list);

    int indent_ = 0;
};

// The statement without its blocks and its closing parenthesis.
void StmtDumper::head(const Stmt& s)
{
    const auto start = [&](const char* kind) { open(kind, s.range); };
    match(
        s.node, [&](const ErrorStmt&) { start("Error"); }, [&](const ExprStmt& n) { start("Expr"); expr(n.value); },
        [&](const Pass&) { start("Pass"); }, [&](const Break&) { start("Break"); }, [&](const Continue&) { start("Continue"); },
        [&](const Assign& n) { start("Assign"); list(n.targets); expr(n.value); },
        [&](const AugAssign& n) { start("AugAssign"); expr(n.target); word(opText(n.op)); expr(n.value); },
        [&](const AnnAssign& n) { start("AnnAssign"); expr(n.target); expr(n.annotation); expr(n.value); },
        [&](const Return& n) { start("Return"); expr(n.value); }, [&](const Delete& n) { start("Delete"); list(n.targets); },
        [&](const Raise& n) { start("Raise"); expr(n.exception); expr(n.cause); },
        [&](const Global& n) { start("Global"); names(n.names); }, [&](const Nonlocal& n) { start("Nonlocal"); names(n.names); },
        [&](const Import& n) { start("Import"); imports(n.names); },
        [&](const ImportFrom& n) { start("ImportFrom"); word(std::to_string(n.level)); word(n.module.text); imports(n.names); },
        [&](const Assert& n) { start("Assert"); expr(n.condition); expr(n.message); },
        [&](const TypeAlias& n) { start("TypeAlias"); word(n.name.text); types(n.typeParameters); expr(n.value); },
        [&](const If& n) { start("If"); expr(n.condition); }, [&](const While& n) { start("While"); expr(n.condition); },
        [&](const For& n) { start(n.isAsync ? "AsyncFor" : "For"); expr(n.target); expr(n.iterable); },
        [&](const Try&) { start("Try"); },
        [&](const With& n) {
            start(n.isAsync ? "AsyncWith" : "With");
            for (const WithItem& item : n.items) {
                expr(item.context);
                expr(item.target);
            }
        },
        [&](const Match& n) { start("Match"); expr(n.subject); },
        [&](const FunctionDef& n) {
            start(n.isAsync ? "AsyncDef" : "Def");
            word(n.name.text);
            list(n.decorators);
            types(n.typeParameters);
            parameters(n.parameters);
            expr(n.returns);
        },
        [&](const ClassDef& n) {
            start("Class");
            word(n.name.text);
            list(n.decorators);
            types(n.typeParameters);
            arguments(n.bases);
        });
}

void StmtDumper::parts(const Stmt& s)
{
    if (const auto* n = std::get_if<If>(&s.node)) {
        part(nullptr, n->then);
        part("else", n->orElse);
    } else if (const auto* loop = std::get_if<While>(&s.node)) {
        part(nullptr, loop->body);
        part("else", loop->orElse);
    } else if (const auto* each = std::get_if<For>(&s.node)) {
        part(nullptr, each->body);
        part("else", each->orElse);
    } else if (const auto* guarded = std::get_if<Try>(&s.node)) {
        handlers(*guarded);
    } else if (const auto* with = std::get_if<With>(&s.node)) {
        part(nullptr, with->body);
    } else if (const auto* choice = std::get_if<Match>(&s.node)) {
        cases(*choice);
    } else if (const auto* function = std::get_if<FunctionDef>(&s.node)) {
        part(nullptr, function->body);
    } else if (const auto* type = std::get_if<ClassDef>(&s.node)) {
        part(nullptr, type->body);
    }
}

void StmtDumper::handlers(const Try& node)
{
    part(nullptr, node.body);
    for (const ExceptHandler& handler : node.handlers) {
        text.append(static_cast<std::size_t>(indent_) * 2, ' ');
        open(handler.star ? "except*" : "except", handler.range);
        expr(handler.type);
        word(handler.name ? handler.name->text : "");
        text += ")\n";
        part(nullptr, handler.body);
    }
    part("else", node.orElse);
    part("finally", node.finally);
}

void StmtDumper::cases(const Match& node)
{
    for (const MatchCase& one : node.cases) {
        text.append(static_cast<std::size_t>(indent_) * 2, ' ');
        text += "case";
        if (one.pattern)
            pattern(*one.pattern);
        expr(one.guard);
        text += '\n';
        part(nullptr, one.body);
    }
}

void StmtDumper::patterns(const std::vector<PatternPtr>& items)
{
    for (const PatternPtr& item : items)
        pattern(*item);
}

void StmtDumper::pattern(const Pattern& p)
{
    text += ' ';
    const auto start = [&](const char* kind) { open(kind, p.range); };
    match(
        p.node, [&](const ValuePattern& n) { start("Value"); expr(n.value); },
        [&](const CapturePattern& n) {
            start("Capture");
            word(n.name);
            if (n.pattern)
                pattern(*n.pattern);
        },
        [&](const SequencePattern& n) { start("Sequence"); patterns(n.items); },
        [&](const StarPattern& n) { start("Star"); word(n.name); },
        [&](const MappingPattern& n) {
            start("Mapping");
            for (std::size_t i = 0; i < n.keys.size(); ++i) {
                expr(n.keys[i]);
                pattern(*n.values[i]);
            }
            word(n.rest);
        },
        [&](const ClassPattern& n) {
            start("ClassPattern");
            expr(n.type);
            patterns(n.positional);
            for (std::size_t i = 0; i < n.keywords.size(); ++i) {
                text += " " + n.keywords[i].text + "=";
                pattern(*n.keywordPatterns[i]);
            }
        },
        [&](const OrPattern& n) { start("OrPattern"); patterns(n.alternatives); });
    text += ')';
}

}  // namespace

std::string dump(const Module& module, DumpRanges ranges)
{
    StmtDumper dumper(ranges);
    dumper.block(module.body);
    return dumper.text;
}

}  // namespace tw::syntax
