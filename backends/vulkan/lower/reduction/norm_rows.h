// Rows of elements that are normalized: what norm.comp and softmax.comp see of a tensor.
#pragma once

#include "backends/vulkan/lower/common/row_groups.h"
#include "backends/vulkan/lower/reduction/middle_reduction.h"

namespace nnrt::vulkan {

// The invocations that compute a row.
enum class RowKind : uint8_t { subgroups, group, alone };

// The variant of a kernel for rows of FLOAT32, and the rows in what that variant loads at once.
struct RowVariant {
  std::string_view shader;  // for rows that an invocation computes alone
  Rows rows;
};
RowVariant row_variant(std::string_view kernel, const Middle& shape);

// The dispatch of the variant, which goes over a row so many times; its shader and its grid are set here, and
// constants appended.
void add_rows(const LoweringContext& context, const RowVariant& variant, RowKind kind, uint32_t passes,
              Dispatch dispatch);
WhyNot why_not_rows(const LoweringContext& context, const RowVariant& variant, RowKind kind);

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
Status add_norm(const LoweringContext& context, const Norm& norm);  // from the node's input to its output
std::vector<std::string_view> norm_kernels();
std::vector<std::string_view> softmax_kernels();
std::vector<std::string_view> arg_max_kernels();

}  // namespace nnrt::vulkan
