// What is compared, above the comparison: the variants as chips, what adds one, where they are profiled.
#pragma once

#include <QWidget>

class QLabel;
class QPushButton;
class QToolButton;

namespace tw::gui {

class CompareSession;
class DevicePicker;
class FlowLayout;
class ProfileSession;
class RunSetup;
class Workbench;

class CompareBar : public QWidget {
    Q_OBJECT

public:
    CompareBar(CompareSession& session, ProfileSession& profiles, RunSetup& setup, Workbench& workbench, QWidget* parent);
    void refresh(bool isDark);  // after a change of the session, the program or the theme

Q_SIGNALS:
    void exportRequested(const QString& format);  // "html", "csv", "json", "svg"

private:
    QToolButton* makeButton(const char* iconName, const QString& tip, bool hasMenu);
    void fillAddMenu(QToolButton* button);
    void makeChip(int index, bool isDark);
    void showState();
    void profileAll();

    CompareSession& session_;
    ProfileSession& profiles_;
    RunSetup& setup_;
    Workbench& workbench_;
    DevicePicker* device_;
    QPushButton *pin_, *profile_;
    QToolButton *cancel_, *export_;
    QWidget* chips_;
    FlowLayout* chipRow_;
    QLabel* state_;
};

}  // namespace tw::gui
