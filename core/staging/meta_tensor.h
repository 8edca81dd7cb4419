// Tensors of foreign libraries without data: what is known of their shapes and dtypes.
#pragma once

#include "core/staging/interpreter.h"
#include "core/staging/text.h"

namespace tw::staging {

[[nodiscard]] Value makeTensor(std::vector<Value> shape, std::optional<ir::DType> dtype, std::string path);
// An element type as torch and numpy read it: Python's int and float are the wide ones.
[[nodiscard]] std::optional<ir::DType> wideDType(const Value& value);
[[nodiscard]] Value tensorBinary(syntax::BinaryOp op, const Value& a, const Value& b);
[[nodiscard]] Value tensorSubscript(Interpreter& interpreter, const MetaTensor& tensor, const Value& index,
                                    const SourceRange& range);
// The method of that name if it reduces, sorts or squeezes; its results say their shapes.
[[nodiscard]] std::optional<Value> tensorReduction(const Value& tensor, const std::string& name);
// "%d of %s" % values.
[[nodiscard]] std::string percentFormat(Interpreter& interpreter, const std::string& format, const Value& values,
                                        const SourceRange& range);

}  // namespace tw::staging
