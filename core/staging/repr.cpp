// repr() and str() of staging values.
#include <fmt/format.h>

#include <charconv>
#include <cmath>

#include "core/ir/print.h"
#include "core/staging/integer_math.h"
#include "core/staging/kernel_value.h"
#include "core/staging/text.h"
#include "core/staging/value.h"

namespace tw::staging {
namespace {

// Lists may hold themselves: nothing is printed below this depth.
constexpr int kMaxPrintDepth = 40;
// And a tuple may hold another one twice, which holds another one twice: texts end here.
constexpr std::size_t kMaxText = std::size_t{1} << 20;
bool isFull(std::string& text)
{
    const bool full = text.size() > kMaxText;
    if (full)
        text += "…";
    return full;
}
std::string reprAt(const Value& value, int depth);

std::string join(const std::vector<Value>& items, std::string_view open, std::string_view close, int depth)
{
    std::string text(open);
    for (std::size_t i = 0; i < items.size(); ++i) {
        if (i > 0)
            text += ", ";
        if (isFull(text))
            break;
        text += reprAt(items[i], depth + 1);
    }
    return text.append(close);
}

std::string reprDict(const DictValue& dict, int depth)
{
    std::string text = "{";
    for (const auto& [key, value] : dict.items) {
        if (text.size() > 1)
            text += ", ";
        if (isFull(text))
            break;
        text += reprAt(key, depth + 1) + ": " + reprAt(value, depth + 1);
    }
    return text + "}";
}

std::string reprInstance(const InstanceValue& object, int depth)
{
    const auto fields = object.type->attributes.find("__dataclass_fields__");
    if (fields == object.type->attributes.end())
        return fmt::format("<{} object>", object.type->name);
    std::string text = object.type->name + "(";
    const auto* names = fields->second.object<const TupleValue>();
    for (std::size_t i = 0; names && i < names->items.size(); ++i) {
        const auto* name = names->items[i].str();
        const auto it = name ? object.attributes.find(*name) : object.attributes.end();
        if (it == object.attributes.end())
            continue;
        text += (text.back() == '(' ? "" : ", ") + *name + "=" + reprAt(it->second, depth + 1);
    }
    return text + ")";
}

std::string reprTuple(const TupleValue& tuple, int depth)
{
    return join(tuple.items, "(", tuple.items.size() == 1 ? ",)" : ")", depth);
}

std::string reprRange(const RangeValue& r)
{
    std::string text = "range(" + integerText(r.start) + ", " + integerText(r.stop);
    return r.step == 1 ? text + ")" : text + ", " + integerText(r.step) + ")";
}

}  // namespace

std::string floatText(double value)
{
    if (std::isnan(value))
        return "nan";
    if (std::isinf(value))
        return value > 0 ? "inf" : "-inf";
    char digits[64];
    const double size = std::abs(value);
    const bool plain = value == 0 || (size >= 1e-4 && size < 1e16);
    const auto end = std::to_chars(digits, digits + sizeof digits, value,
                                   plain ? std::chars_format::fixed : std::chars_format::scientific);
    std::string text(digits, end.ptr);
    return plain && text.find('.') == std::string::npos ? text + ".0" : text;
}

std::string quoted(std::string_view text)
{
    const bool doubled = text.find('\'') != std::string_view::npos && text.find('"') == std::string_view::npos;
    const char quote = doubled ? '"' : '\'';
    std::string out(1, quote);
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        if (c == '\\' || c == quote)
            out += {'\\', c};
        else if (c == '\n')
            out += "\\n";
        else if (c == '\t')
            out += "\\t";
        else if (c == '\r')
            out += "\\r";
        else if (byte < 0x20 || byte == 0x7f)
            out += fmt::format("\\x{:02x}", byte);
        else
            out += c;
    }
    return out + quote;
}

