// Whether a device's answer is the interpreter's, within the bounds of language.md g.2b.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/interp/tensor.h"
#include "profiler/protocol/messages.h"

namespace tw::device {

struct Tolerance {
    std::optional<double> rtol, atol;  // either one replaces the bounds of the language
};

// One output of four runs on the same arguments.
struct Answers {
    const interp::Tensor& reference;  // the interpreter
    const interp::Tensor& perturbed;  // the interpreter with every inexact result moved by up to one unit roundoff
    const interp::Tensor& reversed;   // the interpreter with the blocks in reversed order
    const interp::Tensor& device;
};

// The largest distance from the reference that each element may have. 0 wherever nothing inexact reached the tensor.
[[nodiscard]] std::vector<double> errorBounds(const interp::Tensor& reference, const interp::Tensor& perturbed);

// NaN equals NaN. Elements that the order of the blocks changes are counted as such and never as wrong.
[[nodiscard]] protocol::Comparison compareAnswers(const std::string& name, const Answers& answers, const Tolerance& tolerance);

// Adds the counts of another set of inputs; keeps the first wrong element.
void merge(protocol::Comparison& into, const protocol::Comparison& other);

}  // namespace tw::device
