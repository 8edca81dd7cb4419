// Names of variables and buffers in printed text: unique in the function and legal in Python.
#pragma once

#include <set>
#include <string>
#include <unordered_map>

#include "core/ir/stmt.h"

namespace tw::ir {

class Names {
public:
    // `asTheyAre`: for messages; nothing is renamed.
    explicit Names(bool asTheyAre = false);

    // The node's name; the first call decides it.
    const std::string& of(const VarNode* var);
    const std::string& of(const BufferNode* buffer);
    // Text to print for a variable that has no name of its own (a thread index).
    void alias(const VarNode* var, std::string text) { names_[var] = std::move(text); }
    // A fresh name that nothing else has.
    std::string fresh(const std::string& wish);

private:
    const std::string& name(const void* node, const std::string& wish);

    bool asTheyAre_;
    std::unordered_map<const void*, std::string> names_;
    std::set<std::string, std::less<>> taken_;
};

}  // namespace tw::ir
