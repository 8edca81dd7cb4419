#include "profiler/analysis/modelled_capture.h"

#include <charconv>

#include "profiler/analysis/explain.h"

namespace tw::profile_analysis {

capture::Capture modelledCapture(const driver::CompileSnapshot& snapshot, Values values)
{
    capture::Capture capture;
    if (!snapshot.function || !snapshot.program)
        return capture;
    for (const auto& [name, text] : snapshot.instance.dims) {
        std::int64_t value = 0;
        if (const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value); error == std::errc() && end == text.data() + text.size())
            values.try_emplace(name, value);
    }
    const Work work = workOf(*snapshot.function, values);
    const CompiledFacts facts = factsOf(snapshot);
    recordProgram(snapshot, work, facts, values, capture);
    explain({snapshot, facts, work, values, nullptr, {}}, capture);
    return capture;
}

}  // namespace tw::profile_analysis
