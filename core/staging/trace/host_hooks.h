// What device values do where no kernel is open: expressions build, everything else reports.
#pragma once

#include "core/staging/evaluator.h"
#include "core/staging/refusing_hooks.h"

namespace tw::staging {

class HostHooks : public RefusingHooks {
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

protected:
    [[noreturn]] void refuse(const SourceRange& range, const std::string& what) final;

    Evaluator& ev_;
};

}  // namespace tw::staging
