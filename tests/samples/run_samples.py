#!/usr/bin/env python3
"""Run every sample through tilec and compare the answers with truths.py, in the manner of the corpus.

    run_samples.py --tilec build/release/bin/tilec --device cpu
"""
import sys
from pathlib import Path

import numpy as np

HERE = Path(__file__).resolve().parent
sys.dont_write_bytecode = True
sys.path[:0] = [str(HERE), str(HERE.parent / "corpus")]
import run as corpus  # noqa: E402
import truths  # noqa: E402


def stem(name):
    return name[3:]


TRUTHS = {getattr(t, "FILE", t.__name__): t for t in vars(truths).values() if isinstance(t, type)}


def load(folder, name):
    return TRUTHS[stem(name)]


def data(name, index):
    truth = load("truth", name)
    case = truth.CASES[index]
    given = truth.inputs(np.random.default_rng([int(name[:2]), index]), case)
    return case, given, truth.expected(case, **given)


def main():
    samples = sorted(p.stem for p in (HERE / "programs").glob("[0-9]*.py"))
    unchecked = [s for s in samples if stem(s) not in TRUTHS]
    if unchecked:
        sys.exit(f"samples without a truth in truths.py: {', '.join(unchecked)}")
    corpus.HERE, corpus.load, corpus.data = HERE, load, data
    corpus.names = lambda only, rung: [s for s in samples if corpus.fnmatch.fnmatch(s, only)]
    sys.argv += ["--rung", "0"]  # the corpus's wrong programs are not ours to run
    return corpus.main()


if __name__ == "__main__":
    sys.exit(main())
