// The status bar: what state the file is in, how long a compile takes, the target, the caret.
#pragma once

#include <QStatusBar>

class QLabel;

namespace tw::gui {

class DocumentArea;
class Workbench;

class WindowStatus : public QStatusBar {
    Q_OBJECT

public:
    WindowStatus(Workbench& workbench, DocumentArea& documents, QWidget* parent);

private:
    void updateState();
    void updateCaret();

    Workbench& workbench_;
    DocumentArea& documents_;
    QLabel *state_, *time_, *caret_;
};

}  // namespace tw::gui
