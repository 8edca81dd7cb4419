// Hooks for places without device statements: expressions are left to the heir, statements are refused in one way.
#pragma once

#include <string>

#include "core/staging/hooks.h"

namespace tw::staging {

class RefusingHooks : public DeviceHooks {
public:
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
    // Reports that `what` ("a device loop") has no place here, and why; does not return.
    [[noreturn]] virtual void refuse(const SourceRange& range, const std::string& what) = 0;
};

}  // namespace tw::staging
