#include "app/gui/session/runners.h"

#include <utility>

namespace tw::gui {
namespace {

constexpr int kLookForEndedMs = 2'000;

}  // namespace

Runners::Runners(std::vector<std::string> localCommand) : local_(std::make_shared<protocol::Client>(std::move(localCommand)))
{
    ended_.callOnTimeout([this] {
        for (const auto& runner : {local_, remote_}) {
            if (runner)
                runner->forgetEnded();
        }
    });
    ended_.start(kLookForEndedMs);
}

std::shared_ptr<protocol::Client> Runners::runnerFor(std::string& device)
{
    auto place = find_ ? find_(device) : std::nullopt;
    if (!place)
        return local_;
    if (std::exchange(remoteDevice_, device) != device || !remote_) {
        remote_ = std::make_shared<protocol::Client>(std::move(place->command));
        // It may lack a compiler for CUDA; this machine's runner then compiles for it.
        remote_->setCudaCompiler([local = local_](const protocol::CudaCompileRequest& request) { return local->compileCuda(request); });
    }
    device = place->device;
    return remote_;
}

}  // namespace tw::gui
