// PTX ISA 9.0: 9.7.14 (mma.sync), 9.7.15 (wgmma), 9.7.9.25 (cp.async.bulk.tensor).
#include "codegen/cuda/instructions.h"

#include <vector>

#include <fmt/format.h>

#include "core/ir/call.h"
#include "core/ir/stmt.h"
#include "core/layout/mma.h"
#include "core/support/check.h"

namespace tw::cuda_backend {

using ir::DType;
using ir::Scalar;

namespace {

struct Shape {
    std::int64_t m = 0, n = 0, k = 0;
    bool operator==(const Shape&) const = default;
};

Shape shapeOf(const ir::OpCall& call)
{
    const auto found = call.attrs.find("shape");
    const auto* text = found == call.attrs.end() ? nullptr : std::get_if<std::string>(&found->second);
    const auto mma = text ? layout::parseMma(*text, 0) : std::nullopt;
    TW_CHECK(mma.has_value(), "a matrix product has a shape like m16n8k16");
    return {mma->m, mma->n, mma->k};
}

DType typeOf(const ir::OpCall& call)
{
    const auto found = call.attrs.find("type");
    const auto* name = found == call.attrs.end() ? nullptr : std::get_if<std::string>(&found->second);
    const auto parsed = name ? ir::parseDType(*name) : std::nullopt;
    TW_CHECK(parsed.has_value(), "a matrix product names the type of its multiplicands");
    return *parsed;
}

// Empty for what no tensor instruction multiplies.
std::string ptxType(DType type)
{
    switch (type.scalar) {
    case Scalar::kFloat16: return "f16";
    case Scalar::kBFloat16: return "bf16";
    case Scalar::kTFloat32: case Scalar::kFloat32: return "tf32";
    case Scalar::kFloat64: return "f64";
    case Scalar::kFloat8E4M3FN: return "e4m3";
    case Scalar::kFloat8E5M2: return "e5m2";
    case Scalar::kInt8: return "s8";
    case Scalar::kUInt8: return "u8";
    case Scalar::kInt4: return "s4";
    case Scalar::kUInt4: return "u4";
    default: return "";
    }
}

// The second operand's own type, where it may differ (fp8 formats, signs of integers).
DType secondType(const ir::OpCall& call, DType first)
{
    const DType stored = ir::regionOperand(call, "B")->buffer->dtype.element();
    const bool mixes = stored.bits() == first.bits() && stored.family() != ir::Family::kFloat && first.bits() <= 8 && !ptxType(stored).empty() &&
                       stored.isFloating() == first.isFloating();
    return mixes ? stored : first;
}

struct MmaForm {
    const char* type;
    Shape shape;
    int compute;
};
constexpr MmaForm kForms[] = {
    {"f16", {16, 8, 8}, 75},  {"f16", {16, 8, 16}, 80},  {"bf16", {16, 8, 8}, 80}, {"bf16", {16, 8, 16}, 80}, {"tf32", {16, 8, 4}, 80}, {"tf32", {16, 8, 8}, 80},
    {"f64", {8, 8, 4}, 80},   {"f64", {16, 8, 4}, 90},   {"f64", {16, 8, 8}, 90},  {"f64", {16, 8, 16}, 90},  {"e4m3", {16, 8, 16}, 89}, {"e4m3", {16, 8, 32}, 89}, {"e5m2", {16, 8, 16}, 89},
    {"e5m2", {16, 8, 32}, 89}, {"s8", {8, 8, 16}, 75},   {"s8", {16, 8, 16}, 80},  {"s8", {16, 8, 32}, 80},   {"u8", {8, 8, 16}, 75},   {"u8", {16, 8, 16}, 80},
    {"u8", {16, 8, 32}, 80},  {"s4", {8, 8, 32}, 75},    {"s4", {16, 8, 32}, 80},  {"s4", {16, 8, 64}, 80},   {"u4", {8, 8, 32}, 75},   {"u4", {16, 8, 32}, 80},
    {"u4", {16, 8, 64}, 80}};

std::string accumulatorType(const ir::OpCall& call)
{
    const DType type = ir::regionOperand(call, "C")->buffer->dtype.element();
    return type.scalar == Scalar::kFloat16 ? "f16" : type.scalar == Scalar::kFloat64 ? "f64" : type.isInteger() ? "s32" : "f32";
}

std::string list(int first, int count)
{
    std::string out;
    for (int i = 0; i < count; ++i)
        out += fmt::format("{}%{}", i > 0 ? ", " : "", first + i);
    return out;
}

std::string constraints(const char* how, const char* array, int count)
{
    std::string out;
    for (int i = 0; i < count; ++i)
        out += fmt::format("{}\"{}\"({}[{}])", i > 0 ? ", " : "", how, array, i);
    return out;
}

std::string shapeText(const Shape& s) { return fmt::format("m{}n{}k{}", s.m, s.n, s.k); }

}  // namespace

std::optional<std::string> missingProduct(const ir::OpCall& call, const target::Target& target)
{
    const std::string type = ptxType(typeOf(call));
    const Shape shape = shapeOf(call);
    if (call.op == ir::OpId::kWgmma)
        return target.compute == 90 ? std::nullopt : std::optional(fmt::format("wgmma on {}: only sm_90a has it", target.name));
    std::string known;
    for (const MmaForm& form : kForms) {
        if (form.type != type)
            continue;
        if (form.shape == shape && form.compute <= target.compute)
            return std::nullopt;
        if (form.compute <= target.compute)
            known += (known.empty() ? "" : ", ") + shapeText(form.shape);
    }
    return fmt::format("mma {} of {} on {}: {}", shapeText(shape), typeOf(call).name(), target.name,
                       known.empty() ? "it has no such instruction" : "it has " + known);
}

// Registers of a lane: every matrix is spread evenly over the warp.
InstructionFunction mmaFunction(const ir::OpCall& call)
{
    const Shape s = shapeOf(call);
    const DType first = typeOf(call), second = secondType(call, first);
    const std::string a = ptxType(first), b = ptxType(second), sum = accumulatorType(call);
    const bool isDouble = first.bits() == 64;
    const int word = isDouble ? 64 : 32;
    const auto count = [&](std::int64_t elements, int bits) { return static_cast<int>(elements * bits / 32 / word); };
    const int na = count(s.m * s.k, first.bits()), nb = count(s.k * s.n, second.bits());
    const int nc = sum == "f16" ? count(s.m * s.n, 16) : isDouble ? count(s.m * s.n, 64) : count(s.m * s.n, 32);
    const char* input = isDouble ? "double" : "unsigned";
    const char* inputMark = isDouble ? "d" : "r";
    const char* output = isDouble ? "double" : sum == "f32" ? "float" : sum == "s32" ? "int" : "unsigned";
    const char* outputMark = isDouble ? "+d" : sum == "f32" ? "+f" : "+r";

    InstructionFunction f;
    f.name = fmt::format("tw_mma_{}_{}_{}_{}", shapeText(s), sum, a, b);
    const std::string c = list(0, nc);
    f.text = fmt::format("// C += A * B, one tile of the warp; each pointer at this lane's values.\n"
                         "TW_DEVICE void {}(void* c, const void* a, const void* b)\n{{\n"
                         "    {}* d = static_cast<{}*>(c);\n    const {}* x = static_cast<const {}*>(a);\n    const {}* y = static_cast<const {}*>(b);\n"
                         "    asm volatile(\"mma.sync.aligned.{}.row.col.{}.{}.{}.{} {{{}}}, {{{}}}, {{{}}}, {{{}}};\"\n"
                         "                 : {}\n                 : {}, {});\n}}\n",
                         f.name, output, output, input, input, input, input, shapeText(s), sum, a, b, sum, c, list(nc, na), list(nc + na, nb), c,
                         constraints(outputMark, "d", nc), constraints(inputMark, "x", na), constraints(inputMark, "y", nb));
    return f;
}

InstructionFunction wgmmaFunction(const ir::OpCall& call)
{
    const Shape s = shapeOf(call);
    const DType first = typeOf(call), second = secondType(call, first);
    const std::string a = ptxType(first), b = ptxType(second), sum = accumulatorType(call);
    const bool fromRegisters = ir::regionOperand(call, "A")->buffer->scope != ir::MemoryScope::kShared;
    const bool isInteger = sum == "s32";
    const int nc = static_cast<int>(s.m * s.n * (sum == "f16" ? 16 : 32) / 128 / 32);
    const auto option = [&](const char* name) { return static_cast<int>(ir::intAttr(call.attrs, name, 0)); };
    // A is K-major unless it was stored transposed, B is K-major only then; other majors exist for 16-bit types.
    const int majorA = ir::boolAttr(call.attrs, "transpose_A", false) ? 1 : 0;
    const int majorB = ir::boolAttr(call.attrs, "transpose_B", false) ? 0 : 1;
    const bool is16 = first.bits() == 16;
    const char* output = sum == "f32" ? "float" : isInteger ? "int" : "unsigned";

    InstructionFunction f;
    f.name = fmt::format("tw_wgmma_{}_{}_{}_{}_{}{}", shapeText(s), sum, a, b, fromRegisters ? "rs" : "ss", is16 ? fmt::format("_{}{}", majorA, majorB) : "");
    f.name += fmt::format("_{}_{}_{}", option("swizzle_B"), option("leading_B"), option("stride_B"));
    if (!fromRegisters)
        f.name += fmt::format("_{}_{}_{}", option("swizzle_A"), option("leading_A"), option("stride_A"));
    const int inputs = fromRegisters ? 4 : 1;
    const int at = nc;
    std::string operands = fromRegisters ? fmt::format("{{{}}}, %{}", list(at, 4), at + 4) : fmt::format("%{}, %{}", at, at + 1);
    operands += ", p";
    if (!isInteger)
        operands += ", 1, 1";
    if (is16)
        operands += fromRegisters ? fmt::format(", {}", majorB) : fmt::format(", {}, {}", majorA, majorB);
    const std::string left = fromRegisters ? constraints("r", "x", 4)
                                           : fmt::format("\"l\"(tw_wgmma_descriptor(a, {}, {}, {}))", option("leading_A"), option("stride_A"), option("swizzle_A"));
    f.text = fmt::format("// Starts C = A * B + (accumulate ? C : 0) on the warp group.\n"
                         "TW_DEVICE void {}(void* c, const void* a, const void* b, bool accumulate)\n{{\n    {}* d = static_cast<{}*>(c);\n{}"
                         "    asm volatile(\"{{\\n.reg .pred p;\\nsetp.ne.b32 p, %{}, 0;\\n\"\n"
                         "                 \"wgmma.mma_async.sync.aligned.{}.{}.{}.{} {{{}}}, {};\\n}}\"\n"
                         "                 : {}\n                 : {}, \"l\"(tw_wgmma_descriptor(b, {}, {}, {})), \"r\"((int)accumulate));\n}}\n",
                         f.name, output, output, fromRegisters ? "    const unsigned* x = static_cast<const unsigned*>(a);\n" : "", at + inputs + 1, shapeText(s), sum, a, b,
                         list(0, nc), operands, constraints(sum == "f32" ? "+f" : "+r", "d", nc), left, option("leading_B"), option("stride_B"), option("swizzle_B"));
    return f;
}

InstructionFunction tmaFunction(const ir::OpCall& call)
{
    const bool loads = call.op == ir::OpId::kTmaLoad;
    const ir::Region& global = *ir::regionOperand(call, loads ? "src" : "dst");
    const auto rank = static_cast<int>(global.mins.size());
    const auto text = [&](const char* name) {
        const auto found = call.attrs.find(name);
        const auto* value = found == call.attrs.end() ? nullptr : std::get_if<std::string>(&found->second);
        return value ? *value : std::string();
    };
    const std::int64_t mask = ir::intAttr(call.attrs, "cluster_mask", 0);
    const std::string eviction = text("eviction_policy"), reduce = text("reduce");
    const bool hinted = !eviction.empty() && eviction != "evict_normal";
    const char* ptxReduce = reduce == "sum" || reduce == "add" ? "add" : reduce == "max" ? "max" : reduce == "min" ? "min" : reduce == "bitand" ? "and" : reduce == "bitor" ? "or" : "xor";
    std::string parameters, coordinates, inputs;
    const int firstCoordinate = loads ? 3 : 2;
    for (int i = 0; i < rank; ++i) {
        parameters += fmt::format(", int c{}", i);
        coordinates += fmt::format("{}%{}", i > 0 ? ", " : "", firstCoordinate + i);
        inputs += fmt::format(", \"r\"(c{})", i);
    }
    InstructionFunction f;
    f.name = fmt::format("tw_tma_{}_{}d", loads ? "load" : reduce.empty() ? "store" : reduce, rank);
    int next = firstCoordinate + rank;
    std::string tail;
    if (loads && mask != 0) {
        f.name += fmt::format("_multicast_{}", mask);
        tail += fmt::format(", %{}", next++);
        inputs += fmt::format(", \"h\"((unsigned short){})", mask);
    }
    if (hinted) {
        f.name += "_" + eviction;
        tail += fmt::format(", %{}", next++);
        inputs += fmt::format(", \"l\"(tw_cache_hint({}))", eviction == "evict_first" ? 1 : 2);
    }
    if (loads) {
        f.text = fmt::format("TW_DEVICE void {}(const tw_tensor_map* map, void* to, unsigned long long* barrier{})\n{{\n"
                             "    asm volatile(\"cp.async.bulk.tensor.{}d.shared::cluster.global.tile.mbarrier::complete_tx::bytes{}{} [%0], [%1, {{{}}}], [%2]{};\"\n"
                             "                 ::\"r\"(tw_shared(to)), \"l\"(map), \"r\"(tw_shared(barrier)){} : \"memory\");\n}}\n",
                             f.name, parameters, rank, mask != 0 ? ".multicast::cluster" : "", hinted ? ".L2::cache_hint" : "", coordinates, tail, inputs);
        return f;
    }
    f.text = fmt::format("TW_DEVICE void {}(const tw_tensor_map* map, const void* from{})\n{{\n"
                         "    asm volatile(\"cp{}.async.bulk.tensor.{}d.global.shared::cta{}.tile.bulk_group{} [%0, {{{}}}], [%1]{};\"\n"
                         "                 ::\"l\"(map), \"r\"(tw_shared(from)){} : \"memory\");\n}}\n",
                         f.name, parameters, reduce.empty() ? "" : ".reduce", rank, reduce.empty() ? "" : std::string(".") + ptxReduce, hinted ? ".L2::cache_hint" : "",
                         coordinates, tail, inputs);
    return f;
}

}  // namespace tw::cuda_backend
