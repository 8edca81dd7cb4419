#include "app/gui/session/sibling_reader.h"

#include "codegen/driver/sibling_files.h"

namespace tw::gui {

std::optional<std::string> SiblingReader::read(const std::string& path)
{
    auto text = driver::readSiblingFile(folder_, path);
    if (text) {
        const std::lock_guard lock(mutex_);
        given_[path] = *text;
    }
    return text;
}

std::map<std::string, std::string> SiblingReader::given() const
{
    const std::lock_guard lock(mutex_);
    return given_;
}

}  // namespace tw::gui
