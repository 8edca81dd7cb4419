import numpy as np

KERNEL = "panel_gemm"
REFUSED_ON = ("cpu", "sm_75", "sm_80", "sm_89")
CASES = [{"params": {"M": 64, "N": 128, "K": 128}}, {"params": {"M": 104, "N": 256, "K": 192}}]
TOL = {}
WHY = "small integers: sums below 2048 are exact in float16"


def inputs(rng, case):
    M, N, K = (case["params"][k] for k in "MNK")
    return {"A": rng.integers(-3, 4, (M, K)).astype(np.float16), "B": rng.integers(-3, 4, (N, K)).astype(np.float16)}


def expected(case, A, B):
    return {"C": (A.astype(np.float64) @ B.astype(np.float64).T).astype(np.float16)}
