// The end of the process: exit handlers destroy what layers, loader and drivers keep, while threads of ours
// may still be inside of them.
#pragma once

#include "core/base/result.h"

#include <shared_mutex>

namespace nnrt::vulkan {

// Once the first device is made: from then on an exit handler waits, two seconds at most, for all who are
// inside. It comes before those of layers and drivers, which were loaded before.
void expect_process_end();

// While this is held the process waits with its end. unavailable_device: it is ending.
Result<std::shared_lock<std::shared_timed_mutex>> hold_process();

}  // namespace nnrt::vulkan
