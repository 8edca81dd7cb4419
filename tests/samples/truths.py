"""What every sample must answer: its mathematics in NumPy, in double precision.

One class a sample, named after its file without the number. Fields are those of a corpus truth file (tests/corpus/README.md).
"""
import ml_dtypes
import numpy as np

EXACT = (0, 0)
HALF = (2**-9, 2e-3)  # a product of halves summed in float32, rounded to half; a few roundings on the way
SINGLE = (1e-4, 1e-4)


def normal(rng, *shape, dtype=np.float32):
    return rng.standard_normal(shape).astype(dtype)


def wide(*arrays):
    return [np.asarray(a).astype(np.float64) for a in arrays]


def softmax(x, axis=-1):
    e = np.exp(x - x.max(axis=axis, keepdims=True))
    return e / e.sum(axis=axis, keepdims=True)


def erf(x):
    from math import erf as one

    return np.vectorize(one)(x)


class copy:
    KERNEL, TOL = "copy", {"Y": EXACT}
    CASES = [{}, {"params": {"M": 65, "N": 1}}, {"params": {"M": 1, "N": 300, "dtype": "float32"}}]

    @staticmethod
    def inputs(rng, case):
        p = case.get("params", {})
        return {"X": normal(rng, p.get("M", 1000), p.get("N", 777), dtype=np.dtype(p.get("dtype", "float16")))}

    @staticmethod
    def expected(case, X):
        return {"Y": X}


class elementwise:
    KERNEL, TOL = "swiglu", {"Out": (2**-9, 1e-6)}
    CASES = [{"params": {"rows": 20, "cols": 1000}}, {"params": {"rows": 3, "cols": 257}}]

    @staticmethod
    def inputs(rng, case):
        p = case["params"]
        return {n: normal(rng, p["rows"], p["cols"], dtype=np.float16) for n in ("Gate", "Up")}

    @staticmethod
    def expected(case, Gate, Up):
        g, u = wide(Gate, Up)
        return {"Out": g / (1 + np.exp(-g)) * u}


class reduce_rows:
    KERNEL, TOL = "row_statistics", {"Sum": SINGLE, "Top": EXACT}
    CASES = [{}, {"params": {"M": 17, "N": 255}}]

    @staticmethod
    def inputs(rng, case):
        p = case.get("params", {})
        return {"X": normal(rng, p.get("M", 100), p.get("N", 1000)) - 3}

    @staticmethod
    def expected(case, X):
        return {"Sum": X.astype(np.float64).sum(1), "Top": X.max(1)}


class gemm:
    KERNEL, TOL = "gemm", {"C": HALF}
    CASES = [
        {"params": {"M": 128, "N": 256, "K": 96}},
        {"params": {"M": 100, "N": 75, "K": 33}},
        {"params": {"M": 64, "N": 64, "K": 64, "block_M": 64, "block_N": 64, "num_stages": 0}},
    ]

    @staticmethod
    def inputs(rng, case):
        p = case["params"]
        return {"A": normal(rng, p["M"], p["K"], dtype=np.float16), "B": normal(rng, p["K"], p["N"], dtype=np.float16)}

    @staticmethod
    def expected(case, A, B):
        a, b = wide(A, B)
        return {"C": a @ b}


class gemm_epilogue:
    KERNEL, TOL = "linear", {"Y": (2**-7, 2e-3)}
    CASES = [
        {"params": {"M": 70, "N": 96, "K": 128}},
        {"params": {"M": 33, "N": 50, "K": 40, "kind": "relu", "use_bias": False}},
        {"params": {"M": 16, "N": 16, "K": 16, "kind": "none"}},
    ]

    @staticmethod
    def inputs(rng, case):
        p = case["params"]
        bf16 = ml_dtypes.bfloat16
        return {"X": normal(rng, p["M"], p["K"], dtype=bf16), "W": normal(rng, p["N"], p["K"], dtype=bf16), "bias": normal(rng, p["N"])}

    @staticmethod
    def expected(case, X, W, bias):
        p = case["params"]
        x, w, b = wide(X, W, bias)
        v = x @ w.T + (b if p.get("use_bias", True) else 0)
        kind = p.get("kind", "gelu")
        return {"Y": np.maximum(v, 0) if kind == "relu" else 0.5 * v * (1 + erf(v / np.sqrt(2))) if kind == "gelu" else v}


