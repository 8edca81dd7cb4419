// What a surveyed program remembers for tracing.
#pragma once

#include <compare>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "core/staging/compile_options.h"
#include "core/staging/program.h"

namespace tw::staging {

// A call of a kernel, recognised when the file runs again: which kernel, where, and how often it was there before.
struct CallKey {
    std::uint64_t entry = 0, site = 0;
    int occurrence = 0;
    auto operator<=>(const CallKey&) const = default;
};

// The outcome of staging one instance.
struct Traced {
    bool attempted = false;
    bool isContainer = false;  // the factory gives several functions
    std::vector<std::pair<std::string, std::shared_ptr<const ir::Function>>> functions;  // by selector, "" for one alone
    std::vector<Diagnostic> diagnostics;
    std::map<std::string, std::int64_t> dims;
    std::vector<std::string> missing;
};

// One instance that the program offers.
struct InstanceSource {
    std::uint64_t entry = 0;
    std::optional<CallKey> call;
    std::string selector;
    Traced traced;
    std::map<std::string, std::int64_t> dims;
    std::optional<CompileOptions> compileOptions;
};

// Instances that were traced on request, as they are: by the target that answered device queries and Instance::id. A file may
// call its kernels hundreds of times: each run of it stages twice as many of the calls that follow as the run before.
struct TraceCache {
    struct Kept {
        TraceResult result;
        std::vector<Diagnostic> diagnostics;
    };
    std::mutex mutex;  // guards the rest: many threads trace from one program
    std::map<std::pair<std::string, std::uint32_t>, Kept> kept;
    std::size_t nextRun = 1;  // how many calls the next run stages
};

struct Program::State {
    std::shared_ptr<const syntax::Module> module;
    SourceSet sources;
    std::vector<Kernel> kernels;
    std::vector<std::uint64_t> entryOf;       // of each kernel
    std::vector<std::string> selectorOf;
    std::vector<InstanceSource> instances;    // by Instance::id
    std::map<CallKey, Traced> results;        // of all calls, for running the file again
    std::map<std::string, std::string> siblings;  // the texts that imports found
    std::shared_ptr<TraceCache> cache = std::make_shared<TraceCache>();
};

}  // namespace tw::staging
