"""Lesson 20: attention with whole rows.

Blocks of keys pass by outside, query rows inside; each row carries its largest score, its sum and its output from block
to block. Slices that reach past the end are cut to the extent, so the last block may be shorter.
"""
import numpy as np
import tilelang as tl


@tl.kernel
def attention(
    Q: tl.Tensor[(n, d), float32],
    K: tl.Tensor[(n, d), float32],
    V: tl.Tensor[(n, d), float32],
    block: int = 32,
) -> tl.Tensor[(n, d), float32]:
    n, d = Q.shape
    scale = d ** -0.5
    out = tl.zeros((n, d), dtype=float32)
    total = tl.zeros((n,), dtype=float32)
    top = tl.full((n,), -1e30, dtype=float32)
    for lo in range(0, n, block):
        keys, values = K[lo:lo + block, :], V[lo:lo + block, :]
        for i in range(n):
            score = tl.dot(Q[i:i + 1, :], tl.transpose(keys)) * scale
            new_top = tl.maximum(top[i], tl.max(score))
            fade = tl.exp(top[i] - new_top)
            weight = tl.exp(score - new_top)
            out[i] = out[i] * fade + tl.dot(weight, values)
            total[i] = total[i] * fade + tl.sum(weight)
            top[i] = new_top
    return out / total[:, None]


if __name__ == "__main__":
    f = tl.compile(attention, target="cuda", options={"block": 48})
    q, k, v = (np.random.randn(100, 32).astype(np.float32) for _ in range(3))
    w = np.exp(q @ k.T / np.sqrt(32))
    assert np.allclose(f(q, k, v), w @ v / w.sum(axis=1, keepdims=True), atol=1e-4)
