#include "profiler/device/cuda_call.h"

#include <fmt/ranges.h>

#include "core/analysis/tensor_roles.h"
#include "profiler/cuda/tensor_map.h"
#include "profiler/device/cuda_executable.h"
#include "profiler/device/pointers.h"

namespace tw::device {
namespace {

bool fail(const cuda::Failure& failure, const SourceRange& range, DiagnosticSink& diagnostics)
{
    diagnostics.report(toDiagnostic(failure, range));
    return false;
}

std::optional<cuda::TensorMapType> mapType(ir::DType type)
{
    using T = cuda::TensorMapType;
    switch (type.family()) {
        case ir::Family::kBFloat: return T::kBF16;
        case ir::Family::kTFloat: return T::kTF32;
        case ir::Family::kFloat: return type.bits() == 16 ? T::kF16 : type.bits() == 32 ? T::kF32 : T::kF64;
        case ir::Family::kInt:
        case ir::Family::kUInt:
        case ir::Family::kBool:
        case ir::Family::kFloat8: break;
        default: return std::nullopt;
    }
    switch (type.bits()) {
        case 8: return T::kU8;
        case 16: return T::kU16;
        case 32: return type.isSigned() ? T::kI32 : T::kU32;
        case 64: return type.isSigned() ? T::kI64 : T::kU64;
        default: return std::nullopt;
    }
}

cuda::TensorMapSwizzle swizzleOf(int bytes)
{
    using S = cuda::TensorMapSwizzle;
    return bytes == 32 ? S::k32 : bytes == 64 ? S::k64 : bytes == 128 ? S::k128 : S::kNone;
}

}  // namespace

CudaCall::CudaCall(const CudaKernels& kernels, const interp::Arguments& arguments)
    : context_(kernels.context), function_(*kernels.function), program_(*kernels.program), functions_(kernels.functions), arguments_(arguments),
      values_(arguments)
{
}

bool CudaCall::prepare(DiagnosticSink& diagnostics)
{
    return checkAsserts(diagnostics) && makeTensors(diagnostics) && makeWorkspaces(diagnostics) && makeMaps(diagnostics) &&
           makeLaunches(diagnostics);
}

std::vector<std::int64_t> CudaCall::evaluate(std::span<const ir::Expr> list, const std::string& what, DiagnosticSink& diagnostics)
{
    if (auto found = values_.values(list))
        return std::move(*found);
    diagnostics.error(Code::kNotSupported, function_.range, fmt::format("not supported: {} needs more than extents and integers to be known", what));
    return {};
}

bool CudaCall::checkAsserts(DiagnosticSink& diagnostics)
{
    for (const gpu::HostAssert& a : program_.asserts) {
        if (values_.value(a.condition).value_or(1) != 0)
            continue;
        diagnostics.error(Code::kArgument, a.range,
                          fmt::format("an assertion on the arguments does not hold{}{}", a.message.empty() ? "" : ": ", a.message));
        return false;
    }
    return true;
}

bool CudaCall::makeTensors(DiagnosticSink& diagnostics)
{
    const std::vector<ir::Buffer> buffers = parameterTensors(function_);
    const std::vector<analysis::TensorRole> roles = parameterRoles(function_);
    for (std::size_t i = 0; i < buffers.size(); ++i) {
        const auto given = arguments_.tensors.find(function_.params[i].name());
        if (!buffers[i] || given == arguments_.tensors.end())
            continue;
        const interp::Tensor& tensor = given->second;
        const std::vector<std::int64_t> strides = evaluate(buffers[i]->strides, "the strides of " + given->first, diagnostics);
        if (diagnostics.hasErrors())
            return false;
        const bool isWritten = roles[i] == analysis::TensorRole::kOut || roles[i] == analysis::TensorRole::kInOut;
        Tensor made{given->first, StridedLayout(tensor.dtype, tensor.shape, strides), isWritten, nullptr, nullptr};
        auto memory = cuda::Memory::allocate(context_, made.layout.bytes());
        auto done = memory ? (*memory)->upload(made.layout.isContiguous() ? tensor.bytes : made.layout.pack(tensor.bytes))
                           : cuda::Result<void>(tl::unexpected(memory.error()));
        if (!done)
            return fail(done.error(), function_.range, diagnostics);
        made.memory = std::move(*memory);
        tensors_.emplace(static_cast<int>(i), std::move(made));
    }
    return true;
}

bool CudaCall::makeWorkspaces(DiagnosticSink& diagnostics)
{
    for (const gpu::Workspace& w : program_.workspaces) {
        const std::vector<std::int64_t> shape = evaluate(w.shape, "the shape of " + w.name, diagnostics);
        if (diagnostics.hasErrors())
            return false;
        auto memory = cuda::Memory::allocate(context_, StridedLayout(w.type, shape, {}).bytes());
        if (!memory)
            return fail(memory.error(), function_.range, diagnostics);
        workspaces_.push_back(std::move(*memory));
    }
    return true;
}

bool CudaCall::makeMaps(DiagnosticSink& diagnostics)
{
    for (const gpu::TensorMap& m : program_.tensorMaps) {
        const auto type = mapType(m.type);
        const std::string name = m.isWorkspace ? program_.workspaces[static_cast<std::size_t>(m.index)].name
                                               : function_.params[static_cast<std::size_t>(m.index)].name();
        if (!type) {
            diagnostics.error(Code::kNotSupported, function_.range, fmt::format("not supported: TMA copies of {}, which is {}", name, m.type.name()));
            return false;
        }
        cuda::TensorMapSpec spec;
        spec.type = *type;
        spec.address = m.isWorkspace ? workspaces_.at(static_cast<std::size_t>(m.index))->address() : tensors_.at(m.index).memory->address();
        spec.extents = evaluate(m.shape, "the shape of " + name, diagnostics);
        spec.strides = evaluate(m.strides, "the strides of " + name, diagnostics);
        if (diagnostics.hasErrors())
            return false;
        spec.box = m.box;
        spec.elementStrides = m.elementStrides;
        for (auto* list : {&spec.extents, &spec.strides, &spec.box, &spec.elementStrides})
            std::reverse(list->begin(), list->end());
        if (!spec.strides.empty())
            spec.strides.erase(spec.strides.begin());  // of the contiguous axis
        for (std::int64_t& stride : spec.strides)
            stride *= cuda::elementBytes(*type);
        spec.swizzle = swizzleOf(m.swizzleBytes);
        const auto map = cuda::encodeTensorMap(context_->driver(), spec);
        if (!map) {
            cuda::Failure failure = map.error();
            failure.message = fmt::format("{}: {}", name, failure.message);
            return fail(failure, function_.range, diagnostics);
        }
        maps_.push_back(*map);
    }
    return true;
}

bool CudaCall::makeLaunches(DiagnosticSink& diagnostics)
{
    for (std::size_t i = 0; i < program_.launches.size(); ++i) {
        const gpu::KernelLaunch& l = program_.launches[i];
        if (l.condition && values_.value(l.condition).value_or(1) == 0)
            continue;
        Launch launch;
        launch.index = i;
        launch.function = functions_[i];
        const std::vector<std::int64_t> grid = evaluate(l.grid, "the grid", diagnostics);
        if (diagnostics.hasErrors())
            return false;
        std::copy_n(grid.begin(), std::min<std::size_t>(grid.size(), 3), launch.shape.grid.begin());
        launch.shape.block = l.block;
        std::copy_n(l.cluster.begin(), std::min<std::size_t>(l.cluster.size(), 3), launch.shape.cluster.begin());
        launch.shape.dynamicSharedBytes = l.dynamicSharedBytes;
        launch.shape.isCooperative = l.cooperative;
        launch.shape.mayStartEarly = l.programmatic;
        for (const gpu::Argument& argument : l.arguments)
            if (!addParameter(argument, launch, l.range, diagnostics))
                return false;
        launches_.push_back(std::move(launch));
    }
    return true;
}

bool CudaCall::addScalar(const gpu::Argument& argument, std::variant<std::int64_t, double> value, Launch& launch)
{
    interp::Tensor one = interp::makeTensor(argument.type, {1});
    if (argument.type.isFloating())
        one.setFloat(0, std::visit([](auto v) { return static_cast<double>(v); }, value));
    else
        one.setInt(0, std::visit([](auto v) { return static_cast<std::int64_t>(v); }, value));
    launch.parameters.addBytes(one.bytes.data(), one.bytes.size());
    return true;
}

bool CudaCall::addParameter(const gpu::Argument& argument, Launch& launch, const SourceRange& range, DiagnosticSink& diagnostics)
{
    const auto index = static_cast<std::size_t>(argument.index);
    const auto missing = [&](const std::string& name) {
        diagnostics.error(Code::kArgument, range, fmt::format("{} has no value", name));
        return false;
    };
    switch (argument.kind) {
        case gpu::ArgumentKind::kWorkspace: launch.parameters.add(workspaces_.at(index)->address()); return true;
        case gpu::ArgumentKind::kTensorMap: launch.parameters.add(maps_.at(index)); return true;
        case gpu::ArgumentKind::kSymbol: {
            const auto found = arguments_.dims.find(function_.symbols.at(index)->name);
            return found == arguments_.dims.end() ? missing(argument.name) : addScalar(argument, found->second, launch);
        }
        case gpu::ArgumentKind::kTensor:
        case gpu::ArgumentKind::kScalar: break;
    }
    if (const auto tensor = tensors_.find(argument.index); tensor != tensors_.end()) {
        launch.parameters.add(tensor->second.memory->address());
        return true;
    }
    const auto found = arguments_.scalars.find(function_.params.at(index).name());
    return found == arguments_.scalars.end() ? missing(argument.name) : addScalar(argument, found->second, launch);
}

cuda::Result<void> CudaCall::keepInputs()
{
    for (auto& [index, tensor] : tensors_) {
        if (!tensor.isWritten)
            continue;
        auto kept = cuda::Memory::allocate(context_, tensor.memory->bytes());
        if (!kept)
            return tl::unexpected(kept.error());
        tensor.kept = std::move(*kept);
        if (auto done = tensor.kept->copyFrom(*tensor.memory); !done)
            return done;
    }
    return {};
}

cuda::Result<void> CudaCall::restore()
{
    for (auto& [index, tensor] : tensors_)
        if (tensor.kept)
            if (auto done = tensor.memory->copyFrom(*tensor.kept); !done)
                return done;
    return {};
}

cuda::Result<void> CudaCall::launchAll()
{
    for (std::size_t i = 0; i < launches_.size(); ++i) {
        if (auto done = clearWorkspaces(); !done)
            return done;
        if (auto done = launch(i); !done)
            return done;
    }
    return {};
}

cuda::Result<void> CudaCall::clearWorkspaces()
{
    for (std::size_t i = 0; i < workspaces_.size(); ++i)
        if (program_.workspaces[i].zeroed)
            if (auto done = workspaces_[i]->fill(0); !done)
                return done;
    return {};
}

cuda::Result<void> CudaCall::launch(std::size_t i)
{
    Launch& l = launches_.at(i);
    return cuda::launch(*context_, l.function, l.shape, l.parameters);
}

void CudaCall::use(const std::vector<cuda::api::Function>& functions)
{
    for (Launch& launch : launches_)
        launch.function = functions.at(launch.index);
}

bool CudaCall::finish(interp::Arguments& arguments, DiagnosticSink& diagnostics)
{
    const SourceRange range = program_.launches.empty() ? function_.range : program_.launches.front().range;
    const auto isWhole = [&](const std::string& name, cuda::Memory& memory) {
        const auto guard = memory.brokenGuard();
        if (!guard)
            return fail(guard.error(), range, diagnostics);
        if (!*guard)
            return true;
        diagnostics.error(Code::kOutOfBounds, range,
                          fmt::format("the kernel stores outside {}: {} bytes changed, the nearest {} bytes {}", name, (*guard)->bytes,
                                      (*guard)->distance, (*guard)->isBefore ? "before its start" : "behind its end"));
        return false;
    };
    for (auto& [index, tensor] : tensors_)
        if (!isWhole(tensor.name, *tensor.memory))
            return false;
    for (std::size_t i = 0; i < workspaces_.size(); ++i)
        if (!isWhole(program_.workspaces[i].name, *workspaces_[i]))
            return false;
    for (auto& [index, tensor] : tensors_) {
        if (!tensor.isWritten)
            continue;
        std::vector<std::uint8_t> bytes(static_cast<std::size_t>(tensor.memory->bytes()));
        if (auto done = tensor.memory->download(bytes); !done)
            return fail(done.error(), range, diagnostics);
        tensor.layout.unpack(bytes, arguments.tensors.at(tensor.name).bytes);
    }
    return true;
}

}  // namespace tw::device
