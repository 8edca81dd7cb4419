#include "app/gui/views/parameter_control.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QLineEdit>
#include <QRegularExpression>
#include <QSpinBox>
#include <QWheelEvent>

#include <limits>

namespace tw::gui {
namespace {

// A wheel over a control scrolls the panel unless the control has the focus: values never change by accident.
template <class Base>
class CalmWheel : public Base {
public:
    using Base::Base;

protected:
    void wheelEvent(QWheelEvent* event) override
    {
        if (this->hasFocus())
            Base::wheelEvent(event);
        else
            event->ignore();
    }
};

// Block sizes and stages: the arrows double and halve what is a power of two above 8, so 128 goes to 256, not to 129.
class IntegerBox final : public CalmWheel<QSpinBox> {
public:
    explicit IntegerBox(QWidget* parent) : CalmWheel(parent)
    {
        setRange(std::numeric_limits<int>::min(), std::numeric_limits<int>::max());
        setKeyboardTracking(false);
        setAccelerated(true);
        setFocusPolicy(Qt::StrongFocus);
        setMinimumWidth(60);
    }
    [[nodiscard]] QSize sizeHint() const override { return {90, CalmWheel::sizeHint().height()}; }
    [[nodiscard]] QSize minimumSizeHint() const override { return {60, CalmWheel::minimumSizeHint().height()}; }
    void stepBy(int steps) override
    {
        const int v = value();
        const bool power = v >= 8 && (v & (v - 1)) == 0;
        if (power && steps == 1 && v < (1 << 29))
            setValue(v * 2);
        else if (power && steps == -1 && v > 8)
            setValue(v / 2);
        else
            QSpinBox::stepBy(steps);
    }
};

template <class Inner>
class Control : public ParameterControl {
protected:
    Control(Inner* inner, QWidget* parent) : ParameterControl(parent), inner_(inner)
    {
        inner_->setParent(this);
        auto* layout = new QHBoxLayout(this);
        layout->setContentsMargins(0, 0, 0, 0);
        layout->addWidget(inner_);
        setFocusProxy(inner_);
    }
    Inner* inner_;
};

class NumberControl final : public Control<QSpinBox> {
public:
    explicit NumberControl(QWidget* parent) : Control(new IntegerBox(nullptr), parent)
    {
        connect(inner_, &QSpinBox::valueChanged, this, [this] { Q_EMIT changed(literal()); });
    }
    void setLiteral(const QString& text) override
    {
        const QSignalBlocker blocker(inner_);
        inner_->setValue(text.toInt());
    }
    [[nodiscard]] QString literal() const override { return QString::number(inner_->value()); }
};

class ChoiceControl final : public Control<QComboBox> {
public:
    ChoiceControl(const QStringList& choices, QWidget* parent) : Control(new CalmWheel<QComboBox>(nullptr), parent)
    {
        inner_->addItems(choices);
        inner_->setFocusPolicy(Qt::StrongFocus);
        inner_->setMinimumWidth(60);
        inner_->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
        connect(inner_, &QComboBox::textActivated, this, [this] { Q_EMIT changed(literal()); });
    }
    void setLiteral(const QString& text) override
    {
        if (inner_->findText(text) < 0)
            inner_->addItem(text);
        inner_->setCurrentText(text);
    }
    [[nodiscard]] QString literal() const override { return inner_->currentText(); }
};

class LineControl final : public Control<QLineEdit> {
public:
    explicit LineControl(QWidget* parent) : Control(new QLineEdit(nullptr), parent)
    {
        inner_->setPlaceholderText(ParameterControl::tr("needs a value"));
        inner_->setMinimumWidth(60);
        connect(inner_, &QLineEdit::editingFinished, this, [this] {
            if (inner_->isModified() && !inner_->text().trimmed().isEmpty())
                Q_EMIT changed(literal());
            inner_->setModified(false);
        });
    }
    void setLiteral(const QString& text) override
    {
        if (!inner_->isModified())
            inner_->setText(text);
        inner_->setCursorPosition(0);
    }
    [[nodiscard]] QString literal() const override { return inner_->text().trimmed(); }
};

QStringList typeChoices(const QString& literal)
{
    static const char* const kNames[] = {"float16", "bfloat16", "float32", "float64", "float8_e4m3fn", "float8_e5m2", "int8",
                                         "uint8",   "int16",    "int32",   "int64",   "bool"};
    QString pattern = literal;
    pattern.replace(QRegularExpression(QStringLiteral("[A-Za-z]+[A-Za-z0-9_]*(?=['\"]?$)")), QStringLiteral("%1"));
    QStringList choices;
    for (const char* name : kNames)
        choices << (pattern.contains(QLatin1String("%1")) ? pattern.arg(QLatin1String(name)) : QLatin1String(name));
    return choices;
}

}  // namespace

bool isTypeLiteral(const QString& literal)
{
    static const QRegularExpression kType(
        QStringLiteral("^(T\\.|tl\\.|dtype\\()?['\"]?(float|bfloat|int|uint)\\d+(_e\\dm\\d(fn|fnuz)?)?['\"]?\\)?$"));
    return kType.match(literal).hasMatch();
}

ParameterControl* ParameterControl::make(const QString& literal, bool isNumber, const QStringList& choices, QWidget* parent)
{
    if (!choices.isEmpty())
        return new ChoiceControl(choices, parent);
    if (literal == QLatin1String("True") || literal == QLatin1String("False"))
        return new ChoiceControl({QStringLiteral("False"), QStringLiteral("True")}, parent);
    if (isTypeLiteral(literal))
        return new ChoiceControl(typeChoices(literal), parent);
    bool isInteger = false;
    literal.toInt(&isInteger);
    if (isInteger || (isNumber && literal.isEmpty()))
        return isInteger ? static_cast<ParameterControl*>(new NumberControl(parent)) : new LineControl(parent);
    return new LineControl(parent);
}

}  // namespace tw::gui
