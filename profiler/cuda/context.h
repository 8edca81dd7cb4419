// One GPU in use by this process, and code loaded into it.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "profiler/cuda/driver.h"

namespace tw::cuda {

// What the compiler made of a kernel.
struct FunctionInfo {
    int registers = 0;            // of one thread
    std::int64_t localBytes = 0;  // of one thread: spilled registers and arrays that did not fit into registers
    std::int64_t staticSharedBytes = 0;
};

// The primary context of one GPU. Used by one thread at a time, which calls `enter` first. After a fault every call fails:
// `isLost` tells, and only the end of the process helps.
class Context {
public:
    // `ordinal`: N of cuda:N. Takes some hundred milliseconds for the first of a process. Fails with kNoDevice for a GPU that is not there, kPermission
    // where it may not be used.
    [[nodiscard]] static Result<std::shared_ptr<Context>> open(std::shared_ptr<const Driver> driver, int ordinal);
    ~Context();
    Context(const Context&) = delete;
    Context& operator=(const Context&) = delete;

    // Makes this context the calling thread's.
    [[nodiscard]] Result<void> enter() const;
    [[nodiscard]] const Driver& driver() const { return *driver_; }
    [[nodiscard]] const DeviceInfo& device() const { return device_; }
    // The driver's own handles, for libraries that work beside it.
    [[nodiscard]] api::Context handle() const { return context_; }
    [[nodiscard]] api::Device deviceHandle() const { return handle_; }
    [[nodiscard]] bool isLost() const { return lost_; }

    // Success, or the result in words. Notices when the context is lost.
    [[nodiscard]] Result<void> check(int result, const std::string& what);
    // Waits for everything launched.
    [[nodiscard]] Result<void> synchronize(const std::string& what);

private:
    Context() = default;

    std::shared_ptr<const Driver> driver_;
    DeviceInfo device_;
    api::Device handle_ = 0;
    api::Context context_ = nullptr;
    bool lost_ = false;
};

// A cubin (or PTX, which the driver then compiles) in a context.
class Module {
public:
    // Fails with kBadCode for another GPU's cubin and for PTX that the driver does not take; the message then holds its log.
    [[nodiscard]] static Result<std::unique_ptr<Module>> load(std::shared_ptr<Context> context, std::string_view image);
    ~Module();
    Module(const Module&) = delete;
    Module& operator=(const Module&) = delete;

    // Fails if the module has no such kernel.
    [[nodiscard]] Result<api::Function> find(const std::string& entry) const;
    // `function`: of this module. What the driver does not know is 0.
    [[nodiscard]] FunctionInfo describe(api::Function function) const;

private:
    Module(std::shared_ptr<Context> context, api::Module module) : context_(std::move(context)), module_(module) {}

    std::shared_ptr<Context> context_;
    api::Module module_;
};

}  // namespace tw::cuda
