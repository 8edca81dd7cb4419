"""How long kernels take on a GPU beside how long the model says that they take: durations, their ratio, and whether the order is right.

usage: model_compare.py TILEC [--out DIR] [--device cuda:0] [--repeat N] [--only WORD]…

Every line is one kernel at a size at which a GPU is used for it: the samples, and programs of tests/corpus. `measured` is the median of N
(10) runs by events, with a cold L2 cache; `modelled` is the same profile's model, which knows the program and the target's table, nothing
of the run. `bound` is what the model says limits the kernel. Spearman's rank correlation says whether the model orders kernels rightly,
which is what choosing a configuration needs; the ratio's geometric mean and spread say how far its numbers are off.

Writes model_compare.txt (the table) and model_compare.json into DIR. Exit code 3 where a kernel could not be profiled.
"""
import argparse
import json
import math
import os
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SAMPLES, CORPUS = "samples", os.path.join("tests", "corpus", "programs")

SHARES = ("tensor_pipe_pct", "dram_bandwidth_pct", "l2_bandwidth_pct", "issue_slots_pct", "occupancy_pct")

# (file, kernel, parameters, extents)
CASES = [
    (SAMPLES, "01_copy.py", "copy", {"M": 8192, "N": 4096}, {}),
    (SAMPLES, "02_elementwise.py", "swiglu", {"rows": 4096, "cols": 8192}, {}),
    (SAMPLES, "03_reduce_rows.py", "row_statistics", {"M": 8192, "N": 4096}, {}),
    (SAMPLES, "04_gemm.py", "gemm", {"M": 1024, "N": 1024, "K": 1024}, {}),
    (SAMPLES, "04_gemm.py", "gemm", {"M": 4096, "N": 4096, "K": 4096}, {}),
    (SAMPLES, "04_gemm.py", "gemm", {"M": 4096, "N": 4096, "K": 4096, "block_K": 64, "num_stages": 4}, {}),
    (SAMPLES, "04_gemm.py", "gemm", {"M": 4096, "N": 4096, "K": 4096, "num_stages": 1}, {}),
    (SAMPLES, "04_gemm.py", "gemm", {"M": 4096, "N": 4096, "K": 4096, "block_M": 64, "block_N": 64}, {}),
    (SAMPLES, "04_gemm.py", "gemm", {"M": 4096, "N": 4096, "K": 4096, "block_N": 256, "block_K": 64}, {}),
    (SAMPLES, "04_gemm.py", "gemm", {"M": 64, "N": 8192, "K": 8192, "block_M": 64}, {}),
    (SAMPLES, "05_gemm_epilogue.py", "linear", {"M": 4096, "N": 4096, "K": 1024}, {}),
    (SAMPLES, "06_pipeline.py", "sum_panels", {"panels": 2048, "rows": 64, "cols": 128}, {}),
    (SAMPLES, "07_softmax.py", "softmax", {}, {"M": 8192, "N": 4096}),
    (SAMPLES, "08_layer_norm.py", "layer_norm", {"M": 16384, "N": 2048}, {}),
    (SAMPLES, "09_attention.py", "attention", {"batch": 2, "heads": 16, "seq": 2048, "dim": 128}, {}),
    (SAMPLES, "09_attention.py", "attention", {"batch": 2, "heads": 16, "seq": 2048, "dim": 64, "causal": True}, {}),
    (SAMPLES, "09_attention.py", "attention", {"batch": 2, "heads": 16, "seq": 2048, "dim": 128, "block_M": 128, "block_N": 128}, {}),
    (SAMPLES, "10_attention_gqa.py", "decode", {"batch": 16, "heads": 32, "groups": 8, "keys": 2048, "dim": 128}, {}),
    (SAMPLES, "11_split_k.py", "split_k", {"M": 256, "N": 2048, "K": 8192, "split": 8}, {}),
    (SAMPLES, "12_convolution.py", "conv2d", {"N": 32, "H": 56, "W": 56, "C": 64, "F": 128}, {}),
    (SAMPLES, "13_gemm_int8.py", "gemm_int8", {"M": 4096, "N": 4096, "K": 4096}, {}),
    (SAMPLES, "14_dynamic_shapes.py", "gemm_any_m", {"N": 4096, "K": 4096}, {"M": 2048}),
    (SAMPLES, "15_macros.py", "row_pipeline", {"M": 8192, "N": 1024}, {}),
    (SAMPLES, "16_threads.py", "row_norm", {"M": 8192, "N": 4096}, {}),
    (SAMPLES, "17_autotune.py", "axpy_rows", {"M": 4096, "N": 8192}, {}),
    (SAMPLES, "18_two_launches.py", "normalise", {"n": 16777216}, {}),
    (CORPUS, "101_add_1d.py", "vector_add", {"N": 33554432}, {}),
    (CORPUS, "104_transpose.py", "transpose", {"M": 8192, "N": 8192}, {}),
    (CORPUS, "108_cast.py", "cast", {"M": 8192, "N": 8192}, {}),
    (CORPUS, "119_rope.py", "rope", {"batch": 4, "seq_len": 2048, "heads": 16, "dim": 128, "rotary_dim": 128}, {}),
    (CORPUS, "201_gemm.py", "matmul", {"M": 4096, "N": 4096, "K": 4096}, {}),
    (CORPUS, "201_gemm.py", "matmul", {"M": 4096, "N": 4096, "K": 4096, "block_M": 128, "block_N": 256, "block_K": 64, "num_stages": 3, "threads": 256}, {}),
    (CORPUS, "203_gemm_int8.py", "int8_gemm", {"M": 2048, "N": 2048, "K": 4096}, {}),
    (CORPUS, "204_gemm_tf32.py", "sgemm", {}, {"M": 2048, "N": 2048, "K": 2048}),
    (CORPUS, "209_gemm_splitk.py", "matmul_splitk", {"M": 128, "N": 4096, "K": 8192, "split_k": 8}, {}),
    (CORPUS, "215_gemm_small_m.py", "small_m", {}, {"M": 16, "N": 8192, "K": 8192}),
    (CORPUS, "304_softmax_online.py", "online_softmax", {"M": 1024, "N": 32768}, {}),
    (CORPUS, "306_rmsnorm.py", "add_rmsnorm", {"hidden": 4096}, {"tokens": 4096}),
    (CORPUS, "314_mha_forward.py", "flash_attention", {"batch": 2, "heads": 16, "seq_len": 2048, "dim": 128, "is_causal": False}, {}),
    (CORPUS, "318_flash_decode.py", "flash_decode", {"batch": 16, "heads": 32, "kv_heads": 8, "seqlen": 4096, "dim": 128, "num_split": 4}, {}),
    (CORPUS, "320_mla_decode.py", "mla_decode", {"batch": 16, "heads": 128, "seqlen": 2048, "dim": 512, "pe_dim": 64}, {}),
    (CORPUS, "321_linear_attention.py", "linear_attention", {"B": 4, "S": 2048, "H": 16, "DK": 64, "DV": 64}, {}),
    (CORPUS, "407_gemv_thread_reduce.py", "gemv", {"N": 16384, "K": 8192}, {}),
    (CORPUS, "413_persistent_gemm.py", "linear_relu", {"workers": 132}, {"M": 4096, "N": 4096, "K": 1024}),
    (CORPUS, "601_gemv_int4_groups.py", "gemv_w4", {}, {"N": 16384, "K": 8192}),
    (CORPUS, "605_gemm_fp8_blockscale.py", "gemm_fp8_blockwise", {}, {"M": 2048, "N": 2048, "K": 4096}),
    (CORPUS, "710_mamba_chunk_scan.py", "chunk_scan", {"batch": 4, "seq": 2048, "heads": 16, "P": 64, "N": 64}, {}),
]

