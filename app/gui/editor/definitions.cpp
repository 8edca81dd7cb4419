#include "app/gui/editor/definitions.h"

#include <algorithm>

namespace tw::gui {
namespace {

using namespace syntax;

class Collector {
public:
    explicit Collector(const Module& module) : scope_{0, 0, static_cast<std::uint32_t>(module.source->text().size()) + 1}
    {
        block(module.body);
    }
    std::vector<Definition> take() { return std::move(found_); }

private:
    void add(Definition::Kind kind, const std::string& name, const SourceRange& range)
    {
        found_.push_back({kind, name, range, scope_, depth_});
    }
    void block(const Block& statements)
    {
        for (const auto& s : statements)
            statement(*s);
    }
    // Names bound by an assignment target.
    void target(const ExprPtr& expr)
    {
        if (!expr)
            return;
        if (const auto* name = std::get_if<Name>(&expr->node))
            add(Definition::Kind::kVariable, name->id, expr->range);
        else if (const auto* tuple = std::get_if<TupleExpr>(&expr->node))
            std::for_each(tuple->items.begin(), tuple->items.end(), [this](const auto& e) { target(e); });
        else if (const auto* list = std::get_if<ListExpr>(&expr->node))
            std::for_each(list->items.begin(), list->items.end(), [this](const auto& e) { target(e); });
        else if (const auto* starred = std::get_if<Starred>(&expr->node))
            target(starred->value);
    }
    template <class Body>
    void inScope(const SourceRange& range, Body body)
    {
        const auto outer = std::exchange(scope_, range);
        ++depth_;
        body();
        --depth_;
        scope_ = outer;
    }
    void function(const FunctionDef& f, const SourceRange& range)
    {
        add(Definition::Kind::kFunction, f.name.text, f.name.range);
        inScope(range, [&] {
            for (const auto& p : f.parameters)
                add(Definition::Kind::kParameter, p.name.text, p.name.range);
            block(f.body);
        });
    }
    void compound(const Stmt& s)
    {
        if (const auto* n = std::get_if<If>(&s.node)) {
            block(n->then);
            block(n->orElse);
        } else if (const auto* w = std::get_if<While>(&s.node)) {
            block(w->body);
            block(w->orElse);
        } else if (const auto* f = std::get_if<For>(&s.node)) {
            target(f->target);
            block(f->body);
            block(f->orElse);
        } else if (const auto* with = std::get_if<With>(&s.node)) {
            for (const auto& item : with->items)
                target(item.target);
            block(with->body);
        } else if (const auto* t = std::get_if<Try>(&s.node)) {
            block(t->body);
            for (const auto& handler : t->handlers)
                block(handler.body);
            block(t->orElse);
            block(t->finally);
        } else if (const auto* m = std::get_if<Match>(&s.node)) {
            for (const auto& c : m->cases)
                block(c.body);
        }
    }
    void imports(const std::vector<ImportName>& names)
    {
        for (const auto& name : names) {
            const auto& bound = name.alias ? *name.alias : name.name;
            add(Definition::Kind::kImport, bound.text.substr(0, bound.text.find('.')), bound.range);
        }
    }
    void statement(const Stmt& s)
    {
        if (const auto* f = std::get_if<FunctionDef>(&s.node)) {
            function(*f, s.range);
        } else if (const auto* c = std::get_if<ClassDef>(&s.node)) {
            add(Definition::Kind::kClass, c->name.text, c->name.range);
            inScope(s.range, [&] { block(c->body); });
        } else if (const auto* a = std::get_if<Assign>(&s.node)) {
            for (const auto& t : a->targets)
                target(t);
        } else if (const auto* n = std::get_if<AnnAssign>(&s.node)) {
            target(n->target);
        } else if (const auto* i = std::get_if<Import>(&s.node)) {
            imports(i->names);
        } else if (const auto* from = std::get_if<ImportFrom>(&s.node)) {
            imports(from->names);
        } else {
            compound(s);
        }
    }

    std::vector<Definition> found_;
    SourceRange scope_;
    int depth_ = 0;
};

}  // namespace

std::vector<Definition> collectDefinitions(const Module& module) { return Collector(module).take(); }

std::optional<Definition> findDefinition(const std::vector<Definition>& definitions, const std::string& name,
                                         std::uint32_t offset)
{
    const Definition* best = nullptr;
    for (const auto& d : definitions) {
        if (d.name != name || !d.scope.contains(offset))
            continue;
        const bool deeper = !best || d.depth > best->depth;
        const bool later = best && d.depth == best->depth && d.range.begin <= offset && d.range.begin > best->range.begin;
        if (deeper || later)
            best = &d;
    }
    return best ? std::optional(*best) : std::nullopt;
}

}  // namespace tw::gui
