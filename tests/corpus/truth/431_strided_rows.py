import numpy as np

KERNEL = "scaled_transpose"
CASES = [{"dims": {"M": m, "N": n, "S": s}} for m, n, s in ((70, 45, 64), (70, 45, 47), (64, 64, 64), (1, 1, 1))]
TOL = {}
WHY = "a product with a power of two is exact"


def inputs(rng, case):
    d = case["dims"]
    return {"A": rng.standard_normal((d["M"], d["N"])).astype(np.float32), "alpha": 2.0}


def expected(case, A, alpha):
    return {"B": A.T * np.float32(alpha)}
