// The lowerings of each family of operators; lowering.cpp gathers them.
#pragma once

#include "backends/vulkan/lowering.h"

#include <span>

namespace nnrt::vulkan {

struct LoweringRow {
  Op op{};
  Lowering lowering;
};

std::span<const LoweringRow> unary_lowerings();
std::span<const LoweringRow> binary_lowerings();
std::span<const LoweringRow> affine_lowerings();
std::span<const LoweringRow> move_lowerings();
std::span<const LoweringRow> cast_lowerings();
std::span<const LoweringRow> linear_lowerings();
std::span<const LoweringRow> window_lowerings();
std::span<const LoweringRow> reduce_lowerings();
std::span<const LoweringRow> norm_lowerings();
std::span<const LoweringRow> index_lowerings();
std::span<const LoweringRow> make_lowerings();

}  // namespace nnrt::vulkan
