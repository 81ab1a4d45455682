// Finds the transposes from NCHW to NHWC that convolutions need not wait for, because a kernel can read the
// image as it lies: those whose result one convolution reads, and nothing else. Lowering asks for each node
// in turn.
#pragma once

#include "core/graph/graph.h"

#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace nnrt::vulkan {

inline constexpr std::string_view kNeedlessTransposes = "needless_transposes";  // in lists of passes

class NeedlessTransposes {
 public:
  // False: convolutions wait for all transposes.
  NeedlessTransposes(const Graph& graph, std::span<const Shape> shapes, bool is_on);

  // Returns whether the node is not to be lowered for now: its reader is asked first.
  bool defer(const Node& node);

  // Returns the NCHW tensor of an NHWC one that was deferred, which is not to be lowered then.
  std::optional<TensorId> take(TensorId nhwc);

  // Returns the deferred node whose result this one reads and nobody took, or null; it is so no more.
  const Node* needed_by(const Node& reader);

 private:
  std::vector<const Node*> transposes_;  // by the tensors that they make; null: none of these
  std::vector<bool> is_deferred_;        // likewise
};

}  // namespace nnrt::vulkan
