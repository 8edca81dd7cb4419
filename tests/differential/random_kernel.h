// Random TileLang files for differential tests of whole devices, as an author would write them: odd shapes and ragged edges, thread
// counts that are no power of two, every element type, products of all transpositions with tails along K, pipelines of any depth,
// reductions and scans along either axis, conditions with tile operations, atomics.
//
// They are valid and free of races. Values stay small, and only exact ones are compared or turned into integers, so that every
// correct device agrees with the interpreter within the bounds of language.md g.2b.
#pragma once

#include <cstdint>
#include <string>

namespace tw::test {

// The text of a file with one kernel, `main`. The same seed gives the same text. Print it when a test fails.
[[nodiscard]] std::string randomKernel(std::uint32_t seed);

}  // namespace tw::test
