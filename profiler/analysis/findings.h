// What stands out in a capture, and what to do about it.
//
// Each rule is a function of the evidence alone. A finding has a number with its unit, one sentence with the numbers that led to it, a
// line, and the gain that the cure could bring as modelled (1: unknown). Rules that know a change of the source propose it only if the
// changed program compiles and the model finds it faster.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "core/sim/sim.h"
#include "profiler/analysis/literal.h"
#include "profiler/analysis/model.h"
#include "profiler/capture/capture.h"

namespace tw::profile_analysis {

struct Evidence {
    const capture::Capture& capture;
    const target::Target& target;
    // Null where there is none.
    const Work* work = nullptr;
    const Model* model = nullptr;
    const std::vector<LaunchFacts>* facts = nullptr;
    const sim::Report* simulated = nullptr;
    // How many times faster the call is with these changes, as modelled; empty if it does not compile or fit. May be absent.
    std::function<std::optional<double>(const std::vector<FixIt>&)> gainOf{};
    // As literalOf, of the kernel's source. May be absent.
    std::function<std::optional<Literal>(const SourceRange&, std::string_view, std::int64_t)> literal{};
};

using Findings = std::vector<capture::Finding>;

// All rules, by gain, largest first; a capture's operations and files give names and lines.
[[nodiscard]] Findings findingsOf(const Evidence& evidence);

// The rules.
[[nodiscard]] Findings consumerWaits(const Evidence& e);     // the tensor cores idle while their warps wait for copies
[[nodiscard]] Findings shallowPipelines(const Evidence& e);  // loads do not run far enough ahead, and shared memory has room
[[nodiscard]] Findings heavyMeetings(const Evidence& e);     // threads meet more than they compute
[[nodiscard]] Findings bankConflicts(const Evidence& e);     // by access, where the simulator counted them
[[nodiscard]] Findings countedConflicts(const Evidence& e);  // of a launch, by the device's counter
[[nodiscard]] Findings uncoalescedAccess(const Evidence& e);
[[nodiscard]] Findings narrowAccess(const Evidence& e);      // few bytes a lane where 16 would go
[[nodiscard]] Findings divergence(const Evidence& e);
[[nodiscard]] Findings lowOccupancy(const Evidence& e);
[[nodiscard]] Findings tailWave(const Evidence& e);
[[nodiscard]] Findings smallGrid(const Evidence& e);         // fewer blocks than multiprocessors
[[nodiscard]] Findings spills(const Evidence& e);
[[nodiscard]] Findings bandwidthBound(const Evidence& e);    // nothing to gain but by moving fewer bytes
[[nodiscard]] Findings extraTraffic(const Evidence& e);      // DRAM moves more than the tensors hold
[[nodiscard]] Findings stalledOperations(const Evidence& e);

// What rules share.
[[nodiscard]] const capture::Operation* operationOf(const Evidence& e, std::uint32_t id);
// Whether warps that stall for `reason` at `op` wait for its own products: the sampler calls a wait for wgmma a barrier, too.
[[nodiscard]] bool waitsForProducts(const Evidence& e, const capture::Operation& op, const std::string& reason);
// A finding at an operation, or at a place where it has none.
[[nodiscard]] capture::Finding findingAt(const Evidence& e, const char* code, const SourceRange& where, std::uint32_t op);
// Times faster if `share` of the time shrinks to `rest` of itself.
[[nodiscard]] double gainOf(double share, double rest);
// Times faster if every operation did what `change` makes of it, as the model has it; `otherwise` where the evidence has no model.
[[nodiscard]] double gainOfWork(const Evidence& e, const std::function<void(OperationWork&)>& change, double otherwise);

}  // namespace tw::profile_analysis