class pipeline:
    KERNEL, TOL = "sum_panels", {"Y": SINGLE}
    # trip counts 0, 1, and around the depth
    CASES = [{"params": {"panels": 6, "rows": 40, "cols": 70}, "trips": t} for t in (0, 1, 2, 3, 4, 9)]

    @staticmethod
    def inputs(rng, case):
        p = case["params"]
        return {"X": normal(rng, p["panels"], p["rows"], p["cols"]), "count": np.array([case["trips"]], np.int32)}

    @staticmethod
    def expected(case, X, count):
        return {"Y": X[: min(count[0], len(X))].astype(np.float64).sum(0)}


class softmax_rows:
    FILE = "softmax"
    KERNEL, TOL = "softmax", {"out0": (1e-5, 1e-7)}
    CASES = [{"dims": {"M": 30, "N": 512}}, {"dims": {"M": 1, "N": 100}}]

    @staticmethod
    def inputs(rng, case):
        return {"X": normal(rng, case["dims"]["M"], case["dims"]["N"]) * 4}

    @staticmethod
    def expected(case, X):
        return {"out0": softmax(X.astype(np.float64))}


class layer_norm:
    KERNEL, TOL = "layer_norm", {"Y": (2**-9, 2e-3)}
    CASES = [{"params": {"M": 30, "N": 768}}, {"params": {"M": 5, "N": 96}}]

    @staticmethod
    def inputs(rng, case):
        p = case["params"]
        return {"X": normal(rng, p["M"], p["N"], dtype=np.float16), "gamma": normal(rng, p["N"], dtype=np.float16), "beta": normal(rng, p["N"], dtype=np.float16)}

    @staticmethod
    def expected(case, X, gamma, beta):
        x, g, b = wide(X, gamma, beta)
        return {"Y": (x - x.mean(1, keepdims=True)) / np.sqrt(x.var(1, keepdims=True) + 1e-5) * g + b}


class attention:
    KERNEL, TOL = "attention", {"O": (2**-8, 2e-3)}
    CASES = [
        {"params": {"batch": 1, "heads": 2, "seq": 150, "dim": 64}},
        {"params": {"batch": 2, "heads": 1, "seq": 129, "dim": 32, "causal": True}},
    ]

    @staticmethod
    def inputs(rng, case):
        p = case["params"]
        return {n: normal(rng, p["batch"], p["heads"], p["seq"], p["dim"], dtype=np.float16) for n in "QKV"}

    @staticmethod
    def expected(case, Q, K, V):
        q, k, v = wide(Q, K, V)
        s = q @ k.transpose(0, 1, 3, 2) / np.sqrt(q.shape[-1])
        if case["params"].get("causal"):
            s = np.where(np.tri(s.shape[-1], dtype=bool), s, -np.inf)
        return {"O": softmax(s) @ v}


class attention_gqa:
    KERNEL, TOL = "decode", {"O": (2**-8, 2e-3)}
    CASES = [{"params": {"batch": 2, "heads": 16, "groups": 2, "keys": 150, "dim": 64}}, {"params": {"batch": 1, "heads": 3, "groups": 3, "keys": 64, "dim": 32}}]

    @staticmethod
    def inputs(rng, case):
        p = case["params"]
        kv = (p["batch"], p["keys"], p["groups"], p["dim"])
        return {"Q": normal(rng, p["batch"], p["heads"], p["dim"], dtype=np.float16), "K": normal(rng, *kv, dtype=np.float16), "V": normal(rng, *kv, dtype=np.float16)}

    @staticmethod
    def expected(case, Q, K, V):
        q, k, v = wide(Q, K, V)
        share = q.shape[1] // k.shape[2]
        k, v = (np.repeat(a.transpose(0, 2, 1, 3), share, axis=1) for a in (k, v))
        s = np.einsum("bhd,bhnd->bhn", q, k) / np.sqrt(q.shape[-1])
        return {"O": np.einsum("bhn,bhnd->bhd", softmax(s), v)}


