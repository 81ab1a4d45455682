// CASTs that a pass adds to a graph.
#pragma once

#include "core/graph/graph.h"

#include <map>

namespace nnrt {

class CastInserter {
 public:
  explicit CastInserter(Graph& graph) : graph_(graph) {}

  TensorId add_tensor(Tensor tensor, Shape shape);
  // The next node: a CAST to the dtype of `to`, for the operation at `position` of the client's.
  void add_cast(TensorId from, TensorId to, uint32_t position);

 private:
  Graph& graph_;
  std::map<DType, TensorId> types_;  // the inputs that tell CASTs their output dtype
};

}  // namespace nnrt
