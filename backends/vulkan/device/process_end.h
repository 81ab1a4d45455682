// Process exit: exit handlers destroy the state of layers, loader and drivers while our threads may still use
// it.
#pragma once

#include "core/base/result.h"

#include <shared_mutex>

namespace nnrt::vulkan {

// Registers an exit handler that waits up to ten seconds for threads inside Vulkan. It must run before the
// handlers of layers and drivers, so it is registered after theirs: when a device has been created, and again
// when a driver has compiled shaders, because its compiler registers handlers at its first use. A few times
// only, however often it is called.
void expect_process_end();

// Delays process exit while the lock is held. unavailable_device: the process is exiting.
Result<std::shared_lock<std::shared_timed_mutex>> hold_process();

}  // namespace nnrt::vulkan
