#include "core/support/check.h"

#include <string_view>

namespace tw {

void failCheck(const char* file, int line, const char* condition, const std::string& message)
{
    // Only the path below the repository root means something to a reader.
    std::string_view path = file;
    for (std::string_view root : {"core/", "codegen/", "profiler/", "app/"}) {
        if (auto at = path.rfind(root); at != std::string_view::npos) {
            path.remove_prefix(at);
            break;
        }
    }
    throw InternalError(std::string(path) + ":" + std::to_string(line) + ": " + message + " (" + condition + ")");
}

}  // namespace tw
