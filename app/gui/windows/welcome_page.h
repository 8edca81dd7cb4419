// What stands in the middle while no file is open: how to begin.
#pragma once

#include <QWidget>

class QVBoxLayout;

namespace tw::gui {

class WelcomePage : public QWidget {
    Q_OBJECT

public:
    explicit WelcomePage(QWidget* parent = nullptr);
    void setRecentFiles(const QStringList& paths);

Q_SIGNALS:
    void openRequested();
    void newRequested();
    void fileRequested(const QString& path);

private:
    QVBoxLayout* recent_;
};

}  // namespace tw::gui
