// Independent pieces of work of a Build on all cores.
#pragma once

#include "core/base/result.h"

#include <cstddef>
#include <functional>

namespace nnrt::vulkan {

// Calls `work` with 0, 1, ... count - 1, from several threads at once; lower numbers begin first. After
// a failure, no more is begun, and that of the lowest number is returned; what `work` throws is one.
Status for_each_parallel(size_t count, const std::function<Status(size_t)>& work);

}  // namespace nnrt::vulkan
