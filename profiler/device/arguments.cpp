#include "profiler/device/arguments.h"

#include <charconv>

#include <fmt/ranges.h>

#include "core/ir/number.h"
#include "profiler/device/chunks.h"
#include "profiler/device/index_ranges.h"
#include "profiler/device/pointers.h"
#include "profiler/device/random.h"

namespace tw::device {
namespace {

using analysis::TensorRole;

// The same values however many threads make them: each piece begins where its numbers stand in the one stream.
void generateFloats(interp::Tensor& tensor, const Random& stream, Fill fill)
{
    inChunks(tensor.elementCount(), [&](std::int64_t, std::int64_t begin, std::int64_t end) {
        Random random = stream;
        random.skip(static_cast<std::uint64_t>(fill == Fill::kNormal ? 2 * begin : begin));
        for (std::int64_t i = begin; i < end; ++i)
            tensor.setFloat(i, fill == Fill::kNormal ? random.normal() : static_cast<double>(random.integer(-2, 2)));
    });
}

void generateIntegers(interp::Tensor& tensor, Random& random, const IndexUse* use)
{
    const ir::DType type = tensor.dtype;
    std::int64_t low = type.isSigned() ? -8 : 0;
    std::int64_t high = type.isSigned() ? 7 : 15;
    if (use) {
        low = 0;
        high = use->largest;
        const std::uint64_t limit = ir::largestInt(type);
        if (static_cast<std::uint64_t>(high) > limit)
            high = static_cast<std::int64_t>(limit);
    }
    const std::int64_t n = tensor.elementCount();
    std::vector<std::int64_t> values;
    for (std::int64_t i = 0; i < n; ++i)
        values.push_back(random.integer(low, high));
    if (use && use->isOrdered) {
        std::sort(values.begin(), values.end());
        // Offsets of rows cover everything.
        if (n > 1) {
            values.front() = 0;
            values.back() = high;
        }
    }
    for (std::int64_t i = 0; i < n; ++i)
        tensor.setInt(i, values[static_cast<std::size_t>(i)]);
}

tl::expected<std::variant<std::int64_t, double>, std::string> parseScalar(const std::string& name, ir::DType type, std::string text)
{
    if (text == "True" || text == "true")
        text = "1";
    if (text == "False" || text == "false")
        text = "0";
    const char* begin = text.data() + (text.starts_with('+') ? 1 : 0);
    const char* end = text.data() + text.size();
    if (type.isFloating()) {
        double value = 0;
        const auto [rest, error] = std::from_chars(begin, end, value);
        if (error == std::errc() && rest == end)
            return ir::roundTo(type, value);
        return tl::unexpected(fmt::format("{} is a {} and \"{}\" is no number", name, type.name(), text));
    }
    std::int64_t value = 0;
    const auto [rest, error] = std::from_chars(begin, end, value);
    if (error != std::errc() || rest != end)
        return tl::unexpected(fmt::format("{} is an {} and \"{}\" is no whole number", name, type.name(), text));
    if (type.isInteger() && (value < ir::smallestInt(type) || (value > 0 && static_cast<std::uint64_t>(value) > ir::largestInt(type))))
        return tl::unexpected(fmt::format("{} is an {}, which cannot hold {}", name, type.name(), value));
    return value;
}

class Preparation {
public:
    Preparation(const ir::Function& function, const Extents& extents, const GivenInputs& given, const ArgumentOptions& options)
        : function_(function), extents_(extents), given_(given), options_(options)
    {
    }

    tl::expected<PreparedArguments, std::string> run()
    {
        if (std::string stranger = firstUnknownInput(); !stranger.empty())
            return tl::unexpected(std::move(stranger));
        out_.roles = parameterRoles(function_);
        const std::vector<ir::Buffer> tensors = parameterTensors(function_);
        uses_ = indexRanges(function_, extents_);
        for (const ir::Var& v : function_.symbols)
            if (const auto value = extents_.find(v->name); value != extents_.end())
                out_.arguments.dims[v->name] = value->second;
        for (std::size_t i = 0; i < function_.params.size(); ++i) {
            const ir::Param& p = function_.params[i];
            std::string error = tensors[i] ? tensor(tensors[i], out_.roles[i]) : scalar(std::get<ir::Var>(p.value));
            if (!error.empty())
                return tl::unexpected(std::move(error));
        }
        return std::move(out_);
    }

private:
    std::string firstUnknownInput() const
    {
        std::vector<std::string> names;
        for (const ir::Param& p : function_.params)
            names.push_back(p.name());
        const auto isParameter = [&](const std::string& name) { return std::find(names.begin(), names.end(), name) != names.end(); };
        for (const auto& [name, array] : given_.arrays)
            if (!isParameter(name))
                return fmt::format("the kernel has no parameter {}; it has {}", name, fmt::join(names, ", "));
        for (const auto& [name, literal] : given_.literals)
            if (!isParameter(name))
                return fmt::format("the kernel has no parameter {}; it has {}", name, fmt::join(names, ", "));
        return {};
    }

