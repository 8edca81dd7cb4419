// What device values do where no kernel is open: expressions build, everything else reports.
#pragma once

#include "core/staging/evaluator.h"

namespace tw::staging {

class HostHooks : public DeviceHooks {
public:
    explicit HostHooks(Evaluator& ev) : ev_(ev) {}

    Value unary(syntax::UnaryOp op, const Value& a, const SourceRange& range) override;
    Value binary(syntax::BinaryOp op, const Value& a, const Value& b, const SourceRange& range) override;
    Value compare(syntax::CompareOp op, const Value& a, const Value& b, const SourceRange& range) override;
    Value logical(syntax::BoolOp op, const Value& a, const Value& b, const SourceRange& range) override;
    Value conditional(const Value& condition, const Value& then, const Value& otherwise, const SourceRange& range) override;
    Value attribute(const Value& object, const syntax::Identifier& name) override;
    Value subscript(const Value& object, const Value& index, const SourceRange& range) override;
    Value call(const Value& callee, const CallArguments& arguments) override;
    bool truth(const Value& value, const SourceRange& range) override;
    std::vector<Value> iterate(const Value& value, const SourceRange& range) override;

    std::optional<Value> assignName(const syntax::Identifier& name, const Value* old, const Value& value,
                                    const SourceRange& range) override;
    void assignSubscript(const Value& object, const Value& index, const Value& value, const SourceRange& range) override;
    std::optional<Value> augAssign(syntax::BinaryOp op, const syntax::Identifier* name, const Value& object,
                                   const std::optional<Value>& index, const Value& value, const SourceRange& range) override;
    bool declareParameter(const syntax::Identifier& name, const Value& annotation, const SourceRange& range) override;
    void forLoop(const LoopSpec& spec, const std::vector<syntax::Identifier>& targets,
                 const std::function<void(const std::vector<Value>&)>& bindTargets, const BodyCallback& body,
                 const SourceRange& range) override;
    void whileLoop(const std::function<Value()>& condition, const BodyCallback& body, const SourceRange& range) override;
    void ifElse(const Value& condition, const BodyCallback& then, const BodyCallback& otherwise,
                const SourceRange& range) override;
    void breakLoop(const SourceRange& range) override;
    void continueLoop(const SourceRange& range) override;
    void assertion(const Value& condition, const std::string& message, const SourceRange& range) override;
    void expressionStatement(const Value& value, const SourceRange& range) override;
    Value rangeLoop(const CallArguments& arguments) override;
    Value bindParameter(const syntax::Identifier& name, const Value& argument, bool isRef, const SourceRange& range) override;

protected:
    [[noreturn]] void failOutside(const SourceRange& range, const std::string& what);

    Evaluator& ev_;
};

}  // namespace tw::staging
