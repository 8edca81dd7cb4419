"""The way back through an embedding: gradients are added to the rows that they came from, some of them many times."""
import numpy as np
import tilelang as tl


@tl.kernel
def scatter_add(
    tokens: tl.Tensor[(count,), int16],
    dy: tl.Tensor[(count, dim), float32],
    grad: tl.Tensor[(vocab, dim), float32],
):
    for t in range(count):
        grad[tokens[t] :]


if __name__ == "__main__":
    f = tl.compile(scatter_add, target="cuda")
    grad = np.zeros((5, 3), dtype=np.float32)
    f(np.array([4, 1, 4], dtype=np.int32), np.ones((3, 3), dtype=np.float32), grad)
    print