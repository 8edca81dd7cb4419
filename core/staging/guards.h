// What must be undone when a statement ends or unwinds.
#pragma once

#include "core/staging/interpreter.h"

namespace tw::staging {

class Interpreter::FrameGuard {
public:
    FrameGuard(Interpreter& interpreter, const FunctionValue* function, std::shared_ptr<Environment> scope, SourceRange call)
        : interpreter_(interpreter), range_(interpreter.current_)
    {
        interpreter.checkStack(call);
        Frame frame;
        frame.function = function;
        frame.scope = std::move(scope);
        frame.call = call;
        interpreter.frames_.push_back(std::move(frame));
    }
    ~FrameGuard()
    {
        interpreter_.frames_.pop_back();
        interpreter_.current_ = range_;
    }
    FrameGuard(const FrameGuard&) = delete;
    FrameGuard& operator=(const FrameGuard&) = delete;

private:
    Interpreter& interpreter_;
    SourceRange range_;
};

// A loop or comprehension that is running: budgets are reported there.
class Interpreter::LoopGuard {
public:
    LoopGuard(Interpreter& interpreter, const SourceRange& range) : interpreter_(interpreter)
    {
        interpreter.loopRanges_.push_back(range);
    }
    ~LoopGuard() { interpreter_.loopRanges_.pop_back(); }
    LoopGuard(const LoopGuard&) = delete;
    LoopGuard& operator=(const LoopGuard&) = delete;

private:
    Interpreter& interpreter_;
};

// Names bound while it lives are taken back at its end. `construct`: they have then ended there; empty: the arm of an
// opaque condition, whose bindings are joined by the caller.
class Interpreter::DeviceScope {
public:
    DeviceScope(Interpreter& interpreter, std::shared_ptr<Environment> scope, std::optional<SourceRange> construct)
        : interpreter_(interpreter), scope_(std::move(scope)), construct_(construct)
    {
        record_.scope = scope_.get();
        interpreter.undo_.push_back(&record_);
    }
    ~DeviceScope() { close(); }
    DeviceScope(const DeviceScope&) = delete;
    DeviceScope& operator=(const DeviceScope&) = delete;

    // The names that were bound and what they hold now; takes the bindings back.
    std::map<std::string, Value> close()
    {
        std::map<std::string, Value> bound;
        if (closed_)
            return bound;
        closed_ = true;
        std::erase(interpreter_.undo_, &record_);
        for (auto it = record_.undo.rbegin(); it != record_.undo.rend(); ++it) {
            const auto now = scope_->names.find(it->first);
            if (now != scope_->names.end())
                bound.emplace(it->first, now->second);
            if (it->second) {
                scope_->names.insert_or_assign(it->first, *it->second);
            } else {
                scope_->names.erase(it->first);
                if (construct_)
                    scope_->ended.insert_or_assign(it->first, *construct_);
            }
        }
        return bound;
    }

private:
    Interpreter& interpreter_;
    std::shared_ptr<Environment> scope_;
    std::optional<SourceRange> construct_;
    UndoScope record_;
    bool closed_ = false;
};

}  // namespace tw::staging
