"""Measures kernels.py on a GPU beside cuBLAS and PyTorch, in one run.

usage: bench.py TILEC [NAME…]     names: gemm attention copy softmax transpose

Every number is a median with its spread; both sides are measured one after the other, three times, and the ratio is that of
the medians. Ours come from `tilec run --device cuda:0` (event timing, L2 as the kernel finds it), PyTorch's from events around
graph replays.
"""
import json
import os
import statistics
import subprocess
import sys

import torch

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


def theirs(step, repeat=30):
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
    spread = (max(a) - min(a)) / m * 100
    rate = f"  {work / m:8.1f} {unit}" if work else ""
    print(f"{name:44s} ours {m:9.1f} us (spread {spread:3.1f} %){rate}   other {o:9.1f} us   ratio {o / m:5.2f}", flush=True)


def gemm(tilec, target):
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
    heads, seq, dim = 16, 16384, 128
    q, k, v = (torch.randn(1, heads, seq, dim, device="cuda", dtype=torch.float16) for _ in range(3))
    best = lambda: theirs(lambda: torch.nn.functional.scaled_dot_product_attention(q, k, v), 5)
    for block in (dict(block_M=128, block_N=64, threads=256), dict(block_M=64, block_N=64, threads=128), dict(block_M=128, block_N=128, threads=256)):
        params = dict(heads=heads, seq=seq, dim=dim, **block)
        compare(f"attention d128 16k {target} " + "x".join(str(x) for x in block.values()), lambda: ours(tilec, "attention", target, params, 5), best,
                4 * heads * seq * seq * dim * 1e-6, "TFLOP/s")


def copy(tilec, target):
    n = 1 << 26
    a, b, c = (torch.randn(n, device="cuda") for _ in range(3))
    compare("copy 512 MiB (of the device's copy)", lambda: ours(tilec, "copy", target, dict(n=n)), lambda: theirs(lambda: b.copy_(a)), 8 * n * 1e-3, "GB/s")
    compare("elementwise 768 MiB (of copy at the same bytes)", lambda: ours(tilec, "elementwise", target, dict(n=n)), lambda: theirs(lambda: b.copy_(a)) * 1.5, 12 * n * 1e-3, "GB/s")


def softmax(tilec, target):
    rows = 16384
    for cols in (1024, 8192, 32768):
        x = torch.randn(rows, cols, device="cuda", dtype=torch.float16)
        y, w = torch.empty_like(x), torch.randn(cols, device="cuda", dtype=torch.float16)
        shape = dict(rows=rows, cols=cols, block=4 if cols == 1024 else 1, threads={1024: 128, 8192: 256, 32768: 1024}[cols])
        for kernel, eager in (("softmax", lambda: torch.softmax(x, dim=1)), ("rms_norm", lambda: torch.nn.functional.rms_norm(x, (cols,), w))):
            compare(f"{kernel} {rows}x{cols} (of copy)", lambda: ours(tilec, kernel, target, shape), lambda: theirs(lambda: y.copy_(x)), 4 * rows * cols * 1e-3, "GB/s")
            compare(f"{kernel} {rows}x{cols} (of PyTorch)", lambda: ours(tilec, kernel, target, shape), lambda: theirs(eager))


def transpose(tilec, target):
    n = 8192
    for dtype, kind in (("float32", torch.float32), ("float16", torch.float16)):
        x = torch.randn(n, n, device="cuda", dtype=kind)
        y = torch.empty_like(x)
        compare(f"transpose {n} {dtype} (of copy)", lambda: ours(tilec, "transpose", target, dict(rows=n, cols=n, dtype=dtype)), lambda: theirs(lambda: y.copy_(x)))


if __name__ == "__main__":
    tilec, wanted = sys.argv[1], sys.argv[2:] or ["gemm", "attention", "copy", "softmax", "transpose"]
    print(torch.cuda.get_device_name(), "torch", torch.__version__, flush=True)
    for name in wanted:
        globals()[name](tilec, "sm_90a")
