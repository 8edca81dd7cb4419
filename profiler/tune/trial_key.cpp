#include "profiler/tune/trial_key.h"

#include <unistd.h>

#include <fmt/core.h>

#include "profiler/cuda/sha256.h"

namespace tw::tune {

std::string trialKey(const Request& request)
{
    std::string text;  // lengths keep neighbours apart
    const auto add = [&](const std::string& part) { text += fmt::format("{}:{}", part.size(), part); };
    add(request.job.fileName);
    add(request.job.text);
    for (const auto& [name, sibling] : request.job.siblings) {
        add(name);
        add(sibling);
    }
    add(request.job.kernel.kernel);
    add(request.job.kernel.instance);
    for (const staging::Bindings* bindings : {&request.job.kernel.params, &request.job.kernel.dims})
        for (const auto& [name, value] : *bindings)
            add(name + "=" + value);
    add(request.job.target.value_or(""));
    add(request.deviceName);
    char host[256] = {};
    if (request.device == request.deviceName && ::gethostname(host, sizeof(host) - 1) == 0)
        add(host);  // a store may be shared by machines
    for (const auto& [name, input] : request.inputs) {
        add(name);
        add(input.npy);
        add(input.literal);
    }
    add(std::to_string(request.seed));
    return cuda::sha256(text);
}

}  // namespace tw::tune
