// The epilogue of GEMMs and convolutions: the node's activation and its post-ops (core/passes/fuse.h),
// computed by shaders/include/gemm/gemm_epilogue.glsl.
#pragma once

#include "backends/vulkan/lower/common/lowering.h"

#include <array>
#include <limits>
#include <optional>

namespace nnrt::vulkan {

// Results are clamped to [low, high].
struct Limits {
  float low = -std::numeric_limits<float>::infinity();
  float high = std::numeric_limits<float>::infinity();

  bool operator==(const Limits&) const = default;
};

struct Epilogue {
  uint32_t post_op = 0;  // operator applied to the sum, by its number in the shaders; 0: none
  std::array<uint32_t, 2> parameters{};
  std::optional<uint32_t> bias;   // node input added to each row before all else; MATMUL only
  std::optional<uint32_t> added;  // node input added to the result
  Limits limits;
  bool requantizes = false;  // by `post_op`, from sums of steps to steps (requantization.h)
};

// Code::unsupported if the epilogue cannot express the steps.
Result<Epilogue> epilogue_of(const NodeView& node);

struct EpiloguePush {
  std::array<uint32_t, 2> parameters{};
  Limits limits;
};
EpiloguePush push_of(const Epilogue& epilogue);

// Where to store rows of `columns` results: a slice of a CONCAT's result if possible, else the node's output.
// Always the latter if an operand is added, because it has the output's layout.
View output_rows(const LoweringContext& context, const Epilogue& epilogue, uint32_t columns);

// The operand that is added, or the factors of the requantization; `any` if there is neither.
Buffer epilogue_operand(const LoweringContext& context, const Epilogue& epilogue, Buffer any);

}  // namespace nnrt::vulkan
