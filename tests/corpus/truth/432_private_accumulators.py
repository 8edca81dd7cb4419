import numpy as np

KERNEL = "column_moments"
CASES = [{"params": {"rows": 9, "columns": 200}}, {"params": {"rows": 4, "columns": 64, "threads": 32}}]
TOL = {}
WHY = "small integers: every sum is exact"


def inputs(rng, case):
    return {"X": rng.integers(-5, 6, (case["params"]["rows"], case["params"]["columns"])).astype(np.float32)}


def expected(case, X):
    x = X.astype(np.float64)
    sign = np.where(np.arange(len(x)) % 2 == 0, -1.0, 1.0)[:, None]
    first = (sign * x).sum(0)
    padded = np.pad(first, (0, -len(first) % 32))
    return {"Sums": np.stack([first, (x * x).sum(0)], 1), "Warps": padded.reshape(-1, 32).sum(1)}
