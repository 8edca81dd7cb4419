// Where kernels run: the one choice that runs, profiles, comparisons and searches share.
#pragma once

#include <QComboBox>

#include <string>

namespace tw::gui {

class RunSetup;

class DevicePicker : public QComboBox {
    Q_OBJECT

public:
    enum class Use { kRun, kMeasure };  // the interpreter runs, but measures nothing

    DevicePicker(RunSetup& setup, Use use, QWidget* parent);

    // As --device names it. As long as nobody chose: the processor to run on; to measure on, this machine's first GPU, else the simulator.
    [[nodiscard]] std::string device() const;

protected:
    void showEvent(QShowEvent* event) override;

private:
    void fill();
    void ask();

    RunSetup& setup_;
    Use use_;
};

}  // namespace tw::gui
