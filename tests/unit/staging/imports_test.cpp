// What a file may import of those beside it.
#include "staging_helpers.h"

namespace tw::staging {

TEST(Imports, SiblingModulesAreReadOnce)
{
    Options options = plainOptions();
    std::map<std::string, int> reads;
    options.readSibling = [&](const std::string& path) -> std::optional<std::string> {
        ++reads[path];
        return path == "helpers" ? std::optional<std::string>("import file_that_is_not_there\nBLOCK = 96\n") : std::nullopt;
    };
    std::string text = kCopy;
    text.replace(text.find("block=128"), 9, "block=BLOCK");
    text = "from helpers import BLOCK\n" + text;
    const Surveyed file(text + "copy(960)\n", options);
    ASSERT_FALSE(file.sink.hasErrors()) << file.sink.all()[0].message;
    EXPECT_EQ(file.program->kernels()[0].parameters[1].defaultText, "96");
    EXPECT_EQ(file.program->sources().size(), 2u);
    EXPECT_EQ(reads["helpers"], 1);
}

// Imports by place: of the package, of packages around it, of a module whose name is also one of Python's.
TEST(Imports, RelativeImportsAreByPlace)
{
    const std::map<std::string, std::string> files = {
        {"types", "BLOCK = 96\n"},
        {"tools/__init__", "from .shapes import double\nfrom ..config import ROWS\n"},
        {"tools/shapes", "def double(n):\n    return 2 * n\n"},
        {"config", "ROWS = 5\n"},
        {"../common", "from .limits import LIMIT\n"},
        {"../limits", "LIMIT = 7\n"},
        {"mine/utils", "from .limits import LIMIT as MOST\n"},
        {"mine/limits", "LIMIT = 11\n"},
    };
    Options options = plainOptions();
    options.readSibling = [&](const std::string& path) -> std::optional<std::string> {
        const auto it = files.find(path);
        return it == files.end() ? std::nullopt : std::optional(it->second);
    };
    const std::string imports = "from .types import BLOCK\nfrom .tools import double, ROWS\nfrom ..common import LIMIT\nfrom mine.utils import MOST\n"
                                "from . import config\nfrom .absent import nothing\n";
    const Surveyed file(imports + kCopy + "copy(double(BLOCK), block=ROWS * LIMIT * MOST * config.ROWS)\n", options);
    ASSERT_FALSE(file.sink.hasErrors()) << file.sink.all()[0].message;
    ASSERT_EQ(file.program->kernels()[0].instances.size(), 1u);
    EXPECT_EQ(file.program->kernels()[0].instances[0].params, (Bindings{{"n", "192"}, {"block", "1925"}}));
}

}  // namespace tw::staging