# Inputs that decide how much a kernel does: without them they are generated, and small. (type, values), as NumPy writes them.
INPUTS = {
    "06_pipeline.py": lambda case: {"count": ("int32", [case[3]["panels"]])},
    "318_flash_decode.py": lambda case: {"lengths": ("int32", [case[3]["seqlen"]] * case[3]["batch"])},
}


def literal(value):
    return value if isinstance(value, str) else repr(value)


def arguments(case):
    folder, file, kernel, params, dims = case
    out = [os.path.join(ROOT, folder, file)] + (["--kernel", kernel] if kernel else [])
    for key, value in params.items():
        out += ["--param", f"{key}={literal(value)}"]
    for key, value in dims.items():
        out += ["--dim", f"{key}={value}"]
    return out


def inputs(case, folder):
    out = []
    for name, (kind, values) in INPUTS[case[1]](case).items() if case[1] in INPUTS else ():
        import numpy  # only these need it

        path = os.path.join(folder, name + ".npy")
        numpy.save(path, numpy.array(values, dtype=kind))
        out += ["--input", f"{name}={path}"]
    return out


def profile(options, case):
    """The profile's document, or a sentence."""
    with tempfile.TemporaryDirectory() as folder:
        return ask(options, case, inputs(case, folder))


# The headline's counters alone: samples, instruction counts, ceilings and findings take half of a whole profile's three seconds.
def ask(options, case, given):
    command = [options.tilec, "profile", *arguments(case), *given, "--device", options.device, "--json", "--repeat", str(options.repeat), "--metrics", "headline"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=options.timeout)
        document = json.loads(done.stdout)
    except subprocess.TimeoutExpired:
        return f"no answer in {options.timeout} s"
    except ValueError:
        return f"no JSON, exit code {done.returncode}: {done.stderr[-200:]}"
    if "metrics" not in document:
        return "; ".join(d["message"] for d in document["diagnostics"] if d["severity"] == "error") or f"exit code {done.returncode}"
    return document


