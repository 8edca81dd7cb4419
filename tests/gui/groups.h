// The groups of the window's tests, and what they share.
#pragma once

#include <QObject>

#include <memory>
#include <string>

#include "codegen/driver/compile.h"

namespace tw::gui {

std::unique_ptr<QObject> makeModelsTest();
std::unique_ptr<QObject> makeEditorTest();
std::unique_ptr<QObject> makeSessionTest();
std::unique_ptr<QObject> makeWindowTest();
std::unique_ptr<QObject> makeGpuTest();
std::unique_ptr<QObject> makeProfileTest();
std::unique_ptr<QObject> makeCompareTest();
std::unique_ptr<QObject> makeTuneTest();
std::unique_ptr<QObject> makeCountersTest();
std::unique_ptr<QObject> makeWidgetsTest();

// A factory with two instances: C = A + B over [M, N] tiles.
inline const std::string kSample = R"(import tilelang
import tilelang.language as T


@tilelang.jit(out_idx=[-1])
def add(M, N, block_M=32, block_N=64, dtype="float32"):
    @T.prim_func
    def main(A: T.Tensor((M, N), dtype), B: T.Tensor((M, N), dtype), C: T.Tensor((M, N), dtype)):
        with T.Kernel(T.ceildiv(N, block_N), T.ceildiv(M, block_M), threads=128) as (bx, by):
            for i, j in T.Parallel(block_M, block_N):
                C[by * block_M + i, bx * block_N + j] = A[by * block_M + i, bx * block_N + j] + B[by * block_M + i, bx * block_N + j]

    return main


if __name__ == "__main__":
    kernel = add(256, 128)
    other = add(128, 128, 64)
)";

[[nodiscard]] inline std::shared_ptr<const driver::CompileSnapshot> compileSample(const std::string& text = kSample)
{
    driver::CompileRequest request;
    request.source = std::make_shared<SourceText>("sample.py", text);
    request.stages = static_cast<unsigned>(driver::StageWanted::kNear) & ~static_cast<unsigned>(driver::StageWanted::kLlvmIr);
    return driver::compile(request);
}

}  // namespace tw::gui
