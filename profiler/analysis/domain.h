// How often the place of a program is reached and how much it handles there: exact sums over blocks and loop iterations.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/ir/stmt.h"

namespace tw::profile_analysis {

// What decides amounts: extents (symbols) and integer scalar parameters by name.
using Values = std::map<std::string, std::int64_t>;

// A variable that takes begin, begin + step, … while before `end`. `counts` false: it takes one of its values for the sum (the
// index of a block in a persistent loop, whose iterations are shared out).
struct Binder {
    ir::Var var;
    ir::Expr begin, end, step;  // an empty step is 1
    bool counts = true;
};
struct Condition {
    ir::Expr e;
    bool holds = true;
};
// One axis of a region: elements of [min, min + extent) that lie in [0, shape).
struct Clip {
    ir::Expr min, extent, shape;
};

// Iterations around one place, outer ones first.
struct Domain {
    std::vector<Binder> binders;
    std::vector<Condition> conditions;
};

struct Sum {
    double value = 0;
    // False: sampled, or something depends on run-time values. Conditions then hold, loops run as far as they can, once where even that
    // is not known.
    bool exact = true;
};

// The sum, over all iterations of the domain for which the conditions hold, of the product of the clipped extents (1 for no
// clip). Iterations are enumerated only over variables that matter; beyond a quarter of a million points each variable is sampled
// evenly.
[[nodiscard]] Sum sumOver(const Domain& domain, const std::vector<Clip>& clips, const Values& values);

// A value with every variable known, empty where it is not.
[[nodiscard]] std::optional<std::int64_t> valueOf(const ir::Expr& e, const Values& values);

// The range of `e` over the domain, clipped to [0, shape): elements of the axis that are touched at all, at most `shape`.
struct Hull {
    std::int64_t low = 0, high = 0;  // half-open
};
[[nodiscard]] Hull hullOf(const Domain& domain, const Clip& clip, const Values& values);

}  // namespace tw::profile_analysis
