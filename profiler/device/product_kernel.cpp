#include "profiler/device/product_kernel.h"

#include <fmt/core.h>

namespace tw::device {
namespace {

// Operands of one type: PTX's name, bytes of an element, and which of 32 random bits stay, so that every element is a finite number
// of about 1 (integers: any).
struct Operand {
    const char* name;
    int bytes;
    std::uint32_t kept, fixed;
    bool isInteger;
};

std::optional<Operand> operandOf(ir::DType type)
{
    if (type == ir::kFloat16)
        return Operand{"f16", 2, 0x83ff83ff, 0x3c003c00, false};
    if (type == ir::kBFloat16)
        return Operand{"bf16", 2, 0x807f807f, 0x3f803f80, false};
    if (type == ir::kFloat32 || type.family() == ir::Family::kTFloat)
        return Operand{"tf32", 4, 0x807fe000, 0x3f800000, false};
    if (type == ir::DType{ir::Scalar::kFloat8E4M3FN})
        return Operand{"e4m3", 1, 0x87878787, 0x38383838, false};
    if (type == ir::DType{ir::Scalar::kFloat8E5M2})
        return Operand{"e5m2", 1, 0x83838383, 0x3c3c3c3c, false};
    if (type == ir::kInt8)
        return Operand{"s8", 1, 0xffffffff, 0, true};
    if (type == ir::kUInt8)
        return Operand{"u8", 1, 0xffffffff, 0, true};
    return std::nullopt;
}

constexpr const char* kRandom = R"(
__device__ __forceinline__ unsigned random(unsigned x)
{
    x = (x ^ x >> 16) * 0x7feb352du;
    x = (x ^ x >> 15) * 0x846ca68bu;
    return (x ^ x >> 16) & KEPT | FIXED;
}
)";

// "prefix0, prefix1, …" with `n` numbers from `first`.
std::string numbered(const char* before, int first, int n, const char* after = "")
{
    std::string out;
    for (int i = first; i < first + n; ++i)
        out += fmt::format("{}{}{}{}", i == first ? "" : ", ", before, i, after);
    return out;
}

std::string head(const Operand& operand) { return fmt::format("#define KEPT {:#x}u\n#define FIXED {:#x}u\n{}", operand.kept, operand.fixed, kRandom); }

constexpr int kRows = 64, kColumns = 256, kGroups = 2, kSteps = 4, kStepBytes = 32;  // of wgmma; steps along k, each 32 bytes wide
constexpr int kTileA = kRows * kSteps * kStepBytes, kTileB = kColumns * kSteps * kStepBytes;

// Both operands k-major with 128-byte swizzle: rows of 128 bytes in groups of eight, 1024 bytes from one to the next.
constexpr const char* kDescriptor = R"(
__device__ __forceinline__ unsigned long long describe(const void* tile)
{
    return ((unsigned long long)__cvta_generic_to_shared(tile) & 0x3ffff) >> 4 | 1ull << 16 | 64ull << 32 | 1ull << 62;
}
)";

