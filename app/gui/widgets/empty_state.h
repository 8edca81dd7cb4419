// What a view shows when it has nothing to show: an icon, what is missing, and what to do about it.
#pragma once

#include <QWidget>

class QLabel;
class QToolButton;

namespace tw::gui {

class EmptyState : public QWidget {
    Q_OBJECT

public:
    explicit EmptyState(const QString& iconName, QWidget* parent = nullptr);
    void setMessage(const QString& title, const QString& hint);
    void setIcon(const QString& iconName);

private:
    QToolButton* picture_;
    QLabel* title_;
    QLabel* hint_;
};

}  // namespace tw::gui
