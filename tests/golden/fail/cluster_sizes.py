import tilelang.language as T


@T.prim_func
def grid(A: T.Tensor((6, 32), "float32")):
    with T.ClusterKernel(6, threads=32, cluster_dims=4) as b:
        for i in T.Parallel(32):
            A[b, i] = 0.0


@T.prim_func
def size(A: T.Tensor((64, 32), "float32")):
    with T.ClusterKernel(64, threads=32, cluster_dims=32) as b:
        for i in T.Parallel(32):
            A[b, i] = 0.0


@T.prim_func
def rank(A: T.Tensor((4, 32), "float32"), C: T.Tensor((4, 32), "float32")):
    with T.ClusterKernel(4, threads=32, cluster_dims=2) as b:
        s = T.alloc_shared((32,), "float32")
        r = T.alloc_shared((32,), "float32")
        T.copy(A[b, 0], s)
        T.cluster_sync()
        T.copy_cluster(s, r, dst_block=5)
        T.cluster_sync()
        T.copy(r, C[b, 0])
