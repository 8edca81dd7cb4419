not_supported_tma.py:13:9: error: not supported: T.mbarrier_arrive_expect_tx on sm_80: it needs sm_90 [not-supported]
            T.mbarrier_arrive_expect_tx(full[0], 8192)
            ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
not_supported_tma.py:14:9: error: not supported: T.ptx_tma_load on sm_80: it needs sm_90 [not-supported]
            tw.op("ptx_tma_load", A[0:64, 0:64], s[0], full[0], swizzle=128)
            ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
