#include "app/gui/session/run_setup.h"

#include <QFile>

#include <utility>

namespace tw::gui {

RunSetup::RunSetup(std::vector<std::string> runnerCommand, QObject* parent) : QObject(parent), machine_(std::move(runnerCommand)) {}

void RunSetup::setDevice(const std::string& device)
{
    const QString name = QString::fromStdString(device);
    const bool isNew = !device.empty() && name != QLatin1String("cpu") && name != QLatin1String("sim") && name != QLatin1String("interp") &&
                       !devices().contains(name);
    if (isNew)
        typed_ << name;
    if (std::exchange(device_, device) != device || isNew)
        Q_EMIT deviceChanged();
}

QStringList RunSetup::devices() const
{
    QStringList names = machineDevices_;
    for (const auto& name : typed_)
        if (!names.contains(name))
            names << name;
    return names;
}

void RunSetup::setTypedDevices(const QStringList& names)
{
    typed_ = names;
    Q_EMIT devicesChanged();
}

void RunSetup::askDevices()
{
    if (std::exchange(isAsked_, true))
        return;
    job_.submit([this](std::stop_token stop) {
        const auto result = machine_.machine(stop);
        QStringList names;
        for (const auto& name : result.devices)
            if (name != "cpu" && name != "sim" && name != "interp")
                names << QString::fromStdString(name);
        QMetaObject::invokeMethod(
            this,
            [this, names] {
                machineDevices_ = names;
                Q_EMIT devicesChanged();
            },
            Qt::QueuedConnection);
    });
}

void RunSetup::setInput(const std::string& name, const std::string& value)
{
    if (value.empty())
        inputs_.erase(name);
    else
        inputs_[name] = value;
}

GivenInputs RunSetup::inputsOf(const ir::Function* function) const
{
    GivenInputs given;
    for (const auto& param : function ? function->params : std::vector<ir::Param>())
        if (const auto found = inputs_.find(param.name()); found != inputs_.end())
            given.insert(*found);
    return given;
}

std::optional<std::string> readInputs(const GivenInputs& given, std::map<std::string, protocol::Input>& inputs)
{
    for (const auto& [name, value] : given) {
        const QString path = QString::fromStdString(value);
        if (!path.endsWith(QLatin1String(".npy"))) {
            inputs[name].literal = value;
            continue;
        }
        QFile file(path);
        if (!file.open(QIODevice::ReadOnly))
            return "cannot read input " + name + ": " + file.errorString().toStdString();
        inputs[name].npy = file.readAll().toStdString();
    }
    return std::nullopt;
}

}  // namespace tw::gui
