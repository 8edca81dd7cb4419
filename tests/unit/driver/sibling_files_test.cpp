#include "codegen/driver/sibling_files.h"

#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

#include "tests/temporary_folder.h"

namespace tw::driver {
namespace {

namespace fs = std::filesystem;

// root/{secret.py, mine/{__init__.py, utils.py, deep/{__init__.py, kernel's folder}}, plain/}
class SiblingFiles : public testing::Test {
protected:
    const tw::test::TemporaryFolder folder_;
    const fs::path root = folder_.path();

    void SetUp() override
    {
        write("secret.py", "root");
        write("mine/__init__.py", "package");
        write("mine/utils.py", "utils");
        write("mine/deep/__init__.py", "deep");
        write("mine/deep/helpers.py", "helpers");
        write("plain/helpers.py", "plain helpers");
        write("mine/loose/kernels/fast.py", "fast");
    }

    void write(const std::string& path, const std::string& text)
    {
        fs::create_directories((root / path).parent_path());
        std::ofstream(root / path) << text;
    }
    std::string read(const std::string& folder, const std::string& path) { return readSiblingFile((root / folder).string(), path).value_or("nothing"); }
};

TEST_F(SiblingFiles, BesideTheFile)
{
    EXPECT_EQ(read("mine/deep", "helpers"), "helpers");
    EXPECT_EQ(read("plain", "helpers"), "plain helpers");
    EXPECT_EQ(read("mine", "deep/helpers"), "helpers");
    EXPECT_EQ(read("mine", "deep/__init__"), "deep");
    EXPECT_EQ(read("mine", "deep"), "nothing");  // a package is its __init__
    EXPECT_EQ(read("plain/", "helpers"), "plain helpers");
}

TEST_F(SiblingFiles, InThePackagesAround)
{
    EXPECT_EQ(read("mine/deep", "../utils"), "utils");
    EXPECT_EQ(read("mine/deep", "../__init__"), "package");
    EXPECT_EQ(read("mine/deep", "mine/utils"), "utils");
    EXPECT_EQ(read("mine", "mine/deep/helpers"), "helpers");
    EXPECT_EQ(read("mine/deep", "mine/__init__"), "package");
    EXPECT_EQ(read("mine/loose/kernels", "../../utils"), "utils");  // a folder between without the file
    EXPECT_EQ(read("mine/loose/kernels", "mine/utils"), "utils");
}

TEST_F(SiblingFiles, NotOutsideOfThem)
{
    EXPECT_EQ(read("plain", "../secret"), "nothing");
    EXPECT_EQ(read("mine/deep", "../../../secret"), "nothing");
    EXPECT_EQ(read("mine/loose/kernels", "../../../secret"), "nothing");
    EXPECT_EQ(read("mine/deep", "a/../../secret"), "nothing");
    EXPECT_EQ(read("plain", "plain/helpers"), "nothing");  // no package
    EXPECT_EQ(read("mine", (root / "secret").string()), "nothing");
}

}  // namespace
}  // namespace tw::driver
