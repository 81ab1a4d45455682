// Converts nodes on NCHW data to NHWC, including axes and constants that refer to dimensions.
#pragma once

#include "core/graph/graph.h"

#include <array>
#include <optional>

namespace nnrt {

inline constexpr std::array<int32_t, 4> kToNhwc{0, 2, 3, 1};
inline constexpr std::array<int32_t, 4> kToNchw{0, 3, 1, 2};

struct NhwcNode {
  std::vector<bool> data;  // per input: whether it is converted to NHWC
  Attrs attrs;
  std::optional<Tensor> operand;  // replaces input `operand_index` by this constant
  size_t operand_index = 0;
  bool outputs = true;  // false: outputs are not converted
};

// Empty if the node cannot be converted. Converted inputs have rank 4, or are constants that broadcast to it.
std::optional<NhwcNode> to_nhwc_node(const Graph& graph, const Node& node);

// The values of an integer input, if it is constant.
std::optional<std::vector<int64_t>> constant_integers(const Graph& graph, const Node& node, size_t input);

// Converts a constant of up to rank 4 from NCHW to NHWC.
Tensor nhwc_constant(const Tensor& constant);

}  // namespace nnrt
