// Decides where the operands of kernels are, so that data movement and CASTs next to a kernel that takes a
// view cost nothing. Lowering visits each node in turn.
#pragma once

#include "backends/vulkan/lower/common/lowering.h"
#include "backends/vulkan/lower/data_movement/copied_rows.h"
#include "backends/vulkan/passes/deferred_copies.h"

#include <map>
#include <optional>
#include <set>
#include <span>
#include <string_view>
#include <vector>

namespace nnrt::vulkan {

// Names in lists of passes.
inline constexpr std::string_view kConcatElision = "concat_elision", kCastElision = "cast_elision",
                                  kTransposeElision = "transpose_elision";

class OperandViews {
 public:
  OperandViews(const Graph& graph, std::span<const Shape> shapes, std::span<const std::byte* const> values,
               const DevicePlan& plan);

  // Returns whether to skip the node: a kernel has written its result already, or it waits until a command
  // reads its result.
  bool skip(const NodeView& node);
  // The nodes that wait and must be lowered for a command that reads the tensor, in graph order. They wait no
  // longer.
  std::vector<DeferredCopies::PendingNode> needed_by(TensorId tensor);

  // Where a kernel that takes these views reads or writes the tensor `own.buffer`, which is stored as `own`.
  View read(const View& own, View::Takes takes);
  View write(const View& own, View::Takes takes);

  // The CONCAT's result in which a kernel has written the tensor.
  std::optional<Buffer> holder_of(TensorId tensor) const;

  const DeferredCopies& copies() const { return copies_; }

 private:
  // A view instead of a tensor, and the nodes that make one of the other.
  struct Elision {
    View view;
    View::Takes kind = View::none;
    std::vector<const Node*> nodes;
  };

  void find_casts();
  void find_transposes();
  void find_concats();
  void find_heads(std::span<const std::byte* const> values);
  std::optional<View> heads_at(TensorId tensor, const CopiedRows& rows, const Shape& shape) const;
  std::optional<View> heads_read_from(TensorId tensor) const;

  const Graph& graph_;
  const std::span<const Shape> shapes_;
  const DevicePlan& plan_;
  DeferredCopies copies_;
  std::vector<const Node*> only_reader_;        // null if the client reads it, or not exactly one operand
  std::map<TensorId, Elision> reads_, writes_;  // by the tensor between kernel and data movement
  std::set<TensorId> waiting_;                  // of reads_
  std::vector<bool> is_written_;                // by tensor: in place of the one that its node reads
  std::vector<bool> is_in_concat_;              // by tensor: computed in a CONCAT's result
};

}  // namespace nnrt::vulkan
