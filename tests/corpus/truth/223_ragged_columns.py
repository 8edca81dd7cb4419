import numpy as np

KERNEL = "low_rank"
CASES = [{"params": {"M": 48, "R": 96, "K": 128}}, {"params": {"M": 32, "R": 40, "K": 64}}]
TOL = {}
WHY = "small integers: every partial sum is exact in any order"


def inputs(rng, case):
    M, R, K = (case["params"][k] for k in "MRK")
    return {"X": rng.integers(-4, 5, (M, K)).astype(np.float16), "W": rng.integers(-4, 5, (R, K)).astype(np.float16)}


def expected(case, X, W):
    return {"Y": X.astype(np.float64) @ W.astype(np.float64).T}
