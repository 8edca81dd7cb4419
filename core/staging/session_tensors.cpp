// Whether the tensors of a call are those that its kernel takes.
#include <fmt/format.h>

#include "core/staging/builtins.h"
#include "core/staging/integer_math.h"
#include "core/staging/meta_tensor.h"
#include "core/staging/session.h"
#include "core/staging/text.h"

namespace tw::staging {
namespace {

struct Misfit {
    Code code;
    std::string message;
};

std::optional<Misfit> shapeMisfit(const ir::BufferNode& buffer, const MetaTensor& tensor, const std::string& kernel)
{
    const auto& shape = buffer.shape;
    if (tensor.shape.size() != shape.size())
        return Misfit{Code::kShapeMismatch,
                      fmt::format("`{}` of `{}` has {} axes, the tensor given has {}", buffer.name, kernel, shape.size(), tensor.shape.size())};
    const std::size_t packed = buffer.dtype.bits() < 8 ? 1 : 0;  // a foreign tensor holds several elements in one there
    for (std::size_t axis = 0; axis + packed < shape.size(); ++axis) {
        const auto* given = tensor.shape[axis].get<Integer>();
        const auto* extent = ir::asInt(shape[axis]);
        if (given && extent && *given != *extent)
            return Misfit{Code::kShapeMismatch, fmt::format("axis {} of `{}` is {} in `{}`, the tensor given has {}", axis, buffer.name, *extent,
                                                            kernel, repr(tensor.shape[axis]))};
    }
    return std::nullopt;
}

// A dtype of the same size may stand for one that the foreign library lacks.
std::optional<Misfit> dtypeMisfit(const ir::BufferNode& buffer, const MetaTensor& tensor, const std::string& kernel)
{
    const bool sameBits = tensor.dtype && tensor.dtype->bits() == buffer.dtype.bits();
    const bool plain = buffer.dtype.bits() >= 8 && tensor.path.find("view") == std::string::npos;
    if (!tensor.dtype || !plain || *tensor.dtype == buffer.dtype || (sameBits && buffer.dtype.family() >= ir::Family::kTFloat))
        return std::nullopt;
    return Misfit{Code::kDtypeMismatch, fmt::format("`{}` of `{}` has dtype {}, the tensor given has {}", buffer.name, kernel, buffer.dtype.name(),
                                                    tensor.dtype->name())};
}

}  // namespace

// An eager kernel's extents come from the tensors: those that stand in several places must agree.
void Session::checkEagerTensors(const ir::Function& function, const Record& record)
{
    for (const ir::Param& param : function.params) {
        const auto* buffer = std::get_if<ir::Buffer>(&param.value);
        const auto given = buffer ? record.tensors.find((*buffer)->name) : record.tensors.end();
        const auto* tensor = given == record.tensors.end() ? nullptr : given->second.object<const MetaTensor>();
        if (!tensor)
            continue;
        auto misfit = shapeMisfit(**buffer, *tensor, record.kernel->name);
        if (!misfit)
            misfit = dtypeMisfit(**buffer, *tensor, record.kernel->name);
        if (misfit)
            interpreter_->fail(misfit->code, record.callRange, std::move(misfit->message));
    }
}

void Session::checkTensors(const KernelValue& kernel, const ir::Function& function, const CallArguments& arguments, Record* record)
{
    std::vector<const ir::Param*> wanted;
    for (std::size_t i = 0; i < function.params.size(); ++i)
        if (std::find(function.returned.begin(), function.returned.end(), static_cast<int>(i)) == function.returned.end())
            wanted.push_back(&function.params[i]);
    bool isCertain = true;
    for (const CallArgument& argument : arguments.items)
        isCertain = isCertain && argument.keyword.empty() && !isOpaque(*argument.value);
    const auto complain = [&](Code code, const SourceRange& range, std::string message) {
        Diagnostic diagnostic;
        diagnostic.code = code;
        diagnostic.range = range;
        diagnostic.message = std::move(message);
        report(std::move(diagnostic), entries_[kernel.entry].name);
    };
    if (arguments.items.size() != wanted.size()) {
        if (isCertain && arguments.items.size() != function.params.size())
            complain(Code::kCallArguments, arguments.call,
                     fmt::format("`{}` takes {} argument{}, {} are given", kernel.name, wanted.size(), wanted.size() == 1 ? "" : "s",
                                 arguments.items.size()));
        return;
    }
    std::map<std::string, std::pair<Integer, std::string>> extents;  // of this call
    for (std::size_t i = 0; i < wanted.size(); ++i) {
        const auto* buffer = std::get_if<ir::Buffer>(&wanted[i]->value);
        const auto* tensor = arguments.items[i].value->object<const MetaTensor>();
        const SourceRange& range = arguments.items[i].range;
        if (!buffer || !tensor)
            continue;
        if (auto misfit = shapeMisfit(**buffer, *tensor, kernel.name)) {
            complain(misfit->code, range, std::move(misfit->message));
            return;
        }
        for (std::size_t axis = 0; axis < tensor->shape.size(); ++axis) {
            const auto* given = tensor->shape[axis].get<Integer>();
            const auto* var = ir::as<ir::VarNode>((*buffer)->shape[axis]);
            const bool isPacked = (*buffer)->dtype.bits() < 8 && axis + 1 == tensor->shape.size();
            if (!var || !given || !fits64(*given) || isPacked)
                continue;
            const auto [known, isNew] = extents.try_emplace(var->name, *given, (*buffer)->name);
            if (!isNew && known->second.first != *given) {
                complain(Code::kShapeMismatch, range,
                         fmt::format("the extent `{}` of `{}` is {} in `{}`, but {} in `{}`", var->name, kernel.name,
                                     static_cast<std::int64_t>(known->second.first), known->second.second, static_cast<std::int64_t>(*given),
                                     (*buffer)->name));
                return;
            }
            if (record)
                record->dims.emplace(var->name, static_cast<std::int64_t>(*given));
        }
        if (auto misfit = dtypeMisfit(**buffer, *tensor, kernel.name))
            complain(misfit->code, range, std::move(misfit->message));
    }
}

}  // namespace tw::staging
