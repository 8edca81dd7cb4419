#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/support/diagnostic.h"
#include "core/syntax/dump.h"
#include "core/syntax/parser.h"

namespace tw::syntax {

struct Parsed {
    std::shared_ptr<const Module> module;
    std::string tree;
    std::vector<std::string> errors;  // "line:column: message"
};

[[nodiscard]] Parsed parseText(const std::string& text, DumpRanges ranges = DumpRanges::kNone);
// The tree of one expression, without ranges. Errors stand behind it.
[[nodiscard]] std::string expressionTree(const std::string& text);

}  // namespace tw::syntax
