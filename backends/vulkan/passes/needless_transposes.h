// Elides transposes from NCHW to NHWC whose only reader is a convolution with a kernel that can read NCHW.
// Lowering visits each node in turn.
#pragma once

#include "core/graph/graph.h"

#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace nnrt::vulkan {

inline constexpr std::string_view kNeedlessTransposes = "needless_transposes";  // name in lists of passes

class NeedlessTransposes {
 public:
  // If `is_on` is false, nothing is elided.
  NeedlessTransposes(const Graph& graph, std::span<const Shape> shapes, bool is_on);

  // Returns whether to skip lowering the node for now, as its reader may elide it.
  bool defer(const Node& node);

  // Elides the deferred transpose that makes this NHWC tensor; returns its NCHW source.
  std::optional<TensorId> take(TensorId nhwc);

  // Returns and undefers the node whose result `reader` needs, if it was deferred and not elided; else null.
  const Node* needed_by(const Node& reader);

 private:
  std::vector<const Node*> transposes_;  // by result tensor; null if it is not such a transpose
  std::vector<bool> is_deferred_;        // by result tensor
};

}  // namespace nnrt::vulkan
