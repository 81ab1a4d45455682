// Host-side validation of image regions, because GPU kernels cannot report errors.
#pragma once

#include "core/base/bytes.h"
#include "core/base/result.h"

#include <cstdint>
#include <optional>

namespace nnrt::nnapi {

struct RegionLimits {
  uint32_t regions = 0, images = 0;  // operands: [n, 4] and [n]
  int64_t image_count = 0;
  // Size of the image that must contain the regions.
  std::optional<double> height{}, width{};
};

// In the core's representation: float32, float16, or integers to be multiplied by `scale`.
struct Regions {
  ByteView coordinates, images;
  size_t bytes_each = 4;  // 2: float16
  bool is_integer = false;
  double scale = 1;
};

// invalid_parameter: an inverted region, a region outside the image, or a missing image.
Status check_regions(const Regions& regions, const RegionLimits& limits);

}  // namespace nnrt::nnapi
