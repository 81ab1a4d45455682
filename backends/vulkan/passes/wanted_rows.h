// Finds where the rows of an ATTENTION result are needed: the result may be read only by a TRANSPOSE that
// keeps rows contiguous, possibly behind RESHAPEs.
#pragma once

#include "backends/vulkan/lower/data_movement/copied_rows.h"
#include "core/graph/graph.h"

#include <span>
#include <vector>

namespace nnrt::vulkan {

struct WantedRows {
  TensorId tensor = 0;  // the tensor that should get the rows
  CopiedRows rows;
  std::vector<const Node*> movement;  // the nodes in between, which then need no lowering
};

class WantedRowsFinder {
 public:
  explicit WantedRowsFinder(const Graph& graph);

  // The destination of a tensor's rows; nullopt if its readers are of another kind.
  std::optional<WantedRows> find(TensorId tensor, std::span<const Shape> shapes,
                                 std::span<const std::byte* const> values) const;

 private:
  const Graph& graph_;
  std::vector<const Node*> only_reader_;  // null if the reader is the client, or if there are none or several
};

}  // namespace nnrt::vulkan
