// Small pieces of Python with the answers that CPython gives.
#include "staging_helpers.h"

namespace tw::staging {

TEST(Evaluator, Arithmetic)
{
    EXPECT_EQ(after("x = (2 ** 10 // 3, -7 // 2, -7 % 3, 7 / 2, 1 << 5, ~5, 6 ^ 3)"), "(341, -4, 2, 3.5, 32, -6, 5)");
    EXPECT_EQ(after("x = [1 < 2 < 3, 1 < 2 > 3, not 0, 1 and 2, 0 or 'a', None is None]"), "[True, False, True, 2, 'a', True]");
}

TEST(Evaluator, FunctionsAndClosures)
{
    EXPECT_EQ(after("def f(a, b=2, *args, c, **kw):\n    return (a, b, args, c, sorted(kw))\nx = f(1, c=5, d=6)"),
              "(1, 2, (), 5, ['d'])");
    EXPECT_EQ(after("def make():\n    n = 0\n    def inc():\n        nonlocal n\n        n += 1\n        return n\n    return inc\n"
                    "f = make()\nf()\nx = f()"),
              "2");
    EXPECT_EQ(after("x = [f(3) for f in [lambda v: v + 1, lambda v: v * 2]]"), "[4, 6]");
}

TEST(Evaluator, ComprehensionsAndGenerators)
{
    EXPECT_EQ(after("x = [i * j for i in range(3) for j in range(i) if j != 1]"), "[0, 0]");
    EXPECT_EQ(after("x = {k: v for k, v in zip('ab', (1, 2))}"), "{'a': 1, 'b': 2}");
    EXPECT_EQ(after("def g(n):\n    for i in range(n):\n        yield i * i\nx = list(g(4)) + [sum(g(3))]"), "[0, 1, 4, 9, 5]");
    EXPECT_EQ(after("x = next(i for i in range(10 ** 12) if i > 5)"), "6");
}

TEST(Evaluator, Classes)
{
    EXPECT_EQ(after("class A:\n    def __init__(self, n):\n        self.n = n\n    @property\n    def twice(self):\n        return 2 * self.n\n"
                    "    @staticmethod\n    def s(v):\n        return v\n    @classmethod\n    def make(cls):\n        return cls(7)\n"
                    "class B(A):\n    def __init__(self, n):\n        super().__init__(n + 1)\n    def __call__(self, k):\n        return self.n * k\n"
                    "b = B(1)\nx = (b.n, b.twice, b(10), A.s(3), B.make().n, isinstance(b, A))"),
              "(2, 4, 20, 3, 8, True)");
    EXPECT_EQ(after("class A:\n    known = {}\n    def __init_subclass__(cls, tag='', **rest):\n        super().__init_subclass__(**rest)\n"
                    "        A.known[cls.__name__] = tag\nclass B(A, tag='b'):\n    pass\nclass C(B):\n    pass\nx = A.known"),
              "{'B': 'b', 'C': ''}");
    EXPECT_EQ(after("import enum\nclass F(enum.IntFlag):\n    A = 1\n    B = 2\n    C = 4\nboth = F.A | F.B\nx = (F.B in both, F.C in both)"),
              "(True, False)");
    EXPECT_EQ(after("class V:\n    def __init__(self, v): self.v = v\n    def __add__(self, o): return V(self.v + o.v)\n"
                    "    def __eq__(self, o): return self.v == o.v\nx = (V(1) + V(2)) == V(3)"),
              "True");
}

TEST(Evaluator, Exceptions)
{
    EXPECT_EQ(after("def f(k):\n    try:\n        return {'a': 1}[k]\n    except KeyError as e:\n        return 'none'\n    finally:\n        pass\n"
                    "x = (f('a'), f('b'))"),
              "(1, 'none')");
    EXPECT_EQ(after("try:\n    raise ValueError('no')\nexcept (TypeError, ValueError) as e:\n    x = str(e)"), "'no'");
    EXPECT_EQ(after("try:\n    1 // 0\nexcept ZeroDivisionError:\n    x = 1"), "1");
}

TEST(Evaluator, StringsAndFormats)
{
    EXPECT_EQ(after("n = 3.14159\nx = f'{n:.2f} {\"a\"!r:>5} {n=:.1f}'"), "\"3.14   'a' n=3.1\"");
    EXPECT_EQ(after("x = '{} {1} {k}'.format(1, 2, k=3) if False else '{0}-{k}'.format(1, k=2)"), "'1-2'");
    EXPECT_EQ(after("x = '%d of %s' % (3, 'four')"), "'3 of four'");
    EXPECT_EQ(after("x = ' a,b '.strip().split(',') + ['x'.upper(), 'abc'[::-1], '-'.join(['1', '2'])]"),
              "['a', 'b', 'X', 'cba', '1-2']");
}

TEST(Evaluator, Containers)
{
    EXPECT_EQ(after("a = [3, 1, 2]\na.sort(reverse=True)\na[1:2] = [9, 8]\nx = a"), "[3, 9, 8, 1]");
    EXPECT_EQ(after("a, *b, c = range(5)\nx = (a, b, c)"), "(0, [1, 2, 3], 4)");
    EXPECT_EQ(after("d = {}\nd.setdefault('k', []).append(1)\nd['z'] = 2\ndel d['k']\nx = list(d.items())"), "[('z', 2)]");
    EXPECT_EQ(after("x = sorted({1, 2} | {3} - {1})"), "[1, 2, 3]");
}

TEST(Evaluator, StandardModules)
{
    EXPECT_EQ(after("import math, itertools, functools\nx = (math.ceil(2.1), math.gcd(12, 18), list(itertools.product([1, 2], 'a')), "
                    "functools.partial(max, 3)(2))"),
              "(3, 6, [(1, 'a'), (2, 'a')], 3)");
    EXPECT_EQ(after("from dataclasses import dataclass, field\n@dataclass\nclass P:\n    n: int\n    m: int = 2\n    s: list = field(default_factory=list)\n"
                    "x = P(1)"),
              "P(n=1, m=2, s=[])");
    EXPECT_EQ(after("from enum import Enum\nclass C(Enum):\n    A = 1\n    B = 2\nx = (C.A.name, C(2).value, [c.name for c in C], C['B'] is C.B)"),
              "('A', 2, ['A', 'B'], True)");
    EXPECT_EQ(after("from collections import defaultdict, namedtuple\nd = defaultdict(int)\nd['a'] += 2\nP = namedtuple('P', 'u v')\np = P(1, v=2)\n"
                    "x = (d['a'], p.u + p[1], len(p))"),
              "(2, 3, 2)");
    EXPECT_EQ(after("import argparse\np = argparse.ArgumentParser()\np.add_argument('--m-size', type=int, default=64)\n"
                    "p.add_argument('--flag', action='store_true')\na = p.parse_args()\nx = (a.m_size, a.flag)"),
              "(64, False)");
}

TEST(Evaluator, Match)
{
    EXPECT_EQ(after("def f(v):\n    match v:\n        case 0: return 'zero'\n        case [a, *rest]: return (a, rest)\n        case {'k': n}: return n\n"
                    "        case str() as s: return s\n        case _: return None\nx = [f(0), f([1, 2]), f({'k': 5}), f('t'), f(2.5)]"),
              "['zero', (1, [2]), 5, 't', None]");
}

TEST(Evaluator, ForeignConditionsSurveyBothArms)
{
    EXPECT_EQ(after("import foreign\nif foreign.flag():\n    x = 1\n    y = 2\nelse:\n    x = 1", "x"), "1");
    EXPECT_EQ(after("import foreign\nx = []\nfor item in foreign.items():\n    x.append(1)", "x"), "[1]");
    EXPECT_EQ(after("import foreign\nassert foreign.ok\nx = 3"), "3");
}

TEST(Evaluator, ContextManagers)
{
    EXPECT_EQ(after("from contextlib import contextmanager\n@contextmanager\ndef c():\n    yield 5\nwith c() as v:\n    x = v"), "5");
    EXPECT_EQ(after("class C:\n    def __enter__(self): return 1\n    def __exit__(self, t, e, tb): return True\nx = 0\n"
                    "with C() as v:\n    x = v\n    raise ValueError()"),
              "1");
}

TEST(Evaluator, TensorsWithoutData)
{
    EXPECT_EQ(after("import torch\na = torch.randn(4, 6, dtype=torch.float16)\nx = (a.T.shape, a.chunk(2)[0].shape, a[1:, None].shape, (a @ a.T).dtype)"),
              "((6, 4), (2, 6), (3, 1, 6), 'float16')");
}

TEST(Evaluator, ReductionsOfTensorsWithoutData)
{
    const std::string head = "import torch\nimport math\na = torch.randn(4, 6, 5, dtype=torch.float16)\n";
    EXPECT_EQ(after(head + "x = (a.sum(-1).shape, a.amax(dim=(0, 2), keepdim=True).shape, a.argmin(1).dtype, a.any(0).dtype)"),
              "((4, 6), (1, 6, 1), 'int64', 'bool')");
    EXPECT_EQ(after(head + "s = a.sort(-1)[0]\nv, i = a.topk(3, dim=1)\nx = (s.shape, v.shape, i.dtype, torch.topk(a, 2).indices.shape, a.max(1).values.shape)"),
              "((4, 6, 5), (4, 3, 5), 'int64', (4, 6, 2), (4, 5))");
    EXPECT_EQ(after(head + "x = (a[:1].squeeze(0).shape, a[:1, :, :1].squeeze().shape, a.squeeze(0).shape)"), "((6, 5), (6,), (4, 6, 5))");
    // What is inside of a tensor nobody knows; the statement goes on all the same.
    EXPECT_EQ(after(head + "x = [0]\nfor i in range(3):\n    x.append(math.ceil(a[0, 0, i] / 2))\nx = len(x)"), "4");
    EXPECT_EQ(after("import torch\nx = torch.__getattribute__('float16')"), "'float16'");
    EXPECT_EQ(after("import argparse\na = argparse.Namespace(m=3, n='t')\nx = (a.m, a.n)"), "(3, 't')");
}

// Each spends its time in one operation that looks at much: what it costs is charged where it is done.
TEST(Evaluator, BulkWorkIsCharged)
{
    for (const char* loop : {"y = x[1:]", "y = x[5]", "y = len(x)", "y = x == z", "y = 'b' in x", "x = x.upper()", "d[x] = 1", "y = x.split('a')",
                             "y = str(l)", "y = l[1:]", "a, *b = l", "y = l == m", "y = l.count(2)", "l.insert(0, 1)", "y = s - s", "y = list(e)",
                             "y = e | e", "try:\n        y = undefined\n    except NameError:\n        pass"}) {
        const std::string text = "x = 'a' * 1_000_000\nz = 'a' * 1_000_000\nl = [1] * 100_000\nm = [1] * 100_000\nd = {}\ns = set(range(20_000))\n"
                                 "e = dict(zip(s, s))\nwhile True:\n    " + std::string(loop) + "\n";
        const Surveyed file(text);
        ASSERT_EQ(file.sink.all().size(), 1U) << loop;
        EXPECT_EQ(file.sink.all().front().code, Code::kBudget) << loop;
    }
}

TEST(Evaluator, MacrosAreRefusedOutsideKernels)
{
    const Surveyed file("import tilelang.language as T\n\n@T.macro\ndef m(A):\n    A[0] = 1\n\nm(1)\n");
    ASSERT_EQ(file.sink.all().size(), 1U);
    EXPECT_EQ(file.sink.all().front().code, Code::kNotInKernel);
}

TEST(Evaluator, KernelsBehindEndlessOnesHaveLess)
{
    std::string text = "import tilelang.language as T\n";
    for (int i = 0; i < 12; ++i)
        text += "@T.prim_func\ndef f" + std::to_string(i) + "(A: T.Tensor((4,), 'float32')):\n    with T.Kernel(1, threads=32):\n"
                "        for i in [0] * 1_000_000:\n            for j in [0] * 1_000_000:\n                pass\n";
    const Surveyed file(text);
    EXPECT_EQ(file.sink.all().size(), 12U);
}

}  // namespace tw::staging
