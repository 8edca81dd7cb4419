import numpy as np

KERNEL = "expand_rows"
CASES = [{"params": {"n": 20, "width": 40}}, {"params": {"n": 5, "width": 64}}]
TOL = {}
WHY = "copies"


def inputs(rng, case):
    n, width = case["params"]["n"], case["params"]["width"]
    return {"X": rng.standard_normal((n, width)).astype(np.float32), "Where": rng.permutation(2 * n).reshape(n, 2).astype(np.int32)}


def expected(case, X, Where):
    y = np.empty((2 * len(X), X.shape[1]), np.float32)
    y[Where] = X[:, None]
    return {"Y": y}
