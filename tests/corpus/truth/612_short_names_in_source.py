import numpy as np

KERNEL = "unpack"
REFUSED_ON = ("cpu", "interp", "sim")  # embedded CUDA source
CASES = [{"params": {"threads": 64}}, {"params": {"threads": 32}}]
TOL = {}
WHY = "Integer bit operations."


def inputs(rng, case):
    return {"Packed": rng.integers(0, 256, case["params"]["threads"], dtype=np.uint8)}


def expected(case, Packed):
    return {"Values": (Packed[:, None] >> np.array([0, 2, 4, 6], np.uint8) & 3).astype(np.int8) - np.int8(2)}
