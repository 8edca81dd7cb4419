// The layouts that the compiler chose, for a picture: where every element of a tile is, and why.
#pragma once

#include <QString>

#include <optional>

#include "codegen/driver/compile.h"
#include "core/layout/fragment_table.h"
#include "core/layout/table.h"

namespace tw::gui {

struct TileLayout {
    QString name, type;
    bool isFragment = false;  // else in shared memory
    std::vector<std::int64_t> shape;
    int bits = 32;            // of an element
    ir::Provenance where;     // its allocation
    Ref<const ir::LayoutMap> map;
    QString why;              // who demanded the layout, the candidates and their cost; empty if nobody recorded it
    [[nodiscard]] QString shapeText() const;
    // Which bits of thread (t) and register (r) make each coordinate, or which of the coordinates make the place in memory, from the
    // lowest bit on; empty where an extent is no power of two or the layout adds (padding).
    [[nodiscard]] QString bitText() const;
};

// Of the tiles that have one behind the pass inferLayouts, in program order.
[[nodiscard]] std::vector<TileLayout> collectLayouts(const driver::CompileSnapshot& snapshot);

// Where the elements are. Elements count in row-major order.
class LayoutPlaces {
public:
    // Empty if the layout cannot be tabulated.
    [[nodiscard]] static std::optional<LayoutPlaces> make(const TileLayout& layout);

    [[nodiscard]] bool isFragment() const { return fragment_.has_value(); }
    [[nodiscard]] std::int64_t count() const;
    [[nodiscard]] const std::vector<std::int64_t>& shape() const { return shape_; }
    [[nodiscard]] std::vector<std::int64_t> coordinates(std::int64_t element) const;
    [[nodiscard]] std::int64_t copies() const { return fragment_ ? fragment_->copies : 1; }

    // Of fragments.
    [[nodiscard]] std::int64_t thread(std::int64_t element, std::int64_t copy = 0) const;
    [[nodiscard]] std::int64_t registerOf(std::int64_t element) const;
    [[nodiscard]] std::int64_t threadCount() const { return fragment_ ? fragment_->threadCount : 0; }
    [[nodiscard]] std::int64_t registerCount() const { return fragment_ ? fragment_->registerCount : 0; }
    // Of shared memory: byte in the buffer, bank of 4 bytes among 32.
    [[nodiscard]] std::int64_t address(std::int64_t element) const;
    [[nodiscard]] int bank(std::int64_t element) const { return static_cast<int>(address(element) / 4 % 32); }
    [[nodiscard]] std::int64_t bytes() const;
    [[nodiscard]] bool isRowMajor() const;  // element after element

    [[nodiscard]] QString coordinateText(std::int64_t element) const;  // "[3, 17]"
    [[nodiscard]] QString threadText(std::int64_t element) const;      // "5", "0–31", "0, 4, 8, …"
    [[nodiscard]] QString describe(std::int64_t element) const;        // one line

private:
    std::vector<std::int64_t> shape_;
    int bits_ = 32;
    std::optional<layout::FragmentTable> fragment_;
    std::optional<layout::Table> memory_;
};

}  // namespace tw::gui
