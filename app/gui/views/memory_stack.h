// The shared-memory maps of several programs below each other, to one scale.
#pragma once

#include <QScrollArea>

#include "app/gui/models/memory_map.h"

namespace tw::gui {

class MemoryStack : public QScrollArea {
    Q_OBJECT

public:
    struct Item {
        QString label;
        std::vector<MemoryMap> maps;  // one a launch
    };
    explicit MemoryStack(QWidget* parent = nullptr);
    void setItems(const std::vector<Item>& items, bool dark);
};

}  // namespace tw::gui
