// What the lowerings of convolutions, pools and resizes share.
#pragma once

#include "core/geometry.h"

#include <array>

namespace nnrt::vulkan {

using Size2 = std::array<uint32_t, 2>;  // height, width

// Shaders find places in a padded input as 32-bit integers; beyond that is Code::unsupported.
Status check_window(const Window& window);

}  // namespace nnrt::vulkan
