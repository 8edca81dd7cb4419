#include "tests/unit/cuda/fake_driver.h"

#include <cstdlib>
#include <cstring>

#include <gtest/gtest.h>

namespace tw::cuda {
namespace {

FakeDriver* fake = nullptr;  // the driver's interface has no place for it

int attributeOf(int which)
{
    static const std::map<int, int> kValues = {
        {api::kComputeMajor, 9}, {api::kComputeMinor, 0}, {api::kMultiprocessors, 132}, {api::kMaxThreadsPerBlock, 1024},
        {api::kSharedPerBlockOptIn, 232448}, {api::kL2Bytes, 4096}, {api::kCooperativeLaunch, 1}, {api::kClusterLaunch, 1}};
    const auto found = kValues.find(which);
    return found == kValues.end() ? 0 : found->second;
}

int note(std::string what)
{
    fake->log.push_back(std::move(what));
    return fake->failure;
}

void* pointer(api::Address address) { return reinterpret_cast<void*>(address); }

int launchKernel(const api::LaunchConfig* config, api::Function function, void** parameters, void**)
{
    if (fake->failure || fake->launchResult)
        return fake->failure ? fake->failure : fake->launchResult;
    fake->launches.push_back(*config);
    fake->attributes.assign(config->attributes, config->attributes + config->attributeCount);
    (*reinterpret_cast<FakeDriver::Kernel*>(function))(parameters);
    return note("launch");
}

api::Functions makeFunctions()
{
    api::Functions f;
    f.init = [](unsigned) { return fake->initResult; };
    f.driverVersion = [](int* version) { return *version = 13000, 0; };
    f.errorName = [](int result, const char** text) { return *text = result == 700 ? "CUDA_ERROR_ILLEGAL_ADDRESS" : nullptr, 0; };
    f.errorText = [](int, const char** text) { return *text = "driver's words", 0; };
    f.deviceCount = [](int* count) { return *count = fake->deviceCount, 0; };
    f.device = [](api::Device* device, int ordinal) { return *device = ordinal, 0; };
    f.deviceName = [](char* name, int, api::Device) { return std::strcpy(name, "Fake GPU"), 0; };
    f.deviceMemory = [](std::size_t* bytes, api::Device) { return *bytes = std::size_t{1} << 30, 0; };
    f.deviceAttribute = [](int* value, int which, api::Device) { return *value = attributeOf(which), 0; };
    f.retainContext = [](api::Context* context, api::Device) { return *context = reinterpret_cast<api::Context>(fake), 0; };
    f.releaseContext = [](api::Device) { return note("release context"); };
    f.setContext = [](api::Context) { return 0; };
    f.synchronize = [] { return note("synchronize"); };
    f.loadModule = [](api::Module* module, const void* image, unsigned, int*, void** values) {
        if (std::string(static_cast<const char*>(image)) == "bad") {
            std::strcpy(static_cast<char*>(values[0]), "line 1: no such instruction");
            return static_cast<int>(api::kInvalidPtx);
        }
        return *module = reinterpret_cast<api::Module>(fake), fake->failure;
    };
    f.unloadModule = [](api::Module) { return 0; };
    f.function = [](api::Function* function, api::Module, const char* name) {
        const auto found = fake->kernels.find(name);
        if (found == fake->kernels.end())
            return static_cast<int>(api::kNotFound);
        return *function = reinterpret_cast<api::Function>(&found->second), 0;
    };
    f.functionAttribute = [](int* value, int which, api::Function) { return *value = which == api::kFunctionRegisters ? 40 : 0, 0; };
    f.setFunctionAttribute = [](api::Function, int which, int value) { return fake->functionAttributes[which] = value, 0; };
    f.residentBlocks = [](int* blocks, api::Function, int, std::size_t) { return *blocks = 3, 0; };
    f.launch = launchKernel;
    f.allocate = [](api::Address* address, std::size_t bytes) {
        if (bytes > (std::size_t{1} << 30))
            return static_cast<int>(api::kOutOfMemory);
        ++fake->live;
        return *address = reinterpret_cast<api::Address>(std::aligned_alloc(256, (bytes + 255) / 256 * 256)), fake->failure;
    };
    f.release = [](api::Address address) { return --fake->live, std::free(pointer(address)), 0; };
    f.upload = [](api::Address to, const void* from, std::size_t bytes) { return std::memcpy(pointer(to), from, bytes), note("upload"); };
    f.download = [](void* to, api::Address from, std::size_t bytes) { return std::memcpy(to, pointer(from), bytes), note("download"); };
    f.copyAsync = [](api::Address to, api::Address from, std::size_t bytes, api::Stream) {
        return std::memcpy(pointer(to), pointer(from), bytes), note("copy");
    };
    f.fillAsync = [](api::Address to, unsigned char value, std::size_t bytes, api::Stream) {
        return std::memset(pointer(to), value, bytes), note("fill " + std::to_string(bytes));
    };
    f.queryStream = [](api::Stream) { return fake->notReady-- > 0 ? static_cast<int>(api::kNotReady) : fake->failure; };
    f.createEvent = [](api::Event*, unsigned) { return 0; };
    f.destroyEvent = [](api::Event) { return 0; };
    f.recordEvent = [](api::Event, api::Stream) { return note("record"); };
    f.elapsed = [](float* milliseconds, api::Event, api::Event) { return *milliseconds = 0.25F, 0; };
    f.encodeTensorMap = [](api::TensorMap* map, int type, std::uint32_t rank, void*, const std::uint64_t* extents, const std::uint64_t*,
                           const std::uint32_t*, const std::uint32_t*, int, int swizzle, int, int) {
        *map = {{static_cast<std::uint64_t>(type), rank, extents[0], static_cast<std::uint64_t>(swizzle)}};
        return 0;
    };
    return f;
}

}  // namespace

FakeDriver::FakeDriver() { fake = this; }
FakeDriver::~FakeDriver() { fake = nullptr; }

const api::Functions& FakeDriver::functions()
{
    static const api::Functions kFunctions = makeFunctions();
    return kFunctions;
}

std::shared_ptr<Context> FakeDriver::context()
{
    auto driver = Driver::adopt(functions());
    EXPECT_TRUE(driver.has_value());
    auto context = Context::open(*driver, 0);
    EXPECT_TRUE(context.has_value());
    return *context;
}

}  // namespace tw::cuda
