// What threads wait for: named and memory barriers, fences, clusters, launches before this one.

//@ tw_bar_sync tw_bar_arrive
TW_DEVICE void tw_bar_sync(int id, int threads) { asm volatile("bar.sync %0, %1;" ::"r"(id), "r"(threads) : "memory"); }
TW_DEVICE void tw_bar_arrive(int id, int threads) { asm volatile("bar.arrive %0, %1;" ::"r"(id), "r"(threads) : "memory"); }

//@ tw_mbarrier_init tw_mbarrier_arrive tw_mbarrier_wait tw_mbarrier_arrive_cp_async
#if __CUDA_ARCH__ >= 800
TW_DEVICE void tw_mbarrier_init(unsigned long long* barrier, int count)
{
    asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(tw_shared(barrier)), "r"(count) : "memory");
}
TW_DEVICE void tw_mbarrier_arrive(unsigned long long* barrier)
{
    asm volatile("{\n.reg .b64 state;\nmbarrier.arrive.shared.b64 state, [%0];\n}" ::"r"(tw_shared(barrier)) : "memory");
}
// Until the phase with this parity has completed.
TW_DEVICE void tw_mbarrier_wait(unsigned long long* barrier, int parity)
{
    unsigned done;
    do {
#if __CUDA_ARCH__ >= 900
        asm volatile("{\n.reg .pred p;\nmbarrier.try_wait.parity.shared.b64 p, [%1], %2;\nselp.u32 %0, 1, 0, p;\n}"
#else
        asm volatile("{\n.reg .pred p;\nmbarrier.test_wait.parity.shared.b64 p, [%1], %2;\nselp.u32 %0, 1, 0, p;\n}"
#endif
                     : "=r"(done) : "r"(tw_shared(barrier)), "r"(parity & 1) : "memory");
    } while (!done);
}
TW_DEVICE void tw_mbarrier_arrive_cp_async(unsigned long long* barrier)
{
    asm volatile("cp.async.mbarrier.arrive.noinc.shared.b64 [%0];" ::"r"(tw_shared(barrier)) : "memory");
}
#else
// Low word: arrivals that are pending; high word: the count of a phase times two, plus the parity of the current one.
TW_DEVICE void tw_mbarrier_init(unsigned long long* barrier, int count)
{
    *barrier = (unsigned long long)(unsigned)count | (unsigned long long)(unsigned)count << 33;
}
TW_DEVICE void tw_mbarrier_arrive(unsigned long long* barrier)
{
    unsigned* word = reinterpret_cast<unsigned*>(barrier);
    __threadfence_block();
    if (atomicSub(&word[0], 1u) == 1u) {
        atomicExch(&word[0], word[1] >> 1);
        __threadfence_block();
        atomicXor(&word[1], 1u);
    }
}
TW_DEVICE void tw_mbarrier_wait(unsigned long long* barrier, int parity)
{
    volatile unsigned* word = reinterpret_cast<volatile unsigned*>(barrier);
    while ((word[1] & 1u) == (unsigned)(parity & 1)) {
    }
    __threadfence_block();
}
TW_DEVICE void tw_mbarrier_arrive_cp_async(unsigned long long* barrier) { tw_mbarrier_arrive(barrier); }
#endif

//@ tw_mbarrier_expect_tx tw_mbarrier_arrive_expect_tx
TW_DEVICE void tw_mbarrier_expect_tx(unsigned long long* barrier, int bytes)
{
    asm volatile("mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%0], %1;" ::"r"(tw_shared(barrier)), "r"(bytes) : "memory");
}
TW_DEVICE void tw_mbarrier_arrive_expect_tx(unsigned long long* barrier, int bytes)
{
    asm volatile("{\n.reg .b64 state;\nmbarrier.arrive.expect_tx.shared::cta.b64 state, [%0], %1;\n}" ::"r"(tw_shared(barrier)), "r"(bytes) : "memory");
}

//@ tw_mbarrier_arrive_remote
TW_DEVICE void tw_mbarrier_arrive_remote(unsigned long long* barrier, int rank)
{
    asm volatile("{\n.reg .b32 remote;\nmapa.shared::cluster.u32 remote, %0, %1;\nmbarrier.arrive.release.cluster.shared::cluster.b64 _, [remote];\n}"
                 ::"r"(tw_shared(barrier)), "r"(rank) : "memory");
}

//@ tw_fence_barrier_init
TW_DEVICE void tw_fence_barrier_init()
{
#if __CUDA_ARCH__ >= 900
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
#else
    __threadfence_block();
#endif
}

//@ tw_fence_proxy_async
TW_DEVICE void tw_fence_proxy_async()
{
#if __CUDA_ARCH__ >= 900
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
#endif
}

//@ tw_cluster_rank tw_cluster_arrive tw_cluster_arrive_relaxed tw_cluster_wait tw_cluster_sync tw_remote
TW_DEVICE int tw_cluster_rank()
{
    unsigned r;
    asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(r));
    return (int)r;
}
TW_DEVICE void tw_cluster_arrive() { asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory"); }
TW_DEVICE void tw_cluster_arrive_relaxed() { asm volatile("barrier.cluster.arrive.relaxed.aligned;" ::: "memory"); }
TW_DEVICE void tw_cluster_wait() { asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory"); }
TW_DEVICE void tw_cluster_sync()
{
    tw_cluster_arrive();
    tw_cluster_wait();
}
// The same address in the shared memory of another block of the cluster.
template <class T>
TW_DEVICE T* tw_remote(T* address, int rank)
{
    T* r;
    asm volatile("mapa.u64 %0, %1, %2;" : "=l"(r) : "l"(address), "r"(rank));
    return r;
}

//@ tw_elect
// Whether this thread is the one that acts for its group of `threads`.
TW_DEVICE bool tw_elect(int thread, int threads) { return thread % threads == 0; }

//@ tw_set_max_registers
template <int N, bool Increase>
TW_DEVICE void tw_set_max_registers()
{
#ifdef __CUDA_ARCH_FEAT_SM90_ALL
    if constexpr (Increase)
        asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(N));
    else
        asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(N));
#endif
}

//@ tw_pdl_trigger tw_pdl_sync
// Without the feature the launch before has ended when this one begins.
#if __CUDA_ARCH__ >= 900
TW_DEVICE void tw_pdl_trigger() { asm volatile("griddepcontrol.launch_dependents;" ::: "memory"); }
TW_DEVICE void tw_pdl_sync() { asm volatile("griddepcontrol.wait;" ::: "memory"); }
#else
TW_DEVICE void tw_pdl_trigger() {}
TW_DEVICE void tw_pdl_sync() {}
#endif
