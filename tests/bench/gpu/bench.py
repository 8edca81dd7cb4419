"""Measures kernels.py on a GPU beside cuBLAS and PyTorch, in one run.

usage: bench.py TILEC [NAME…]          names: gemm attention copy softmax transpose
       bench.py --emit DIR TILEC       the cubins of the memory-bound kernels, where there is a toolkit and no GPU
       bench.py --from DIR [NAME…]     measures those where there is a GPU and no tilec

Every number is a median with its spread; both sides are measured one after the other, three times, and the ratio is that of
the medians. Memory-bound kernels (copy softmax transpose) are launched here, on tensors that the device made, and timed by events around
graph replays like PyTorch's; the others come from `tilec run --device cuda:0` (event timing, L2 as the kernel finds it).
"""
import ctypes
import json
import os
import statistics
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
ROUNDS = 3


def ours(tilec, kernel, target, params, repeat=30):
    command = [tilec, "run", os.path.join(HERE, "kernels.py"), "--kernel", kernel, "--device", "cuda:0", "--target", target, "--repeat", str(repeat), "--json"]
    for name, value in params.items():
        command += ["--param", f"{name}={value}"]
    done = subprocess.run(command, capture_output=True, text=True)
    try:
        document = json.loads(done.stdout)
        return document["timing"]["medianUs"]
    except Exception:
        print("  failed:", " ".join(command[2:]), (done.stdout[-600:] + done.stderr[-600:]))
        return None


# --- memory-bound kernels as cubins ----------------------------------------------------------

def cubin_name(kernel, target, params):
    return "-".join([kernel, target] + [f"{k}={v}" for k, v in sorted(params.items())])


def emit(tilec, folder, kernel, target, params):
    """Writes the cubin and how it is launched; returns the path of the second without its ending."""
    path = os.path.join(folder, cubin_name(kernel, target, params))
    if os.path.exists(path + ".json"):
        return path
    command = [tilec, "emit", os.path.join(HERE, "kernels.py"), "--kernel", kernel, "--target", target, "--format", "cubin", "-o", path + ".cubin", "--json"]
    for name, value in params.items():
        command += ["--param", f"{name}={value}"]
    done = subprocess.run(command, capture_output=True, text=True)
    document = json.loads(done.stdout)
    if done.returncode != 0 or len(document["launches"]) != 1:
        raise RuntimeError(" ".join(command[2:]) + done.stdout[-600:] + done.stderr[-600:])
    with open(path + ".json", "w") as out:
        json.dump(document["launches"][0], out)
    return path


class Cubin:
    """A kernel that takes pointers only, launched on PyTorch's stream."""

    def __init__(self, path):
        self.driver = ctypes.CDLL("libcuda.so.1")
        self.launch = json.load(open(path + ".json"))
        self.image = open(path + ".cubin", "rb").read()
        module, self.function = ctypes.c_void_p(), ctypes.c_void_p()
        self.check(self.driver.cuModuleLoadData(ctypes.byref(module), self.image))
        self.check(self.driver.cuModuleGetFunction(ctypes.byref(self.function), module, self.launch["entry"].encode()))
        bytes_ = self.launch["dynamicSharedBytes"]
        if bytes_ > 48 * 1024:
            self.check(self.driver.cuFuncSetAttribute(self.function, 8, bytes_))  # CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES

    @staticmethod
    def check(status):
        if status != 0:
            raise RuntimeError(f"the driver says {status}")

    def __call__(self, *tensors):
        import torch

        pointers = [ctypes.c_void_p(t.data_ptr()) for t in tensors]
        arguments = (ctypes.c_void_p * len(pointers))(*[ctypes.cast(ctypes.byref(p), ctypes.c_void_p) for p in pointers])
        grid = (self.launch["grid"] + [1, 1])[:3]
        self.check(self.driver.cuLaunchKernel(self.function, *grid, *self.launch["block"], self.launch["dynamicSharedBytes"],
                                              ctypes.c_void_p(torch.cuda.current_stream().cuda_stream), arguments, None))


def mine(tilec, folder, kernel, target, params, tensors, check=None):
    """Microseconds of a kernel, a function to call; `check` looks at the tensors after the first launch."""
    import torch

    cubin = Cubin(emit(tilec, folder, kernel, target, params))
    cubin(*tensors)
    torch.cuda.synchronize()
    if check and not check():
        print("  WRONG:", kernel, params)
    return lambda: theirs(lambda: cubin(*tensors))


def theirs(step, repeat=30):
    import torch

    step()
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        step()
    times = []
    for _ in range(repeat):
        start, stop = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        start.record()
        graph.replay()
        stop.record()
        stop.synchronize()
        times.append(start.elapsed_time(stop) * 1000)
    return statistics.median(times)


def compare(name, mine, other, work=None, unit=""):
    a, b = [], []
    for _ in range(ROUNDS):
        a.append(mine())
        b.append(other())
    if any(x is None for x in a):
        return
    m, o = statistics.median(a), statistics.median(b)
    spread, other_spread = (max(a) - min(a)) / m * 100, (max(b) - min(b)) / o * 100
    rate = f"  {work / m:8.1f} {unit}" if work else ""
    print(f"{name:48s} ours {m:9.1f} us (spread {spread:3.1f} %){rate}   other {o:9.1f} us (spread {other_spread:3.1f} %)   ratio {o / m:5.2f}", flush=True)


