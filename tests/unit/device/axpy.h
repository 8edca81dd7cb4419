// A small GPU program on the driver that the test plays.
#pragma once

#include <gtest/gtest.h>

#include "core/ir/build.h"
#include "profiler/device/cuda_executable.h"
#include "tests/unit/cuda/fake_driver.h"
#include "tests/unit/device/functions.h"

namespace tw::device {

// Y[i] += X[i] * alpha for i < n, in blocks of 64, with one workspace that counts blocks.
class CudaExecutableTest : public testing::Test {
protected:
    void SetUp() override
    {
        const ir::Var n = test::symbol("n");
        const ir::Buffer x = test::tensor("X", ir::kFloat32, {n}), y = test::tensor("Y", ir::kFloat32, {n});
        const ir::Var alpha = std::make_shared<const ir::VarNode>(ir::kFloat32, "alpha");
        auto function = std::make_shared<ir::Function>();
        function->name = "axpy";
        function->params = {{x}, {y}, {alpha}};
        function->symbols = {n};
        function->body = test::loop(ir::intImm(0), n, [&](const ir::Var& i) {
            return test::store(y, i, ir::binary(ir::BinaryOp::kAdd, test::load(y, i), ir::binary(ir::BinaryOp::kMul, test::load(x, i), alpha)));
        });
        function_ = function;
        program_.language = "cuda";
        gpu::KernelLaunch launch;
        launch.entry = "axpy_kernel";
        launch.grid = {ir::ceilDiv(n, ir::intImm(64))};
        launch.block = {64, 1, 1};
        launch.arguments = {{gpu::ArgumentKind::kTensor, 0, "X", ir::kHandle}, {gpu::ArgumentKind::kTensor, 1, "Y", ir::kHandle},
                            {gpu::ArgumentKind::kScalar, 2, "alpha", ir::kFloat32}, {gpu::ArgumentKind::kSymbol, 0, "n", ir::kInt32},
                            {gpu::ArgumentKind::kWorkspace, 0, "count", ir::kHandle}};
        launch.range = {0, 10, 20};
        program_.launches = {launch};
        program_.workspaces = {{"count", ir::kInt32, {ir::intImm(1)}, true}};
        program_.asserts = {{ir::less(ir::intImm(0), n), "n must be positive", {}}};
        fake_.kernels["axpy_kernel"] = [this](void** p) { axpy(p); };
    }

    void axpy(void** p)
    {
        const auto* x = *static_cast<const float**>(p[0]);
        auto* y = *static_cast<float**>(p[1]);
        const float alpha = *static_cast<float*>(p[2]);
        const int n = *static_cast<int*>(p[3]);
        counted_ = ++**static_cast<int**>(p[4]);
        for (int i = 0; i < n + overrun_; ++i)
            y[i] = i < n ? y[i] + x[i] * alpha : 0;
        std::fputs(printed_, stdout);
    }

    interp::Arguments arguments(std::int64_t n) const
    {
        interp::Arguments out;
        out.dims["n"] = n;
        out.scalars["alpha"] = 0.5;
        for (const char* name : {"X", "Y"}) {
            interp::Tensor& t = out.tensors[name] = interp::makeTensor(ir::kFloat32, {n});
            for (std::int64_t i = 0; i < n; ++i)
                t.setFloat(i, static_cast<double>(i));
        }
        return out;
    }

    bool run(interp::Arguments& values, int repeat = 1)
    {
        context_ = cuda::FakeDriver::context();
        auto loaded = loadKernels(context_, function_, std::make_shared<const gpu::GpuProgram>(program_), "image");
        EXPECT_TRUE(loaded) << (loaded ? "" : loaded.error().message);
        return loaded && makeExecutable(std::move(*loaded))->run(values, repeat, report_, diagnostics_, {}, {});
    }
    std::string message() const { return diagnostics_.all().empty() ? "" : diagnostics_.all()[0].message; }

    cuda::FakeDriver fake_;
    std::shared_ptr<const ir::Function> function_;
    gpu::GpuProgram program_;
    std::shared_ptr<cuda::Context> context_;
    RunReport report_;
    DiagnosticSink diagnostics_;
    int overrun_ = 0, counted_ = 0;
    const char* printed_ = "";
};

}  // namespace tw::device
