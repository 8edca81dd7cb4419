// The inputs of the kernel: what is given, and by default generated from the seed.
#pragma once

#include <QScrollArea>

#include <map>
#include <string>

#include "core/ir/stmt.h"

class QLineEdit;

namespace tw::gui {

class InputForm : public QScrollArea {
    Q_OBJECT

public:
    explicit InputForm(QWidget* parent);

    void showFunction(const ir::Function* function);  // null: none. What was typed for a name stays.

Q_SIGNALS:
    void edited(const QString& name, const QString& text);  // trimmed; empty: to be generated

private:
    void browse(QLineEdit& line);

    QString shape_;
    std::map<QString, QLineEdit*> lines_;
    std::map<QString, QString> typed_;
};

}  // namespace tw::gui
