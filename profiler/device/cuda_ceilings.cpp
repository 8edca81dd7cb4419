#include "profiler/device/cuda_ceilings.h"

#include <algorithm>
#include <sstream>

#include <fmt/core.h>

#include "profiler/analysis/roofline.h"
#include "profiler/cuda/launch.h"
#include "profiler/cuda/timing.h"
#include "profiler/device/cuda_compile.h"
#include "profiler/device/cuda_target.h"
#include "profiler/device/product_kernel.h"

namespace tw::device {
namespace {

constexpr double kProductSeconds = 2e-3;  // of one launch: long enough for its start not to count, too short for the power limit
constexpr int kProductSamples = 10;
constexpr const char* kMethod = "ceilings 1";  // another number where a way of measuring changes

capture::Ceiling ceilingOf(std::string name, double work, bool isBandwidth, const std::vector<double>& samplesUs)
{
    const cuda::TimingSummary times = cuda::summarizeTimes(samplesUs);
    return {std::move(name), times.median > 0 ? work / times.median * 1e6 : 0, isBandwidth, capture::Origin::kMeasured,
            static_cast<int>(samplesUs.size()), times.spread()};
}

// The kernel in a context, ready for launches.
struct LoadedProducts {
    ProductKernel kernel;
    std::unique_ptr<cuda::Module> module;
    cuda::api::Function function = nullptr;
    std::unique_ptr<cuda::Memory> results;
};

tl::expected<LoadedProducts, std::string> loadProducts(const std::shared_ptr<cuda::Context>& context, ir::DType type, const protocol::CudaCompiler& client)
{
    const auto name = targetFor(context->device().major, context->device().minor);
    const auto target = name ? target::parse(*name) : std::nullopt;
    const auto kernel = target ? productKernel(*target, type) : std::nullopt;
    if (!kernel)
        return tl::unexpected(fmt::format("products of {} are not measured on {}, the data sheet's rate stands for it", type.name(), context->device().name));
    const protocol::CudaCompileResult compiled = compileAnywhere({"products.cu", kernel->text, target->name, false}, client);
    if (compiled.cubin.empty())
        return tl::unexpected(compiled.head.diagnostics.empty() ? std::string("the kernel of products was not compiled") : compiled.head.diagnostics.front().message);
    LoadedProducts out{*kernel, nullptr, nullptr, nullptr};
    auto module = cuda::Module::load(context, compiled.cubin);
    if (!module)
        return tl::unexpected(module.error().message);
    out.module = std::move(*module);
    const auto function = out.module->find(kernel->entry);
    if (!function)
        return tl::unexpected(function.error().message);
    out.function = *function;
    auto memory = cuda::Memory::allocate(context, 4 * kernel->threads * context->device().multiprocessors);
    if (!memory)
        return tl::unexpected(memory.error().message);
    out.results = std::move(*memory);
    return out;
}

std::string ceilingText(const capture::Ceiling& c)
{
    return fmt::format("{}\t{}\t{}\t{}\t{}\n", c.name, c.perSecond, c.isBandwidth ? 1 : 0, c.samples, c.spread);
}

std::optional<capture::Ceiling> parse(const std::string& text)
{
    capture::Ceiling c;
    std::istringstream in(text);
    int isBandwidth = 0;
    if (!std::getline(in, c.name, '\t') || !(in >> c.perSecond >> isBandwidth >> c.samples >> c.spread) || !(c.perSecond > 0))
        return std::nullopt;
    c.isBandwidth = isBandwidth != 0;
    c.origin = capture::Origin::kMeasured;
    return c;
}

}  // namespace

cuda::Result<capture::Ceiling> measureCopyCeiling(const std::shared_ptr<cuda::Context>& context, std::int64_t bytes)
{
    if (auto done = context->enter(); !done)
        return tl::unexpected(done.error());
    auto from = cuda::Memory::allocate(context, bytes);
    if (!from)
        return tl::unexpected(from.error());
    auto to = cuda::Memory::allocate(context, bytes);
    if (!to)
        return tl::unexpected(to.error());
    if (auto done = (*from)->fill(1); !done)
        return tl::unexpected(done.error());
    const auto samples = cuda::time(context, {}, [&] { return (*to)->copyFrom(**from); }, {.warmUps = 1, .repeats = 5, .flushL2 = false});
    if (!samples)
        return tl::unexpected(samples.error());
    return ceilingOf("DRAM", 2 * static_cast<double>(bytes), true, *samples);
}

tl::expected<capture::Ceiling, std::string> measureProductCeiling(const std::shared_ptr<cuda::Context>& context, ir::DType type,
                                                                  const protocol::CudaCompiler& client)
{
    if (auto done = context->enter(); !done)
        return tl::unexpected(done.error().message);
    const auto products = loadProducts(context, type, client);
    if (!products)
        return tl::unexpected(products.error());
    cuda::LaunchShape shape;
    shape.grid[0] = context->device().multiprocessors;
    shape.block[0] = products->kernel.threads;
    shape.dynamicSharedBytes = products->kernel.sharedBytes;
    std::int32_t iterations = 1000;
    const auto launch = [&] {
        cuda::ParameterList parameters;
        parameters.add(products->results->address());
        parameters.add(iterations);
        return cuda::launch(*context, products->function, shape, parameters);
    };
    const auto first = cuda::time(context, {}, launch, {.warmUps = 1, .repeats = 3, .flushL2 = false});
    if (!first)
        return tl::unexpected(first.error().message);
    const double us = cuda::summarizeTimes(*first).median;
    iterations = static_cast<std::int32_t>(std::clamp(iterations * kProductSeconds * 1e6 / std::max(us, 1.0), 100.0, 1e7));
    const auto samples = cuda::time(context, {}, launch, {.warmUps = 1, .repeats = kProductSamples, .flushL2 = false});
    if (!samples)
        return tl::unexpected(samples.error().message);
    return ceilingOf(profile_analysis::tensorCeiling(type), products->kernel.operations * iterations * static_cast<double>(shape.grid[0]), false, *samples);
}

std::filesystem::path ceilingFolder()
{
    const std::filesystem::path cubins = cuda::CubinCache::defaultFolder();
    return cubins.empty() ? cubins : cubins.parent_path() / "ceilings";
}

std::vector<capture::Ceiling> ceilingsOfGpu(const std::shared_ptr<cuda::Context>& context, const std::vector<ir::DType>& products,
                                            const protocol::CudaCompiler& client, std::map<std::string, std::string>& absences,
                                            const cuda::CubinCache& cache)
{
    std::vector<capture::Ceiling> out;
    const cuda::DeviceInfo& d = context->device();
    const auto add = [&](const std::string& name, const auto& measure) {
        const cuda::CubinKey key{kMethod, {name, fmt::format("{}", d.ordinal), fmt::format("{} {} {}", d.multiprocessors, d.clockKhz, d.memoryBytes)},
                                 fmt::format("driver {}", context->driver().version()), d.name};
        if (const auto known = cache.find(key))
            if (auto ceiling = parse(*known)) {
                out.push_back(std::move(*ceiling));
                return;
            }
        const tl::expected<capture::Ceiling, std::string> ceiling = measure();
        if (ceiling) {
            cache.store(key, ceilingText(*ceiling));
            out.push_back(*ceiling);
        } else {
            std::string& why = absences["measured ceilings"];
            why += (why.empty() ? "" : "; ") + ceiling.error();
        }
    };
    add("DRAM", [&]() -> tl::expected<capture::Ceiling, std::string> {
        auto ceiling = measureCopyCeiling(context);
        if (!ceiling)
            return tl::unexpected(ceiling.error().message);
        return std::move(*ceiling);
    });
    for (const ir::DType type : products)
        add(profile_analysis::tensorCeiling(type), [&] { return measureProductCeiling(context, type, client); });
    return out;
}

}  // namespace tw::device
