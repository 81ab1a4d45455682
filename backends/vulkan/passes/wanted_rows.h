// Finds where the rows that ATTENTION computes are wanted: its result is read by a TRANSPOSE of whole rows
// alone, perhaps behind RESHAPEs.
#pragma once

#include "backends/vulkan/lower/data_movement/copied_rows.h"
#include "core/graph/graph.h"

#include <span>
#include <vector>

namespace nnrt::vulkan {

struct WantedRows {
  TensorId tensor = 0;  // another one, which has them
  CopiedRows rows;
  std::vector<const Node*> movement;  // nodes between both, which need not be lowered then
};

class WantedRowsFinder {
 public:
  explicit WantedRowsFinder(const Graph& graph);

  // Returns those of a tensor, if its readers are such.
  std::optional<WantedRows> find(TensorId tensor, std::span<const Shape> shapes,
                                 std::span<const std::byte* const> values) const;

 private:
  const Graph& graph_;
  std::vector<const Node*> only_reader_;  // null: several nodes read it, or none, or the client
};

}  // namespace nnrt::vulkan