def gemm(tilec, target):
    import torch

    n = 4096
    for dtype, kind in (("float16", torch.float16), ("bfloat16", torch.bfloat16)):
        a, b = (torch.randn(n, n, device="cuda", dtype=kind) for _ in range(2))
        for block in (dict(block_M=128, block_N=256, block_K=64, num_stages=3, threads=256), dict(block_M=128, block_N=256, block_K=64, num_stages=4, threads=256),
                      dict(block_M=128, block_N=128, block_K=64, num_stages=3, threads=128), dict(block_M=256, block_N=128, block_K=64, num_stages=3, threads=256)):
            params = dict(M=n, N=n, K=n, dtype=dtype, **block)
            compare(f"gemm {dtype} {target} " + "x".join(str(v) for v in block.values()), lambda: ours(tilec, "gemm", target, params), lambda: theirs(lambda: a @ b),
                    2 * n**3 * 1e-6, "TFLOP/s")
            if dtype == "bfloat16":
                break


def attention(tilec, target):
    import torch

    heads, seq, dim = 16, 16384, 128
    q, k, v = (torch.randn(1, heads, seq, dim, device="cuda", dtype=torch.float16) for _ in range(3))
    best = lambda: theirs(lambda: torch.nn.functional.scaled_dot_product_attention(q, k, v), 5)
    for block in (dict(block_M=128, block_N=64, threads=256), dict(block_M=64, block_N=64, threads=128), dict(block_M=128, block_N=128, threads=256)):
        params = dict(heads=heads, seq=seq, dim=dim, **block)
        compare(f"attention d128 16k {target} " + "x".join(str(x) for x in block.values()), lambda: ours(tilec, "attention", target, params, 5), best,
                4 * heads * seq * seq * dim * 1e-6, "TFLOP/s")


# The memory-bound kernels that are measured, with their parameters.
COPY = {"copy": dict(n=1 << 26), "elementwise": dict(n=1 << 26)}
ROWS = [dict(rows=16384, cols=cols, block=4 if cols == 1024 else 1, threads={1024: 128, 8192: 256, 32768: 1024}[cols]) for cols in (1024, 8192, 32768)]
TURNS = [dict(rows=8192, cols=8192, dtype=dtype) for dtype in ("float32", "float16")]


def copy(tilec, target, folder):
    import torch

    n = 1 << 26
    a, b, c = (torch.randn(n, device="cuda") for _ in range(3))
    compare("copy 512 MiB (of the device's copy)", mine(tilec, folder, "copy", target, COPY["copy"], (a, b)), lambda: theirs(lambda: b.copy_(a)), 8 * n * 1e-3, "GB/s")
    compare("elementwise 768 MiB (of copy at the same bytes)", mine(tilec, folder, "elementwise", target, COPY["elementwise"], (a, b, c)),
            lambda: theirs(lambda: b.copy_(a)) * 1.5, 12 * n * 1e-3, "GB/s")


def softmax(tilec, target, folder):
    import torch

    for params in ROWS:
        rows, cols = params["rows"], params["cols"]
        x = torch.randn(rows, cols, device="cuda", dtype=torch.float16)
        y, w = torch.empty_like(x), torch.randn(cols, device="cuda", dtype=torch.float16)
        near = lambda want: torch.allclose(y[:64].float(), want.float(), rtol=1e-2, atol=1e-3)
        for kernel, tensors, eager in (("softmax", (x, y), lambda v: torch.softmax(v, dim=1)), ("rms_norm", (x, w, y), lambda v: torch.nn.functional.rms_norm(v, (cols,), w))):
            own = mine(tilec, folder, kernel, target, params, tensors, lambda: near(eager(x[:64])))
            compare(f"{kernel} {rows}x{cols} (of copy)", own, lambda: theirs(lambda: y.copy_(x)), 4 * rows * cols * 1e-3, "GB/s")
            compare(f"{kernel} {rows}x{cols} (of PyTorch)", own, lambda: theirs(lambda: eager(x)))


def transpose(tilec, target, folder):
    import torch

    for params in TURNS:
        n, kind = params["rows"], getattr(torch, params["dtype"])
        x = torch.randn(n, n, device="cuda", dtype=kind)
        y = torch.empty_like(x)
        own = mine(tilec, folder, "transpose", target, params, (x, y), lambda: torch.equal(y, x.t()))
        compare(f"transpose {n} {params['dtype']} (of copy)", own, lambda: theirs(lambda: y.copy_(x)), 2 * n * n * x.element_size() * 1e-3, "GB/s")


def emit_all(tilec, folder, target):
    os.makedirs(folder, exist_ok=True)
    cases = list(COPY.items()) + [("softmax", p) for p in ROWS] + [("rms_norm", p) for p in ROWS] + [("transpose", p) for p in TURNS]
    for kernel, params in cases:
        print(emit(tilec, folder, kernel, target, params))


if __name__ == "__main__":
    arguments, folder, tilec = sys.argv[1:], None, None
    if arguments[0] in ("--emit", "--from"):
        folder = arguments[1]
    if arguments[0] == "--emit":
        sys.exit(emit_all(arguments[2], folder, "sm_90a"))
    if arguments[0] == "--from":
        wanted = arguments[2:] or ["copy", "softmax", "transpose"]
    else:
        tilec, wanted = arguments[0], arguments[1:] or ["gemm", "attention", "copy", "softmax", "transpose"]
    import tempfile

    import torch

    print(torch.cuda.get_device_name(), "torch", torch.__version__, flush=True)
    torch.cuda.current_stream()
    with tempfile.TemporaryDirectory() as made:
        for name in wanted:
            if name in ("gemm", "attention"):
                globals()[name](tilec, "sm_90a")
            else:
                globals()[name](tilec, "sm_90a", folder or made)
