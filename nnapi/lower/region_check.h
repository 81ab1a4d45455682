// Regions of images that an operation refuses, found on the host: kernels on a GPU report no error.
#pragma once

#include "core/base/bytes.h"
#include "core/base/result.h"

#include <cstdint>
#include <optional>

namespace nnrt::nnapi {

struct RegionLimits {
  uint32_t regions = 0, images = 0;  // operands: [n, 4] and [n]
  int64_t image_count = 0;
  // The image that regions must lie within.
  std::optional<double> height{}, width{};
};

// In the core's form: float32, float16, or integers that `scale` makes coordinates of.
struct Regions {
  ByteView coordinates, images;
  size_t bytes_each = 4;  // 2: float16
  bool is_integer = false;
  double scale = 1;
};

// invalid_parameter: a region that is turned over or leaves the image, or an image that is not there.
Status check_regions(const Regions& regions, const RegionLimits& limits);

}  // namespace nnrt::nnapi
