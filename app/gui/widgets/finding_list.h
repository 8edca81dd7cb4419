// A list of findings: a large number, a sentence that wraps, where, and a button for the remedy. Up, Down, Home, End walk; Enter goes to
// the place, A applies the remedy.
#pragma once

#include <QAbstractScrollArea>

namespace tw::gui {

struct FindingItem {
    QString number, reason, gain, place, badge;
    QColor badgeColor;
    QString remedy;         // empty: there is none
    bool canApply = false;  // else the remedy is said without a button
    bool operator==(const FindingItem&) const = default;
};

class FindingList : public QAbstractScrollArea {
    Q_OBJECT

public:
    explicit FindingList(QWidget* parent = nullptr);
    void setItems(QList<FindingItem> items);
    [[nodiscard]] double heightFor(double width) const;
    void paintAll(QPainter& painter, QSizeF size) const;
    [[nodiscard]] int current() const { return current_; }

Q_SIGNALS:
    void activated(int index);
    void applyRequested(int index);

protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void changeEvent(QEvent* event) override;

private:
    [[nodiscard]] double itemHeight(const FindingItem& item, double width) const;
    [[nodiscard]] QRectF buttonRect(const FindingItem& item, const QRectF& rect) const;
    void drawItem(QPainter& painter, int index, const QRectF& rect, bool interactive) const;
    [[nodiscard]] QRectF rectOf(int index) const;  // in the viewport
    [[nodiscard]] int itemAt(QPointF position) const;
    void setCurrent(int index);
    void updateRange();

    QList<FindingItem> items_;
    int current_ = -1;
};

}  // namespace tw::gui
