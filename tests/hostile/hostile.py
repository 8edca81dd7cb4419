#!/usr/bin/env python3
"""Hostile and broken input: one diagnostic each, in bounded time and memory, nothing executed, nothing written.

    hostile.py --tilec build/release/bin/tilec [--verb list|check|run]
"""
import argparse
import json
import os
import random
import resource
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

VERBS = {"list": (), "check": (), "run": ("--device", "interp")}  # and what each needs besides the file
SECONDS = 30  # of processor time: far above what any of these should take, below what an endless loop takes
PATIENCE = 10 * SECONDS  # of the clock, on a machine that does other things, too
MEGABYTES = 2048

KERNEL = '''
import tilelang
import tilelang.language as T


@tilelang.jit(out_idx=[1])
def copy(n=256):
{before}
    @T.prim_func
    def main(X: T.Tensor((n,), T.float32), Y: T.Tensor((n,), T.float32)):
        with T.Kernel(1, threads=128):
{inside}
            T.copy(X, Y)

    return main
'''


ARRAY = '''
import tilelang as tl


@tl.kernel
def k(A: tl.Tensor[(n, 4), float32]) -> tl.Tensor[(n, 4), float32]:
    {body}
    return C
'''


def kernel(before="", inside=""):
    indent = lambda text, by: "\n".join(" " * by + line for line in text.splitlines())  # noqa: E731
    return KERNEL.format(before=indent(before, 4), inside=indent(inside, 12)).encode()


def nested(opening, closing, depth):
    return kernel(before="x = " + opening * depth + "1" + closing * depth)


