// The meaning of the language: runs a tile-stage function on host tensors.
//
// Blocks run in grid order. Element arithmetic rounds to its dtype after every operation (language.md g.2b). Blocks of a
// cluster or of a launch with a grid-wide barrier, warp-specialised roles and divergent threads run as coroutines.
#pragma once

#include <functional>
#include <stop_token>

#include "core/interp/tensor.h"
#include "core/ir/stmt.h"
#include "core/support/diagnostic.h"

namespace tw::interp {

class Observer;

struct RunOptions {
    bool reverseBlocks = false;     // finds what depends on the order of blocks
    bool perturb = false;           // every inexact result moves by up to one unit roundoff: how far errors spread
    bool tf32Products = false;      // products round float32 operands to TF32, as tensor cores do
    bool checkUninitialized = true; // reads of on-chip elements that nobody wrote are errors
    std::vector<std::int64_t> blocks{};  // linear numbers; empty: all. Only these run, with their clusters; a launch whose blocks meet runs whole
    std::int64_t maxLogBytes = 1 << 20;
    Observer* observer = nullptr;   // told about accesses and synchronisation (observer.h); null costs nothing
    std::function<void(double fraction)> progress;  // called from the running thread, at most every 50 ms
};

struct RunResult {
    bool ok = false;    // false: see the diagnostics (out of bounds, deadlock, failed assertion, cancelled)
    bool cancelled = false;
    std::string log;    // what T.print printed
};

// Runs `function`; the written tensors of `arguments` hold the answer. Errors point at the user's source line. Throws
// InternalError only for broken assumptions of ours. Any thread; one call uses one thread.
[[nodiscard]] RunResult run(const ir::Function& function, Arguments& arguments, const RunOptions& options,
                            DiagnosticSink& diagnostics, std::stop_token stop = {});

}  // namespace tw::interp