    // Empty, or what is wrong.
    std::string tensor(const ir::Buffer& buffer, TensorRole role)
    {
        const std::string& name = buffer->name;
        const std::vector<std::int64_t> shape = shapeOf(buffer, extents_);
        interp::Tensor& value = out_.arguments.tensors[name];
        if (const auto array = given_.arrays.find(name); array != given_.arrays.end()) {
            auto converted = toTensor(array->second, name, buffer->dtype, shape);
            if (!converted)
                return converted.error();
            value = std::move(*converted);
            return {};
        }
        value = interp::makeTensor(buffer->dtype, shape);
        if (const auto literal = given_.literals.find(name); literal != given_.literals.end())
            return fillWith(value, name, literal->second);
        if (role == TensorRole::kOut) {
            interp::poison(value);
            return {};
        }
        generate(value, name, role);
        return {};
    }

    // `--input A=0` for a tensor: every element.
    static std::string fillWith(interp::Tensor& tensor, const std::string& name, const std::string& literal)
    {
        const auto value = parseScalar(name, tensor.dtype, literal);
        if (!value)
            return value.error();
        for (std::int64_t i = 0, n = tensor.elementCount(); i < n; ++i) {
            if (const auto* real = std::get_if<double>(&*value))
                tensor.setFloat(i, *real);
            else
                tensor.setInt(i, std::get<std::int64_t>(*value));
        }
        return {};
    }

    void generate(interp::Tensor& tensor, const std::string& name, TensorRole role)
    {
        Random random(options_.seed, name);
        if (tensor.dtype.isFloating()) {
            generateFloats(tensor, random, options_.fill);
        } else if (tensor.dtype.isBool()) {
            for (std::int64_t i = 0, n = tensor.elementCount(); i < n; ++i)
                tensor.setInt(i, static_cast<std::int64_t>(random.next() & 1));
        } else if (role != TensorRole::kInOut) {  // integer tensors that are updated start at 0: counters, histograms
            const auto use = uses_.find(name);
            generateIntegers(tensor, random, use == uses_.end() ? nullptr : &use->second);
            out_.generated.push_back(name);
        }
    }

    std::string scalar(const ir::Var& var)
    {
        auto& value = out_.arguments.scalars[var->name];
        if (const auto literal = given_.literals.find(var->name); literal != given_.literals.end()) {
            auto parsed = parseScalar(var->name, var->dtype, literal->second);
            if (!parsed)
                return parsed.error();
            value = *parsed;
            return {};
        }
        if (given_.arrays.contains(var->name))
            return scalarFromArray(var, given_.arrays.at(var->name), value);
        if (var->dtype.isHandle())
            return fmt::format("{} is a raw pointer that the kernel makes no tensor of", var->name);
        if (const auto extent = extents_.find(var->name); extent != extents_.end()) {
            value = extent->second;
            return {};
        }
        Random random(options_.seed, var->name);
        if (var->dtype.isFloating()) {
            value = ir::roundTo(var->dtype, options_.fill == Fill::kNormal ? random.normal() : 1.0);
            return {};
        }
        const auto use = uses_.find(var->name);
        value = use == uses_.end() ? random.integer(1, var->dtype.isBool() ? 1 : 7) : random.integer(std::min<std::int64_t>(1, use->second.largest), use->second.largest);
        out_.generated.push_back(var->name);
        return {};
    }

    static std::string scalarFromArray(const ir::Var& var, const NpyArray& array, std::variant<std::int64_t, double>& value)
    {
        if (array.count() != 1 || array.kind == NpyArray::Kind::kRaw)
            return fmt::format("{} is a scalar, but the given array has shape ({})", var->name, fmt::join(array.shape, ", "));
        if (var->dtype.isFloating())
            value = ir::roundTo(var->dtype, array.floatAt(0));
        else
            value = array.kind == NpyArray::Kind::kFloat ? static_cast<std::int64_t>(array.floatAt(0)) : array.intAt(0);
        return {};
    }

    const ir::Function& function_;
    const Extents& extents_;
    const GivenInputs& given_;
    const ArgumentOptions& options_;
    std::map<std::string, IndexUse> uses_;
    PreparedArguments out_;
};

}  // namespace

double tensorBytes(const ir::Function& function, const Extents& extents)
{
    double bytes = 0;
    for (const ir::Buffer& buffer : parameterTensors(function)) {
        if (!buffer)
            continue;
        double one = buffer->dtype.bits() / 8.0;
        for (const std::int64_t extent : shapeOf(buffer, extents))
            one *= static_cast<double>(extent);
        bytes += one;
    }
    return bytes;
}

std::map<std::string, std::vector<std::int64_t>> GivenInputs::shapes() const
{
    std::map<std::string, std::vector<std::int64_t>> shapes;
    for (const auto& [name, array] : arrays)
        shapes[name] = array.shape;
    return shapes;
}

tl::expected<PreparedArguments, std::string> prepareArguments(const ir::Function& function, const Extents& extents,
                                                             const GivenInputs& given, const ArgumentOptions& options)
{
    return Preparation(function, extents, given, options).run();
}

std::vector<std::size_t> outputOrder(const ir::Function& function, const std::vector<TensorRole>& roles, bool returnedLast)
{
    const auto isReturned = [&](std::size_t i) {
        return std::find(function.returned.begin(), function.returned.end(), static_cast<int>(i)) != function.returned.end();
    };
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < function.params.size(); ++i) {
        const bool isWritten = roles[i] == TensorRole::kOut || roles[i] == TensorRole::kInOut;
        if ((isWritten || isReturned(i)) && !(returnedLast && isReturned(i)))
            order.push_back(i);
    }
    if (returnedLast)
        for (const int i : function.returned)
            order.push_back(static_cast<std::size_t>(i));
    return order;
}

}  // namespace tw::device
