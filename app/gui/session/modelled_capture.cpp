#include "app/gui/session/modelled_capture.h"

#include <charconv>

#include "profiler/analysis/explain.h"

namespace tw::gui {

namespace pa = profile_analysis;

capture::Capture modelledCapture(const driver::CompileSnapshot& snapshot)
{
    capture::Capture capture;
    if (!snapshot.function || !snapshot.program)
        return capture;
    pa::Values values;
    for (const auto& [name, text] : snapshot.instance.dims) {
        std::int64_t value = 0;
        if (std::from_chars(text.data(), text.data() + text.size(), value).ec == std::errc())
            values[name] = value;
    }
    const pa::Work work = pa::workOf(*snapshot.function, values);
    const pa::CompiledFacts facts = pa::factsOf(snapshot);
    pa::recordProgram(snapshot, work, facts, values, capture);
    pa::explain({snapshot, facts, work, values}, capture);
    return capture;
}

}  // namespace tw::gui
