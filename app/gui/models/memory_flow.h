// What crosses each level of the memory hierarchy, from a capture's metrics.
#pragma once

#include "app/gui/models/row_model.h"
#include "app/gui/widgets/flow_picture.h"
#include "profiler/capture/capture.h"

namespace tw::gui {

// One direction between two levels. `peak` is the ceiling's rate in bytes a second, or operations a second for the tensor cores; 0: unknown.
struct MemoryFlow {
    QString from, to;
    int fromBox = 0, toBox = 0;
    double amount = 0, rate = 0, peak = 0;
    double share = -1;  // of the peak, 0 … 1; -1: unknown
    bool isOperations = false;
    capture::Origin origin = capture::Origin::kMeasured;  // of the amount
    capture::Origin shareOrigin = capture::Origin::kMeasured;
};

// Empty where no byte was counted.
[[nodiscard]] std::vector<MemoryFlow> memoryFlows(const capture::Capture& capture);
// `baseline`, which may be null: amounts say how they changed against it.
[[nodiscard]] FlowData flowPicture(const capture::Capture& capture, const capture::Capture* baseline);
[[nodiscard]] QStringList flowHeaders();
[[nodiscard]] std::vector<TableRow> flowRows(const capture::Capture& capture, const capture::Capture* baseline);

}  // namespace tw::gui
