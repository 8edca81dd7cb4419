#include "app/gui/views/input_form.h"

#include <QFileDialog>
#include <QGridLayout>
#include <QLabel>
#include <QLineEdit>
#include <QToolButton>

#include "app/gui/widgets/icon_button.h"
#include "app/gui/widgets/theme.h"
#include "core/ir/print.h"

namespace tw::gui {
namespace {

// "float16 512 × 256" or "float32": what a parameter takes.
QString typeOf(const ir::Param& param)
{
    if (const auto* var = std::get_if<ir::Var>(&param.value))
        return QString::fromStdString((*var)->dtype.name());
    const auto& buffer = std::get<ir::Buffer>(param.value);
    QStringList extents;
    for (const auto& extent : buffer->shape)
        extents << QString::fromStdString(ir::print(extent));
    return QString::fromStdString(buffer->dtype.name()) + QLatin1Char(' ') + extents.join(QStringLiteral(" \u00d7 "));
}

}  // namespace

InputForm::InputForm(QWidget* parent) : QScrollArea(parent)
{
    setWidgetResizable(true);
    setFrameShape(QFrame::NoFrame);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
}

void InputForm::showFunction(const ir::Function* function)
{
    QString shape;
    if (function) {
        for (const auto& p : function->params)
            shape += QString::fromStdString(p.name()) + QLatin1Char(':') + typeOf(p) + QLatin1Char('|');
    }
    if (shape == shape_ && widget())
        return;
    shape_ = shape;
    for (const auto& [name, line] : lines_)
        typed_[name] = line->text();
    lines_.clear();
    auto* panel = new QWidget;
    panel->setProperty("role", "panel");
    auto* grid = new QGridLayout(panel);
    grid->setContentsMargins(12, 4, 8, 8);
    grid->setHorizontalSpacing(8);
    grid->setVerticalSpacing(4);
    grid->setColumnStretch(1, 1);
    int row = 0;
    for (const auto& param : function ? function->params : std::vector<ir::Param>()) {
        const QString name = QString::fromStdString(param.name());
        const bool isTensor = std::holds_alternative<ir::Buffer>(param.value);
        auto* label = new QLabel(name, panel);
        label->setToolTip(typeOf(param));
        auto* line = new QLineEdit(typed_[name], panel);
        line->setPlaceholderText(typeOf(param));
        line->setToolTip(isTensor ? tr("%1: a .npy file; generated from the seed if empty").arg(typeOf(param))
                                  : tr("%1: a number; generated from the seed if empty").arg(typeOf(param)));
        line->setClearButtonEnabled(true);
        line->setMinimumWidth(60);
        line->setAccessibleName(tr("Input %1").arg(name));
        label->setBuddy(line);
        connect(line, &QLineEdit::textChanged, this, [this, name](const QString& text) { Q_EMIT edited(name, text.trimmed()); });
        lines_[name] = line;
        grid->addWidget(label, row, 0);
        grid->addWidget(line, row, 1);
        if (isTensor) {
            auto* browse = iconButton(QStringLiteral("open"), tr("Choose a .npy file for %1").arg(name), panel);
            grid->addWidget(browse, row, 2);
            connect(browse, &QToolButton::clicked, this, [this, line] { this->browse(*line); });
        }
        ++row;
    }
    grid->setRowStretch(row, 1);
    setWidget(panel);
}

void InputForm::browse(QLineEdit& line)
{
    const QString path = QFileDialog::getOpenFileName(this, tr("Input tensor"), line.text(), tr("NumPy arrays (*.npy)"));
    if (!path.isEmpty())
        line.setText(path);
}

}  // namespace tw::gui
