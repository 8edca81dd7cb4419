import tilelang as tl


@tl.kernel
def add_bias(x: tl.Tensor[(64, 32), float32], bias: tl.Tensor[(64,), float32]) -> tl.Tensor[(64, 32), float32]:
    return x + bias


f = tl.compile(add_bias, target="cuda")
