#include "app/gui/views/device_picker.h"

#include <QInputDialog>
#include <QLineEdit>
#include <QSignalBlocker>

#include "app/gui/session/run_setup.h"

namespace tw::gui {

DevicePicker::DevicePicker(RunSetup& setup, Use use, QWidget* parent) : QComboBox(parent), setup_(setup), use_(use)
{
    setAccessibleName(tr("Device"));
    setToolTip(tr("Where the kernel runs; the same in every view"));
    setMinimumWidth(80);
    setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    setMinimumContentsLength(12);
    connect(&setup, &RunSetup::deviceChanged, this, &DevicePicker::fill);
    connect(&setup, &RunSetup::devicesChanged, this, &DevicePicker::fill);
    connect(this, &QComboBox::activated, this, [this](int index) {
        const QString name = itemData(index).toString();
        name.isEmpty() ? ask() : setup_.setDevice(name.toStdString());
    });
    fill();
}

std::string DevicePicker::device() const
{
    const std::string& chosen = setup_.device();
    if (use_ == Use::kRun)
        return chosen.empty() ? "cpu" : chosen;
    if (chosen.empty() || chosen == "interp")
        return setup_.devices().contains(QLatin1String("cuda:0")) ? "cuda:0" : "sim";
    return chosen;
}

void DevicePicker::showEvent(QShowEvent* event)
{
    setup_.askDevices();
    QComboBox::showEvent(event);
}

void DevicePicker::fill()
{
    const QSignalBlocker blocker(this);
    clear();
    addItem(tr("CPU, compiled"), QStringLiteral("cpu"));
    addItem(tr("Simulator"), QStringLiteral("sim"));
    if (use_ == Use::kRun)
        addItem(tr("Interpreter"), QStringLiteral("interp"));
    for (const auto& name : setup_.devices())
        addItem(name, name);
    insertSeparator(count());
    addItem(tr("Another device…"), QString());
    setCurrentIndex(findData(QString::fromStdString(device())));
}

void DevicePicker::ask()
{
    const QString name = QInputDialog::getText(this, tr("Device"),
                                               tr("As --device names it: cuda:1, ssh:HOST, ssh:HOST/cuda:1, or cmd:COMMAND that starts a runner"),
                                               QLineEdit::Normal, QString::fromStdString(device())).trimmed();
    if (!name.isEmpty())
        setup_.setDevice(name.toStdString());
    fill();
}

}  // namespace tw::gui