def programs():
    """(name, bytes, whether an error must be reported)."""
    yield "endless while", kernel(before="while True:\n    n = n + 0"), True
    yield "endless recursion", kernel(before="def f(x):\n    return f(x + 1)\nf(0)"), True
    yield "mutual recursion", kernel(before="def f(x):\n    return g(x)\ndef g(x):\n    return f(x)\nf(0)"), True
    yield "huge range loop", kernel(before="for i in range(10**18):\n    pass"), True
    yield "huge comprehension", kernel(before="x = [i for i in range(10**12)]"), True
    yield "nested comprehension", kernel(before="x = [[j for j in range(10**6)] for i in range(10**6)]"), True
    yield "huge repetition", kernel(before="x = [0] * 10**15"), True
    yield "huge string", kernel(before="x = 'ab' * 10**13"), True
    yield "doubling string", kernel(before="x = 'a'\nfor i in range(100):\n    x = x + x"), True
    yield "doubling list", kernel(before="x = [1]\nfor i in range(100):\n    x = x + x"), True
    yield "huge integer", kernel(before="x = 10 ** (10 ** 9)"), True
    yield "huge shift", kernel(before="x = 1 << (1 << 60)"), True
    yield "growing integer", kernel(before="x = 3\nwhile x:\n    x = x * x"), True
    yield "huge width", kernel(before="x = f'{1:>{10**12}}'"), True
    yield "huge product", kernel(before="import itertools\nx = list(itertools.product(range(1000), repeat=9))"), True
    yield "endless count", kernel(before="import itertools\nfor i in itertools.count():\n    pass"), True
    yield "keys of one hash", kernel(before="d = {}\nb = (0,) * 1000\nfor i in range(8000):\n    d[b + (i,)] = i"), True
    yield "integers of one hash", kernel(before="m = (1 << 64) - 1\nd = {((k * 1000003) & m) << 64 | k for k in range(1, 100000)}"), True
    yield "tables of one hash", kernel(before="m = (1 << 64) - 1\nk = [((k * 1000003) & m) << 64 | k for k in range(1, 3000)]\nfor i in range(10000):\n    x = set(k) == set(k)"), True
    yield "self-containing list", kernel(before="x = []\nx.append(x)\nprint(x)\nassert n > 0, str(x)"), False
    yield "self-comparing list", kernel(before="x = []\nx.append(x)\ny = []\ny.append(y)\nz = x == y"), None
    yield "unrolled trace", kernel(inside="for i in [0] * 10**7:\n    T.clear(Y)"), True
    yield "macro bomb", kernel(before="@T.macro\ndef m(Y, k):\n    if k > 0:\n        m(Y, k - 1)\n        m(Y, k - 1)\n    T.clear(Y)", inside="m(Y, 40)"), True
    yield "system call", kernel(before="import os\nos.system('touch hostile_side_effect')"), None
    yield "system call at import", b"import os\nos.system('touch hostile_side_effect')\n" + kernel(), False
    yield "file write", b"open('hostile_side_effect', 'w').write('x')\n" + kernel(), False
    yield "eval", b"eval(\"open('hostile_side_effect', 'w')\")\nexec('import os')\n" + kernel(), False
    yield "dunder import", b"__import__('os').system('touch hostile_side_effect')\n" + kernel(), False
    yield "import from above", b"from .. import secrets\nimport passwords\n" + kernel(), False
    yield "deep brackets", nested("(", ")", 100_000), True
    yield "deep lists", nested("[", "]", 100_000), True
    yield "deep calls", nested("int(", ")", 50_000), True
    yield "deep unary", kernel(before="x = " + "-" * 200_000 + "1"), True
    yield "deep not", kernel(before="x = " + "not " * 100_000 + "1"), True
    yield "deep power", kernel(before="x = " + "1 ** " * 100_000 + "1"), True
    yield "long sum", kernel(before="x = " + "1 + " * 100_000 + "1"), None
    yield "long attribute chain", kernel(before="x = n" + ".real" * 100_000), None
    yield "deep lambdas", kernel(before="x = " + "lambda: " * 100_000 + "1"), True
    yield "deep ternaries", kernel(before="x = " + "1 if n else " * 100_000 + "1"), True
    yield "deep f-strings", kernel(before="x = " + "f'{" * 2000 + "1" + "}'" * 2000), True
    yield "deep values", kernel(before="t, l, d, f = (), [], {}, None\nfor i in range(100000):\n    t, l, d, f = (t,), [l], {1: d}, (lambda h: lambda: h)(f)"), None
    yield "wide key", kernel(before="t = (1,)\nfor i in range(200):\n    t = (t, t)\nd = {t: 1}"), None
    yield "wide text", kernel(before="t = (1,)\nfor i in range(200):\n    t = (t, t)\ns = str(t)"), None
    doubled = "t = u = {0}\nfor i in range({1}):\n    t = {2}t, t{3}\n    u = {2}u, u{3}\n"
    yield "wide equality", kernel(before=doubled.format("(1,)", 200, "(", ")") + "x = t == u"), False
    yield "wide order", kernel(before=doubled.format("[1]", 60, "[", "]") + "x = t < u"), False
    yield "wide types", kernel(before="t = (int,)\nfor i in range(200):\n    t = (t, t)\nx = isinstance('a', t)"), True
    yield "endless try", kernel(before="while True:\n    try:\n        raise ValueError('x')\n    except ValueError:\n        pass"), True
    yield "endless unknown name", kernel(before="while True:\n    try:\n        unknown\n    except NameError:\n        pass"), True
    yield "endless __next__", kernel(before="class I:\n    def __iter__(self):\n        return self\n    def __next__(self):\n        return 1\nx = list(I())"), True
    yield "class chain", kernel(before="class C:\n    pass\nfor i in range(5000):\n    class D(C):\n        pass\n    C = D\nx = C()"), None
    yield "many bases", kernel(before="B = []\nfor i in range(2000):\n    class D:\n        pass\n    B.append(D)\nE = type('E', (), {})\nclass F(*B, E):\n    pass\nclass G(F, *B):\n    pass"), None
    big = "x = 'a' * 10_000_000\nl = [1] * 1_000_000\nd = {i: i for i in range(200_000)}\n"
    for step in ("y = x[1:]", "y = x[5]", "for c in x:\n        break", "d[x] = 1", "y = str(l)", "a, *b = l", "l.pop(0)", "y = d | d", "d.popitem()\n    d[0] = 1"):
        yield f"bulk work: {step}", kernel(before=f"{big}while True:\n    {step}"), True
    yield "slow search", kernel(before="x = 'a' * 10_000_000\ny = ('a' * 5_000_000 + 'b') in x"), True
    yield "equal hashes", kernel(before="p = (1,) * 1000\nx = {(p, 2 ** 100 + i): i for i in range(50_000)}"), False
    for maker in ("(i for i in g)", "zip(g)", "map(abs, g)", "filter(None, g)", "enumerate(g)"):
        yield f"chain of {maker}", kernel(before=f"g = iter([1])\nfor k in range(100_000):\n    g = {maker}"), False
    yield "memory of tuples", kernel(before="x = [(i, (i, i), [i]) for i in range(10 ** 7)]"), True
    yield "memory of closures", kernel(before="x = []\nwhile True:\n    x.append((lambda v: lambda: v)(1))"), True
    yield "memory of joined text", kernel(before="x = ''.join(['a' * 1_000_000] * 10_000)"), True
    yield "choices", kernel(before="import itertools\nx = list(itertools.combinations(range(3000), 3))"), True
    yield "declared for ever", kernel(before="def f():\n    while True:\n        global q\n        q = 1\nf()"), True
    yield "macro outside of kernels", kernel() + b"\n\n@T.macro\ndef m(A):\n    A[0] = 1\n\n\nm(1)\n", True
    yield "long names", kernel(before="a" * 1_000_000 + " = 1\nassert " + "a" * 1_000_000 + "b"), True
    yield "endless match", kernel(before="x = [1] * 10 ** 6\nwhile True:\n    match x:\n        case [1, *rest]:\n            pass"), True
    yield "doubling f-string", kernel(before="x = 'a'\nfor i in range(100):\n    x = f'{x}{x}'"), True
    yield "a million instances", kernel() + b"\nfor i in range(1, 1000000):\n    copy(i)\n", None
    yield "a million configurations", kernel().replace(b"@tilelang.jit", b"@tilelang.autotune(configs=[{'n': i} for i in range(1, 1000000)])\n@tilelang.jit"), True
    yield "axes", kernel(inside="s = T.alloc_shared((1,) * 100_000, T.float32)\nT.clear(s)"), True
    yield "doubled scalar of arrays", ARRAY.format(body="x = n\n    for _ in [0] * 60:\n        x = x + x * x\n    C = A + x").encode(), True
    yield "doubled value of arrays", ARRAY.format(body="f = lambda x: x + x * x\n    C = " + "f(" * 60 + "A[0, 0]" + ")" * 60 + " + A").encode(), None
    yield "deep key", kernel(before="t = ()\nfor i in range(100000):\n    t = (t,)\nd = {t: 1}"), None
    yield "deep blocks", b"".join(b" " * i + b"if 1:\n" for i in range(3000)) + b" " * 3000 + b"pass\n", True
    yield "deep index expression", kernel(inside="i = T.get_thread_binding()\n" + "i = i + i\n" * 3000), None
    helper = b"def bomb(x):\n    for _ in range(%d):\n        x = %s\n    return x\n\n\n@tilelang.jit"
    for name, rounds, step in (("doubled expression", 80, b"x + x"), ("doubled select", 60, b"T.if_then_else(x > 0, x * 2, x / 3)"),
                               ("deep expression", 200_000, b"x + 1.5")):
        yield name, kernel(inside="Y[0] = bomb(X[0])").replace(b"@tilelang.jit", helper % (rounds, step)), True
    yield "doubled extent", kernel(before="m = T.dynamic('m')\nfor _ in range(100):\n    m = m + m * m\nn = m"), None
    yield "many statements", kernel(before="x = 0\n" * 200_000), None
    yield "many kernels", kernel() + b"".join(kernel().replace(b"def copy", b"def copy%d" % i) for i in range(300)), None
    yield "unterminated string", b"x = '''" + b"a" * 1_000_000, True
    yield "unclosed brackets", b"(" * 150 + b"\n" * 1000, True
    yield "binary junk", random.Random(1).randbytes(1_000_000), True
    yield "zero bytes", b"x = 1\0\n" * 1000, True
    yield "text with broken utf-8", b"x = '\xff\xfe'\n" + kernel(), True
    yield "50 MB of comments", b"# " + b"x" * 78 + b"\n" + (b"# " + b"x" * 77 + b"\n") * 655_360, True
    yield "one 10 MB line", b"x = '" + b"a" * 10_000_000 + b"'\n" + kernel(), None
    yield "empty", b"", False
    yield "only a byte-order mark", b"\xef\xbb\xbf", False
    yield "huge extent", kernel(before="n = 10**15"), None
    yield "huge shared tile", kernel(inside="s = T.alloc_shared((10**9, 10**9), T.float32)\nT.clear(s)"), True
    yield "negative tile", kernel(inside="s = T.alloc_shared((-4, 4), T.float32)\nT.clear(s)"), True
    yield "huge grid", kernel(before="n = 2**40").replace(b"T.Kernel(1,", b"T.Kernel(2**40, 2**40,"), None


