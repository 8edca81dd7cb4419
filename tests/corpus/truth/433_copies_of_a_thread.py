import numpy as np

KERNEL = "scan_rows"
CASES = [{"params": {"n": 75}}, {"params": {"n": 64, "width": 8}}]
TOL = {}
WHY = "integer sums"


def inputs(rng, case):
    width = case["params"].get("width", 4)
    return {"X": rng.integers(-9, 10, (case["params"]["n"], width)).astype(np.int32), "Total": rng.integers(-9, 10, width).astype(np.int32)}


def expected(case, X, Total):
    y = X.cumsum(1, dtype=np.int32)
    return {"Y": y, "Total": (Total + y.sum(0)).astype(np.int32)}
