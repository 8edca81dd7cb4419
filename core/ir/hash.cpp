// The hash of a function, over what `equal` compares: variables and buffers count by the order in which they are met.
#include <bit>
#include <string_view>
#include <unordered_map>

#include "core/ir/call.h"
#include "core/ir/visit.h"

namespace tw::ir {

namespace {

class Hasher final : public Visitor {
public:
    using Visitor::visit;

    void mix(std::uint64_t value)
    {
        state_ ^= value + 0x9e3779b97f4a7c15ULL + (state_ << 6) + (state_ >> 2);
        state_ *= 0xff51afd7ed558ccdULL;
        state_ ^= state_ >> 33;
    }
    void mix(std::string_view text)
    {
        mix(std::hash<std::string_view>{}(text));
    }
    void mix(DType type) { mix(static_cast<std::uint64_t>(type.scalar) << 16 | type.lanes); }
    void mixAttr(const Attr& attr)
    {
        mix(attr.index());
        match(attr, [&](bool v) { mix(static_cast<std::uint64_t>(v)); },
              [&](std::int64_t v) { mix(static_cast<std::uint64_t>(v)); },
              [&](double v) { mix(std::bit_cast<std::uint64_t>(v)); }, [&](const std::string& v) { mix(v); },
              [&](const std::vector<std::int64_t>& v) {
                  for (std::int64_t x : v)
                      mix(static_cast<std::uint64_t>(x));
              },
              [&](const std::vector<std::string>& v) {
                  for (const std::string& x : v)
                      mix(x);
              });
    }
    void mixAttrs(const Attrs& attrs)
    {
        for (const auto& [name, value] : attrs) {
            mix(name);
            mixAttr(value);
        }
    }
    void number(const void* node) { mix(numbers_.emplace(node, numbers_.size()).first->second); }

    void visit(const Expr& e) override
    {
        if (!e)
            return;
        mix(static_cast<std::uint64_t>(e->kind));
        mix(e->dtype);
        if (const auto* i = as<IntImm>(e))
            mix(static_cast<std::uint64_t>(i->value));
        else if (const auto* f = as<FloatImm>(e))
            mix(std::bit_cast<std::uint64_t>(f->value));
        else if (const auto* s = as<StringImm>(e))
            mix(s->value);
        else if (e->kind == ExprKind::kVar)
            number(e.get());
        else if (const auto* b = as<Binary>(e))
            mix(static_cast<std::uint64_t>(b->op));
        else if (const auto* u = as<Unary>(e))
            mix(static_cast<std::uint64_t>(u->op));
        else if (const auto* l = as<Lane>(e))
            mix(static_cast<std::uint64_t>(l->index));
        Visitor::visit(e);
    }

    void visit(const Stmt& s) override
    {
        if (!s)
            return mix(std::uint64_t{0x52});
        mix(static_cast<std::uint64_t>(s->kind));
        if (const auto* loop = as<For>(s)) {
            mix(static_cast<std::uint64_t>(loop->loop));
            mixAttrs(loop->attrs);
            for (const Axis& axis : loop->axes)
                number(axis.var.get());
        } else if (const auto* launch = as<Launch>(s)) {
            for (std::int64_t threads : launch->threads)
                mix(static_cast<std::uint64_t>(threads));
            mixAttrs(launch->attrs);
        } else if (const auto* assertion = as<Assert>(s)) {
            mix(assertion->message);
        } else if (const auto* seq = as<Seq>(s)) {
            mix(seq->stmts.size());
        }
        Visitor::visit(s);
        if (const auto* bind = as<Bind>(s))
            number(bind->var.get());
    }

    void visit(const OpCall& call) override
    {
        mix(static_cast<std::uint64_t>(call.op));
        mixAttrs(call.attrs);
        for (const Operand& operand : call.operands)
            if (!isAbsent(operand))
                mix(operand.index());
        Visitor::visit(call);
    }

    void visitBuffer(const Buffer& b) override
    {
        number(b.get());
        mix(b->dtype);
        mix(static_cast<std::uint64_t>(b->scope));
    }

    [[nodiscard]] std::uint64_t value() const { return state_; }

private:
    std::uint64_t state_ = 0x243f6a8885a308d3ULL;
    std::unordered_map<const void*, std::uint64_t> numbers_;
};

}  // namespace

std::uint64_t hash(const Function& f)
{
    Hasher hasher;
    hasher.mix(f.name);
    hasher.mix(static_cast<std::uint64_t>(f.stage));
    for (const auto& [name, value] : f.passConfigs) {
        hasher.mix(name);
        hasher.mixAttr(value);
    }
    for (const Var& symbol : f.symbols)
        hasher.number(symbol.get());
    for (const Param& param : f.params) {
        if (const auto* var = std::get_if<Var>(&param.value))
            hasher.number(var->get());
        else
            hasher.visitBuffer(std::get<Buffer>(param.value));
    }
    hasher.visit(f.body);
    return hasher.value();
}

}  // namespace tw::ir
