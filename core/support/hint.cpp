#include "core/support/hint.h"

namespace tw {

void hintIgnored(DiagnosticSink& sink, const SourceRange& range, std::string message)
{
    sink.warning(Code::kHintIgnored, range, std::move(message));
}

}  // namespace tw
