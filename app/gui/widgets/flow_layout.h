// Widgets beside each other, in as many rows as the width needs.
#pragma once

#include <QLayout>

namespace tw::gui {

class FlowLayout : public QLayout {
public:
    explicit FlowLayout(QWidget* parent) : QLayout(parent) {}
    ~FlowLayout() override;

    void addItem(QLayoutItem* item) override { items_ << item; }
    [[nodiscard]] int count() const override { return static_cast<int>(items_.size()); }
    [[nodiscard]] QLayoutItem* itemAt(int index) const override { return items_.value(index); }
    QLayoutItem* takeAt(int index) override { return index >= 0 && index < items_.size() ? items_.takeAt(index) : nullptr; }
    [[nodiscard]] Qt::Orientations expandingDirections() const override { return {}; }
    [[nodiscard]] bool hasHeightForWidth() const override { return true; }
    [[nodiscard]] int heightForWidth(int width) const override { return arrange({0, 0, width, 0}, false); }
    [[nodiscard]] QSize sizeHint() const override { return minimumSize(); }
    [[nodiscard]] QSize minimumSize() const override;  // of the widest widget
    void setGeometry(const QRect& place) override;

private:
    int arrange(const QRect& place, bool isFinal) const;  // the height that it takes

    QList<QLayoutItem*> items_;
};

}  // namespace tw::gui
