// Rows of elements that are normalized: what norm.comp and softmax.comp see of a tensor.
#pragma once

#include "backends/vulkan/lower/reduction/middle_reduction.h"

namespace nnrt::vulkan {

// The variant for a shape, and the shape in what that variant loads at once.
struct RowVariant {
  std::string_view shader;
  uint32_t rows = 0, length = 0, inner = 0;
};
// The shaders are those of single elements, VEC4 and ROW.
RowVariant row_variant(const std::array<std::string_view, 3>& shaders, const Middle& shape,
                       const DevicePlan& plan);

// Along what scale and shift lie. Numbers as in norm.comp.
enum class Scale : uint32_t { none, along_length, along_inner, along_outer, along_planes, along_pixels };

struct Norm {
  Middle shape;
  Scale scale{};
  uint32_t channels = 1;  // after so many of outer scale begins anew
  uint32_t run = 1;       // elements of a plane; along pixels: of a group within a pixel
  uint32_t width = 1;     // channels of a group
  uint32_t activation = 0;
  bool centered = true;
};

Status add_norm(const LoweringContext& context, const Norm& norm, Buffer from, Buffer to);
Status add_norm(const LoweringContext& context, const Norm& norm);  // of the node's input to its output
std::vector<std::string_view> norm_kernels();

}  // namespace nnrt::vulkan
