// Runs independent work of a Build on all cores.
#pragma once

#include "core/base/result.h"

#include <cstddef>
#include <functional>

namespace nnrt::vulkan {

// Calls `work` with 0 ... count - 1 from several threads, starting lower numbers first. After a failure (or
// an exception) no more work starts, and the failure with the lowest number is returned.
Status for_each_parallel(size_t count, const std::function<Status(size_t)>& work);

}  // namespace nnrt::vulkan
