// What a damaged store still holds, moved into a new one.
#pragma once

#include <cstdint>
#include <string>

#include "profiler/store/database.h"

namespace tw::store {

struct Salvage {
    bool wasWhole = false;      // nothing is damaged, and nothing was changed; the rest is then zero
    std::int64_t runs = 0;      // moved, under their numbers
    std::int64_t lostRuns = 0;  // there is a trace of them, and their capture cannot be read
    std::int64_t trials = 0;    // of tuning runs, moved
    std::string kept;           // where the damaged file is now
};

// Puts a new store in the place of a damaged one, with every run, note, tag, baseline and trial that can be read; the damaged file
// keeps its bytes under another name beside it; a program that writes meanwhile writes into that. Fails with a sentence, and changes
// nothing, where the file is no store of ours, nothing can be read, or there is no room for the new one.
[[nodiscard]] Result<Salvage> salvage(const std::string& path);

}  // namespace tw::store
