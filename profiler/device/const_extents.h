// T.const extents from given inputs, before anything is traced: an eager kernel's `A: T.Tensor((M, N), dtype)` binds M and N
// to the shape of A.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/staging/program.h"
#include "core/syntax/ast.h"
#include "profiler/device/extents.h"

namespace tw::device {

// Names that stand alone on an axis of a tensor annotation of `kernel`, with the extent that the given array has there;
// the first tensor wins. Whether such a name is an extent at all is the caller's to know.
[[nodiscard]] Extents extentsFromAnnotations(const syntax::Module& module, const staging::Kernel& kernel,
                                             const std::map<std::string, std::vector<std::int64_t>>& shapes);

}  // namespace tw::device
