// Numbers as cards in a grid that follows the width: title, value, where it came from, spread, change, a bar for shares.
#pragma once

#include <QWidget>

namespace tw::gui {

struct MetricCard {
    QString title, value;
    QString badge;        // where the number came from
    QColor badgeColor;
    QString note;         // spread and samples
    QString delta;        // against a baseline
    QColor deltaColor;
    double fraction = -1; // 0 … 1 fills a bar; -1: none
    QString toolTip;
    bool operator==(const MetricCard&) const = default;
};

class MetricCards : public QWidget {
    Q_OBJECT

public:
    explicit MetricCards(QWidget* parent = nullptr);
    void setCards(QList<MetricCard> cards);
    [[nodiscard]] const QList<MetricCard>& cards() const { return cards_; }
    void paintAll(QPainter& painter, QSizeF size) const;
    [[nodiscard]] QSize sizeHint() const override { return {560, heightForWidth(560)}; }
    [[nodiscard]] QSize minimumSizeHint() const override { return {170, heightForWidth(std::max(170, width()))}; }
    [[nodiscard]] bool hasHeightForWidth() const override { return true; }
    [[nodiscard]] int heightForWidth(int width) const override;

protected:
    void paintEvent(QPaintEvent* event) override;
    bool event(QEvent* event) override;

private:
    [[nodiscard]] QRectF rectOf(int index, double width) const;
    void drawCard(QPainter& painter, const MetricCard& card, const QRectF& rect) const;

    QList<MetricCard> cards_;
};

}  // namespace tw::gui