ProductKernel wgmmaKernel(const Operand& operand)
{
    const int registers = kRows * kColumns / 128;
    const char* type = operand.isInteger ? "int" : "float";
    const char* modifiers = operand.isInteger ? "" : operand.bytes == 2 ? ", 1, 1, 0, 0" : ", 1, 1";
    ProductKernel kernel{"products", {}, 128 * kGroups, kTileA * kGroups + kTileB, 0};
    const int k = kStepBytes / operand.bytes;
    kernel.operations = 2.0 * kRows * kColumns * k * kSteps * kGroups;
    kernel.text = head(operand) + kDescriptor;
    kernel.text += fmt::format(R"(
extern "C" __global__ void __launch_bounds__({threads}) products({type}* results, int iterations)
{{
    extern __shared__ __align__(1024) unsigned tiles[];
    for (unsigned i = threadIdx.x; i < {words}; i += {threads})
        tiles[i] = random(i * 2654435761u + blockIdx.x);
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    const unsigned long long a = describe(tiles + threadIdx.x / 128 * {wordsA}), b = describe(tiles + {groups} * {wordsA});
    {type} d[{registers}];
#pragma unroll
    for (int i = 0; i < {registers}; ++i)
        d[i] = 0;
    for (int i = 0; i < iterations; ++i) {{
        asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
#pragma unroll
        for (int s = 0; s < {steps}; ++s)
            asm volatile("{{\n.reg .pred p;\nsetp.ne.b32 p, %{last}, 0;\n"
                         "wgmma.mma_async.sync.aligned.m{rows}n{columns}k{k}.{result}.{name}.{name} {{{outs}}}, %{first}, %{second}, p{modifiers};\n}}"
                         : {operands}
                         : "l"(a + {stride} * s), "l"(b + {stride} * s), "r"(1));
        asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
        asm volatile("wgmma.wait_group.sync.aligned 1;" ::: "memory");
    }}
    asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
    {type} sum = 0;
#pragma unroll
    for (int i = 0; i < {registers}; ++i)
        sum += d[i];
    results[blockIdx.x * {threads} + threadIdx.x] = sum;
}}
)",
                               fmt::arg("threads", kernel.threads), fmt::arg("type", type), fmt::arg("words", kernel.sharedBytes / 4),
                               fmt::arg("wordsA", kTileA / 4), fmt::arg("groups", kGroups), fmt::arg("registers", registers), fmt::arg("steps", kSteps),
                               fmt::arg("first", registers), fmt::arg("second", registers + 1), fmt::arg("last", registers + 2), fmt::arg("rows", kRows),
                               fmt::arg("columns", kColumns), fmt::arg("k", k), fmt::arg("result", operand.isInteger ? "s32" : "f32"),
                               fmt::arg("name", operand.name), fmt::arg("outs", numbered("%", 0, registers)), fmt::arg("modifiers", modifiers),
                               fmt::arg("operands", numbered(operand.isInteger ? "\"+r\"(d[" : "\"+f\"(d[", 0, registers, "])")),
                               fmt::arg("stride", kStepBytes / 16));
    return kernel;
}

// Sixteen warps with eight products in flight each; operands in registers.
ProductKernel mmaKernel(const Operand& operand)
{
    constexpr int kThreads = 512, kInFlight = 8;
    const char* type = operand.isInteger ? "int" : "float";
    const int k = 32 / operand.bytes;
    ProductKernel kernel{"products", {}, kThreads, 0, 2.0 * 16 * 8 * k * kInFlight * (kThreads / 32)};
    kernel.text = head(operand) + fmt::format(R"(
extern "C" __global__ void __launch_bounds__({threads}) products({type}* results, int iterations)
{{
    unsigned a[4], b[2];
#pragma unroll
    for (int i = 0; i < 4; ++i)
        a[i] = random(threadIdx.x * 6 + i + blockIdx.x * 4096);
#pragma unroll
    for (int i = 0; i < 2; ++i)
        b[i] = random(threadIdx.x * 6 + 4 + i + blockIdx.x * 4096);
    {type} d[{inFlight}][4] = {{}};
    for (int i = 0; i < iterations; ++i) {{
#pragma unroll
        for (int s = 0; s < {inFlight}; ++s)
            asm volatile("mma.sync.aligned.m16n8k{k}.row.col.{result}.{name}.{name}.{result} {{%0, %1, %2, %3}}, {{%4, %5, %6, %7}}, {{%8, %9}}, "
                         "{{%0, %1, %2, %3}};"
                         : "+{letter}"(d[s][0]), "+{letter}"(d[s][1]), "+{letter}"(d[s][2]), "+{letter}"(d[s][3])
                         : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
    }}
    {type} sum = 0;
#pragma unroll
    for (int s = 0; s < {inFlight}; ++s)
        sum += d[s][0] + d[s][1] + d[s][2] + d[s][3];
    results[blockIdx.x * {threads} + threadIdx.x] = sum;
}}
)",
                                              fmt::arg("threads", kThreads), fmt::arg("type", type), fmt::arg("inFlight", kInFlight), fmt::arg("k", k),
                                              fmt::arg("result", operand.isInteger ? "s32" : "f32"), fmt::arg("name", operand.name),
                                              fmt::arg("letter", operand.isInteger ? "r" : "f"));
    return kernel;
}

}  // namespace

std::optional<ProductKernel> productKernel(const target::Target& target, ir::DType type)
{
    const auto operand = operandOf(type);
    if (!operand || !target.isCuda() || target.hasTensorMemory() || target.compute < 80)
        return std::nullopt;
    if (target.hasTma())
        return wgmmaKernel(*operand);
    const bool isFp8 = operand->bytes == 1 && !operand->isInteger;
    return isFp8 && !target.hasFp8() ? std::nullopt : std::optional(mmaKernel(*operand));
}

}  // namespace tw::device
