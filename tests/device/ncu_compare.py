"""Compares our counters with Nsight Compute's, side by side, in one run on a GPU.

usage: ncu_compare.py TILEC [--out DIR] [NAME…]     names: copy gemm attention softmax

Ours come from `tilec profile`, Nsight Compute's from `ncu` around `tilec run`: the same kernel, the same inputs, a cold L2 cache, clocks as
they are; medians of five launches. Which of the chip's counters is which of our names stands in profiler/cupti/metrics.def. A value agrees
within 2 %, within 10 % where it is a percentage below 5, and where the two differ by no more than Nsight Compute's own samples do
("within spread"). The time by the counters agrees with events within 2 %, and the
counts of instructions (`tilec profile` makes them of one launch, with patched code) add up to the counter. Exit code 3 where something does not.
"""
import argparse
import csv
import io
import json
import os
import re
import statistics
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
CASES = {
    "copy": ("01_copy.py", "copy", {"M": 16384, "N": 16384}, {}),
    "gemm": ("04_gemm.py", "gemm", {"M": 4096, "N": 4096, "K": 4096}, {}),
    "attention": ("09_attention.py", "attention", {"batch": 2, "heads": 16, "seq": 4096, "dim": 128}, {}),
    "softmax": ("07_softmax.py", "softmax", {"N": 4096}, {"M": 16384}),
}
SAMPLES = 5  # both sides: medians
COMPARED = ["duration_us", "tensor_pipe_pct", "dram_read_bytes", "dram_write_bytes", "dram_bandwidth_pct", "l2_bandwidth_pct", "l2_read_bytes",
            "l2_write_bytes", "issue_slots_pct", "occupancy_pct", "shared_bank_conflicts", "instructions"]


def definitions():
    """Our name: (counter, scale), from the table that the program is built with."""
    out = {}
    with open(os.path.join(ROOT, "profiler", "cupti", "metrics.def"), encoding="utf-8") as file:
        for name, scale, counter in re.findall(r'^TW_METRIC\("(\w+)", "[^"]*", ([\d.e+-]+), [^,]*, "([^"]+)"', file.read(), re.M):
            out[name] = (counter, float(scale))
    return out


def arguments(name):
    file, kernel, params, dims = CASES[name]
    out = [os.path.join(ROOT, "samples", file), "--kernel", kernel, "--device", "cuda:0", "--json"]
    for key, value in params.items():
        out += ["--param", f"{key}={value}"]
    for key, value in dims.items():
        out += ["--dim", f"{key}={value}"]
    return out


def run(command):
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"failed ({done.returncode}): {' '.join(command)}\n{done.stdout[-2000:]}\n{done.stderr[-2000:]}")
    return done.stdout


def ours(tilec, name):
    document = json.loads(run([tilec, "profile", *arguments(name), "--repeat", str(SAMPLES)]))
    measured = [m for m in document["metrics"] if m["source"] == "measured"]
    counted = {m["name"]: m for m in measured if m["launch"] == 0}
    call = {m["name"]: m["value"] for m in measured if m["launch"] is None}
    by_instruction = sum(line["counts"].get("executed", 0) for line in document.get("lines", []) if line["text"] == "sass" and "counts" in line)
    return counted, call["duration_us"], call["counter_passes"], by_instruction


def theirs(tilec, name, counters):
    """Counter: values of the kernel's launches."""
    text = run(["ncu", "--csv", "--page", "raw", "--print-units", "base", "--print-fp", "--clock-control", "none", "--cache-control", "all",
                "--target-processes", "all", "--kernel-name", "regex:_kernel", "--launch-count", str(SAMPLES), "--metrics", ",".join(counters),
                tilec, "run", *arguments(name), "--repeat", str(SAMPLES)])
    table = list(csv.reader(io.StringIO(text[text.index('"ID"'):])))
    head, rows = table[0], table[2:]  # between them: units
    return {key: [float(row[at].replace(",", "")) for row in rows if len(row) > at and row[at]] for at, key in enumerate(head) if key in counters}


def verdict(mine, others, unit):
    other = statistics.median(others)
    limit = 0.10 if unit == "%" and max(mine, other) < 5 else 0.02
    if mine == other or abs(mine - other) <= limit * max(abs(mine), abs(other)):
        return "ok"
    return "within spread" if abs(mine - other) <= max(others) - min(others) else "differs"


def compare(tilec, name, defined):
    counted, events, passes, by_instruction = ours(tilec, name)
    other = theirs(tilec, name, [defined[n][0] for n in COMPARED])
    rows, bad = [], 0
    for metric in COMPARED:
        counter, scale = defined[metric]
        if metric not in counted or counter not in other:
            rows.append((name, metric, "-", "-", "-", "missing"))
            bad += 1
            continue
        mine, samples = counted[metric]["value"], [value * scale for value in other[counter]]
        reference, word = statistics.median(samples), verdict(mine, samples, counted[metric]["unit"])
        bad += word == "differs"
        rows.append((name, metric, f"{mine:.6g}", f"{reference:.6g}", f"{100 * (mine - reference) / reference if reference else 0:+.2f} %", word))
    mine = counted["duration_us"]["value"]
    good = abs(mine - events) <= 0.02 * events
    rows.append((name, "duration_us, counted and by events", f"{mine:.6g}", f"{events:.6g}", f"{100 * (mine - events) / events:+.2f} %", "ok" if good else "differs"))
    rows.append((name, "passes", f"{passes:g}", "2", "", "ok" if passes <= 2 else "too many"))
    # Patched code counts the very launch again: the sum over its instructions is the counter's number.
    mine = counted["instructions"]["value"]
    exact = by_instruction == mine
    rows.append((name, "instructions, counter and sum of counts", f"{mine:.9g}", f"{by_instruction:.9g}", "", "ok" if exact else "differs"))
    return rows, bad + (not good) + (passes > 2) + (not exact)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tilec")
    parser.add_argument("names", nargs="*")
    parser.add_argument("--out", default="")
    options = parser.parse_args()
    defined, lines, bad = definitions(), ["| kernel | metric | ours | ncu | difference | |", "|---|---|---|---|---|---|"], 0
    for name in options.names or CASES:
        rows, wrong = compare(options.tilec, name, defined)
        bad += wrong
        lines += ["| " + " | ".join(row) + " |" for row in rows]
    text = "\n".join(lines) + "\n"
    print(text)
    if options.out:
        with open(os.path.join(options.out, "ncu_compare.md"), "w", encoding="utf-8") as file:
            file.write(text)
    sys.exit(3 if bad else 0)


if __name__ == "__main__":
    main()
