#include "core/graph/graph.h"

#include <algorithm>
#include <array>

namespace nnrt {

std::string_view name(Format format) {
  constexpr std::array<std::string_view, 4> kNames = {"NONE", "NCHW", "NHWC", "ND"};
  return kNames[size_t(format)];
}

std::optional<size_t> byte_size(DType dtype, const Shape& shape) {
  const auto count = element_count(shape);
  int64_t bytes = 0;
  if (!count || __builtin_mul_overflow(*count, static_cast<int64_t>(size_of(dtype)), &bytes)) return {};
  return static_cast<size_t>(bytes);
}

void Node::absorb(const Node& gone) {
  fused_positions.insert(fused_positions.end(), gone.fused_positions.begin(), gone.fused_positions.end());
  fused_positions.push_back(gone.position);
  std::ranges::sort(fused_positions);
  const auto repeated = std::unique(fused_positions.begin(), fused_positions.end());
  fused_positions.erase(repeated, fused_positions.end());
  std::erase(fused_positions, position);
}

}  // namespace nnrt
