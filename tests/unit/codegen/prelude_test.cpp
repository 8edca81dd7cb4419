// The device prelude: what a text pulls in, and that all of it compiles without a warning wherever it may be used.
#include <sstream>

#include <gtest/gtest.h>

#include "codegen/cuda/cuda.h"
#include "codegen/nvrtc/nvrtc.h"

namespace tw {
namespace {

TEST(Prelude, ATextGetsWhatItUsesAndNothingElse)
{
    const std::string text = cuda_backend::preludeFor("float y = tw_sigmoid(x);");
    EXPECT_NE(text.find("float tw_sigmoid"), std::string::npos);
    EXPECT_NE(text.find("#define TW_DEVICE"), std::string::npos);
    EXPECT_EQ(text.find("struct half"), std::string::npos);
    EXPECT_EQ(text.find("//@"), std::string::npos);
}

TEST(Prelude, SectionsStandInTheOrderOfTheFile)
{
    const std::string text = cuda_backend::preludeFor("e4m3 x;");
    EXPECT_LT(text.find("struct half"), text.find("tw_e4m3_format"));
    EXPECT_LT(text.find("struct tw_small"), text.find("tw_e4m3_format"));
}

TEST(Prelude, AnOverloadComesWithTheTypeItIsFor)
{
    EXPECT_EQ(cuda_backend::preludeFor("tw_atomic_add(&x, 1);").find("atom.add.noftz.f16"), std::string::npos);
    EXPECT_NE(cuda_backend::preludeFor("half* h; tw_atomic_add(h, half(1.0f));").find("atom.add.noftz.f16"), std::string::npos);
}

// Every name brings everything that it needs.
TEST(Prelude, EverySectionCompilesByItself)
{
    if (const auto version = nvrtc::nvrtcVersion(); !version)
        GTEST_SKIP() << version.error();
    std::istringstream in(cuda_backend::devicePrelude());
    for (std::string line; std::getline(in, line);) {
        if (line.rfind("//@ ", 0) != 0)
            continue;
        gpu::GpuProgram program;
        program.text = cuda_backend::preludeFor(line.substr(4)) + "extern \"C\" __global__ void nothing() {}\n";
        DiagnosticSink sink;
        const auto compiled = nvrtc::compile(program, *target::parse("sm_90a"), nullptr, sink, {});
        EXPECT_TRUE(compiled) << line << "\n" << (compiled ? "" : compiled.error().log);
        EXPECT_TRUE(sink.all().empty()) << line;
    }
}

class PreludeOn : public testing::TestWithParam<const char*> {};

// A kernel that instantiates the templates.
constexpr const char* kUser = R"(
template <class T>
__device__ void narrow(T* p, int i)
{
    T x = p[i] + T(tw_odd(i)) * T(tw_odd(2.0)) / T(float(i)) - -p[i + 1];
    x = tw_narrow_max(x, tw_narrow_min(p[2], tw_shfl_xor(x, 1)));
    p[i] = x < p[3] ? tw_fma(x, x, x) : tw_atomic_update(p + i, [=](T old) { return old; });
    tw_atomic_add(p, x);
    p[4] = T(float(tw_trunc<signed char>(float(x)) + tw_trunc<unsigned short>(float(x)) + (int)tw_trunc<long long>(double(float(x)))));
    tw_store(p + 8, tw_load<vec<T, 8>>(p + 16));
}
extern "C" __global__ void user(char* p, int i, double d, long long n)
{
    narrow((half*)p, i); narrow((bf16*)p, i); narrow((tf32*)p, i); narrow((e4m3*)p, i); narrow((e5m2*)p, i); narrow((e4m3fnuz*)p, i);
    narrow((e5m2fnuz*)p, i); narrow((e4m3b11fnuz*)p, i); narrow((e3m4*)p, i); narrow((e2m3*)p, i); narrow((e3m2*)p, i); narrow((e2m1*)p, i); narrow((e8m0*)p, i);
    long long* q = (long long*)p;
    q[0] = tw_floordiv<long long>(n, q[1]) + tw_floormod<long long>(n, q[2]) + tw_shl<long long>(n, q[3]) + tw_shr<long long>(n, q[4]) + tw_ipow<long long>(n, q[5]);
    q[1] = tw_floordiv<int>(i, 3) + tw_floormod<int>(i, 5) + tw_truncdiv<int>(i, i + 1) + tw_truncmod<int>(i, i + 2) + tw_fns(7u, i, i) + tw_match_any(i) + tw_match_all(d);
    ((double*)p)[9] = tw_ffloormod(d, 2.0) + tw_sigmoid(d) + tw_max(d, 1.0) + tw_warp_sum(d) + tw_trunc<int>(d) + tw_is_nan(d);
    ((float*)p)[9] = tw_ffloormod(float(i), 2.0f) + tw_fast_rcp(float(i)) + tw_warp_max(float(i)) + tw_bits<float>(i) + tw_is_inf(float(i));
    tw_store_4_atomic((unsigned char*)p, i, tw_load_s4((unsigned char*)p, i)); tw_store_4((unsigned char*)p, i, tw_trunc_s4(1.0f) + tw_trunc_u4(float(i)) + tw_wrap_s4(i));
    tw_atomic_max((float*)p, 1.0f); tw_atomic_min((half*)p, half(1.0f)); tw_atomic_or((int*)p, i); tw_atomic_store((half*)p, tw_atomic_load((half*)p + 1));
    tw_atomic_add_vec((half*)p, tw_load<vec<half, 2>>(p)); tw_atomic_add_vec((bf16*)p, tw_load<vec<bf16, 2>>(p)); tw_red_add_vec((float*)p, tw_load<vec<float, 4>>(p));
    __shared__ unsigned long long barrier[1];
    __shared__ float scratch[32];
    tw_mbarrier_init(barrier, 32); tw_fence_barrier_init(); tw_mbarrier_arrive(barrier); tw_mbarrier_wait(barrier, 0); tw_mbarrier_arrive_cp_async(barrier);
    tw_cp_async<16>(scratch, p, i > 0); tw_cp_async<4>(scratch, p); tw_cp_async_commit(); tw_cp_async_wait<0>();
    tw_ldmatrix_x4_trans(p, scratch); tw_bar_sync(1, 32); tw_bar_arrive(2, 64); tw_fence_proxy_async(); tw_pdl_sync(); tw_pdl_trigger();
    scratch[0] = tw_allreduce(1.0f, scratch, i, 1, 32, [](auto a, auto b) { return a + b; });
    tw_random r; tw_random_start(r, i, n, 0); ((double*)p)[3] = tw_random_uniform(r) + tw_random_normal(r) + tw_random_bits(r);
    ((vec<float, 4>*)p)[2] = tw_vec_map<4>([&](int k) { return tw_vec_ramp<4, float>(1.0f, 2.0f)[k] + tw_vec_fill<4, float>(3.0f)[k]; });
    ((half*)p)[1] = tw_next_after(((half*)p)[2], ((half*)p)[3]); ((int*)p)[1] = tw_wrap_add(tw_wrap_mul(i, i), tw_wrap_sub(0, i)) + tw_dp4a(p, p, i) + tw_elect(i, 32);
    if (i < 0) tw_assert_failed("message", "file.py", 3);
    tw_grid_sync((unsigned*)p);
}
)";

TEST_P(PreludeOn, CompilesWithoutAWarning)
{
    const auto target = target::parse(GetParam());
    ASSERT_TRUE(target);
    gpu::GpuProgram program;
    const std::string text = cuda_backend::devicePrelude();
    program.text = text.substr(text.find("//@")) + kUser;
    DiagnosticSink sink;
    const auto compiled = nvrtc::compile(program, *target, nullptr, sink, {});
    if (!compiled && (compiled.error().kind == nvrtc::FailureKind::kMissing || compiled.error().kind == nvrtc::FailureKind::kUnsupported))
        GTEST_SKIP() << compiled.error().message;
    ASSERT_TRUE(compiled) << compiled.error().log;
    EXPECT_TRUE(sink.all().empty()) << sink.all().front().message;
}
INSTANTIATE_TEST_SUITE_P(Targets, PreludeOn, testing::Values("sm_75", "sm_80", "sm_86", "sm_89", "sm_90a", "sm_100a"));

}  // namespace
}  // namespace tw
