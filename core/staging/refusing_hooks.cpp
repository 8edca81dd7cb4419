#include "core/staging/refusing_hooks.h"

namespace tw::staging {

std::optional<Value> RefusingHooks::assignName(const syntax::Identifier&, const Value*, const Value& value, const SourceRange&)
{
    return value;
}

void RefusingHooks::assignSubscript(const Value&, const Value&, const Value&, const SourceRange& range)
{
    refuse(range, "a store to a buffer");
}

std::optional<Value> RefusingHooks::augAssign(syntax::BinaryOp op, const syntax::Identifier*, const Value& object,
                                              const std::optional<Value>& index, const Value& value, const SourceRange& range)
{
    if (index)
        refuse(range, "a store to a buffer");
    return binary(op, object, value, range);
}

bool RefusingHooks::declareParameter(const syntax::Identifier&, const Value&, const SourceRange&) { return false; }

void RefusingHooks::forLoop(const LoopSpec&, const std::vector<syntax::Identifier>&,
                            const std::function<void(const std::vector<Value>&)>&, const BodyCallback&, const SourceRange& range)
{
    refuse(range, "a device loop");
}

void RefusingHooks::whileLoop(const std::function<Value()>&, const BodyCallback&, const SourceRange& range)
{
    refuse(range, "a loop on a run-time condition");
}

void RefusingHooks::ifElse(const Value& condition, const BodyCallback& then, const BodyCallback& otherwise, const SourceRange& range)
{
    if (truth(condition, range))
        then();
    else if (otherwise)
        otherwise();
}

void RefusingHooks::breakLoop(const SourceRange& range) { refuse(range, "break of a device loop"); }
void RefusingHooks::continueLoop(const SourceRange& range) { refuse(range, "continue of a device loop"); }

void RefusingHooks::assertion(const Value&, const std::string&, const SourceRange&) {}
void RefusingHooks::expressionStatement(const Value&, const SourceRange&) {}

// The compiler does not see that a virtual function never returns.
Value RefusingHooks::rangeLoop(const CallArguments& arguments)
{
    refuse(arguments.call, "a device loop");
    return {};
}

Value RefusingHooks::bindParameter(const syntax::Identifier&, const Value&, bool, const SourceRange& range)
{
    refuse(range, "the call of a macro");
    return {};
}

}  // namespace tw::staging
