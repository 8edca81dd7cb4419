#include "app/gui/session/runners.h"

#include <utility>

namespace tw::gui {

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
