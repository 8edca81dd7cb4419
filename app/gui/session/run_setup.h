// What runs, profiles, comparisons and searches share: the chosen device, and the inputs that were set. One choice for the whole window.
#pragma once

#include <QObject>
#include <QStringList>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "app/gui/session/latest_job.h"
#include "core/ir/stmt.h"
#include "profiler/protocol/client.h"

namespace tw::gui {

using GivenInputs = std::map<std::string, std::string>;  // NAME -> path of a .npy file, or a number; absent: generated from the seed

class RunSetup : public QObject {
    Q_OBJECT

public:
    RunSetup(std::vector<std::string> runnerCommand, QObject* parent);

    // As --device names it; empty as long as nobody chose.
    [[nodiscard]] const std::string& device() const { return device_; }
    void setDevice(const std::string& device);
    // Names that can be offered beside "cpu", "sim" and "interp": those of this machine, once they are known, and those that were typed.
    [[nodiscard]] QStringList devices() const;
    [[nodiscard]] const QStringList& typedDevices() const { return typed_; }
    void setTypedDevices(const QStringList& names);
    void askDevices();  // of this machine, once; devicesChanged says when they are known

    [[nodiscard]] std::uint64_t seed() const { return seed_; }
    void setSeed(std::uint64_t seed) { seed_ = seed; }
    void setInput(const std::string& name, const std::string& value);  // empty: generated
    // Those of a kernel's parameters; `function` may be null.
    [[nodiscard]] GivenInputs inputsOf(const ir::Function* function) const;

Q_SIGNALS:
    void deviceChanged();
    void devicesChanged();

private:
    std::string device_;
    QStringList machineDevices_, typed_;
    GivenInputs inputs_;
    std::uint64_t seed_ = 0;
    bool isAsked_ = false;
    protocol::Client machine_;
    LatestJob job_;  // last: its destructor ends the thread that uses the rest
};

// Reads the files; any thread. A sentence where one cannot be read.
[[nodiscard]] std::optional<std::string> readInputs(const GivenInputs& given, std::map<std::string, protocol::Input>& inputs);

}  // namespace tw::gui
