// What the tests on a GPU share.
#pragma once

#include <cstring>

#include <gtest/gtest.h>

#include "profiler/cuda/launch.h"
#include "profiler/cuda/memory.h"
#include "tests/device/kernels.h"

namespace tw::cuda {

// Opens GPU 0 and the kernels; skips the test where there is none.
class GpuTest : public testing::Test {
protected:
    void SetUp() override
    {
        auto driver = Driver::open();
        if (!driver)
            GTEST_SKIP() << driver.error().message;
        if ((*driver)->deviceCount() == 0)
            GTEST_SKIP() << "the driver finds no GPU";
        auto context = Context::open(*driver, 0);
        ASSERT_TRUE(context) << context.error().message;
        context_ = *context;
        if (context_->device().major < 9)
            GTEST_SKIP() << "the kernels are for compute capability 9.0";
        auto module = Module::load(context_, kKernels);
        ASSERT_TRUE(module) << module.error().message;
        module_ = std::move(*module);
    }

    api::Function find(const char* entry) { return module_->find(entry).value(); }
    std::unique_ptr<Memory> allocate(std::int64_t bytes) { return std::move(Memory::allocate(context_, bytes).value()); }
    std::unique_ptr<Memory> numbers(std::vector<std::uint32_t> values)
    {
        auto memory = allocate(static_cast<std::int64_t>(values.size()) * 4);
        EXPECT_TRUE(memory->upload({reinterpret_cast<const std::uint8_t*>(values.data()), values.size() * 4}));
        return memory;
    }
    std::vector<std::uint32_t> download(Memory& memory)
    {
        std::vector<std::uint32_t> out(static_cast<std::size_t>(memory.bytes() / 4));
        EXPECT_TRUE(memory.download({reinterpret_cast<std::uint8_t*>(out.data()), out.size() * 4}));
        return out;
    }

    std::shared_ptr<Context> context_;
    std::unique_ptr<Module> module_;
};

}  // namespace tw::cuda
