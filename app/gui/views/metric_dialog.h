// The counters that a profile shall add to its headline numbers: all that the chip offers, searched as one types.
#pragma once

#include <QDialog>
#include <QTimer>

#include "app/gui/session/metric_search.h"

class QLabel;
class QLineEdit;
class QPushButton;
class QStackedWidget;
class QTreeView;

namespace tw::gui {

class EmptyState;
class MetricModel;

class MetricDialog : public QDialog {
    Q_OBJECT

public:
    // `device`: where the profile would run. `target`: whose chip is searched where no GPU is. What is chosen goes to session.wanted() at once.
    MetricDialog(ProfileSession& session, std::string device, std::string target, QWidget* parent);
    [[nodiscard]] MetricModel& metrics() { return *model_; }
    [[nodiscard]] QLineEdit& searchLine() { return *line_; }
    [[nodiscard]] QString noteText() const;

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    QTreeView* makeTable(QWidget* parent);
    QWidget* makeFoot(QWidget* parent);
    void find();
    void showResult();
    void showNote();
    void moveCurrent(int rows);

    ProfileSession& session_;
    std::string device_, target_;
    MetricSearch search_;
    QTimer quiet_;
    MetricModel* model_;
    QLineEdit* line_;
    QStackedWidget* pages_;
    QTreeView* table_;
    EmptyState* nothing_;
    QLabel *note_ = nullptr, *chip_ = nullptr;
    QPushButton* clear_ = nullptr;
};

}  // namespace tw::gui