class split_k:
    KERNEL, TOL = "split_k", {"C": (1e-4, 1e-3)}
    CASES = [{"params": {"M": 64, "N": 96, "K": 512}}, {"params": {"M": 33, "N": 17, "K": 192, "split": 3}}]

    @staticmethod
    def inputs(rng, case):
        p = case["params"]
        return {"A": normal(rng, p["M"], p["K"], dtype=np.float16), "B": normal(rng, p["K"], p["N"], dtype=np.float16), "C": normal(rng, p["M"], p["N"])}

    @staticmethod
    def expected(case, A, B, C):
        a, b, c = wide(A, B, C)
        return {"C": c + a @ b}


class convolution:
    KERNEL, TOL = "conv2d", {"out": (2**-9, 5e-3)}
    CASES = [
        {"params": {"N": 1, "H": 9, "W": 11, "C": 8, "F": 20}},
        {"params": {"N": 2, "H": 8, "W": 8, "C": 3, "F": 5, "kernel": 5, "stride": 2, "pad": 2}},
    ]

    @staticmethod
    def inputs(rng, case):
        p = case["params"]
        k = p.get("kernel", 3)
        return {"image": normal(rng, p["N"], p["H"], p["W"], p["C"], dtype=np.float16), "weight": normal(rng, k, k, p["C"], p["F"], dtype=np.float16)}

    @staticmethod
    def expected(case, image, weight):
        p = case["params"]
        x, w = wide(image, weight)
        k, s, pad = p.get("kernel", 3), p.get("stride", 1), p.get("pad", 1)
        x = np.pad(x, ((0, 0), (pad, pad), (pad, pad), (0, 0)))
        oh, ow = (x.shape[1] - k) // s + 1, (x.shape[2] - k) // s + 1
        out = np.zeros((p["N"], oh, ow, p["F"]))
        for r in range(k):
            for c in range(k):
                out += x[:, r : r + s * oh : s, c : c + s * ow : s] @ w[r, c]
        return {"out": out}


class gemm_int8:
    KERNEL, TOL = "gemm_int8", {"C": (2**-10, 1e-6)}
    CASES = [{"params": {"M": 70, "N": 50, "K": 130}}, {"params": {"M": 1, "N": 64, "K": 64}}]

    @staticmethod
    def inputs(rng, case):
        p = case["params"]
        return {
            "A": rng.integers(-128, 128, (p["M"], p["K"])).astype(np.int8),
            "B": rng.integers(-128, 128, (p["N"], p["K"])).astype(np.int8),
            "row_scale": (rng.random(p["M"]) / 100).astype(np.float32),
            "col_scale": (rng.random(p["N"]) / 100).astype(np.float32),
        }

    @staticmethod
    def expected(case, A, B, row_scale, col_scale):
        a, b, r, c = wide(A, B, row_scale, col_scale)
        return {"C": a @ b.T * r[:, None] * c[None, :]}


class dynamic_shapes:
    KERNEL, TOL = "gemm_any_m", {"C": HALF}
    CASES = [{"dims": {"M": m}} for m in (1, 64, 133)]

    @staticmethod
    def inputs(rng, case):
        return {"A": normal(rng, case["dims"]["M"], 96, dtype=np.float16), "B": normal(rng, 96, 128, dtype=np.float16)}

    @staticmethod
    def expected(case, A, B):
        a, b = wide(A, B)
        return {"C": a @ b}


