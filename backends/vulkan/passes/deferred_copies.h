// Defers data movement whose results are read only by other data movement, which can copy from the original
// source, or by ATTENTION, which can read it directly. Lowering visits each node in turn.
#pragma once

#include "backends/vulkan/lower/data_movement/composed_copies.h"
#include "backends/vulkan/lower/data_movement/interleave_copy.h"

#include <map>
#include <span>
#include <string_view>
#include <vector>

namespace nnrt::vulkan {

inline constexpr std::string_view kDeferredCopies = "deferred_copies";  // name in lists of passes

class DeferredCopies {
 public:
  // If `is_on` is false, nothing is deferred.
  DeferredCopies(const Graph& graph, bool is_on);

  // Returns whether to skip lowering the node for now.
  bool defer(const NodeView& node);

  // For a node that reads deferred tensors: how its outputs interleave tensors in memory. Empty if they
  // don't; the nodes that it needs must then be lowered too.
  std::vector<InterleavedCopy> interleaved_copies(const NodeView& node) const;

  // The same for other copies, if reading the original tensors is no slower than reading the node's inputs.
  ComposedCopies composed_copies(const NodeView& node) const;

  // A deferred node that must be lowered after all: as composed copies from the original sources, or like any
  // other node.
  struct PendingNode {
    const Node* node = nullptr;
    ComposedCopies copies;
  };
  // Returns the deferred nodes that readers of these tensors need, in graph order, and undefers them.
  std::vector<PendingNode> needed_by(std::span<const TensorId> read);

  // Returns the region that a deferred tensor would be copied from, or nullopt if it is not deferred.
  std::optional<CopiedRegion> source_of(TensorId tensor) const;

 private:
  // The regions that make up an output.
  std::optional<std::vector<CopiedRegion>> parts_of(const NodeView& node, const CopyProgram& program,
                                                    size_t output) const;
  std::optional<ComposedCopies> parts_of_outputs(const NodeView& node, const CopyProgram& program) const;
  // A node's copies, from its inputs and from the original sources.
  struct Movement {
    CopyProgram program;
    ComposedCopies parts;
  };
  // nullopt if the node does more than move elements, or has too many parts.
  std::optional<Movement> movement_of(const NodeView& node) const;
  // The same, only for a node that reads a deferred tensor.
  std::optional<Movement> movement_behind(const NodeView& node) const;
  // Returns whether to copy the node from the sources of its inputs.
  bool composes(const NodeView& node, const Movement& movement) const;
  bool feeds_only_data_movement(const Node& node) const;

  const bool is_on_;
  // Per tensor: whether data movement, ATTENTION (as query, key or value), or anything else reads it.
  std::vector<bool> is_copied_, is_attended_, is_read_;
  struct DeferredNode {
    const Node* node = nullptr;
    std::vector<CopiedRegion> parts;
    bool is_composed = false;  // lower it as composed copies if needed
  };
  std::map<TensorId, DeferredNode> deferred_;
};

}  // namespace nnrt::vulkan
