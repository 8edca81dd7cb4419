// What the CPU back end reaches, as ratios: fp32 products against OpenBLAS, copies and elementwise work against memcpy, a row
// softmax against the same loops written by hand. Goals: 0.85, 0.9, within 1.3 times. Ours and theirs take turns, so that what
// else the machine does meets both: a ratio is the median over the rounds, its spread the quartiles.
#include <benchmark/benchmark.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <functional>
#include <thread>
#if defined(__x86_64__)
#include <immintrin.h>
#endif

#ifdef TW_HAS_OPENBLAS
#include <cblas.h>
extern "C" void openblas_set_num_threads(int);
extern "C" char* openblas_get_corename(void);
#endif

#include "codegen/llvm/cpu_kernel.h"
#include "core/ir/build.h"
#include "core/ir/visit.h"
#include "core/passes/pass.h"
#include "core/target/target.h"
#include "tests/unit/llvm/build_kernel.h"

namespace tw::test {
namespace {

using ir::MemoryScope;
using ir::OpId;

int cores() { return static_cast<int>(std::max(1U, std::thread::hardware_concurrency())); }

std::unique_ptr<llvm_backend::CpuKernel> compile(const ir::Function& function)
{
    DiagnosticSink sink;
    const target::Target cpu = target::parse("cpu").value();
    passes::PassContext context{cpu, sink, {}};
    const auto lowered = passes::runPipeline(std::make_shared<const ir::Function>(function), context);
    auto kernel = lowered.complete ? llvm_backend::compileForCpu(lowered.function, sink) : nullptr;
    if (!kernel) {
        std::fprintf(stderr, "%s\n", sink.all().empty() ? "no kernel" : sink.all()[0].message.c_str());
        std::abort();
    }
    return kernel;
}

void run(llvm_backend::CpuKernel& kernel, interp::Arguments& arguments, int threads = cores())
{
    std::string log;
    DiagnosticSink sink;
    if (!kernel.run(arguments, threads, log, sink, {}))
        std::abort();
}

// Seconds of one call: by the clock on the wall, and of all threads' processor time, which says more where other programs run.
struct Seconds {
    double wall = 0, processor = 0;
};
Seconds timed(const std::function<void()>& work)
{
    const std::clock_t processor = std::clock();
    const auto start = std::chrono::steady_clock::now();
    work();
    return {std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count(), static_cast<double>(std::clock() - processor) / CLOCKS_PER_SEC};
}

double quantile(std::vector<double> values, double q)
{
    std::sort(values.begin(), values.end());
    return values[static_cast<std::size_t>(q * static_cast<double>(values.size() - 1) + 0.5)];
}

// How much faster ours is than theirs, as counters: above 1 is better. Returns the medians in seconds, ours and theirs.
std::pair<double, double> compare(benchmark::State& state, int rounds, const std::function<void()>& ours, const std::function<void()>& theirs)
{
    std::vector<double> wall, processor, mine, other;
    for (int i = 0; i < rounds; ++i) {
        const Seconds a = timed(ours), b = timed(theirs);
        wall.push_back(b.wall / a.wall);
        processor.push_back(b.processor / a.processor);
        mine.push_back(a.wall);
        other.push_back(b.wall);
    }
    state.counters["ratio"] = quantile(wall, 0.5);
    state.counters["ratio_q1"] = quantile(wall, 0.25);
    state.counters["ratio_q3"] = quantile(wall, 0.75);
    state.counters["processor_ratio"] = quantile(processor, 0.5);
    state.counters["processor_q1"] = quantile(processor, 0.25);
    state.counters["processor_q3"] = quantile(processor, 0.75);
    return {quantile(mine, 0.5), quantile(other, 0.5)};
}

ir::Function product(std::int64_t n, std::int64_t bm, std::int64_t bn, std::int64_t bk, ir::DType type)
{
    const auto square = [&](const char* name, ir::DType t) { return globalBuffer(name, t, {ir::intImm(n), ir::intImm(n)}); };
    const ir::Buffer a = square("A", type), b = square("B", type), c = square("C", ir::kFloat32);
    const ir::Buffer as = chipBuffer("as", type, {bm, bk}, MemoryScope::kShared), bs = chipBuffer("bs", type, {bk, bn}, MemoryScope::kShared);
    const ir::Buffer acc = chipBuffer("acc", ir::kFloat32, {bm, bn}, MemoryScope::kFragment);
    const ir::Var bx = intVar("bx"), by = intVar("by"), k = intVar("k");
    const ir::Expr row = ir::mul(by, ir::intImm(bm)), column = ir::mul(bx, ir::intImm(bn)), depth = ir::mul(k, ir::intImm(bk));
    const auto body = ir::sequence({op(OpId::kCopy, {tile(a, {row, depth}, {bm, bk}), whole(as)}), op(OpId::kCopy, {tile(b, {depth, column}, {bk, bn}), whole(bs)}),
                                    op(OpId::kGemm, {whole(as), whole(bs), whole(acc)})});
    return kernel({a, b, c}, {{ir::intImm(n / bn), ir::intImm(n / bm)}, {bx, by}},
                  {std::make_shared<ir::Allocate>(as), std::make_shared<ir::Allocate>(bs), std::make_shared<ir::Allocate>(acc), op(OpId::kClear, {whole(acc)}),
                   loop(ir::ForKind::kPipelined, {k}, {n / bk}, body), op(OpId::kCopy, {whole(acc), tile(c, {row, column}, {bm, bn})})});
}

void gemm(benchmark::State& state)
{
    const std::int64_t n = state.range(0);
    const auto kernel = compile(product(n, 128, 256, 256, ir::kFloat32));
    interp::Arguments arguments;
    for (const char* name : {"A", "B", "C"}) {
        arguments.tensors[name] = interp::makeTensor(ir::kFloat32, {n, n});
        auto* data = reinterpret_cast<float*>(arguments.tensors[name].bytes.data());
        for (std::int64_t i = 0; i < n * n; ++i)
            data[i] = static_cast<float>(i % 13) / 13;
    }
    const int threads = state.range(1) == 0 ? cores() : static_cast<int>(state.range(1));
    run(*kernel, arguments, threads);
#ifdef TW_HAS_OPENBLAS
    openblas_set_num_threads(threads);
    auto* a = reinterpret_cast<float*>(arguments.tensors["A"].bytes.data());
    auto* b = reinterpret_cast<float*>(arguments.tensors["B"].bytes.data());
    auto* c = reinterpret_cast<float*>(arguments.tensors["C"].bytes.data());
    const auto call = [&] {
        const int m = static_cast<int>(n);
        cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, m, m, m, 1.0F, a, m, b, m, 0.0F, c, m);
    };
    call();
    const auto [ours, theirs] = compare(state, n > 1024 ? 11 : 41, [&] { run(*kernel, arguments, threads); }, call);
    const double flops = 2.0 * static_cast<double>(n) * static_cast<double>(n) * static_cast<double>(n);
    state.counters["GFLOPS"] = flops / ours * 1e-9;
    state.counters["OpenBLAS_GFLOPS"] = flops / theirs * 1e-9;
    state.SetLabel(std::string("OpenBLAS core: ") + openblas_get_corename());
#endif
    for (auto _ : state)
        run(*kernel, arguments, threads);
}
BENCHMARK(gemm)->ArgNames({"n", "threads"})->ArgsProduct({{1024, 2048}, {1, 0}})->Unit(benchmark::kMillisecond);

constexpr std::int64_t kLarge = 1 << 24;

void streaming(benchmark::State& state)
{
    const bool arithmetic = state.range(0) != 0;
    const ir::Buffer x = globalBuffer("X", ir::kFloat32, {ir::intImm(kLarge)}), y = globalBuffer("Y", ir::kFloat32, {ir::intImm(kLarge)});
    const ir::Var bx = intVar("bx"), i = intVar("i");
    constexpr std::int64_t block = 1 << 14;
    const ir::Expr at = ir::add(ir::mul(bx, ir::intImm(block)), i);
    ir::Expr value = load(x, {at});
    if (arithmetic)
        value = ir::binary(ir::BinaryOp::kAdd, ir::binary(ir::BinaryOp::kMul, value, ir::floatImm(1.5)), ir::floatImm(0.25));
    const auto kernel1 = compile(kernel({x, y}, {{ir::intImm(kLarge / block)}, {bx}}, {loop(ir::ForKind::kParallel, {i}, {block}, store(y, {at}, value))}));
    interp::Arguments arguments;
    arguments.tensors["X"] = tensor(ir::kFloat32, {kLarge}, {1});
    arguments.tensors["Y"] = interp::makeTensor(ir::kFloat32, {kLarge});
    run(*kernel1, arguments);
    // memcpy by as many threads, each its part.
    const auto [ours, theirs] = compare(state, 21, [&] { run(*kernel1, arguments); }, [&] {
        std::vector<std::thread> workers;
        const std::size_t part = kLarge * 4 / static_cast<std::size_t>(cores());
        for (int w = 0; w < cores(); ++w)
            workers.emplace_back([&, w] { std::memcpy(arguments.tensors["Y"].bytes.data() + w * part, arguments.tensors["X"].bytes.data() + w * part, part); });
        for (std::thread& worker : workers)
            worker.join();
    });
    state.counters["GBps"] = 8e-9 * kLarge / ours;
    state.counters["memcpy_GBps"] = 8e-9 * kLarge / theirs;
    state.SetLabel(arithmetic ? "elementwise" : "copy");
    for (auto _ : state)
        run(*kernel1, arguments);
}
BENCHMARK(streaming)->Arg(0)->Arg(1)->Unit(benchmark::kMillisecond);

// The same softmax with AVX2 by hand, the way one would write it without a compiler's help.
#if defined(__x86_64__)
__attribute__((target("avx2,fma"))) inline __m256 exp2Vector(__m256 x)
{
    const __m256 n = _mm256_round_ps(x, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
    const __m256 r = _mm256_mul_ps(_mm256_sub_ps(x, n), _mm256_set1_ps(0.6931471805599453F));
    __m256 p = _mm256_set1_ps(0.000199178146F);
    for (const float c : {0.00139460753F, 0.00833326544F, 0.0416662699F, 0.166666669F, 0.5F})
        p = _mm256_fmadd_ps(p, r, _mm256_set1_ps(c));
    const __m256 e = _mm256_add_ps(_mm256_fmadd_ps(p, _mm256_mul_ps(r, r), r), _mm256_set1_ps(1));
    const __m256i bits = _mm256_slli_epi32(_mm256_add_epi32(_mm256_cvtps_epi32(n), _mm256_set1_epi32(127)), 23);
    return _mm256_mul_ps(e, _mm256_castsi256_ps(bits));
}

__attribute__((target("avx2,fma"))) float foldVector(__m256 v, bool sum)
{
    float lanes[8];
    _mm256_storeu_ps(lanes, v);
    float result = lanes[0];
    for (int i = 1; i < 8; ++i)
        result = sum ? result + lanes[i] : std::max(result, lanes[i]);
    return result;
}

__attribute__((target("avx2,fma"))) void softmaxRow(const float* x, float* y, std::int64_t n)
{
    __m256 largest = _mm256_set1_ps(-1e30F);
    for (std::int64_t i = 0; i < n; i += 8)
        largest = _mm256_max_ps(largest, _mm256_loadu_ps(x + i));
    const __m256 m = _mm256_set1_ps(foldVector(largest, false));
    __m256 sum = _mm256_setzero_ps();
    for (std::int64_t i = 0; i < n; i += 8) {
        const __m256 e = exp2Vector(_mm256_mul_ps(_mm256_sub_ps(_mm256_loadu_ps(x + i), m), _mm256_set1_ps(1.4426950F)));
        _mm256_storeu_ps(y + i, e);
        sum = _mm256_add_ps(sum, e);
    }
    const __m256 scale = _mm256_set1_ps(1 / foldVector(sum, true));
    for (std::int64_t i = 0; i < n; i += 8)
        _mm256_storeu_ps(y + i, _mm256_mul_ps(_mm256_loadu_ps(y + i), scale));
}
#else
void softmaxRow(const float* x, float* y, std::int64_t n)
{
    const float m = *std::max_element(x, x + n);
    float sum = 0;
    for (std::int64_t i = 0; i < n; ++i)
        sum += y[i] = std::exp2((x[i] - m) * 1.4426950F);
    for (std::int64_t i = 0; i < n; ++i)
        y[i] /= sum;
}
#endif

void softmax(benchmark::State& state)
{
    constexpr std::int64_t rows = 4096, columns = 1024;
    const ir::Buffer x = globalBuffer("X", ir::kFloat32, {ir::intImm(rows), ir::intImm(columns)}), y = globalBuffer("Y", ir::kFloat32, {ir::intImm(rows), ir::intImm(columns)});
    const ir::Buffer t = chipBuffer("t", ir::kFloat32, {4, columns}, MemoryScope::kFragment);
    const ir::Buffer m = chipBuffer("m", ir::kFloat32, {4}, MemoryScope::kFragment), s = chipBuffer("s", ir::kFloat32, {4}, MemoryScope::kFragment);
    const ir::Var bx = intVar("bx"), i = intVar("i"), j = intVar("j"), i2 = intVar("i"), j2 = intVar("j");
    const std::vector<ir::Expr> at{ir::mul(bx, ir::intImm(4)), ir::intImm(0)};
    const ir::Expr difference = ir::binary(ir::BinaryOp::kSub, load(t, {i, j}), load(m, {i}));
    const ir::Expr power = ir::call(ir::kFloat32, ir::OpCall{OpId::kExp2, {ir::binary(ir::BinaryOp::kMul, difference, ir::floatImm(1.4426950))}, {}});
    const auto f = kernel({x, y}, {{ir::intImm(rows / 4)}, {bx}},
                          {std::make_shared<ir::Allocate>(t), std::make_shared<ir::Allocate>(m), std::make_shared<ir::Allocate>(s),
                           op(OpId::kCopy, {tile(x, at, {4, columns}), whole(t)}), op(OpId::kReduceMax, {whole(t), whole(m)}, {{"dim", std::int64_t{1}}}),
                           loop(ir::ForKind::kParallel, {i, j}, {4, columns}, store(t, {i, j}, power)),
                           op(OpId::kReduceSum, {whole(t), whole(s)}, {{"dim", std::int64_t{1}}}),
                           loop(ir::ForKind::kParallel, {i2, j2}, {4, columns},
                                store(t, {i2, j2}, ir::binary(ir::BinaryOp::kDiv, load(t, {i2, j2}), load(s, {i2})))),
                           op(OpId::kCopy, {whole(t), tile(y, at, {4, columns})})});
    const auto compiled = compile(f);
    interp::Arguments arguments;
    arguments.tensors["X"] = interp::makeTensor(ir::kFloat32, {rows, columns});
    arguments.tensors["Y"] = interp::makeTensor(ir::kFloat32, {rows, columns});
    auto* data = reinterpret_cast<float*>(arguments.tensors["X"].bytes.data());
    for (std::int64_t k = 0; k < rows * columns; ++k)
        data[k] = static_cast<float>(k % 101) / 20;
    run(*compiled, arguments);
    auto* out = reinterpret_cast<float*>(arguments.tensors["Y"].bytes.data());
    const auto [ours, theirs] = compare(state, 21, [&] { run(*compiled, arguments); }, [&] {
        std::vector<std::thread> workers;
        for (int w = 0; w < cores(); ++w)
            workers.emplace_back([&, w] {
                for (std::int64_t r = w; r < rows; r += cores())
                    softmaxRow(data + r * columns, out + r * columns, columns);
            });
        for (std::thread& worker : workers)
            worker.join();
    });
    state.counters["ours_ms"] = ours * 1e3;
    state.counters["by_hand_ms"] = theirs * 1e3;
    for (auto _ : state)
        run(*compiled, arguments);
}
BENCHMARK(softmax)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace tw::test

int main(int argc, char** argv)
{
    // Debian's OpenBLAS picks its kernels by a processor list that ends before newer ones: name the widest the machine has.
    if (__builtin_cpu_supports("avx512f"))
        setenv("OPENBLAS_CORETYPE", "SkylakeX", 0);
    else if (__builtin_cpu_supports("avx2"))
        setenv("OPENBLAS_CORETYPE", "Haswell", 0);
    if (!std::getenv("TW_BENCH_RESTARTED")) {  // the library reads it before main
        setenv("TW_BENCH_RESTARTED", "1", 1);
        execv("/proc/self/exe", argv);
    }
    std::printf("OPENBLAS_CORETYPE=%s\n", std::getenv("OPENBLAS_CORETYPE") ? std::getenv("OPENBLAS_CORETYPE") : "");
    benchmark::Initialize(&argc, argv);
    benchmark::RunSpecifiedBenchmarks();
    return 0;
}
