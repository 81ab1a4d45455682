// The lowerings of each family of operators; lowering.cpp gathers them.
#pragma once

#include "backends/vulkan/lower/common/lowering.h"

#include <span>

namespace nnrt::vulkan {

struct LoweringRow {
  Op op{};
  Lowering lowering;
};

// These lower every operator that the schema has in the family.
extern const Lowering kUnaryLowering, kBinaryLowering;

std::span<const LoweringRow> affine_lowerings();
std::span<const LoweringRow> rotary_embedding_lowerings();
std::span<const LoweringRow> data_movement_lowerings();
std::span<const LoweringRow> cast_lowerings();
std::span<const LoweringRow> product_lowerings();
std::span<const LoweringRow> attention_lowerings();
std::span<const LoweringRow> recurrent_lowerings();
std::span<const LoweringRow> convolution_lowerings();
std::span<const LoweringRow> pooling_lowerings();
std::span<const LoweringRow> sampling_lowerings();
std::span<const LoweringRow> reduce_lowerings();
std::span<const LoweringRow> norm_lowerings();
std::span<const LoweringRow> index_lowerings();
std::span<const LoweringRow> element_index_lowerings();
std::span<const LoweringRow> creation_lowerings();

}  // namespace nnrt::vulkan
