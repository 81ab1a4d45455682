// Converts nodes on NCHW data to NHWC: axes and constants that speak of dimensions follow.
#pragma once

#include "core/graph/graph.h"

#include <array>
#include <optional>

namespace nnrt {

inline constexpr std::array<int32_t, 4> kToNhwc{0, 2, 3, 1};
inline constexpr std::array<int32_t, 4> kToNchw{0, 3, 1, 2};

struct NhwcNode {
  std::vector<bool> data;  // for each input whether it is converted to NHWC
  Attrs attrs;
  std::optional<Tensor> operand;  // a constant instead of input `operand_index`
  size_t operand_index = 0;
  bool outputs = true;  // false: they are the same as before
};

// Nothing for a node that cannot follow. Inputs converted to NHWC have rank 4, or are constants that
// broadcast to it.
std::optional<NhwcNode> to_nhwc_node(const Graph& graph, const Node& node);

// The integers of such an input, where it is a constant.
std::optional<std::vector<int64_t>> constant_integers(const Graph& graph, const Node& node, size_t input);

// A constant of rank 4 at most, read as NCHW, in NHWC.
Tensor nhwc_constant(const Tensor& constant);

}  // namespace nnrt