def limits():
    resource.setrlimit(resource.RLIMIT_AS, (MEGABYTES << 20, MEGABYTES << 20))
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def judge(tilec, verb, text, must_fail):
    """What is wrong with the answer of `tilec VERB` to `text`, or None."""
    with tempfile.TemporaryDirectory(prefix="hostile-") as folder:
        path = Path(folder) / "program.py"
        path.write_bytes(text)
        try:
            done = subprocess.run([tilec, verb, str(path), *VERBS[verb], "--json"], capture_output=True, cwd=folder, timeout=PATIENCE,
                                  preexec_fn=limits)
        except subprocess.TimeoutExpired:
            return f"no answer in {PATIENCE} s"
        left = sorted(set(os.listdir(folder)) - {"program.py"})
    if done.returncode in (-signal.SIGXCPU, -signal.SIGKILL):
        return f"no answer in {SECONDS} s of processor time"
    if left:
        return f"left behind {left}"
    if done.returncode not in ((0, 1, 2, 4) if verb == "run" else (0, 1)):  # a file without kernels; tensors larger than this machine
        return f"exit {done.returncode}: {done.stderr[-300:].decode(errors='replace')}"
    document = json.loads(done.stdout)
    found = [d for d in document["diagnostics"] if d["severity"] == "error"]
    if any(d["code"] == "internal" for d in found):
        return f"internal failure: {found[0]['message']}"
    if must_fail and (done.returncode == 0 or not found) and verb != "list":  # which does not trace
        return "accepted"
    if must_fail and len(found) > 3:
        return f"{len(found)} errors for one mistake"
    if must_fail is False and done.returncode == 1:
        return f"refused: {found[0]['message']}"
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tilec", required=True)
    parser.add_argument("--verb", choices=VERBS, default="check")
    parser.add_argument("--only", default="", help="part of a name")
    options = parser.parse_args()
    tilec = os.path.abspath(options.tilec)
    failed = passed = 0
    for name, text, must_fail in programs():
        if options.only not in name:
            continue
        wrong = judge(tilec, options.verb, text, must_fail)
        if wrong:
            print(f"FAIL {name}: {wrong}", flush=True)
        failed, passed = failed + bool(wrong), passed + (not wrong)
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
