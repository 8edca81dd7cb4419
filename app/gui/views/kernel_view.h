// The kernels of the file, their instances, and the parameters of the chosen one.
#pragma once

#include "app/gui/models/kernel_model.h"
#include "app/gui/views/view.h"

class QComboBox;
class QLabel;
class QPushButton;
class QTreeView;

namespace tw::gui {

class ParameterForm;

class KernelView : public View {
    Q_OBJECT

public:
    KernelView(ViewContext context, QWidget* parent);

Q_SIGNALS:
    void writeRequested(const tw::SourceRange& range, const QString& literal, const QString& name);

protected:
    void makeContent() override;
    void refresh() override;

private:
    QWidget* makeTargetBar(QWidget* parent);
    QWidget* makeParameterPanel(QWidget* parent);
    void choose(const QModelIndex& index);
    void selectChosen();
    void showTarget();

    KernelModel* model_;
    QTreeView* tree_ = nullptr;
    ParameterForm* form_ = nullptr;
    QLabel* caption_ = nullptr;
    QComboBox* target_ = nullptr;
    QPushButton* reset_ = nullptr;
};

}  // namespace tw::gui
