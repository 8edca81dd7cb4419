// How often each instruction of a kernel ran and what it moved, counted exactly: CUPTI patches the machine code.
//
// Needs no counters of the hardware, so no permission. CUPTI 13.0 counts one configuration and one kernel in the life of a process: a
// second configuration fails, and a kernel launched after the first leaves nothing. Patched code is slower by a factor that depends on
// the kernel; its time says nothing.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "profiler/cuda/context.h"
#include "profiler/cupti/library.h"

namespace tw::cupti {

struct CountedInstruction {
    std::string entry;         // the kernel's name in the cubin
    std::uint64_t offset = 0;  // bytes from the kernel's first instruction
    std::map<std::string, double> counts;  // by names of capture::count; what does not apply to an instruction is absent
};

struct CountWork {
    // Not counted: brings the GPU into the state in which the launch finds it. Both only put things into the default stream.
    std::function<cuda::Result<void>()> prepare;
    std::function<cuda::Result<void>()> launch;  // one kernel
    double mostSeconds = 10;                     // that the patched kernel may take
};

struct CountReport {
    std::vector<CountedInstruction> instructions;  // by entry, then by offset
    std::vector<std::string> lacking;              // names of counts that this chip does not offer
    bool stillRuns = false;  // it took longer than that, or was stopped: only the end of the process ends it, and nothing was counted
};

// `context`: entered by this thread, nothing of it runs. Once a process, successful or not, from the moment of its configuration: then
// `isSpent` is set.
[[nodiscard]] Result<CountReport> countInstructions(std::shared_ptr<const Library> library, cuda::Context& context, const CountWork& work,
                                                    bool& isSpent, std::stop_token stop);

}  // namespace tw::cupti
