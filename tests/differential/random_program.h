// Random tile-stage functions for differential tests: valid (the verifier and check() have nothing to say), deterministic
// and free of races, so that every correct way of running them gives the same answer.
//
// A program reads one or more global tensors, works on shared tiles, fragments and variables with copies, parallel nests,
// serial and pipelined loops, conditions, products and reductions, and writes every element of its outputs.
#pragma once

#include <cstdint>

#include "core/ir/stmt.h"

namespace tw::test {

struct RandomOptions {
    int statements = 8;           // of the launch's body, roughly
    bool products = true;         // T.gemm in a pipelined loop
    bool reductions = true;       // T.reduce_* and T.cumsum
    bool transcendental = false;  // exp2, sqrt, …: answers then differ by a few ulp between devices
    bool smallFloats = true;      // float8 and bfloat16 beside float16 and float32
};

// The same seed gives the same function. Print the seed when a test fails.
[[nodiscard]] ir::Function randomProgram(std::uint32_t seed, const RandomOptions& options = {});

}  // namespace tw::test
