// What is wrong, each pair of places once.
#pragma once

#include <map>
#include <string>

#include "core/sim/sim.h"

namespace tw::sim {

class Findings {
public:
    // Whether this pair of places is known already; counts it then.
    bool isKnown(FindingKind kind, int earlierSite, int laterSite);
    void add(FindingKind kind, int earlierSite, int laterSite, Finding finding);
    [[nodiscard]] bool empty() const { return findings_.empty(); }

    // One error a finding, in the order in which they were found.
    void report(DiagnosticSink& sink, Report& out) const;

private:
    struct Key {
        FindingKind kind;
        int earlier, later;
        auto operator<=>(const Key&) const = default;
    };
    std::map<Key, std::size_t> index_;
    std::vector<Finding> findings_;
};

}  // namespace tw::sim
