// The scale beside a heat map: which colour means which number.
#pragma once

#include <QWidget>

namespace tw::gui {

class ColorScale : public QWidget {
    Q_OBJECT

public:
    explicit ColorScale(QWidget* parent = nullptr);
    void setRange(double min, double max);
    [[nodiscard]] QSize sizeHint() const override { return {92, 120}; }

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    double min_ = 0, max_ = 0;
};

}  // namespace tw::gui