namespace {

struct Printer {
    int depth;
    std::string operator()(const NoneValue&) const { return "None"; }
    std::string operator()(bool b) const { return b ? "True" : "False"; }
    std::string operator()(Integer i) const { return integerText(i); }
    std::string operator()(double d) const { return floatText(d); }
    std::string operator()(const Str& s) const { return quoted(*s); }
    std::string operator()(const EllipsisValue&) const { return "Ellipsis"; }
    std::string operator()(const ir::DType& t) const { return quoted(t.name()); }
    std::string operator()(const std::shared_ptr<const TupleValue>& t) const { return reprTuple(*t, depth); }
    std::string operator()(const std::shared_ptr<ListValue>& l) const { return join(l->items, "[", "]", depth); }
    std::string operator()(const std::shared_ptr<DictValue>& d) const { return reprDict(*d, depth); }
    std::string operator()(const std::shared_ptr<SetValue>& s) const
    {
        if (s->frozen)
            return s->items.empty() ? "frozenset()" : join(s->items, "frozenset({", "})", depth);
        return s->items.empty() ? "set()" : join(s->items, "{", "}", depth);
    }
    std::string operator()(const RangeValue& r) const { return reprRange(r); }
    std::string operator()(const std::shared_ptr<const SliceValue>& s) const
    {
        return "slice(" + reprAt(s->lower, depth + 1) + ", " + reprAt(s->upper, depth + 1) + ", " + reprAt(s->step, depth + 1) + ")";
    }
    std::string operator()(const std::shared_ptr<IteratorValue>&) const { return "<iterator>"; }
    std::string operator()(const std::shared_ptr<FunctionValue>& f) const { return "<function " + f->name + ">"; }
    std::string operator()(const std::shared_ptr<const BoundMethod>& m) const
    {
        return "<bound method of " + typeName(m->self) + ">";
    }
    std::string operator()(const std::shared_ptr<const NativeFunction>& f) const { return "<function " + f->name + ">"; }
    std::string operator()(const std::shared_ptr<ClassValue>& c) const { return "<class '" + c->name + "'>"; }
    std::string operator()(const std::shared_ptr<InstanceValue>& i) const { return reprInstance(*i, depth); }
    std::string operator()(const std::shared_ptr<ModuleValue>& m) const { return "<module '" + m->name + "'>"; }
    std::string operator()(const std::shared_ptr<const OpaqueValue>& o) const { return "<" + o->path + ">"; }
    std::string operator()(const std::shared_ptr<const MetaTensor>& t) const
    {
        return "tensor(" + join(t->shape, "(", ")", depth) + (t->dtype ? ", " + t->dtype->name() : "") + ")";
    }
    std::string operator()(const ir::Expr& e) const { return e ? ir::print(e) : "<no expression>"; }
    std::string operator()(const ir::Buffer& b) const { return b->name; }
    std::string operator()(const std::shared_ptr<const ir::Region>& r) const { return ir::print(*r); }
    std::string operator()(const VarValue& v) const { return v.buffer->name; }
    std::string operator()(const std::shared_ptr<const RefValue>& r) const { return ir::print(r->region); }
    std::string operator()(const LayoutValue&) const { return "<layout>"; }
    std::string operator()(const std::shared_ptr<const LoopSpec>&) const { return "<loop>"; }
    std::string operator()(const std::shared_ptr<const ContextValue>& c) const { return "<context " + c->name + ">"; }
    std::string operator()(const std::shared_ptr<KernelValue>& k) const { return "<kernel " + k->name + ">"; }
    std::string operator()(const std::shared_ptr<const ArrayValue>&) const { return "<array>"; }
};

std::string reprAt(const Value& value, int depth)
{
    return depth > kMaxPrintDepth ? "..." : std::visit(Printer{depth}, value.data);
}

}  // namespace

std::string repr(const Value& value) { return reprAt(value, 0); }

std::string plainText(const Value& value)
{
    if (const auto* text = value.str())
        return *text;
    if (const auto* dtype = value.get<ir::DType>())
        return dtype->name();
    return repr(value);
}

}  // namespace tw::staging
