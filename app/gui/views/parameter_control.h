// One control for the value of a parameter, chosen by what the value is: a spin box for integers, a choice for tunables,
// types and bools, a line otherwise. Values are Python literals.
#pragma once

#include <QWidget>

namespace tw::gui {

class ParameterControl : public QWidget {
    Q_OBJECT

public:
    // `choices`: the values of a tunable; may be empty.
    static ParameterControl* make(const QString& literal, bool isNumber, const QStringList& choices, QWidget* parent);

    virtual void setLiteral(const QString& literal) = 0;  // does not emit
    [[nodiscard]] virtual QString literal() const = 0;

Q_SIGNALS:
    void changed(const QString& literal);  // by the user

protected:
    using QWidget::QWidget;
};

// Whether a literal names an element type, quoted or not; and the names offered for it.
[[nodiscard]] bool isTypeLiteral(const QString& literal);

}  // namespace tw::gui
