// Variants of a kernel beside each other: their numbers as `profiler/compare` finds them, their texts, charts of a number.
#pragma once

#include "app/gui/models/row_model.h"
#include "app/gui/widgets/bar_panel.h"
#include "app/gui/widgets/chart_panel.h"
#include "codegen/driver/compile.h"
#include "profiler/compare/compare.h"

namespace tw::gui {

// One of the compared. `capture` is never null: of a program without a profile it is a model (`profiler/analysis/modelled_capture.h`).
struct ComparedVariant {
    QString label;
    const driver::CompileSnapshot* snapshot = nullptr;  // null: a stored run
    const capture::Capture* capture = nullptr;
};

[[nodiscard]] std::vector<compare::Variant> toCompare(const std::vector<ComparedVariant>& variants);
[[nodiscard]] QString numberTitle(const compare::Row& row);
[[nodiscard]] QStringList compareHeaders(const std::vector<ComparedVariant>& variants);
// Cells that differ from the first variant have an ink: `good` the best, `bad` worse than the first, `different` other differences.
struct CompareInks {
    QColor good, bad, different;
};
[[nodiscard]] std::vector<TableRow> compareRows(const std::vector<compare::Row>& rows, bool withEqual, const CompareInks& inks);

enum class ComparedText { kSource, kIr, kCuda };
// Passes that the variants' IR can be shown after, in order.
[[nodiscard]] QStringList comparedPasses(const std::vector<ComparedVariant>& variants);
// Empty where the variant has none. Of a stored run the IR is that of the thread stage, else of the tile stage.
[[nodiscard]] std::string variantText(const ComparedVariant& variant, ComparedText kind, const QString& pass);

// Rows that at least two variants have a number for.
[[nodiscard]] std::vector<const compare::Row*> chartableRows(const std::vector<compare::Row>& rows);
// A number of all variants: a curve over the swept parameter where all its values are numbers, else bars.
struct ComparedChart {
    std::optional<ChartData> curve;
    BarData bars;
};
[[nodiscard]] ComparedChart comparedChart(const compare::Row& row, const std::vector<ComparedVariant>& variants, const std::string& swept, bool dark);
// As `tilec compare --json` names the fields.
// What the profiles of the variants sampled within the launch, by names such as "Tensor pipe over time, measured"; and one line a variant of
// one of them, empty for any other name.
[[nodiscard]] QStringList comparedSeries(const std::vector<ComparedVariant>& variants);
[[nodiscard]] ChartData comparedSeriesChart(const QString& name, const std::vector<ComparedVariant>& variants, bool dark);
[[nodiscard]] QByteArray compareJson(const std::vector<ComparedVariant>& variants, const std::vector<compare::Row>& rows);

}  // namespace tw::gui
