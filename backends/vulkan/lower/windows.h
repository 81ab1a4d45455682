// What the lowerings of convolutions, pools and resizes share.
#pragma once

#include "core/geometry.h"

#include <array>

namespace nnrt::vulkan {

using Size2 = std::array<uint32_t, 2>;  // height, width

// A window as push constants hold it.
struct WindowPush {
  Size2 kernel{}, stride{}, dilation{};
  std::array<int32_t, 2> before{};
};
WindowPush push_of(const Window& window);

// Shaders find places in a padded input as 32-bit integers; beyond that is Code::unsupported.
Status check_window(const Window& window);

}  // namespace nnrt::vulkan
