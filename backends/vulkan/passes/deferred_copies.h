// Which movement operators need not copy: their results are read by movement operators alone, which can copy
// from where these would have. Lowering asks for each node in turn.
#pragma once

#include "backends/vulkan/lower/data_movement/fused_copies.h"
#include "backends/vulkan/lower/data_movement/interleave_copy.h"

#include <map>
#include <vector>

namespace nnrt::vulkan {

class DeferredCopies {
 public:
  explicit DeferredCopies(const Graph& graph);

  // Whether the node is not to be lowered for now.
  bool defer(const NodeView& node);

  // For a node behind postponed ones: how each of its outputs is woven of tensors that lie in memory. Empty
  // where they are not: then what it needs is to be lowered as well.
  std::vector<InterleavedCopy> interleaved_copies(const NodeView& node) const;

  // The postponed nodes that a node must come behind, in their order; they are so no more.
  std::vector<const Node*> needed_by(const Node& node);

 private:
  // Of what an output would be copied.
  std::optional<std::vector<CopiedRegion>> parts_of(const NodeView& node, const CopyProgram& program,
                                                    size_t output) const;
  bool feeds_only_data_movement(const Node& node) const;

  std::vector<bool> is_copied_, is_read_;  // tensors: by a movement operator; by anything else
  struct Made {
    const Node* node = nullptr;
    std::vector<CopiedRegion> parts;
  };
  std::map<TensorId, Made> deferred_;
};

}  // namespace nnrt::vulkan
