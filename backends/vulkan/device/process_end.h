// Process exit: exit handlers destroy the state of layers, loader and drivers while our threads may still use
// it.
#pragma once

#include "core/base/result.h"

#include <shared_mutex>

namespace nnrt::vulkan {

// Called when the first device is created. Registers an exit handler that waits up to ten seconds for threads
// inside Vulkan. It runs before the handlers of layers and drivers, which were loaded earlier.
void expect_process_end();

// Delays process exit while the lock is held. unavailable_device: the process is exiting.
Result<std::shared_lock<std::shared_timed_mutex>> hold_process();

}  // namespace nnrt::vulkan
