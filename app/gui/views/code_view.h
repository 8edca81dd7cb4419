// Text of a far stage: LLVM IR before and after optimisation, or assembly. Linked to the source line by line.
#pragma once

#include "app/gui/editor/highlight.h"
#include "app/gui/session/far_stages.h"
#include "app/gui/views/view.h"

class QComboBox;
class QLabel;

namespace tw::gui {

class ListingPanel;

class CodeView : public View {
    Q_OBJECT

public:
    struct Variant {
        QString title;  // empty if there is only one
        std::function<std::shared_ptr<const driver::TargetCode>(const FarResult&)> code;
    };
    struct Kind {
        QString name, title, iconName;
        Language language{};
        QList<Variant> variants;
    };
    static Kind llvm();
    static Kind assembly();

    CodeView(Kind kind, FarStages& stages, ViewContext context, QWidget* parent);
    void setTheme(const Theme& theme, double codeSize) override;
    [[nodiscard]] bool isSettled() const override;

Q_SIGNALS:
    void shownChanged(bool shown);  // whether far stages are worth making for this view

protected:
    void refresh() override;

private:
    QWidget* makeBar(QWidget* parent);
    void showProblems();

    Kind kind_;
    FarStages& stages_;
    ListingPanel* listing_;
    QComboBox* variant_ = nullptr;
    QLabel* caption_ = nullptr;
};

}  // namespace tw::gui
