// What the profile views show of a capture, as cards and as rows of tables.
#pragma once

#include "app/gui/models/row_model.h"
#include "app/gui/widgets/metric_cards.h"
#include "profiler/capture/capture.h"

namespace tw::gui {

// Colours that carry a meaning; every one of them is also said in words.
struct MeaningColors {
    QColor good, bad, neutral;
    QColor measured, simulated, modelled;
    [[nodiscard]] QColor of(capture::Origin origin) const;
};

// Metrics of the whole call: the headline set first, in its order, then the rest as they stand.
[[nodiscard]] std::vector<const capture::Metric*> orderedMetrics(const capture::Capture& capture);
// `baseline` may be null.
[[nodiscard]] QList<MetricCard> metricCards(const capture::Capture& capture, const capture::Capture* baseline, const MeaningColors& colors);

[[nodiscard]] QStringList metricHeaders();
[[nodiscard]] std::vector<TableRow> metricRows(const capture::Capture& capture, const capture::Capture* baseline);
[[nodiscard]] QStringList findingHeaders();
[[nodiscard]] std::vector<TableRow> findingRows(const capture::Capture& capture);
[[nodiscard]] QStringList operationHeaders();
[[nodiscard]] std::vector<TableRow> operationRows(const capture::Capture& capture);

[[nodiscard]] QString captureTitle(const capture::Capture& capture);  // "gemm@call:38 on cuda:0"
[[nodiscard]] QString captureDetail(const capture::Capture& capture); // parameters, GPU, clocks, throttling
// What is missing and why, a sentence each.
[[nodiscard]] QStringList absenceTexts(const capture::Capture& capture);
// The origins that the capture's metrics have, as "measured and modelled".
[[nodiscard]] QString originsText(const capture::Capture& capture);

}  // namespace tw::gui
