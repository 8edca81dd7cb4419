// Who decides what happens when kernels are defined, compiled and called: the survey and the tracing of one instance.
#pragma once

#include "core/staging/evaluator.h"
#include "core/staging/kernel_value.h"

namespace tw::staging {

class KernelHost {
public:
    virtual ~KernelHost() = default;
    virtual void kernelDefined(const std::shared_ptr<KernelValue>& kernel) = 0;  // @tilelang.jit, @tl.kernel
    virtual Value definePrimFunc(const std::shared_ptr<FunctionValue>& function, const SourceRange& decorator) = 0;
    virtual Value kernelCompiled(const std::shared_ptr<KernelValue>& compiled, const CallArguments& call) = 0;
    virtual Value callKernel(const std::shared_ptr<KernelValue>& kernel, const CallArguments& arguments) = 0;
    virtual std::optional<Value> kernelAttribute(const std::shared_ptr<KernelValue>& kernel, const std::string& name) = 0;
    // Before a plain function runs. A result replaces the call (undecorated factories that are being surveyed).
    virtual std::optional<Value> enterFunction(const std::shared_ptr<FunctionValue>& function,
                                               const CallArguments& arguments) = 0;
    // After the parameters of a function are bound: overlays for functions that enclose the kernel being traced.
    virtual void overlayParameters(const FunctionValue& function, Environment& scope) = 0;
};

}  // namespace tw::staging
