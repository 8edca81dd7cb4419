#include "profiler/cuda/cache_flush.h"

#include <algorithm>

namespace tw::cuda {
namespace {

constexpr int kThreads = 256;
constexpr int kBlocksPerMultiprocessor = 8;

// Every thread ors groups of 16 bytes, one grid apart. The memory holds zeros, so nothing is ever stored; the compiler
// cannot know.
constexpr const char* kRead = R"(
.version 6.0
.target sm_60
.address_size 64
.visible .entry tw_read(.param .u64 p_from, .param .u32 p_groups)
{
  .reg .pred %p; .reg .b32 %r<14>; .reg .b64 %a<4>;
  ld.param.u64 %a0, [p_from];
  ld.param.u32 %r0, [p_groups];
  mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.x; mov.u32 %r3, %tid.x; mov.u32 %r4, %nctaid.x;
  mad.lo.u32 %r5, %r1, %r2, %r3;
  mul.lo.u32 %r6, %r2, %r4;
  mov.u32 %r7, 0;
AGAIN:
  setp.ge.u32 %p, %r5, %r0;
  @%p bra DONE;
  mul.wide.u32 %a1, %r5, 16;
  add.u64 %a2, %a0, %a1;
  ld.global.cg.v4.u32 {%r8, %r9, %r10, %r11}, [%a2];
  or.b32 %r8, %r8, %r9; or.b32 %r10, %r10, %r11; or.b32 %r8, %r8, %r10; or.b32 %r7, %r7, %r8;
  add.u32 %r5, %r5, %r6;
  bra AGAIN;
DONE:
  setp.eq.u32 %p, %r7, 0;
  @%p bra END;
  st.global.u32 [%a0], %r7;
END:
  ret;
}
)";

}  // namespace

Result<std::unique_ptr<CacheFlush>> CacheFlush::make(std::shared_ptr<Context> context)
{
    std::unique_ptr<CacheFlush> flush(new CacheFlush(context));
    const std::int64_t bytes = 2 * context->device().l2Bytes;
    if (bytes <= 0)
        return flush;
    auto scratch = Memory::allocate(context, bytes);
    if (!scratch)
        return tl::unexpected(scratch.error());
    flush->scratch_ = std::move(*scratch);
    if (auto done = flush->scratch_->fill(0); !done)
        return tl::unexpected(done.error());
    auto module = Module::load(context, kRead);
    const auto function = module ? (*module)->find("tw_read") : Result<api::Function>(nullptr);
    if (!module || !function)
        return flush;
    flush->module_ = std::move(*module);
    flush->read_ = *function;
    flush->shape_.grid[0] = std::max(1, context->device().multiprocessors) * kBlocksPerMultiprocessor;
    flush->shape_.block[0] = kThreads;
    flush->parameters_.add(flush->scratch_->address());
    flush->parameters_.add(static_cast<std::uint32_t>(bytes / 16));
    return flush;
}

Result<void> CacheFlush::run()
{
    if (!scratch_)
        return {};
    return read_ ? launch(*context_, read_, shape_, parameters_) : scratch_->fill(0);
}

}  // namespace tw::cuda