def metric(document, name, source, launch=None, field="value"):
    found = [m for m in document["metrics"] if m["name"] == name and m["source"] == source and (launch == "any" or m["launch"] == launch)]
    return found[0][field] if found else None


def row(case, document):
    """What the table holds of one kernel; None where the profile lacks it."""
    def per_launch(name, source):
        return metric(document, name, source) if metric(document, name, source) is not None else metric(document, name, source, "any")

    measured, modelled = metric(document, "duration_us", "measured"), metric(document, "duration_us", "modelled")
    if not measured or not modelled:
        return None
    def added(*names):
        values = [m["value"] for m in document["metrics"] if m["name"] in names and m["source"] == "measured"]
        return sum(values) if values else None

    return {
        "file": case[1], "kernel": document["kernel"], "params": case[3], "dims": case[4], "measuredUs": measured,
        "spread": metric(document, "duration_us", "measured", None, "spread"),
        "samples": metric(document, "duration_us", "measured", None, "samples"),
        "modelledUs": modelled, "ratio": modelled / measured, "flops": metric(document, "flops", "modelled"),
        "leastBytes": metric(document, "least_dram_bytes", "modelled"), "dramBytes": added("dram_read_bytes", "dram_write_bytes"),
        "l2Bytes": added("l2_read_bytes", "l2_write_bytes"), "bound": [l.get("bound") or "" for l in document.get("launches", [])],
        "measured": {n: per_launch(n, "measured") for n in (*SHARES, "registers")},
        "modelled": {n: per_launch(n, "modelled") for n in (*SHARES, "waves")},
    }


def ranks(values):
    """From 1; equal values share the mean of their ranks."""
    order = sorted(range(len(values)), key=lambda i: values[i])
    out = [0.0] * len(values)
    start = 0
    while start < len(order):
        end = start
        while end + 1 < len(order) and values[order[end + 1]] == values[order[start]]:
            end += 1
        for i in range(start, end + 1):
            out[order[i]] = 1 + (start + end) / 2
        start = end + 1
    return out


