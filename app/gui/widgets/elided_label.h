// A line of text that ends with "…" where there is no room for all of it; then the pointer shows the rest.
#pragma once

#include <QLabel>

namespace tw::gui {

class ElidedLabel : public QLabel {
    Q_OBJECT

public:
    explicit ElidedLabel(QWidget* parent = nullptr);
    [[nodiscard]] QSize minimumSizeHint() const override { return {0, QLabel::minimumSizeHint().height()}; }

protected:
    void paintEvent(QPaintEvent* event) override;
    bool event(QEvent* event) override;

private:
    [[nodiscard]] QString elided() const;
};

}  // namespace tw::gui
