// The epilogue of GEMMs and convolutions, as shaders/include/gemm/gemm_epilogue.glsl computes it: the node's
// own activation and its post-ops (core/passes/fuse.h).
#pragma once

#include "backends/vulkan/lower/common/lowering.h"

#include <array>
#include <limits>
#include <optional>

namespace nnrt::vulkan {

// Results are kept within.
struct Limits {
  float low = -std::numeric_limits<float>::infinity();
  float high = std::numeric_limits<float>::infinity();

  bool operator==(const Limits&) const = default;
};

struct Epilogue {
  uint32_t post_op = 0;  // the operator on the sum, as shaders number it; 0: none
  std::array<uint32_t, 2> parameters{};
  std::optional<uint32_t> bias;   // the input of the node that is added first, to each row: for MATMUL alone
  std::optional<uint32_t> added;  // the input of the node that is added
  Limits limits;
};

// Code::unsupported where the steps are more than that.
Result<Epilogue> epilogue_of(const NodeView& node);

struct EpiloguePush {
  std::array<uint32_t, 2> parameters{};
  Limits limits;
};
EpiloguePush push_of(const Epilogue& epilogue);

// The shader, or its variant that operates on sums.
std::string_view variant_for(const Epilogue& epilogue, std::string_view shader);

// The destination of rows of so many results: the node's output, or a slice of a CONCAT's result, unless an
// operand is added to them, which lies as they do.
ConcatSlice output_slice_of(const LoweringContext& context, const Epilogue& epilogue, uint32_t columns);

// The buffer that is added; `any` where there is none.
Buffer added_to(const LoweringContext& context, const Epilogue& epilogue, Buffer any);

}  // namespace nnrt::vulkan
