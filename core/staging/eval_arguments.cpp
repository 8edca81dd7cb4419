// Arguments to parameters: of the file's functions and of ours, whose signatures are written like Python's.
#include <fmt/format.h>

#include "core/staging/containers.h"
#include "core/staging/interpreter.h"
#include "core/syntax/parser.h"

namespace tw::staging {

using namespace syntax;

namespace {

bool isKeywordOnly(const SignatureParameter& p) { return p.kind == Parameter::Kind::kKeywordOnly; }
bool isPlain(const SignatureParameter& p)
{
    return p.kind == Parameter::Kind::kNormal || p.kind == Parameter::Kind::kPositionalOnly;
}

std::string listed(const std::vector<std::string>& names)
{
    std::string text;
    for (const std::string& name : names)
        text += (text.empty() ? "`" : ", `") + name + "`";
    return text;
}

}  // namespace

const std::vector<Parameter>& parametersOf(const FunctionValue& function)
{
    return function.def ? function.def->parameters : function.lambda->parameters;
}

Interpreter::Matched Interpreter::matchArguments(const std::vector<SignatureParameter>& parameters,
                                                 const CallArguments& arguments, const std::string& functionName)
{
    Matched matched;
    matched.given.resize(parameters.size(), nullptr);
    const auto star = std::find_if(parameters.begin(), parameters.end(),
                                   [](const auto& p) { return p.kind == Parameter::Kind::kStar && !p.name.empty(); });
    const auto doubleStar = std::find_if(parameters.begin(), parameters.end(),
                                         [](const auto& p) { return p.kind == Parameter::Kind::kDoubleStar; });
    std::size_t next = 0, taken = 0;
    for (const CallArgument& argument : arguments.items) {
        if (argument.keyword.empty()) {
            while (next < parameters.size() && !isPlain(parameters[next]))
                ++next;
            ++taken;
            if (next < parameters.size()) {
                matched.given[next++] = &argument;
            } else if (star != parameters.end()) {
                matched.rest.push_back(&argument);
            } else {
                const auto most = std::count_if(parameters.begin(), parameters.end(), isPlain);
                const auto given = std::count_if(arguments.items.begin(), arguments.items.end(),
                                                 [](const auto& a) { return a.keyword.empty(); });
                fail(Code::kCallArguments, argument.range,
                     fmt::format("`{}` takes {} positional argument{}, {} are given", functionName, most,
                                 most == 1 ? "" : "s", given));
            }
            continue;
        }
        const auto it = std::find_if(parameters.begin(), parameters.end(), [&](const auto& p) {
            return p.name == argument.keyword && (p.kind == Parameter::Kind::kNormal || isKeywordOnly(p));
        });
        if (it == parameters.end()) {
            if (doubleStar != parameters.end()) {
                matched.extra.push_back(&argument);
                continue;
            }
            std::vector<std::string> known;
            for (const auto& p : parameters)
                known.push_back(p.name);
            const std::string near = nearestName(argument.keyword, known);
            Diagnostic diagnostic;
            diagnostic.code = Code::kCallArguments;
            diagnostic.range = argument.range;
            diagnostic.message = fmt::format("`{}` has no argument `{}`{}", functionName, argument.keyword,
                                             near.empty() ? "; its arguments are " + listed(known)
                                                          : fmt::format("; did you mean `{}`?", near));
            if (!near.empty())
                diagnostic.fixits.push_back({{argument.range.file, argument.range.begin,
                                              argument.range.begin + static_cast<std::uint32_t>(argument.keyword.size())}, near});
            fail(std::move(diagnostic));
        }
        const auto index = static_cast<std::size_t>(it - parameters.begin());
        if (matched.given[index])
            fail(Code::kCallArguments, argument.range,
                 fmt::format("`{}` is given the argument `{}` twice", functionName, argument.keyword));
        matched.given[index] = &argument;
    }
    std::vector<std::string> missing;
    for (std::size_t i = 0; i < parameters.size(); ++i)
        if (!matched.given[i] && !parameters[i].hasDefault && (isPlain(parameters[i]) || isKeywordOnly(parameters[i])))
            missing.push_back(parameters[i].name);
    if (!missing.empty())
        fail(Code::kCallArguments, arguments.call,
             fmt::format("`{}` lacks the argument{} {}", functionName, missing.size() == 1 ? "" : "s", listed(missing)));
    return matched;
}

void Interpreter::bindParameters(const FunctionValue& function, const CallArguments& arguments,
                                 const std::shared_ptr<Environment>& scope)
{
    const auto& parameters = parametersOf(function);
    std::vector<SignatureParameter> wanted;
    wanted.reserve(parameters.size());
    for (const Parameter& p : parameters)
        wanted.push_back({p.name.text, p.kind, p.defaultValue != nullptr});
    const Matched matched = matchArguments(wanted, arguments, function.name);
    for (std::size_t i = 0; i < parameters.size(); ++i) {
        const std::string& name = parameters[i].name.text;
        if (name.empty())
            continue;
        Value value;
        if (parameters[i].kind == Parameter::Kind::kStar) {
            std::vector<Value> rest;
            for (const CallArgument* argument : matched.rest)
                rest.push_back(*argument->value);
            value = makeTuple(std::move(rest));
        } else if (parameters[i].kind == Parameter::Kind::kDoubleStar) {
            value = makeDict();
            for (const CallArgument* argument : matched.extra)
                dictSet(*value.object<DictValue>(), Value(argument->keyword), *argument->value);
        } else if (matched.given[i]) {
            value = *matched.given[i]->value;
        } else {
            value = function.defaults[i].value_or(Value());
        }
        scope->names.insert_or_assign(name, std::move(value));
    }
}

const std::vector<SignatureParameter>& Interpreter::signature(const std::string& text)
{
    const auto [it, isNew] = signatures_.try_emplace(text);
    if (!isNew)
        return it->second;
    bool keywordOnly = false;
    int depth = 0;
    std::string one;
    const auto flush = [&] {
        const auto first = one.find_first_not_of(' ');
        if (first == std::string::npos)
            return;
        one = one.substr(first);
        SignatureParameter p;
        const auto equals = one.find('=');
        p.hasDefault = equals != std::string::npos;
        p.name = one.substr(0, equals);
        while (!p.name.empty() && p.name.back() == ' ')
            p.name.pop_back();
        one.clear();
        if (p.name == "/")
            return;
        p.kind = keywordOnly ? Parameter::Kind::kKeywordOnly : Parameter::Kind::kNormal;
        if (p.name.starts_with("**")) {
            p.kind = Parameter::Kind::kDoubleStar;
            p.name.erase(0, 2);
        } else if (p.name.starts_with("*")) {
            keywordOnly = true;
            p.kind = Parameter::Kind::kStar;
            p.name.erase(0, 1);
        }
        it->second.push_back(std::move(p));
    };
    for (const char c : text) {
        depth += (c == '(' || c == '[') - (c == ')' || c == ']');
        if (c == ',' && depth == 0)
            flush();
        else
            one += c;
    }
    flush();
    return it->second;
}

BoundArguments Interpreter::bind(const std::string& signatureText, const CallArguments& arguments, const std::string& functionName)
{
    const auto& parameters = signature(signatureText);
    const Matched matched = matchArguments(parameters, arguments, functionName);
    BoundArguments bound;
    bound.call_ = arguments.call;
    for (std::size_t i = 0; i < parameters.size(); ++i)
        if (matched.given[i])
            bound.values_[parameters[i].name] = {*matched.given[i]->value, matched.given[i]->range};
    for (const CallArgument* argument : matched.rest) {
        bound.rest_.push_back(*argument->value);
        bound.restRanges_.push_back(argument->range);
    }
    for (const CallArgument* argument : matched.extra)
        bound.keywords_.emplace_back(argument->keyword, *argument->value);
    return bound;
}

const Value& BoundArguments::operator[](const std::string& name) const
{
    static const Value kNone;
    const auto it = values_.find(name);
    return it == values_.end() ? kNone : it->second.first;
}

bool BoundArguments::has(const std::string& name) const { return values_.contains(name); }

SourceRange BoundArguments::range(const std::string& name) const
{
    const auto it = values_.find(name);
    return it == values_.end() ? call_ : it->second.second;
}

std::optional<Value> Interpreter::annotation(const FunctionValue& function, const Parameter& parameter,
                                             const std::shared_ptr<Environment>& scope)
{
    if (!parameter.annotation)
        return std::nullopt;
    const auto* quotedText = std::get_if<StringLiteral>(&parameter.annotation->node);
    const auto& where = scope ? scope : function.closure;
    if (!quotedText)
        return evaluate(*parameter.annotation, where);
    if (const auto dtype = ir::parseDType(quotedText->value))
        return Value(*dtype);
    chargeMemory(static_cast<Integer>(quotedText->value.size()) * 16 + 256, parameter.annotation->range);
    SourceRange base = parameter.annotation->range;
    base.begin += 1;  // behind the quote
    DiagnosticSink ignored;
    auto parsed = parseExpression(quotedText->value, base, ignored);
    if (ignored.hasErrors() || !parsed)
        return Value(quotedText->value);
    parsedAnnotations_.push_back(std::move(parsed));
    return evaluate(*parsedAnnotations_.back(), where);
}

}  // namespace tw::staging
