#include "app/gui/widgets/flow_layout.h"

#include <algorithm>

namespace tw::gui {

FlowLayout::~FlowLayout() { qDeleteAll(items_); }

QSize FlowLayout::minimumSize() const
{
    QSize size;
    for (const auto* item : items_)
        size = size.expandedTo(item->minimumSize());
    const auto margins = contentsMargins();
    return size + QSize(margins.left() + margins.right(), margins.top() + margins.bottom());
}

void FlowLayout::setGeometry(const QRect& place)
{
    QLayout::setGeometry(place);
    arrange(place, true);
}

int FlowLayout::arrange(const QRect& place, bool isFinal) const
{
    const auto margins = contentsMargins();
    const QRect inside = place.marginsRemoved(margins);
    const int gap = std::max(0, spacing());
    int x = inside.left(), y = inside.top(), rowHeight = 0;
    for (auto* item : items_) {
        const QSize size = item->sizeHint();
        if (x > inside.left() && x + size.width() > inside.left() + inside.width()) {
            x = inside.left();
            y += rowHeight + gap;
            rowHeight = 0;
        }
        if (isFinal)
            item->setGeometry({QPoint(x, y), size.boundedTo({inside.width(), size.height()})});
        x += size.width() + gap;
        rowHeight = std::max(rowHeight, size.height());
    }
    return y + rowHeight - place.top() + margins.bottom();
}

}  // namespace tw::gui
