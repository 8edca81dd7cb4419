// Reads modules beside the opened file for staging, and remembers what it gave: a runner gets the same text. Thread-safe.
#pragma once

#include <map>
#include <mutex>
#include <optional>
#include <string>

namespace tw::gui {

class SiblingReader {
public:
    explicit SiblingReader(std::string folder) : folder_(std::move(folder)) {}

    // `path` as in driver::readSiblingFile.
    [[nodiscard]] std::optional<std::string> read(const std::string& path);
    [[nodiscard]] std::map<std::string, std::string> given() const;

private:
    std::string folder_;
    mutable std::mutex mutex_;
    std::map<std::string, std::string> given_;
};

}  // namespace tw::gui