def spearman(a, b):
    x, y = ranks(a), ranks(b)
    mean = (len(x) + 1) / 2
    top = sum((p - mean) * (q - mean) for p, q in zip(x, y))
    below = math.sqrt(sum((p - mean) ** 2 for p in x) * sum((q - mean) ** 2 for q in y))
    return top / below if below else float("nan")


def summary(rows):
    if len(rows) < 2:
        return "too few kernels for a summary"
    logs = sorted(math.log(r["ratio"]) for r in rows)
    mean = math.exp(sum(logs) / len(logs))
    at = lambda share: math.exp(logs[min(len(logs) - 1, int(share * len(logs)))])
    within = sum(abs(l) <= math.log(1.25) for l in logs)
    return (f"{len(rows)} kernels: Spearman {spearman([r['modelledUs'] for r in rows], [r['measuredUs'] for r in rows]):.3f}; modelled over measured: "
            f"geometric mean {mean:.2f}, median {at(0.5):.2f}, 10 % to 90 % {at(0.1):.2f} to {at(0.9):.2f}, within a factor of 1.25: {within}")


def show(value, scale=1, digits=0):
    return "-" if value is None else f"{value / scale:.{digits}f}"


def table(rows):
    head = ("program, parameters", "measured us", "± %", "modelled us", "ratio", "GFLOP", "least MB", "DRAM MB", "L2 MB", "tensor %", "DRAM %", "L2 %",
            "issue %", "occup. %", "bound (modelled)")
    lines = [head]
    for r in rows:
        sizes = " ".join(f"{k}={v}" for k, v in {**r["params"], **r["dims"]}.items())
        pair = lambda n: f"{show(r['measured'][n])}/{show(r['modelled'][n])}"
        lines.append((f"{r['file'][:-3]} {sizes}", show(r["measuredUs"], 1, 2), show(r["spread"], 0.01, 1), show(r["modelledUs"], 1, 2), show(r["ratio"], 1, 2),
                      show(r["flops"], 1e9, 2), show(r["leastBytes"], 1e6, 1), show(r["dramBytes"], 1e6, 1), show(r["l2Bytes"], 1e6, 1),
                      pair("tensor_pipe_pct"), pair("dram_bandwidth_pct"), pair("l2_bandwidth_pct"), pair("issue_slots_pct"), pair("occupancy_pct"),
                      ", ".join(r["bound"])))
    widths = [max(len(line[i]) for line in lines) for i in range(len(head))]
    return "\n".join("  ".join(cell.ljust(w) if i in (0, len(head) - 1) else cell.rjust(w) for i, (cell, w) in enumerate(zip(line, widths))).rstrip() for line in lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tilec")
    parser.add_argument("--out", default="")
    parser.add_argument("--device", default="cuda:0")
    parser.add_argument("--repeat", type=int, default=10)
    parser.add_argument("--timeout", type=int, default=60, help="seconds a kernel")
    parser.add_argument("--only", action="append", default=[])
    options = parser.parse_args()
    rows, failed = [], []
    for case in CASES:
        if options.only and not any(word in case[1] for word in options.only):
            continue
        document = profile(options, case)
        made = document if isinstance(document, str) else row(case, document)
        if isinstance(made, dict):
            rows.append(made)
        else:
            failed.append(f"{case[1]} {case[3]} {case[4]}: {made or 'without a measured and a modelled duration'}")
    text = "pairs are measured/modelled\n" + table(rows) + "\n\n" + summary(rows) + "\n" + "".join(f"failed: {f}\n" for f in failed)
    print(text)
    if options.out:
        with open(os.path.join(options.out, "model_compare.txt"), "w", encoding="utf-8") as file:
            file.write(text)
        with open(os.path.join(options.out, "model_compare.json"), "w", encoding="utf-8") as file:
            json.dump({"rows": rows, "failed": failed}, file, indent=1)
    sys.exit(3 if failed else 0)


if __name__ == "__main__":
    main()
