// Finds movement operators that need not copy: their results are read by movement operators alone, which can
// copy from the same source, and by ATTENTION, which can read it. Lowering asks for each node in turn.
#pragma once

#include "backends/vulkan/lower/data_movement/composed_copies.h"
#include "backends/vulkan/lower/data_movement/interleave_copy.h"

#include <map>
#include <span>
#include <string_view>
#include <vector>

namespace nnrt::vulkan {

inline constexpr std::string_view kDeferredCopies = "deferred_copies";  // in lists of passes

class DeferredCopies {
 public:
  // False: none is found.
  DeferredCopies(const Graph& graph, bool is_on);

  // Returns whether the node is not to be lowered for now.
  bool defer(const NodeView& node);

  // For a node behind deferred ones: how its outputs are interleaved from tensors that lie in memory. Empty
  // if they are not: then the nodes that it needs are to be lowered as well.
  std::vector<InterleavedCopy> interleaved_copies(const NodeView& node) const;

  // The same for copies that are no slower from these tensors than from its inputs.
  ComposedCopies composed_copies(const NodeView& node) const;

  // A deferred node that must be lowered after all: by copies from where they begin, or as any other.
  struct Needed {
    const Node* node = nullptr;
    ComposedCopies copies;
  };
  // The ones that a reader of these tensors must come behind, in their order; they are so no more.
  std::vector<Needed> needed_by(std::span<const TensorId> read);

  // Returns the region that a deferred tensor would be copied from, if it is one.
  std::optional<CopiedRegion> source_of(TensorId tensor) const;

 private:
  // The regions that an output would be copied from.
  std::optional<std::vector<CopiedRegion>> parts_of(const NodeView& node, const CopyProgram& program,
                                                    size_t output) const;
  std::optional<ComposedCopies> parts_of_outputs(const NodeView& node, const CopyProgram& program) const;
  // A node's copies, from its inputs and from where these begin.
  struct Movement {
    CopyProgram program;
    ComposedCopies parts;
  };
  // Nothing where the node does more than to move elements, or has too many parts.
  std::optional<Movement> movement_of(const NodeView& node) const;
  // The same for a node that reads a deferred tensor; nothing for others.
  std::optional<Movement> movement_behind(const NodeView& node) const;
  // Returns whether the node is better copied from what makes up its inputs.
  bool composes(const NodeView& node, const Movement& movement) const;
  bool feeds_only_data_movement(const Node& node) const;

  const bool is_on_;
  // Tensors: by a movement operator, by ATTENTION as queries, keys or values, by anything else.
  std::vector<bool> is_copied_, is_attended_, is_read_;
  struct Made {
    const Node* node = nullptr;
    std::vector<CopiedRegion> parts;
    bool is_composed = false;  // so is its node lowered, should it be needed
  };
  std::map<TensorId, Made> deferred_;
};

}  // namespace nnrt::vulkan
