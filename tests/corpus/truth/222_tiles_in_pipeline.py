import numpy as np

KERNEL = "row_norm_gemm"
CASES = [{"params": {"M": 40, "N": 72, "K": 152, "num_stages": stages, "every": every}} for stages in (0, 2, 3) for every in (1, 2)]
TOL = {}
WHY = "small integers: every partial sum is exact in any order"


def inputs(rng, case):
    M, N, K = (case["params"][k] for k in "MNK")
    return {"A": rng.integers(-4, 5, (M, K)).astype(np.float16), "B": rng.integers(-4, 5, (K, N)).astype(np.float16)}


def expected(case, A, B):
    steps = np.arange(A.shape[1]) // 32
    a = A.astype(np.float64) * ((steps + 1) % case["params"]["every"] == 0)
    return {"C": a @ B.astype(np.float64) - a.sum(1, keepdims=True)}
