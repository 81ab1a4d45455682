// The lowerings of each operator family; lowering.cpp collects them.
#pragma once

#include "backends/vulkan/lower/common/lowering.h"

#include <span>

namespace nnrt::vulkan {

struct LoweringRow {
  Op op{};
  Lowering lowering;
};

// These cover every operator of their family in the schema.
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
