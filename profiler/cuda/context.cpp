#include "profiler/cuda/context.h"

#include <fmt/core.h>

namespace tw::cuda {

Result<std::shared_ptr<Context>> Context::open(std::shared_ptr<const Driver> driver, int ordinal)
{
    auto device = driver->describe(ordinal);
    if (!device)
        return tl::unexpected(device.error());
    std::shared_ptr<Context> context(new Context);
    context->driver_ = std::move(driver);
    context->device_ = std::move(*device);
    const std::string what = fmt::format("opening cuda:{}", ordinal);
    const api::Functions& call = context->driver_->call();
    auto done = context->check(call.device(&context->handle_, ordinal), what);
    if (done)
        done = context->check(call.retainContext(&context->context_, context->handle_), what);
    if (done)
        done = context->enter();
    if (!done)
        return tl::unexpected(done.error());
    return context;
}

Context::~Context()
{
    if (context_ && !lost_)
        driver_->call().releaseContext(handle_);
}

Result<void> Context::enter() const { return driver_->check(driver_->call().setContext(context_), "using the GPU"); }

Result<void> Context::check(int result, const std::string& what)
{
    lost_ = lost_ || isSticky(result);
    return driver_->check(result, what);
}

Result<void> Context::synchronize(const std::string& what) { return check(driver_->call().synchronize(), what); }

Result<std::unique_ptr<Module>> Module::load(std::shared_ptr<Context> context, std::string_view image)
{
    // PTX is text that must end in a zero; a cubin knows its size.
    const std::string terminated(image);
    std::string log(4096, '\0');
    int names[] = {api::kJitErrorLog, api::kJitErrorLogBytes};
    void* values[] = {log.data(), reinterpret_cast<void*>(log.size())};
    api::Module module = nullptr;
    auto done = context->check(context->driver().call().loadModule(&module, terminated.c_str(), 2, names, values), "loading the kernel's code");
    if (!done) {
        Failure failure = done.error();
        if (const std::string words = log.c_str(); !words.empty())
            failure.message += ": " + words;
        if (failure.kind == FailureKind::kBadCode)
            failure.message += fmt::format(" (this is {} with compute capability {}.{})", context->device().name, context->device().major,
                                           context->device().minor);
        return tl::unexpected(std::move(failure));
    }
    return std::unique_ptr<Module>(new Module(std::move(context), module));
}

Module::~Module()
{
    if (!context_->isLost())
        context_->driver().call().unloadModule(module_);
}

Result<api::Function> Module::find(const std::string& entry) const
{
    api::Function function = nullptr;
    const int result = context_->driver().call().function(&function, module_, entry.c_str());
    if (auto done = context_->check(result, fmt::format("finding kernel {}", entry)); !done)
        return tl::unexpected(done.error());
    return function;
}

FunctionInfo Module::describe(api::Function function) const
{
    const auto attribute = [&](int which) {
        int value = 0;
        context_->driver().call().functionAttribute(&value, which, function);
        return value;
    };
    return {attribute(api::kFunctionRegisters), attribute(api::kFunctionLocalBytes), attribute(api::kFunctionSharedBytes)};
}

}  // namespace tw::cuda
