#include "nnapi/lower/region_check.h"

#include "core/base/fp16.h"
#include "core/base/text.h"
#include "nnapi/lower/unaligned_element.h"

#include <array>

namespace nnrt::nnapi {
namespace {

double coordinate(const Regions& regions, size_t i) {
  if (regions.is_integer) return double(element<int32_t>(regions.coordinates, i)) * regions.scale;
  if (regions.bytes_each == 2) return double(to_float(element<Half>(regions.coordinates, i)));
  return double(element<float>(regions.coordinates, i));
}

}  // namespace

Status check_regions(const Regions& regions, const RegionLimits& limits) {
  const size_t count = regions.coordinates.size() / (4 * regions.bytes_each);
  for (size_t i = 0; i < count; ++i) {
    std::array<double, 4> box{};  // x1, y1, x2, y2
    for (size_t k = 0; k < 4; ++k) box[k] = coordinate(regions, 4 * i + k);
    const bool is_upright = box[0] <= box[2] && box[1] <= box[3];
    if (!is_upright) return invalid("Region ", i, " is inverted.");
    const bool is_within = (!limits.width || (box[0] >= 0 && box[2] <= *limits.width)) &&
                           (!limits.height || (box[1] >= 0 && box[3] <= *limits.height));
    if (!is_within) return invalid("Region ", i, " is outside the image.");
    const int32_t image = element<int32_t>(regions.images, i);
    if (image < 0 || image >= limits.image_count)
      return invalid("Image (", image, ") of region ", i, " is outside [0, ", limits.image_count, ").");
  }
  return {};
}

}  // namespace nnrt::nnapi