class macros:
    KERNEL, TOL = "row_pipeline", {"Y": (1e-4, 1e-5), "Steps": EXACT}
    CASES = [{"params": {"M": 50, "N": 96}}, {"params": {"M": 7, "N": 33, "steps": ("normalise",)}}]

    @staticmethod
    def inputs(rng, case):
        return {"X": normal(rng, case["params"]["M"], case["params"]["N"])}

    @staticmethod
    def expected(case, X):
        steps = case["params"].get("steps", ("centre", "normalise"))
        x = X.astype(np.float64)
        for step in steps:
            x = x - x.mean(1, keepdims=True) if step == "centre" else x / np.maximum(np.abs(x).max(1, keepdims=True), 1e-6)
        return {"Y": x, "Steps": np.full(-(-len(x) // 8), len(steps), np.int32)}


class threads:
    KERNEL, TOL = "row_norm", {"Norm": (1e-5, 1e-6)}
    CASES = [{"params": {"M": 5, "N": 1000}}, {"params": {"M": 3, "N": 31, "threads": 64}}]

    @staticmethod
    def inputs(rng, case):
        return {"X": normal(rng, case["params"]["M"], case["params"]["N"])}

    @staticmethod
    def expected(case, X):
        return {"Norm": np.sqrt((X.astype(np.float64) ** 2).sum(1))}


class autotune:
    KERNEL, TOL = "axpy_rows", {"Z": (1e-6, 1e-6)}
    CASES = [{"params": {"M": 5, "N": 700}}, {"params": {"M": 6, "N": 513, "block": 512, "rows": 4}}]

    @staticmethod
    def inputs(rng, case):
        return {n: normal(rng, case["params"]["M"], case["params"]["N"]) for n in "XY"}

    @staticmethod
    def expected(case, X, Y):
        x, y = wide(X, Y)
        return {"Z": 2 * x + y}


class two_launches:
    KERNEL, TOL = "normalise", {"Y": (1e-4, 1e-6)}
    CASES = [{}, {"params": {"n": 100}}]

    @staticmethod
    def inputs(rng, case):
        return {"X": normal(rng, case.get("params", {}).get("n", 5000))}

    @staticmethod
    def expected(case, X):
        x = X.astype(np.float64)
        return {"Y": x / np.sqrt((x * x).sum())}


class array_gemm:
    KERNEL, TOL = "matmul", {"out0": SINGLE}
    CASES = [{"dims": {"m": 33}}, {"dims": {"m": 1}}]

    @staticmethod
    def inputs(rng, case):
        return {"A": normal(rng, case["dims"]["m"], 48), "B": normal(rng, 48, 64)}

    @staticmethod
    def expected(case, A, B):
        a, b = wide(A, B)
        return {"out0": a @ b}


class array_attention:
    KERNEL, TOL = "attention", {"out0": (1e-4, 1e-5)}
    CASES = [{"dims": {"n": 70, "d": 16}}, {"dims": {"n": 33, "d": 8}, "params": {"block": 48}}]

    @staticmethod
    def inputs(rng, case):
        return {n: normal(rng, case["dims"]["n"], case["dims"]["d"]) for n in "QKV"}

    @staticmethod
    def expected(case, Q, K, V):
        q, k, v = wide(Q, K, V)
        return {"out0": softmax(q @ k.T / np.sqrt(q.shape[1])) @ v}


class array_class:
    KERNEL, TOL = "layer_norm", {"out0": (1e-4, 1e-4)}
    CASES = [{"params": {"rows": 40, "cols": 96}}, {"params": {"rows": 3, "cols": 7}}]

    @staticmethod
    def inputs(rng, case):
        p = case["params"]
        return {"x": normal(rng, p["rows"], p["cols"]), "gain": normal(rng, p["cols"])}

    @staticmethod
    def expected(case, x, gain):
        x, g = wide(x, gain)
        return {"out0": (x - x.mean(1, keepdims=True)) / np.sqrt(x.var(1, keepdims=True) + 1e-5) * g}
