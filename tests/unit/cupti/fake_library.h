// The played CUPTI, opened.
#pragma once

#include <dlfcn.h>

#include <algorithm>

#include <gtest/gtest.h>

#include "profiler/cupti/library.h"
#include "tests/unit/cuda/fake_driver.h"
#include "tests/unit/cupti/fake_cupti.h"

namespace tw::cupti {

class FakeCuptiTest : public testing::Test {
protected:
    void SetUp() override
    {
        auto opened = Library::openFile(TW_FAKE_CUPTI);
        ASSERT_TRUE(opened) << opened.error().message;
        library_ = *opened;
        void* handle = ::dlopen(TW_FAKE_CUPTI, RTLD_NOW | RTLD_NOLOAD);
        ASSERT_NE(handle, nullptr);
        fake_ = reinterpret_cast<FakeCupti>(::dlsym(handle, "fakeCupti"))();
        *fake_ = {};
    }

    [[nodiscard]] bool called(const std::string& function) const
    {
        return std::find(fake_->log.begin(), fake_->log.end(), function) != fake_->log.end();
    }

    cuda::FakeDriver driver_;
    std::shared_ptr<cuda::Context> context_ = cuda::FakeDriver::context();
    std::shared_ptr<const Library> library_;
    FakeState* fake_ = nullptr;
};

}  // namespace tw::cupti
