// Rows to normalize, as norm.comp and softmax.comp see a tensor.
#pragma once

#include "backends/vulkan/lower/common/row_groups.h"
#include "backends/vulkan/lower/reduction/reduction_steps.h"

namespace nnrt::vulkan {

// Who computes a row.
enum class RowKind : uint8_t { subgroups, group, alone };

// A kernel variant for FLOAT32 rows, and the rows in units of what it loads at once.
struct RowVariant {
  std::string_view shader;  // the variant with one invocation per row
  Rows rows;
};
RowVariant row_variant(std::string_view kernel, const ReductionShape& shape);

// Adds the dispatch for a kernel that makes `passes` passes over a row. Sets its shader and grid, and appends
// constants.
void add_rows(const LoweringContext& context, const RowVariant& variant, RowKind kind, uint32_t passes,
              Dispatch dispatch);
WhyNot why_not_rows(const LoweringContext& context, const RowVariant& variant, RowKind kind);
uint64_t iterations_of_rows(const LoweringContext& context, const RowVariant& variant, RowKind kind,
                            uint32_t passes);

// How scale and shift are broadcast. Must match norm.comp.
enum class Scale : uint32_t { none, along_length, along_inner, along_outer, along_planes, along_pixels };

struct Norm {
  ReductionShape shape;
  Scale scale{};
  uint32_t channels = 1;  // scale repeats after this many outer indices
  uint32_t run = 1;       // elements per plane; along_pixels: elements per group in a pixel
  uint32_t width = 1;     // channels per group
  uint32_t activation = 0;
  bool centered = true;
};

Status add_norm(const LoweringContext& context, const Norm& norm, Buffer from, Buffer to);
Status add_norm(const LoweringContext& context, const Norm& norm);  // from input 0 to output 0
std::vector<std::string_view> norm_kernels();
std::vector<std::string_view> softmax_kernels();
std::vector<std::string_view> arg_max_kernels();

}  // namespace nnrt::vulkan
