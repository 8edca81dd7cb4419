// The parameters of the chosen kernel instance as controls. A change overlays the trace and recompiles at once.
#pragma once

#include <QScrollArea>

#include <map>

#include "app/gui/session/workbench.h"

class QGridLayout;
class QLabel;
class QToolButton;

namespace tw::gui {

class ParameterControl;

class ParameterForm : public QScrollArea {
    Q_OBJECT

public:
    ParameterForm(Workbench& workbench, QWidget* parent);

    // The kernel of the snapshot with the values of its instance. Controls are kept while the parameters stay the same.
    void showKernel(const staging::Kernel* kernel, const driver::CompileSnapshot& snapshot);

Q_SIGNALS:
    // The default of a parameter is to become `literal` in the text.
    void writeRequested(const tw::SourceRange& range, const QString& literal, const QString& name);

private:
    struct Row {
        ParameterControl* control = nullptr;
        QLabel* label = nullptr;
        QToolButton* write = nullptr;
        SourceRange range;
    };
    struct Entry {  // what a row shows
        QString name, literal;
        bool isNumber = false, isDimension = false, canWrite = false, isMissing = false;
        QStringList choices;
        SourceRange range;
        bool operator==(const Entry&) const = default;
    };

    [[nodiscard]] std::vector<Entry> entriesOf(const staging::Kernel& kernel, const driver::CompileSnapshot& snapshot) const;
    void rebuild(const std::vector<Entry>& entries);
    void addRow(QGridLayout& grid, int line, const Entry& entry);
    void update(const Entry& entry);

    Workbench& workbench_;
    QString shape_;  // names and kinds of the rows that stand
    std::map<QString, Row> rows_;
};

}  // namespace tw::gui
