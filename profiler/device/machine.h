// What this machine has for running kernels on GPUs, and how to get what is missing.
#pragma once

#include "profiler/protocol/messages.h"

namespace tw::device {

// Opens the driver: called in a runner, never in a client.
[[nodiscard]] protocol::MachineResult describeMachine();

// The memory of this machine in bytes, whoever uses it now.
[[nodiscard]] double memoryOfMachine();

}  // namespace tw::device
